#include "model/config.h"

#include <assert.h>
#include <stdio.h>

#include "attention/kinds.h"
#include "base/text.h"
#include "rnn/cell.h"
#include "vocab/tokens.h"

/* Check that the table of options also describes the fields of the configuration. */
#define SAME_PLACE(type, field, ...)                                                               \
  static_assert(offsetof(struct model_config, field) == offsetof(elman_model_options, field),      \
                "the fields come first");
ELMAN_MODEL_OPTIONS(SAME_PLACE)

enum { MAX_VOCABULARY = 1 << 24 };

struct model_config model_config_default(void) {
  struct model_config config = {ELMAN_MODEL_OPTIONS(FIELD_DEFAULT).source_vocabulary = 1,
                                .target_vocabulary = 1};
  model_config_complete(&config);
  return config;
}

/* Return the mechanism. Unknown names do not occur, because the check has refused them. */
static enum attention_kind kind_of(const struct model_config *config) {
  enum attention_kind kind = ATTENTION_DOT;
  if (config->attention != NULL) (void)attention_parse(&kind, config->attention);
  return kind;
}

static enum cell_kind cell_of(const struct model_config *config) {
  enum cell_kind kind = CELL_ELMAN;
  if (config->cell != NULL) (void)cell_parse(&kind, config->cell);
  return kind;
}

enum arithmetic arithmetic_of(const struct model_config *config) {
  size_t index = ARITHMETIC_FAST;
  if (config->arithmetic != NULL)
    (void)choice_parse(&index, elman_arithmetic_name, config->arithmetic);
  return (enum arithmetic)index;
}

void model_config_complete(struct model_config *config) {
  options_keep_names(config, ELMAN_SCOPE_MODEL);
  attention_config_complete(&config->attention_heads, &config->attention_window,
                            config->clause_segments, kind_of(config));
}

/* Return the configuration of self-attention. With projections and one head it also equals
 * nn.MultiheadAttention. */
static struct attention_config self_attention_of(const struct model_config *config, size_t heads) {
  return (struct attention_config){.kind = config->plain_self_attention ? ATTENTION_SCALED
                                                                        : ATTENTION_MULTIHEAD,
                                   .size = config->hidden_size,
                                   .heads = heads};
}

struct encoder_sizes encoder_sizes_of(const struct model_config *config) {
  return (struct encoder_sizes){.cell = rnn_cell_of(cell_of(config)),
                                .layer_norm = config->layer_norm,
                                .residual = config->residual,
                                .embedding = config->embedding_size,
                                .hidden = config->hidden_size,
                                .layers = config->layers,
                                .directions = config->bidirectional ? 2 : 1,
                                .self_attention =
                                    self_attention_of(config, config->encoder_self_attention)};
}

struct decoder_sizes decoder_sizes_of(const struct model_config *config) {
  const size_t attentional = config->tie_embeddings ? config->embedding_size : config->hidden_size;
  return (struct decoder_sizes){
      .cell = rnn_cell_of(cell_of(config)),
      .layer_norm = config->layer_norm,
      .residual = config->residual,
      .embedding = config->embedding_size,
      .hidden = config->hidden_size,
      .vocabulary = config->target_vocabulary,
      .layers = config->layers,
      .self_attention = self_attention_of(config, config->decoder_self_attention),
      .attention = {.kind = kind_of(config),
                    .size = config->hidden_size,
                    .heads = config->attention_heads,
                    .window = config->attention_window,
                    .clauses = config->clause_segments},
      .attentional = config->attentional_layer ? attentional : 0,
      .features = config->attentional_layer ? attentional : 2 * config->hidden_size,
      .input_feeding = config->input_feeding,
      .bridge = config->bidirectional};
}

static elman_status check_size(const char *name, size_t size, size_t limit, elman_error *error) {
  if (size >= 1 && size <= limit) return ELMAN_OK;
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the %s must be between 1 and %zu, not %zu",
              name, limit, size);
}

static elman_status check_attention(const struct model_config *config, elman_error *error) {
  const struct attention_config layers[] = {decoder_sizes_of(config).attention,
                                            encoder_sizes_of(config).self_attention,
                                            decoder_sizes_of(config).self_attention};
  elman_status status = ELMAN_OK;
  for (size_t i = 0; i < sizeof layers / sizeof *layers && status == ELMAN_OK; i++)
    if (i == 0 || layers[i].heads > 0) status = attention_config_check(&layers[i], error);
  return status;
}

elman_status model_config_check(const struct model_config *config, elman_error *error) {
  struct model_config given = *config;
  if (given.attention_heads == 1)
    given.attention_heads = 0; /* model_config_complete() sets 1 for most mechanisms */
  elman_status status =
      elman_options_check(ELMAN_SCOPE_MODEL, &given, NULL, ELMAN_NAMES_FIELD, error);
  if (status == ELMAN_OK)
    status = check_size("source vocabulary", config->source_vocabulary, MAX_VOCABULARY, error);
  if (status == ELMAN_OK)
    status = check_size("target vocabulary", config->target_vocabulary, MAX_VOCABULARY, error);
  if (status == ELMAN_OK && config->bidirectional && config->hidden_size % 2 != 0)
    status = fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "`bidirectional` needs an even `hidden_size`, not %zu", config->hidden_size);
  if (status == ELMAN_OK && config->layer_norm &&
      encoder_direction_size(encoder_sizes_of(config)) < 2)
    status = fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "`layer_norm` needs a `hidden_size` of at least 2 in each direction");
  return status == ELMAN_OK ? check_attention(config, error) : status;
}
