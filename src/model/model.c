#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

static elman_status set_up(struct model *model, elman_error *error) {
  elman_status status = model_config_check(&model->config, error);
  if (status == ELMAN_OK) status = parameter_table_create(&model->table, &model->config, error);
  if (status == ELMAN_OK) status = parameter_block_create(&model->block, &model->table, error);
  if (status != ELMAN_OK) return status;
  advise_large_pages(model->block, model->table.block * sizeof(real));
  parameters_bind(&model->weights, model->block, &model->config);
  return ELMAN_OK;
}

elman_status model_create(struct model **out, struct vocabulary_pair vocabularies,
                          struct model_config config, elman_error *error) {
  *out = NULL;
  struct model *model = calloc(1, sizeof *model);
  if (model == NULL) {
    vocabulary_pair_free(&vocabularies);
    return fail_no_memory(error);
  }
  model->config = config;
  model->config.source_vocabulary = vocabulary_size(vocabularies.source);
  model->config.target_vocabulary = vocabulary_size(vocabularies.target);
  model->config.source_tokens = vocabularies.source_mode;
  model->config.target_tokens = vocabularies.target_mode;
  model->config.source_normalization = vocabularies.source_normalization;
  model->config.target_normalization = vocabularies.target_normalization;
  model_config_complete(&model->config);
  snprintf(model->version, sizeof model->version, "%s", ELMAN_VERSION);
  model->sample[ELMAN_SOURCE] = vocabularies.sample[ELMAN_SOURCE];
  model->sample[ELMAN_TARGET] = vocabularies.sample[ELMAN_TARGET];
  model->source_vocabulary = vocabularies.source;
  model->target_vocabulary = vocabularies.target;
  model->merges[ELMAN_SOURCE] = vocabularies.merges[ELMAN_SOURCE];
  model->merges[ELMAN_TARGET] = vocabularies.merges[ELMAN_TARGET];
  const elman_status status = set_up(model, error);
  if (status == ELMAN_OK)
    *out = model;
  else
    model_free(model);
  return status;
}

void model_free(struct model *model) {
  if (model == NULL) return;
  vocabulary_free(model->source_vocabulary);
  vocabulary_free(model->target_vocabulary);
  merges_free(model->merges[ELMAN_SOURCE]);
  merges_free(model->merges[ELMAN_TARGET]);
  parameter_block_free(model->block);
  free(model);
}

elman_status search_check(elman_search search, elman_error *error) {
  enum { MAX_PENALTY = 10 };
  const elman_status status =
      check_range("beam size", (double)search.beam, 0, ELMAN_MAX_BEAM, error);
  return status == ELMAN_OK
             ? check_range("length penalty", search.length_penalty, 0, MAX_PENALTY, error)
             : status;
}

struct codec model_source_codec(const struct model *model) {
  return (struct codec){model->config.source_tokens, model->config.source_normalization,
                        model->source_vocabulary, model->merges[ELMAN_SOURCE]};
}

struct codec model_target_codec(const struct model *model) {
  return (struct codec){model->config.target_tokens, model->config.target_normalization,
                        model->target_vocabulary, model->merges[ELMAN_TARGET]};
}
