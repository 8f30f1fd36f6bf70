/* Threads and floating-point mode, set for the duration of a public call. */
#ifndef ELMAN_API_CALL_H
#define ELMAN_API_CALL_H

#include "base/team.h"
#include "corpus/pairs.h"
#include "elman.h"
#include "model/model.h"
#include "translate/translator.h"

/* The previous team and treatment of denormals. */
struct surroundings {
  struct team *team;
  struct team *own; /* this call's team; NULL if one thread is enough or a caller keeps the team */
  unsigned denormals;
};

/* Set up a team of `threads` threads, 0 = one per processor, for a call. `work` is the number of
 * multiplications in its largest product; if that is too small for several threads, use one. Call
 * leave() afterwards, unless this fails. */
elman_status enter(struct surroundings *before, size_t threads, double work,
                   elman_error *error) CHECKED;
void leave(struct surroundings before);

/* A team that is kept for later calls. Initialize to zero; the owner frees the team. */
struct kept_team {
  struct team *team; /* NULL until there is enough work */
  size_t threads;    /* requested when the team was made */
};

/* Like enter(), with a team that is kept; it is replaced if another number of threads is requested.
 */
elman_status enter_with(struct surroundings *before, struct kept_team *kept, size_t threads,
                        double work, elman_error *error) CHECKED;

/* The public handles are the internal structs under another name. */
static inline struct pairs *inner_pairs(elman_pairs *pairs) {
  return (struct pairs *)pairs;
}

static inline const struct pairs *inner_pairs_const(const elman_pairs *pairs) {
  return (const struct pairs *)pairs;
}

#endif
