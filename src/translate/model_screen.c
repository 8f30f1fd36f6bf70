#include "translate/model_screen.h"

#include <stdlib.h>

elman_status model_screen_create(struct screen **out, const struct model *model,
                                 const elman_translate_options *options, elman_error *error) {
  const struct decoder_parameters *weights = &model->weights.decoder;
  const struct decoder_sizes sizes = decoder_sizes_of(&model->config);
  *out = NULL;
  if (options->beam > 1 || options->ensemble_count > 0 || options->sample) return ELMAN_OK;
  *out = calloc(1, sizeof **out);
  if (*out == NULL) return fail_no_memory(error);
  const struct screened_layer layer = {weights->out_weight, weights->out_bias,
                                       sizes.vocabulary,    decoder_feature_size(sizes),
                                       TOKEN_START,         model->merges[ELMAN_TARGET] != NULL};
  const elman_status status = screen_create(*out, layer, quantized_kernel_at(0), error);
  if (status == ELMAN_OK) return ELMAN_OK;
  model_screen_free(*out);
  *out = NULL;
  return status;
}

void model_screen_free(struct screen *screen) {
  if (screen == NULL) return;
  screen_free(screen);
  free(screen);
}
