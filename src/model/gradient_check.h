/* Is a model's gradient right? What the backward pass gives against central differences of the
 * loss, tensor by tensor. docs/bptt.md, section 9.
 *
 * Compiled in double only, since in float the differences are mostly rounding, and called from the
 * part of the library that is compiled in float: nothing here is a `real`. */
#ifndef ELMAN_MODEL_GRADIENT_CHECK_H
#define ELMAN_MODEL_GRADIENT_CHECK_H

#include "elman/gradients.h"
#include "model/network.h"

struct gradient_check {
  elman_checked_tensor reports[MAX_PARAMETERS]; /* in the table's order, whose names they lack */
  size_t count;
  double loss;       /* mean over the target tokens, smoothing included */
  double guide_loss; /* mean over those that the batch's guide links; 0 without one */
};

/* Of a tensor with more weights than `samples` so many are tried, drawn at random; of an embedding
 * besides as many, and at least one a row, in the rows of the batch's words: the others have no
 * gradient. tensors[i] are the numbers of row i of the parameter table.
 * The options are right. */
elman_status gradient_check_run(struct gradient_check *check, const struct model_config *config,
                                const float *const *tensors, const struct batch *batch,
                                const elman_gradient_options *options, elman_error *error) CHECKED;

#endif
