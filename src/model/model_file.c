#include "model/model_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_file.h"
#include "model/safetensors.h"

static const char KEY_FORMAT[] = "format", KEY_VERSION[] = "elman.version",
                  KEY_CONFIG[] = "elman.config", KEY_TRAINING[] = "elman.training";

/* The metadata entries of one side. */
struct side_keys {
  const char *vocabulary, *counts;
};
static const struct side_keys SOURCE_KEYS = {"elman.source_vocab", "elman.source_counts"};
static const struct side_keys TARGET_KEYS = {"elman.target_vocab", "elman.target_counts"};

/* ---- writing ---- */

static json_t *config_to_json(const struct model *model) {
  const struct model_config *config = &model->config;
  return json_pack(
      "{s:s, s:I, s:I, s:b, s:b, s:I, s:I, s:I, s:I, s:b, s:I, s:b, s:s, s:s, s:I, s:s, s:s, s:I, "
      "s:b}",
      "attention", attention_name(config->attention), "attention_heads", (json_int_t)config->heads,
      "attention_window", (json_int_t)config->window, "attentional_layer",
      config->attentional_layer, "bidirectional", config->bidirectional, "decoder_self_attention",
      (json_int_t)config->decoder_self_attention, "embedding_size",
      (json_int_t)config->embedding_size, "encoder_self_attention",
      (json_int_t)config->encoder_self_attention, "hidden_size", (json_int_t)config->hidden_size,
      "input_feeding", config->input_feeding, "layers", (json_int_t)config->layers,
      "plain_self_attention", config->plain_self_attention, "source_normalization",
      normalization_name(model->source_normalization), "source_tokens",
      token_mode_name(model->source_mode), "source_vocabulary",
      (json_int_t)config->source_vocabulary, "target_normalization",
      normalization_name(model->target_normalization), "target_tokens",
      token_mode_name(model->target_mode), "target_vocabulary",
      (json_int_t)config->target_vocabulary, "tie_embeddings", config->tied);
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

static json_t *history_to_json(const struct training_history *history) {
  return json_pack("{s:I, s:I, s:I}", "epochs", (json_int_t)history->epochs, "tokens",
                   (json_int_t)history->tokens, "updates", (json_int_t)history->updates);
}

static json_t *compose_metadata(const struct model *model) {
  json_t *metadata = json_object();
  int result = json_object_set_new(metadata, KEY_FORMAT, json_string("pt"));
  result |= json_object_set_new(metadata, KEY_VERSION, json_string(ELMAN_VERSION));
  result |= safetensors_set_json(metadata, KEY_CONFIG, config_to_json(model));
  if (model->history.updates > 0)
    result |= safetensors_set_json(metadata, KEY_TRAINING, history_to_json(&model->history));
  result |= set_vocabulary(metadata, SOURCE_KEYS, model->source_vocabulary);
  result |= set_vocabulary(metadata, TARGET_KEYS, model->target_vocabulary);
  if (result == 0) return metadata;
  json_decref(metadata);
  return NULL;
}

elman_status model_save(const struct model *model, const char *path, elman_error *error) {
  struct tensor_source tensors[MAX_PARAMETERS];
  for (size_t i = 0; i < model->table.count; i++) {
    const struct parameter *row = &model->table.rows[i];
    tensors[i] = (struct tensor_source){
        row->name, model->block + row->offset, {row->rows, row->columns}, row->dimensions};
  }
  json_t *metadata = compose_metadata(model);
  if (metadata == NULL) return fail_no_memory(error);
  struct safe_file file;
  elman_status status = safe_file_open(&file, path, NULL, error);
  if (status == ELMAN_OK) {
    status = safetensors_write(file.stream, metadata, tensors, model->table.count, error);
    status = safe_file_end(&file, status, error);
  }
  json_decref(metadata);
  return status;
}

/* ---- reading ---- */

static elman_status bad(const struct safetensors *file, elman_error *error, const char *problem,
                        const char *what) {
  return fail(error, ELMAN_BAD_DATA, file->path, "not a usable elman model: %s %s", what, problem);
}

static elman_status parse_metadata(json_t **value, const struct safetensors *file, const char *key,
                                   elman_error *error) {
  const char *text = safetensors_metadata(file, key);
  if (text == NULL && safetensors_metadata(file, "elman.state") != NULL)
    return fail(
        error, ELMAN_BAD_DATA, file->path,
        "is the checkpoint of a training, not its model; name the file that stands beside it "
        "without '.checkpoint'");
  if (text == NULL) return bad(file, error, "is missing from its metadata", key);
  const elman_status status = read_json(value, text_of(text), error);
  return status == ELMAN_BAD_DATA ? bad(file, error, "is not valid JSON", key) : status;
}

static bool parse_modes(struct vocabulary_pair *modes, const char *source, const char *target) {
  return token_mode_parse(&modes->source_mode, source) &&
         token_mode_parse(&modes->target_mode, target) && modes->source_mode != ELMAN_TOKENS_AUTO &&
         modes->target_mode != ELMAN_TOKENS_AUTO;
}

/* Every key of the configuration must be there, and no other: a key that this version does not know
 * would change the arithmetic. */
static elman_status parse_config(struct model_config *config, struct vocabulary_pair *modes,
                                 const struct safetensors *file, elman_error *error) {
  json_t *json;
  elman_status status = parse_metadata(&json, file, KEY_CONFIG, error);
  if (status != ELMAN_OK) return status;
  const char *attention, *source_tokens, *target_tokens;
  json_int_t e, h, layers, v_source, v_target;
  bool attentional, bidirectional, feeding, tied;
  /* Files of version 0.1 lack what came later. */
  json_int_t heads = 1, window = 0, decoder_heads = 0, encoder_heads = 0;
  bool plain = false;
  const char *source_form = "nfc", *target_form = "nfc";
  const struct json_field fields[] = {
      {"attention", .string = &attention},
      {"attention_heads", .integer = &heads, .optional = true},
      {"attention_window", .integer = &window, .optional = true},
      {"attentional_layer", .truth = &attentional},
      {"bidirectional", .truth = &bidirectional},
      {"decoder_self_attention", .integer = &decoder_heads, .optional = true},
      {"embedding_size", .integer = &e},
      {"encoder_self_attention", .integer = &encoder_heads, .optional = true},
      {"hidden_size", .integer = &h},
      {"input_feeding", .truth = &feeding},
      {"layers", .integer = &layers},
      {"plain_self_attention", .truth = &plain, .optional = true},
      {"source_normalization", .string = &source_form, .optional = true},
      {"source_tokens", .string = &source_tokens},
      {"source_vocabulary", .integer = &v_source},
      {"target_normalization", .string = &target_form, .optional = true},
      {"target_tokens", .string = &target_tokens},
      {"target_vocabulary", .integer = &v_target},
      {"tie_embeddings", .truth = &tied}};
  if (!read_json_fields(fields, sizeof fields / sizeof *fields, json)) {
    status = bad(file, error, "does not hold what this version expects", KEY_CONFIG);
  } else if (!attention_parse(&config->attention, attention)) {
    status = bad(file, error, "names an unknown attention mechanism", KEY_CONFIG);
  } else if (!parse_modes(modes, source_tokens, target_tokens)) {
    status = bad(file, error, "names an unknown token mode", KEY_CONFIG);
  } else if (!normalization_parse(&modes->source_normalization, source_form) ||
             !normalization_parse(&modes->target_normalization, target_form)) {
    status = bad(file, error, "names an unknown normalization", KEY_CONFIG);
  } else {
    /* A negative number becomes a huge one and is refused by the check. */
    *config = (struct model_config){.source_vocabulary = (size_t)v_source,
                                    .target_vocabulary = (size_t)v_target,
                                    .embedding_size = (size_t)e,
                                    .hidden_size = (size_t)h,
                                    .layers = (size_t)layers,
                                    .bidirectional = bidirectional,
                                    .attention = config->attention,
                                    .heads = (size_t)heads,
                                    .window = (size_t)window,
                                    .encoder_self_attention = (size_t)encoder_heads,
                                    .decoder_self_attention = (size_t)decoder_heads,
                                    .plain_self_attention = plain,
                                    .attentional_layer = attentional,
                                    .input_feeding = feeding,
                                    .tied = tied};
    elman_error problem;
    if (model_config_check(config, &problem) != ELMAN_OK)
      status = bad(file, error, problem.message, KEY_CONFIG);
  }
  json_decref(json);
  return status;
}

/* Files of version 0.1 and models that were not trained have none. */
static elman_status parse_history(struct training_history *history, const struct safetensors *file,
                                  elman_error *error) {
  json_int_t epochs, tokens, updates;
  const struct json_field fields[] = {{"epochs", .integer = &epochs},
                                      {"tokens", .integer = &tokens},
                                      {"updates", .integer = &updates}};
  json_t *json;
  *history = (struct training_history){0};
  if (safetensors_metadata(file, KEY_TRAINING) == NULL) return ELMAN_OK;
  elman_status status = parse_metadata(&json, file, KEY_TRAINING, error);
  if (status != ELMAN_OK) return status;
  if (!read_json_fields(fields, sizeof fields / sizeof *fields, json) || epochs < 0 || tokens < 0 ||
      updates < 0)
    status = bad(file, error, "does not hold what this version expects", KEY_TRAINING);
  else
    *history = (struct training_history){(uint64_t)epochs, (uint64_t)updates, (uint64_t)tokens};
  json_decref(json);
  return status;
}

/* The tokens of one side and their counts, before anything is known of their order. */
struct side_lists {
  struct tokens tokens;
  uint64_t *counts; /* (size) */
  size_t size;
  bool wrong; /* something is neither */
};

static elman_status take_word(void *context, size_t index, const struct json_item *item,
                              elman_error *error) {
  struct side_lists *lists = context;
  lists->wrong = lists->wrong || item->string.bytes == NULL;
  if (lists->wrong || index >= lists->size) return ELMAN_OK;
  return tokens_add(&lists->tokens, item->string, error);
}

static elman_status take_count(void *context, size_t index, const struct json_item *item,
                               elman_error *error) {
  struct side_lists *lists = context;
  (void)error;
  lists->wrong = lists->wrong || !item->whole || item->number < 0;
  if (index < lists->size) lists->counts[index] = (uint64_t)item->number;
  return ELMAN_OK;
}

static elman_status parse_list(struct side_lists *lists, size_t *count,
                               const struct safetensors *file, const char *key, json_take *take,
                               elman_error *error) {
  const char *text = safetensors_metadata(file, key);
  if (text == NULL) return bad(file, error, "is missing from its metadata", key);
  const elman_status status = read_json_list(count, text_of(text), take, lists, error);
  return status == ELMAN_BAD_DATA ? bad(file, error, "is not valid JSON", key) : status;
}

static elman_status parse_lists(struct side_lists *lists, const struct safetensors *file,
                                struct side_keys keys, elman_error *error) {
  size_t words = 0, counts = 0;
  elman_status status = parse_list(lists, &words, file, keys.vocabulary, take_word, error);
  if (status == ELMAN_OK) status = parse_list(lists, &counts, file, keys.counts, take_count, error);
  if (status != ELMAN_OK) return status;
  if (words != lists->size || counts != lists->size)
    return bad(file, error, "does not have as many entries as the embedding has rows",
               keys.vocabulary);
  if (lists->wrong)
    return bad(file, error, "holds something else than words and counts", keys.vocabulary);
  return ELMAN_OK;
}

static elman_status parse_vocabulary(struct vocabulary **vocabulary, const struct safetensors *file,
                                     struct side_keys keys, elman_side side, size_t size,
                                     elman_error *error) {
  struct side_lists lists = {.counts = malloc(size * sizeof *lists.counts), .size = size};
  if (lists.counts == NULL) return fail_no_memory(error);
  elman_status status = parse_lists(&lists, file, keys, error);
  if (status == ELMAN_OK) {
    elman_error problem;
    status = vocabulary_from_list(vocabulary, &lists.tokens, lists.counts, side, &problem);
    /* The file's name goes before a problem with its words. */
    if (status == ELMAN_BAD_DATA)
      status = bad(file, error, problem.message, keys.vocabulary);
    else if (status != ELMAN_OK)
      status = fail_again(error, &problem);
  }
  tokens_free(&lists.tokens);
  free(lists.counts);
  return status;
}

/* Names and shapes must be those of the configuration, before memory is asked for. */
static elman_status check_tensors(const struct safetensors *file, const struct model_config *config,
                                  elman_error *error) {
  struct parameter_table table;
  const elman_status status = parameter_table_create(&table, config, error);
  if (status != ELMAN_OK) return status;
  for (size_t i = 0; i < table.count; i++) {
    const struct parameter *row = &table.rows[i];
    const struct stored_tensor *tensor = safetensors_find(file, row->name);
    if (tensor == NULL) return bad(file, error, "is missing", row->name);
    if (!safetensors_has_shape(tensor, row->dimensions, row->rows, row->columns))
      return bad(file, error, "does not have the shape that its configuration asks for", row->name);
    if (tensor->type != NUMBER_F32) return bad(file, error, "is not stored as F32", row->name);
  }
  if (file->count != table.count)
    return bad(file, error, "more tensors than its configuration asks for", "it has");
  return ELMAN_OK;
}

/* Tied matrices stand in the file under both names: numbers that differ are two matrices. */
static elman_status check_alias(const struct model *model, const struct parameter *row,
                                const struct safetensors *file, elman_error *error) {
  const size_t bytes = parameter_size(row) * sizeof(real);
  real *again = malloc(bytes);
  if (again == NULL) return fail_no_memory(error);
  elman_status status = safetensors_read(again, file, safetensors_find(file, row->name), error);
  if (status == ELMAN_OK && memcmp(again, model->block + row->offset, bytes) != 0)
    status = bad(file, error, "differs from the matrix that it is tied to", row->name);
  free(again);
  return status;
}

static elman_status load(struct model **model, const struct safetensors *file, elman_error *error) {
  struct model_config config = model_config_default();
  struct vocabulary_pair vocabularies = {0};
  struct training_history history;
  elman_status status = parse_config(&config, &vocabularies, file, error);
  if (status == ELMAN_OK) status = parse_history(&history, file, error);
  if (status == ELMAN_OK) status = check_tensors(file, &config, error);
  if (status == ELMAN_OK)
    status = parse_vocabulary(&vocabularies.source, file, SOURCE_KEYS, ELMAN_SOURCE,
                              config.source_vocabulary, error);
  if (status == ELMAN_OK)
    status = parse_vocabulary(&vocabularies.target, file, TARGET_KEYS, ELMAN_TARGET,
                              config.target_vocabulary, error);
  if (status != ELMAN_OK) {
    vocabulary_free(vocabularies.source);
    vocabulary_free(vocabularies.target);
    return status;
  }
  status = model_create(model, vocabularies, config, error);
  if (status == ELMAN_OK) (*model)->history = history;
  for (size_t i = 0; status == ELMAN_OK && i < (*model)->table.count; i++) {
    const struct parameter *row = &(*model)->table.rows[i];
    status = row->alias ? check_alias(*model, row, file, error)
                        : safetensors_read((*model)->block + row->offset, file,
                                           safetensors_find(file, row->name), error);
  }
  if (status == ELMAN_OK) status = safetensors_verify(file, error);
  return status;
}

elman_status model_load(struct model **model, const char *path, elman_error *error) {
  *model = NULL;
  struct safetensors file;
  elman_status status = safetensors_open(&file, path, error);
  if (status != ELMAN_OK) return status;
  status = load(model, &file, error);
  if (status != ELMAN_OK) {
    model_free(*model);
    *model = NULL;
  }
  safetensors_close(&file);
  return status;
}

elman_status model_read_history(struct training_history *history, double *work, const char *path,
                                elman_error *error) {
  struct safetensors file;
  elman_status status = safetensors_open(&file, path, error);
  if (status != ELMAN_OK) return status;
  status = parse_history(history, &file, error);
  *work = 0;
  for (size_t i = 0; status == ELMAN_OK && i < file.count; i++)
    if (strstr(file.tensors[i].name, ".embedding.") == NULL)
      *work += (double)(file.tensors[i].end - file.tensors[i].begin) / sizeof(float) *
               (double)history->tokens;
  safetensors_close(&file);
  return status;
}
