#include "model/quantized_model.h"

#include <stdlib.h>

static void quantized_model_free(struct quantized_model *made) {
  if (made == NULL) return;
  eight_bits_free(&made->set);
  free(made);
}

static elman_status quantized_model_create(struct quantized_model **out, const struct model *model,
                                           elman_error *error) {
  struct float_matrix matrices[MAX_PARAMETERS];
  const size_t count = parameter_matrices(matrices, model->block, &model->table);
  struct quantized_model *made = calloc(1, sizeof *made);
  if (made == NULL) return fail_no_memory(error);
  made->view = *model;
  made->from = model;
  made->trainings = model->trainings;
  const elman_status status = eight_bits_create(&made->set, matrices, count, NULL, error);
  parameters_use_eight_bits(&made->view.weights, &made->set);
  *out = made;
  if (status == ELMAN_OK) return ELMAN_OK;
  quantized_model_free(made);
  return status;
}

/* Forget all models but the first: the caller may have freed the others since, so that their
 * addresses say nothing. Forget the first too if it is another model or has been trained. */
static void forget(struct quantized_models *models, const struct model *first) {
  const bool kept = models->made_count > 0 && models->made[0]->from == first &&
                    models->made[0]->trainings == first->trainings;
  while (models->made_count > kept) quantized_model_free(models->made[--models->made_count]);
}

/* Find or make the view of a model. There must be room for one more. */
static elman_status quantize(const struct model **view, struct quantized_models *models,
                             const struct model *model, elman_error *error) {
  size_t i = 0;
  while (i < models->made_count && models->made[i]->from != model) i++;
  if (i == models->made_count) {
    const elman_status status = quantized_model_create(&models->made[i], model, error);
    if (status != ELMAN_OK) return status;
    models->made_count++;
  }
  *view = &models->made[i]->view;
  return ELMAN_OK;
}

elman_status quantized_models_fit(struct quantized_models *models, const struct model **view,
                                  const struct model *model, elman_translate_options *options,
                                  elman_error *error) {
  const size_t count = ensemble_size(options);
  *view = model;
  if (options->precision == ELMAN_PRECISION_FLOAT32) return ELMAN_OK;
  forget(models, model);
  elman_status status = array_grow(&models->made, &models->made_capacity,
                                   models->made_count + count, sizeof *models->made, error);
  if (status == ELMAN_OK)
    status = array_grow(&models->ensemble, &models->ensemble_capacity, count,
                        sizeof *models->ensemble, error);
  for (size_t m = 0; m < count && status == ELMAN_OK; m++) {
    const struct model *one;
    status = quantize(&one, models, ensemble_member(model, options, m), error);
    if (status != ELMAN_OK) break;
    if (m == 0)
      *view = one;
    else
      models->ensemble[m - 1] = (const elman_model *)one;
  }
  if (status == ELMAN_OK && count > 1) options->ensemble = models->ensemble;
  return status;
}

void quantized_models_free(struct quantized_models *models) {
  for (size_t i = 0; i < models->made_count; i++) quantized_model_free(models->made[i]);
  free(models->made);
  free(models->ensemble);
  *models = (struct quantized_models){0};
}
