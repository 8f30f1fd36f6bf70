/* The gradient check: compare the backward pass with central differences of the loss, tensor by
 * tensor. docs/gradcheck.md.
 *
 * Compiled only in double, because in float the differences are mostly rounding error. Code
 * compiled in float can call gradient_check_run and trace_run: their arguments contain no
 * `real`. */
#ifndef ELMAN_MODEL_GRADIENT_CHECK_H
#define ELMAN_MODEL_GRADIENT_CHECK_H

#include "elman/gradients.h"
#include "model/network.h"

/* A network with gradients and workspace, for measurements in double. Its weights are double copies
 * of float weights. */
struct network_copy {
  struct model_config config;
  struct parameter_table table;
  real *weights, *gradients; /* blocks laid out by `table` */
  struct parameters weight_views, gradient_views;
  struct workspace workspace; /* large enough for the batch */
};

/* Create the copy with gradients of zero. tensors[i] contains the elements of row i of the table
 * for `config`. */
elman_status network_copy_create(struct network_copy *copy, const struct model_config *config,
                                 const float *const *tensors, const struct batch *batch,
                                 enum purpose purpose, elman_error *error) CHECKED;
void network_copy_free(struct network_copy *copy);

struct gradient_check {
  elman_checked_tensor
      reports[MAX_PARAMETERS]; /* one report per tensor, without names, in the order of the table */
  size_t count;
  double loss;       /* mean over the target tokens, including label smoothing */
  double guide_loss; /* mean over the target tokens that have alignment links; 0 without a guide */
};

/* Check the gradient of each tensor, in at most `samples` random elements. In an
 * embedding only the rows of the batch's words have a gradient; check up to `samples` further
 * elements in these rows, at least one per row. tensors[i] contains the elements of row i of the
 * parameter table. `options` must be valid. */
elman_status gradient_check_run(struct gradient_check *check, const struct model_config *config,
                                const float *const *tensors, const struct batch *batch,
                                const elman_gradient_options *options, elman_error *error) CHECKED;

/* The trace: the norm of the gradient at every time step of both RNNs, which shows how far
 * gradients propagate back. docs/bptt.md, section 14. Computed in double, in which small gradients
 * do not underflow. */

enum { MAX_TRACED_LAYERS = MAX_LAYERS * (DIRECTIONS + 1) };

struct trace {
  elman_traced_layer layers[MAX_TRACED_LAYERS]; /* encoder layers first */
  size_t count;
  double loss;    /* the loss that is differentiated */
  double *losses; /* (T): the loss of each target token */
  struct arena arena;
};

/* Trace `batch`, which contains one pair. `step` (from 1) selects the target token whose loss is
 * differentiated; 0 = the mean over all tokens. The caller frees the arena, even after a
 * failure. */
elman_status trace_run(struct trace *trace, const struct model_config *config,
                       const float *const *tensors, const struct batch *batch, size_t step,
                       elman_error *error) CHECKED;

#endif
