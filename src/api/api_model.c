#include <math.h>

#include "api/call.h"
#include "model/model_file.h"
#include "tensor/blas.h"

const char *elman_token_mode_name(elman_token_mode mode) {
  return token_mode_name(mode);
}

const char *elman_normalization_name(elman_normalization normalization) {
  return normalization_name(normalization);
}

const char *elman_attention_name(size_t index) {
  return index <= INT32_MAX ? attention_name((enum attention_kind)index) : NULL;
}

elman_model_options elman_model_options_default(void) {
  return (elman_model_options){.embedding_size = 128,
                               .hidden_size = 128,
                               .layers = 1,
                               .attention = "dot",
                               .source_tokens = ELMAN_TOKENS_AUTO,
                               .target_tokens = ELMAN_TOKENS_AUTO,
                               .normalization = ELMAN_NFKC,
                               .min_count = 1,
                               .seed = 1};
}

static size_t or_default(size_t size, bool applies, size_t otherwise, size_t without) {
  return size != 0 ? size : applies ? otherwise : without;
}

static elman_status create_model(struct model **model, const struct pairs *pairs,
                                 const elman_model_options *options, elman_error *error) {
  /* The vocabularies are not counted yet; their sizes are checked again when they are. */
  struct model_config config = model_config_default();
  config.embedding_size = options->embedding_size;
  config.hidden_size = options->hidden_size;
  config.layers = options->layers;
  config.bidirectional = options->bidirectional;
  config.attentional_layer = options->attentional_layer;
  config.input_feeding = options->input_feeding;
  config.tied = options->tie_embeddings;
  if (!attention_parse(&config.attention, options->attention))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no attention mechanism \"%s\"",
                options->attention);
  config.heads = or_default(options->heads, config.attention == ATTENTION_MULTIHEAD, 4, 1);
  config.window = or_default(options->attention_window, config.attention == ATTENTION_LOCAL, 5, 0);
  config.encoder_self_attention = options->encoder_self_attention;
  config.decoder_self_attention = options->decoder_self_attention;
  config.plain_self_attention = options->plain_self_attention;
  if (elman_token_mode_name(options->source_tokens) == NULL ||
      elman_token_mode_name(options->target_tokens) == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no such token mode");
  if (options->normalization != ELMAN_NFC && options->normalization != ELMAN_NFKC)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the normalization must be NFC or NFKC");
  elman_status status = model_config_check(&config, error);
  if (status != ELMAN_OK) return status;
  const struct vocabulary_options vocabulary = {.source_mode = options->source_tokens,
                                                .target_mode = options->target_tokens,
                                                .normalization = options->normalization,
                                                .min_count = options->min_count,
                                                .max_words = options->max_vocabulary,
                                                .max_length = options->max_length};
  struct vocabulary_pair vocabularies = {0};
  status = corpus_vocabularies(&vocabularies, pairs, &vocabulary, error);
  if (status == ELMAN_OK) status = model_create(model, vocabularies, config, error);
  if (status == ELMAN_OK)
    status = parameters_initialize((*model)->block, &(*model)->table,
                                   options->orthogonal_initial_values ? INITIAL_ORTHOGONAL
                                                                      : INITIAL_PYTORCH,
                                   options->seed, error);
  return status;
}

elman_status elman_model_create(elman_model **model, const elman_pairs *pairs,
                                const elman_model_options *options, elman_error *error) {
  const elman_model_options defaults = elman_model_options_default();
  if (options == NULL) options = &defaults;
  struct model *created = NULL;
  const elman_status status = create_model(&created, inner_pairs_const(pairs), options, error);
  if (status != ELMAN_OK) {
    model_free(created);
    created = NULL;
  }
  *model = (elman_model *)created;
  return status;
}

elman_status elman_model_load(elman_model **model, const char *path, elman_error *error) {
  struct model *loaded = NULL;
  blas_set_up(); /* first: until then its threads keep the other cores busy */
  const elman_status status = model_load(&loaded, path, error);
  *model = (elman_model *)loaded;
  return status;
}

elman_status elman_model_save(const elman_model *model, const char *path, elman_error *error) {
  return model_save(inner_model_const(model), path, error);
}

elman_status elman_model_read_history(elman_history *history, const char *path,
                                      elman_error *error) {
  struct training_history inner;
  double work;
  const elman_status status = model_read_history(&inner, &work, path, error);
  if (status == ELMAN_OK)
    *history = (elman_history){inner.epochs, inner.updates, inner.tokens, work};
  return status;
}

void elman_model_free(elman_model *model) {
  model_free(inner_model(model));
}

static elman_spacing spacing_of(const struct model *model, elman_side side) {
  return (elman_spacing){model->sample[side].spaced, model->sample[side].unspaced};
}

elman_model_info elman_model_get_info(const elman_model *handle) {
  const struct model *model = inner_model_const(handle);
  elman_model_info info = {.embedding_size = model->config.embedding_size,
                           .hidden_size = model->config.hidden_size,
                           .layers = model->config.layers,
                           .bidirectional = model->config.bidirectional,
                           .attentional_layer = model->config.attentional_layer,
                           .input_feeding = model->config.input_feeding,
                           .tie_embeddings = model->config.tied,
                           .source_vocabulary = model->config.source_vocabulary,
                           .target_vocabulary = model->config.target_vocabulary,
                           .tensors = model->table.count,
                           .attention = attention_name(model->config.attention),
                           .heads = model->config.heads,
                           .attention_window = model->config.window,
                           .encoder_self_attention = model->config.encoder_self_attention,
                           .decoder_self_attention = model->config.decoder_self_attention,
                           .plain_self_attention = model->config.plain_self_attention,
                           .source_tokens = model->source_mode,
                           .target_tokens = model->target_mode,
                           .source_normalization = model->source_normalization,
                           .target_normalization = model->target_normalization,
                           .source_spacing = spacing_of(model, ELMAN_SOURCE),
                           .target_spacing = spacing_of(model, ELMAN_TARGET)};
  for (size_t i = 0; i < model->table.count; i++)
    if (!model->table.rows[i].alias) info.parameters += parameter_size(&model->table.rows[i]);
  return info;
}

elman_tensor_info elman_model_get_tensor(const elman_model *handle, size_t index) {
  const struct model *model = inner_model_const(handle);
  const struct parameter *row = &model->table.rows[index];
  const real *values = model->block + row->offset;
  const size_t size = parameter_size(row);
  elman_tensor_info info = {.name = row->name,
                            .rows = row->rows,
                            .columns = row->columns,
                            .dimensions = row->dimensions,
                            .minimum = (double)values[0],
                            .maximum = (double)values[0]};
  double sum = 0, squares = 0;
  for (size_t i = 0; i < size; i++) {
    const double value = (double)values[i];
    if (value < info.minimum) info.minimum = value;
    if (value > info.maximum) info.maximum = value;
    sum += value;
  }
  info.mean = sum / (double)size;
  for (size_t i = 0; i < size; i++) {
    const double difference = (double)values[i] - info.mean;
    squares += difference * difference;
  }
  info.deviation = sqrt(squares / (double)size);
  return info;
}

static const struct vocabulary *vocabulary_of(const elman_model *handle, elman_side side) {
  const struct model *model = inner_model_const(handle);
  return side == ELMAN_SOURCE ? model->source_vocabulary : model->target_vocabulary;
}

const char *elman_model_get_token(const elman_model *model, elman_side side, size_t id,
                                  size_t *length, uint64_t *count) {
  const struct vocabulary *vocabulary = vocabulary_of(model, side);
  const struct text surface = token_surface(vocabulary_token(vocabulary, id));
  if (length != NULL) *length = surface.length;
  if (count != NULL) *count = vocabulary_count(vocabulary, id);
  return surface.bytes;
}

elman_joint elman_model_get_joint(const elman_model *model, elman_side side, size_t id) {
  const struct text token = vocabulary_token(vocabulary_of(model, side), id);
  if (!token_has_mark(token)) return ELMAN_JOINT_EXPECTED;
  return token_is_spaced(token) ? ELMAN_JOINT_SPACED : ELMAN_JOINT_JOINED;
}
