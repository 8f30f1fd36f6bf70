/* Is a model's gradient right? What the backward pass gives against central differences of the
 * loss, tensor by tensor. docs/bptt.md, section 9.
 *
 * Compiled in double only, since in float the differences are mostly rounding, and called from the
 * part of the library that is compiled in float: nothing here is a `real`. */
#ifndef ELMAN_MODEL_GRADIENT_CHECK_H
#define ELMAN_MODEL_GRADIENT_CHECK_H

#include "elman/gradients.h"
#include "model/network.h"

struct gradient_check_options {
  double step;      /* added to and taken from each weight; positive */
  double tolerance; /* the largest relative error of a right gradient */
  size_t samples;   /* weights of a tensor that are tried, see below; 0 = all */
  uint64_t seed;    /* chooses them */
  struct regularization regularization;
  bool (*progress)(void *context, size_t done, size_t total); /* tensors; false stops; or NULL */
  void *context;
};

/* One row of the parameter table. The norms are those of the gradient of the weights tried. */
struct gradient_report {
  size_t checked;        /* weights tried */
  double norm, measured; /* by the backward pass; by differences */
  double error;          /* |a - b| / (|a| + |b|); 0 for two zeros */
  elman_verdict verdict;
};

struct gradient_check {
  struct gradient_report reports[MAX_PARAMETERS]; /* in the table's order */
  size_t count;
  double loss; /* mean over the target tokens, smoothing included */
};

/* Of a tensor with more weights than `samples` so many are tried, drawn at random; of an embedding
 * besides as many, and at least one a row, in the rows of the batch's words: the others have no
 * gradient. tensors[i] are the numbers of row i of the parameter table. */
elman_status gradient_check_run(struct gradient_check *check, const struct model_config *config,
                                const float *const *tensors, const struct batch *batch,
                                const struct gradient_check_options *options,
                                elman_error *error) CHECKED;

#endif
