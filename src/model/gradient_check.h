/* The gradient check: the backward pass compared with central differences of the loss, tensor by
 * tensor. docs/bptt.md, section 9.
 *
 * Compiled only in double, since in float the differences are mostly rounding error. Code compiled
 * in float calls gradient_check_run and trace_run, whose arguments contain no `real`. */
#ifndef ELMAN_MODEL_GRADIENT_CHECK_H
#define ELMAN_MODEL_GRADIENT_CHECK_H

#include "elman/gradients.h"
#include "model/network.h"

/* A network with gradients and workspace. Its weights are a copy of float weights, in double, which
 * permits more accurate measurements. */
struct network_copy {
  struct model_config config;
  struct parameter_table table;
  real *weights, *gradients; /* blocks */
  struct parameters weight_views, gradient_views;
  struct workspace workspace; /* fits the batch */
};

/* tensors[i] are the elements of row i of the table for `config`. The gradients are zero. */
elman_status network_copy_create(struct network_copy *copy, const struct model_config *config,
                                 const float *const *tensors, const struct batch *batch,
                                 enum purpose purpose, elman_error *error) CHECKED;
void network_copy_free(struct network_copy *copy);

struct gradient_check {
  elman_checked_tensor reports[MAX_PARAMETERS]; /* in the order of the table, without names */
  size_t count;
  double loss;       /* mean over the target tokens, label smoothing included */
  double guide_loss; /* mean over the target tokens that the guide links; 0 without a guide */
};

/* Check the gradient. If a tensor has more than `samples` elements, only `samples` random elements
 * are checked. For an embedding, as many elements again are checked in the rows of the batch's
 * words, at least one per row, because other rows have no gradient. tensors[i] are the elements of
 * row i of the parameter table. `options` must be valid. */
elman_status gradient_check_run(struct gradient_check *check, const struct model_config *config,
                                const float *const *tensors, const struct batch *batch,
                                const elman_gradient_options *options, elman_error *error) CHECKED;

/* The trace: the size of the gradient at every time step of both RNNs, which shows how far
 * gradients propagate back. docs/bptt.md, section 10. In double, vanishing gradients differ from
 * zero. */

enum { MAX_TRACED_LAYERS = MAX_LAYERS * (DIRECTIONS + 1) };

struct trace {
  elman_traced_layer layers[MAX_TRACED_LAYERS]; /* layers of the encoder first */
  size_t count;
  double loss;    /* the loss that is differentiated */
  double *losses; /* (T): the loss of each target token */
  struct arena arena;
};

/* Trace `batch`, one pair. `step` selects the target token whose loss is differentiated, from 1; 0
 * = the mean over all. The caller frees the arena, also after a failure. */
elman_status trace_run(struct trace *trace, const struct model_config *config,
                       const float *const *tensors, const struct batch *batch, size_t step,
                       elman_error *error) CHECKED;

#endif
