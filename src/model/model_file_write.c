#include "base/safe_file.h"
#include "model/hyperparameter_json.h"
#include "model/model_file.h"
#include "model/model_keys.h"
#include "model/safetensors.h"

static json_t *config_to_json(const struct model_config *config) {
  json_t *json = json_pack("{s:s, s:I, s:s, s:I}", "source_normalization",
                           normalization_name(config->source_normalization), "source_vocabulary",
                           (json_int_t)config->source_vocabulary, "target_normalization",
                           normalization_name(config->target_normalization), "target_vocabulary",
                           (json_int_t)config->target_vocabulary);
  if (hyperparameters_to_json(json, ELMAN_SCOPE_MODEL, config) == 0) return json;
  json_decref(json);
  return NULL;
}

static int set_vocabulary(json_t *metadata, struct side_keys keys,
                          const struct vocabulary *vocabulary) {
  json_t *tokens = json_array(), *counts = json_array();
  int result = 0;
  for (size_t id = 0; id < vocabulary_size(vocabulary); id++) {
    const struct text token = vocabulary_token(vocabulary, id);
    result |= json_array_append_new(tokens, json_stringn(token.bytes, token.length));
    result |=
        json_array_append_new(counts, json_integer((json_int_t)vocabulary_count(vocabulary, id)));
  }
  result |= safetensors_set_json(metadata, keys.vocabulary, tokens);
  result |= safetensors_set_json(metadata, keys.counts, counts);
  return result;
}

static int set_merges(json_t *metadata, const char *key, const struct merges *merges) {
  struct buffer line = {0};
  json_t *lines = json_array();
  int result = 0;
  if (merges == NULL) {
    json_decref(lines);
    return 0;
  }
  for (size_t rank = 0; rank < merges->count; rank++) {
    buffer_clear(&line);
    merges_append_line(&line, merges, rank);
    if (line.failed) result = -1;
    result |= json_array_append_new(lines, json_stringn(line.bytes, line.length));
  }
  buffer_free(&line);
  return result | safetensors_set_json(metadata, key, lines);
}

/* All training that it has had, and the settings of the last, as far as they are known. */
static json_t *training_to_json(const struct model *model) {
  const struct model_past *past = &model->past;
  json_t *json =
      json_pack("{s:I, s:I, s:I}", "epochs", (json_int_t)past->history.epochs, "tokens",
                (json_int_t)past->history.tokens, "updates", (json_int_t)past->history.updates);
  int result = json == NULL;
  if (past->start_known) result |= hyperparameters_to_json(json, ELMAN_SCOPE_START, &model->config);
  if (past->training_known)
    result |=
        hyperparameters_to_json(json, ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END, &past->training);
  if (result == 0) return json;
  json_decref(json);
  return NULL;
}

static json_t *compose_metadata(const struct model *model) {
  json_t *metadata = json_object();
  int result = json_object_set_new(metadata, "format", json_string("pt"));
  result |= json_object_set_new(metadata, KEY_VERSION, json_string(ELMAN_VERSION));
  result |= safetensors_set_json(metadata, KEY_CONFIG, config_to_json(&model->config));
  if (model->past.history.updates > 0 || model->past.start_known)
    result |= safetensors_set_json(metadata, KEY_TRAINING, training_to_json(model));
  result |= set_vocabulary(metadata, SIDE_KEYS[ELMAN_SOURCE], model->source_vocabulary);
  result |= set_vocabulary(metadata, SIDE_KEYS[ELMAN_TARGET], model->target_vocabulary);
  for (int s = 0; s < 2; s++) result |= set_merges(metadata, SIDE_KEYS[s].merges, model->merges[s]);
  if (result == 0) return metadata;
  json_decref(metadata);
  return NULL;
}

elman_status model_save(const struct model *model, const char *path, elman_error *error) {
  return model_save_like(model, path, NULL, error);
}

elman_status model_save_like(const struct model *model, const char *path, const char *like,
                             elman_error *error) {
  struct tensor_source tensors[MAX_PARAMETERS];
  for (size_t i = 0; i < model->table.count; i++) {
    const struct parameter *row = &model->table.rows[i];
    tensors[i] = (struct tensor_source){
        row->name, model->block + row->offset, {row->rows, row->columns}, row->dimensions};
  }
  json_t *metadata = compose_metadata(model);
  if (metadata == NULL) return fail_no_memory(error);
  struct safe_file file;
  elman_status status = safe_file_open(&file, path, like, error);
  if (status == ELMAN_OK) {
    status = safetensors_write(file.stream, metadata, tensors, model->table.count, error);
    status = safe_file_end(&file, status, error);
  }
  json_decref(metadata);
  return status;
}
