/* What every public function does: set threads and floating-point mode for the length of a call. */
#ifndef ELMAN_API_CALL_H
#define ELMAN_API_CALL_H

#include "corpus/pairs.h"
#include "elman.h"
#include "model/model.h"
#include "translate/translator.h"

/* OpenMP's number of threads and the treatment of denormals, as they were before the call. */
struct surroundings {
  int threads;
  unsigned denormals;
};

/* `threads` 0 = one a core; `work` = multiplications in the largest product: a short call uses one
 * thread, for waking others would be its longest part. To be left unless it fails. */
elman_status enter(struct surroundings *before, size_t threads, double work,
                   elman_error *error) CHECKED;
void leave(struct surroundings before);

/* The public handles are the internal structs under another name. */
static inline struct pairs *inner_pairs(elman_pairs *pairs) {
  return (struct pairs *)pairs;
}

static inline const struct pairs *inner_pairs_const(const elman_pairs *pairs) {
  return (const struct pairs *)pairs;
}

static inline struct model *inner_model(elman_model *model) {
  return (struct model *)model;
}

static inline const struct model *inner_model_const(const elman_model *model) {
  return (const struct model *)model;
}

elman_status check_translate_options(const elman_translate_options *options,
                                     elman_error *error) CHECKED;

#endif
