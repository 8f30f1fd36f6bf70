#include "model/network_copy.h"

#include <math.h>

static void copy_weights(struct network_copy *copy, const float *const *tensors) {
  for (size_t i = 0; i < copy->table.count; i++) {
    const struct parameter *row = &copy->table.rows[i];
    for (size_t j = 0; j < parameter_size(row); j++)
      copy->weights[row->offset + j] = (real)tensors[i][j];
  }
}

elman_status network_copy_create(struct network_copy *copy, const struct model_config *config,
                                 const float *const *tensors, const struct batch *batch,
                                 enum purpose purpose, elman_error *error) {
  *copy = (struct network_copy){.config = *config};
  elman_status status = parameter_table_create(&copy->table, config, error);
  if (status == ELMAN_OK) status = parameter_block_create(&copy->weights, &copy->table, error);
  if (status == ELMAN_OK) status = parameter_block_create(&copy->gradients, &copy->table, error);
  if (status == ELMAN_OK) status = workspace_fit(&copy->workspace, config, batch, purpose, error);
  if (status != ELMAN_OK) {
    network_copy_free(copy);
    return status;
  }
  parameters_bind(&copy->weight_views, copy->weights, config);
  parameters_bind(&copy->gradient_views, copy->gradients, config);
  copy_weights(copy, tensors);
  return ELMAN_OK;
}

void network_copy_free(struct network_copy *copy) {
  parameter_block_free(copy->weights);
  parameter_block_free(copy->gradients);
  workspace_free(&copy->workspace);
  *copy = (struct network_copy){0};
}

struct network_pass network_copy_pass(struct network_copy *copy, const struct batch *batch,
                                      const struct regularization *regularization) {
  return (struct network_pass){.config = &copy->config,
                               .weights = &copy->weight_views,
                               .batch = batch,
                               .regularization = regularization,
                               .workspace = &copy->workspace};
}

elman_status network_copy_check(double loss, elman_error *error) {
  if (isfinite(loss)) return ELMAN_OK;
  return fail(error, ELMAN_BAD_DATA, NULL,
              "the model's weights are so large that its numbers overflow; train it again with a "
              "lower learning rate");
}

elman_status network_copy_loss(double *loss, struct network_copy *copy, const struct batch *batch,
                               const struct regularization *regularization, elman_error *error) {
  const struct network_pass pass = network_copy_pass(copy, batch, regularization);
  *loss = network_forward(&pass) / (double)batch->tokens;
  return network_copy_check(*loss, error);
}
