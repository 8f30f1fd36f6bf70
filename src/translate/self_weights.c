#include "translate/self_weights.h"

#include "corpus/batch.h"

void self_weights_free(struct self_weights *self) {
  workspace_free(&self->workspace);
  batch_free(&self->batch);
}

elman_status self_weights_run(struct self_weights *self, const struct model *model,
                              const uint32_t *source, size_t S, const uint32_t *target,
                              size_t words, elman_error *error) {
  size_t starts[][2] = {{0, S}, {0, words}};
  const size_t index = 0;
  /* Read only. */
  const struct corpus pair = {
      .source = {.ids = (uint32_t *)source, .starts = starts[0], .count = 1},
      .target = {.ids = (uint32_t *)target, .starts = starts[1], .count = 1}};
  elman_status status = batch_fill(&self->batch, &pair, &index, 1, error);
  if (status == ELMAN_OK)
    status = workspace_fit(&self->workspace, &model->config, &self->batch, FORWARD_ONLY, error);
  if (status != ELMAN_OK) return status;
  const struct regularization plain = {0};
  const struct network_pass pass = {.config = &model->config,
                                    .weights = &model->weights,
                                    .batch = &self->batch,
                                    .regularization = &plain,
                                    .workspace = &self->workspace};
  (void)network_forward(&pass);
  return ELMAN_OK;
}

void self_weights_copy(float *into, const struct self_weights *self, elman_side side, size_t N,
                       size_t count) {
  const bool encoder = side == ELMAN_SOURCE;
  const real *weights = encoder ? self->workspace.encoder.self_attention.weights
                                : self->workspace.decoder.self_attention.weights; /* (T,1,N,T) */
  const size_t T = encoder ? self->batch.source.steps : self->batch.target.steps;
  for (size_t t = 0; t < count; t++)
    for (size_t n = 0; n < N; n++)
      for (size_t s = 0; s < count; s++)
        into[(n * count + t) * count + s] = (float)weights[(t * N + n) * T + s];
}
