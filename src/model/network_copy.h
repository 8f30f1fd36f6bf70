/* A network with its gradients and workspace, whose weights are a copy of numbers in float. Made in
 * double, it lets a model be looked at more closely than float allows. */
#ifndef ELMAN_MODEL_NETWORK_COPY_H
#define ELMAN_MODEL_NETWORK_COPY_H

#include "model/network.h"

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

struct network_pass network_copy_pass(struct network_copy *copy, const struct batch *batch,
                                      const struct regularization *regularization);

/* ELMAN_BAD_DATA if a loss is not finite. */
elman_status network_copy_check(double loss, elman_error *error) CHECKED;
/* The mean loss of the batch, checked. */
elman_status network_copy_loss(double *loss, struct network_copy *copy, const struct batch *batch,
                               const struct regularization *regularization,
                               elman_error *error) CHECKED;

#endif
