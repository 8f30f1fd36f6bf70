/* Is a model's gradient right? What the backward pass gives against central differences of the
 * loss, tensor by tensor. docs/bptt.md, section 9.
 *
 * Compiled in double only, since in float the differences are mostly rounding. The part of the
 * library that is compiled in float calls gradient_check_run and trace_run, which take and give no
 * `real`. */
#ifndef ELMAN_MODEL_GRADIENT_CHECK_H
#define ELMAN_MODEL_GRADIENT_CHECK_H

#include "elman/gradients.h"
#include "model/network.h"

/* A network with its gradients and workspace, whose weights are a copy of numbers in float. Made in
 * double, it lets a model be looked at more closely than float allows. */
struct network_copy {
  struct model_config config;
  struct parameter_table table;
  real *weights, *gradients; /* blocks */
  struct parameters weight_views, gradient_views;
  struct workspace workspace; /* fits the batch */
};

/* tensors[i] are the numbers of row i of the table for `config`. The gradients are zero. */
elman_status network_copy_create(struct network_copy *copy, const struct model_config *config,
                                 const float *const *tensors, const struct batch *batch,
                                 enum purpose purpose, elman_error *error) CHECKED;
void network_copy_free(struct network_copy *copy);

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

/* How far back learning reaches: the size of the gradient at every time step of both RNNs.
 * docs/bptt.md, section 10.  * In double, gradients that vanish differ from zero. */

enum { MAX_TRACED_LAYERS = MAX_LAYERS * (DIRECTIONS + 1) };

struct trace {
  elman_traced_layer layers[MAX_TRACED_LAYERS]; /* the encoder's first */
  size_t count;
  double loss;    /* whose gradients these are */
  double *losses; /* (T): of each target token */
  struct arena arena;
};

/* `batch` is one pair; `step` is the target token, from 1, whose loss is followed, 0 = the mean
 * over all. The caller frees the arena, also after a failure. */
elman_status trace_run(struct trace *trace, const struct model_config *config,
                       const float *const *tensors, const struct batch *batch, size_t step,
                       elman_error *error) CHECKED;

#endif
