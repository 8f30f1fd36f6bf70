#include "model/parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"

enum { ALIGNED_REALS = ARENA_ALIGNMENT / sizeof(real) };

/* The list is walked to make the table (views unbound) and to bind views (table not kept). */
struct listing {
  struct parameter_table table;
  real *block;
};

static void list(struct listing *listing, real **view, const char *prefix, const char *name,
                 int dimensions, size_t rows, size_t columns, enum initializer initializer,
                 double bound) {
  struct parameter_table *table = &listing->table;
  struct parameter *row = &table->rows[table->count++];
  snprintf(row->name, sizeof row->name, "%s.%s", prefix, name);
  row->dimensions = dimensions;
  row->rows = rows;
  row->columns = columns;
  row->initializer = initializer;
  row->bound = bound;
  row->offset = table->block;
  const size_t size = parameter_size(row);
  table->block += (size + ALIGNED_REALS - 1) / ALIGNED_REALS * ALIGNED_REALS;
  if (listing->block != NULL) *view = listing->block + row->offset;
}

static void list_embedding(struct listing *listing, real **view, const char *prefix, size_t v,
                           size_t e) {
  list(listing, view, prefix, "weight", 2, v, e, INIT_NORMAL, 0);
}

static void list_rnn(struct listing *listing, struct rnn_parameters *rnn, const char *prefix,
                     size_t e, size_t h) {
  const double bound = 1 / sqrt((double)h);
  list(listing, &rnn->weight_ih, prefix, "weight_ih_l0", 2, h, e, INIT_UNIFORM, bound);
  list(listing, &rnn->weight_hh, prefix, "weight_hh_l0", 2, h, h, INIT_UNIFORM, bound);
  list(listing, &rnn->bias_ih, prefix, "bias_ih_l0", 1, h, 1, INIT_UNIFORM, bound);
  list(listing, &rnn->bias_hh, prefix, "bias_hh_l0", 1, h, 1, INIT_UNIFORM, bound);
}

static void list_linear(struct listing *listing, real **weight, real **bias, const char *prefix,
                        size_t out, size_t in) {
  const double bound = 1 / sqrt((double)in);
  list(listing, weight, prefix, "weight", 2, out, in, INIT_UNIFORM, bound);
  list(listing, bias, prefix, "bias", 1, out, 1, INIT_UNIFORM, bound);
}

static void list_all(struct listing *listing, struct parameters *views,
                     const struct model_config *config) {
  const size_t E = config->embedding_size, H = config->hidden_size;
  struct encoder_parameters *encoder = &views->encoder;
  struct decoder_parameters *decoder = &views->decoder;
  list_embedding(listing, &encoder->embedding, "encoder.embedding", config->source_vocabulary, E);
  list_rnn(listing, &encoder->rnn, "encoder.rnn", E, H);
  list_embedding(listing, &decoder->embedding, "decoder.embedding", config->target_vocabulary, E);
  list_rnn(listing, &decoder->rnn, "decoder.rnn", E, H);
  list_linear(listing, &decoder->out_weight, &decoder->out_bias, "decoder.out",
              config->target_vocabulary, 2 * H);
}

static enum status check_size(const char *name, size_t size, size_t limit, struct error *error) {
  if (size >= 1 && size <= limit) return STATUS_OK;
  return fail(error, STATUS_INVALID_ARGUMENT, NULL, "the %s must lie between 1 and %zu, not %zu",
              name, limit, size);
}

enum status model_config_check(const struct model_config *config, struct error *error) {
  enum status status = check_size("hidden size", config->hidden_size, MAX_LAYER_SIZE, error);
  if (status == STATUS_OK)
    status = check_size("embedding size", config->embedding_size, MAX_LAYER_SIZE, error);
  if (status == STATUS_OK)
    status = check_size("source vocabulary", config->source_vocabulary, MAX_VOCABULARY, error);
  if (status == STATUS_OK)
    status = check_size("target vocabulary", config->target_vocabulary, MAX_VOCABULARY, error);
  return status;
}

size_t parameter_size(const struct parameter *parameter) {
  return parameter->rows * parameter->columns;
}

enum status parameter_table_create(struct parameter_table *table, const struct model_config *config,
                                   struct error *error) {
  /* Within the limits of model_config_check no product below can overflow 64 bits. */
  _Static_assert(sizeof(size_t) >= 8, "sizes are computed in 64 bits");
  struct listing listing = {0};
  struct parameters unbound;
  list_all(&listing, &unbound, config);
  *table = listing.table;
  return table->block <= SIZE_MAX / sizeof(real) ? STATUS_OK : fail_no_memory(error);
}

void parameters_bind(struct parameters *views, real *block, const struct model_config *config) {
  struct listing listing = {.block = block};
  list_all(&listing, views, config);
}

enum status parameter_block_create(real **block, const struct parameter_table *table,
                                   struct error *error) {
  const size_t bytes = table->block * sizeof(real);
  *block = aligned_alloc(ARENA_ALIGNMENT, bytes);
  if (*block == NULL)
    return fail(error, STATUS_NO_MEMORY, NULL, "out of memory: the parameters need %zu MiB",
                (bytes >> 20) + 1);
  memset(*block, 0, bytes);
  return STATUS_OK;
}

void parameters_initialize(real *block, const struct parameter_table *table, uint64_t seed) {
  for (size_t i = 0; i < table->count; i++) {
    const struct parameter *row = &table->rows[i];
    const struct random_stream stream = {seed, RANDOM_INITIAL_WEIGHTS, (uint32_t)i};
    real *values = block + row->offset;
    for (size_t j = 0; j < parameter_size(row); j++)
      values[j] = (real)(row->initializer == INIT_NORMAL
                             ? random_normal(stream, j)
                             : row->bound * (2 * random_uniform(stream, j) - 1));
  }
}
