#include "model/parameters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"

/* ---- the list ---- */

enum { ALIGNED_REALS = ARENA_ALIGNMENT / sizeof(real) };

/* List parameters and views. The list is built twice: once for the table, with unbound views, and
 * once to bind views, with the table discarded. */
struct listing {
  struct parameter_table table;
  real *block;
  bool too_large; /* the block does not fit the address space; its size is then wrong */
};

static struct parameter *add_row(struct listing *listing, const char *prefix, const char *name,
                                 struct parameter like) {
  struct parameter *row = &listing->table.rows[listing->table.count++];
  *row = like;
  snprintf(row->name, sizeof row->name, "%s.%s", prefix, name);
  return row;
}

static struct parameter vector_of(size_t rows, enum initializer initializer, double bound) {
  return (struct parameter){
      .dimensions = 1, .rows = rows, .columns = 1, .initializer = initializer, .bound = bound};
}

static struct parameter matrix_of(size_t rows, size_t columns, enum initializer initializer,
                                  double bound) {
  return (struct parameter){.dimensions = 2,
                            .rows = rows,
                            .columns = columns,
                            .initializer = initializer,
                            .bound = bound};
}

/* Return a matrix, which maps vectors of the network to other vectors. A matrix of a single row or
 * column, such as the row of the additive score, counts as a vector. */
static struct parameter hidden_of(size_t rows, size_t columns, enum initializer initializer,
                                  double bound) {
  struct parameter matrix = matrix_of(rows, columns, initializer, bound);
  matrix.hidden = rows > 1 && columns > 1;
  return matrix;
}

static void list(struct listing *listing, real **view, const char *prefix, const char *name,
                 struct parameter like) {
  struct parameter_table *table = &listing->table;
  struct parameter *row = add_row(listing, prefix, name, like);
  row->offset = table->block;
  size_t size, end;
  if (__builtin_mul_overflow(row->rows, row->columns, &size) ||
      __builtin_add_overflow(table->block, size, &end) ||
      end > SIZE_MAX / sizeof(real) - ALIGNED_REALS)
    listing->too_large = true;
  else
    table->block = (end + ALIGNED_REALS - 1) / ALIGNED_REALS * ALIGNED_REALS;
  if (listing->block != NULL) *view = listing->block + row->offset;
}

/* List a second name for the elements of row `original`. */
static void list_alias(struct listing *listing, real **view, const char *prefix, const char *name,
                       size_t original) {
  const struct parameter shared = listing->table.rows[original];
  struct parameter *row = add_row(listing, prefix, name, shared);
  row->alias = true;
  if (listing->block != NULL) *view = listing->block + row->offset;
}

static void list_embedding(struct listing *listing, real **view, const char *prefix, size_t v,
                           size_t e) {
  list(listing, view, prefix, "weight", matrix_of(v, e, INIT_EMBEDDING, 1 / sqrt((double)e)));
}

/* List one layer in one direction. It has e inputs and h units. `suffix` ends the names of its
 * parameters, as in PyTorch. */
static void list_rnn(struct listing *listing, struct rnn_parameters *rnn,
                     const struct rnn_cell *cell, const char *prefix, const char *suffix, size_t e,
                     size_t h) {
  const size_t rows = cell->gates * h;
  const double bound = 1 / sqrt((double)h);
  const enum initializer biases = cell->identity ? INIT_ZERO : INIT_UNIFORM;
  const struct {
    const char *name;
    real **view;
    struct parameter like;
  } parts[] = {
      {"weight_ih", &rnn->weight_ih, hidden_of(rows, e, INIT_UNIFORM, bound)},
      {"weight_hh", &rnn->weight_hh,
       hidden_of(rows, h, cell->identity ? INIT_IDENTITY : INIT_RECURRENT, bound)},
      {"bias_ih", &rnn->bias_ih, vector_of(rows, biases, bound)},
      {"bias_hh", &rnn->bias_hh, vector_of(rows, biases, bound)},
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char name[48];
    snprintf(name, sizeof name, "%s_%s", parts[i].name, suffix);
    list(listing, parts[i].view, prefix, name, parts[i].like);
  }
}

/* List the gains of a layer's normalization, one gain per pre-activation. The arguments have the
 * same meaning as in list_rnn. */
static void list_layer_norm(struct listing *listing, real **gain, const char *prefix,
                            const char *suffix, size_t columns) {
  char name[56];
  snprintf(name, sizeof name, "layer_norm_weight_%s", suffix);
  list(listing, gain, prefix, name, vector_of(columns, INIT_ONE, 0));
}

/* List a linear layer. */
static void list_linear(struct listing *listing, real **weight, real **bias, const char *prefix,
                        size_t out, size_t in, bool hidden) {
  const double bound = 1 / sqrt((double)in);
  list(listing, weight, prefix, "weight",
       (hidden ? hidden_of : matrix_of)(out, in, INIT_UNIFORM, bound));
  list(listing, bias, prefix, "bias", vector_of(out, INIT_UNIFORM, bound));
}

static void list_attention(struct listing *listing, struct attention_parameters *attention,
                           const char *prefix, struct attention_config config) {
  const double bound = 1 / sqrt((double)config.size);
  struct attention_part part;
  for (size_t i = 0; attention_part_at(&part, attention, config.kind, config.size, i); i++)
    list(listing, part.view, prefix, part.name,
         part.dimensions == 1 ? vector_of(part.rows, INIT_UNIFORM, bound)
                              : hidden_of(part.rows, part.columns, INIT_UNIFORM, bound));
}

static void list_encoder(struct listing *listing, struct encoder_parameters *encoder,
                         const struct model_config *config) {
  const struct encoder_sizes sizes = encoder->sizes = encoder_sizes_of(config);
  list_embedding(listing, &encoder->embedding, "encoder.embedding", config->source_vocabulary,
                 config->embedding_size);
  for (size_t l = 0; l < sizes.layers; l++) {
    for (size_t d = 0; d < sizes.directions; d++) {
      char suffix[32];
      snprintf(suffix, sizeof suffix, "l%zu%s", l, d == 0 ? "" : "_reverse");
      list_rnn(listing, &encoder->rnn[l][d], sizes.cell, "encoder.rnn", suffix,
               encoder_input_size(sizes, l), encoder_direction_size(sizes));
      if (sizes.layer_norm)
        list_layer_norm(listing, &encoder->rnn[l][d].gain, "encoder.rnn", suffix,
                        rnn_columns(sizes.cell) * encoder_direction_size(sizes));
    }
  }
  if (sizes.self_attention.heads > 0)
    list_attention(listing, &encoder->self_attention, "encoder.self_attention",
                   sizes.self_attention);
}

static void list_decoder(struct listing *listing, struct decoder_parameters *decoder,
                         const struct model_config *config) {
  const struct decoder_sizes sizes = decoder->sizes = decoder_sizes_of(config);
  const size_t H = sizes.hidden, V = sizes.vocabulary, F = sizes.features;
  const size_t embedding = listing->table.count;
  list_embedding(listing, &decoder->embedding, "decoder.embedding", V, sizes.embedding);
  for (size_t l = 0; l < sizes.layers; l++) {
    char suffix[32];
    snprintf(suffix, sizeof suffix, "l%zu", l);
    list_rnn(listing, &decoder->rnn[l], sizes.cell, "decoder.rnn", suffix,
             decoder_input_size(sizes, l), H);
    if (sizes.layer_norm)
      list_layer_norm(listing, &decoder->rnn[l].gain, "decoder.rnn", suffix,
                      rnn_columns(sizes.cell) * H);
  }
  static const char *const bridges[MAX_STATE_PARTS] = {"bridge", "cell_bridge"};
  for (size_t p = 0; sizes.bridge && p < sizes.cell->parts; p++) {
    for (size_t l = 0; l < sizes.layers; l++) {
      char prefix[48];
      snprintf(prefix, sizeof prefix, "decoder.%s.%zu", bridges[p], l);
      list_linear(listing, &decoder->bridge_weight[l][p], &decoder->bridge_bias[l][p], prefix, H, H,
                  true);
    }
  }
  if (sizes.self_attention.heads > 0)
    list_attention(listing, &decoder->self_attention, "decoder.self_attention",
                   sizes.self_attention);
  list_attention(listing, &decoder->attention, "decoder.attention", sizes.attention);
  if (sizes.attentional > 0)
    list_linear(listing, &decoder->attentional_weight, &decoder->attentional_bias,
                "decoder.attentional", sizes.attentional, 2 * H, true);
  if (config->tie_embeddings) {
    list_alias(listing, &decoder->out_weight, "decoder.out", "weight", embedding);
    list(listing, &decoder->out_bias, "decoder.out", "bias",
         vector_of(V, INIT_UNIFORM, 1 / sqrt((double)F)));
  } else {
    list_linear(listing, &decoder->out_weight, &decoder->out_bias, "decoder.out", V, F, false);
  }
}

static void list_all(struct listing *listing, struct parameters *views,
                     const struct model_config *config) {
  list_encoder(listing, &views->encoder, config);
  list_decoder(listing, &views->decoder, config);
}

size_t parameter_size(const struct parameter *parameter) {
  return parameter->rows * parameter->columns;
}

elman_status parameter_table_create(struct parameter_table *table,
                                    const struct model_config *config, elman_error *error) {
  struct listing listing = {0};
  struct parameters unbound;
  list_all(&listing, &unbound, config);
  *table = listing.table;
  return listing.too_large ? fail_no_memory(error) : ELMAN_OK;
}

void parameters_bind(struct parameters *views, real *block, const struct model_config *config) {
  struct listing listing = {.block = block};
  *views = (struct parameters){0};
  list_all(&listing, views, config);
  parameters_use(views, numerics_of(arithmetic_of(config), ELMAN_PRECISION_FLOAT32));
}

/* ---- numerics ---- */

void parameters_use(struct parameters *views, const struct numerics *numerics) {
  views->numerics = numerics;
  for (size_t l = 0; l < MAX_LAYERS; l++) {
    for (size_t d = 0; d < DIRECTIONS; d++) views->encoder.rnn[l][d].numerics = numerics;
    views->decoder.rnn[l].numerics = numerics;
  }
  views->encoder.self_attention.numerics = numerics;
  views->decoder.self_attention.numerics = numerics;
  views->decoder.attention.numerics = numerics;
  views->decoder.numerics = numerics;
}

size_t parameter_matrices(struct float_matrix matrices[MAX_PARAMETERS], const real *block,
                          const struct parameter_table *table) {
  size_t count = 0;
  for (size_t i = 0; i < table->count; i++) {
    const struct parameter *row = &table->rows[i];
    if (row->dimensions == 2 && (row->alias || row->initializer != INIT_EMBEDDING))
      matrices[count++] = (struct float_matrix){block + row->offset, row->rows, row->columns};
  }
  return count;
}

/* ---- blocks ---- */

/* Allocate with calloc: memory fresh from the system is already zero, and calloc does not write to
 * it. Its alignment is smaller than ARENA_ALIGNMENT. Therefore the block begins later, and the
 * pointer returned by calloc is stored in front of the block. */
elman_status parameter_block_create(real **block, const struct parameter_table *table,
                                    elman_error *error) {
  const size_t bytes = table->block * sizeof(real);
  *block = NULL;
  unsigned char *whole = bytes <= SIZE_MAX - 2 * ARENA_ALIGNMENT
                             ? calloc(1, bytes + 2 * (size_t)ARENA_ALIGNMENT)
                             : NULL;
  if (whole == NULL)
    return fail(error, ELMAN_NO_MEMORY, NULL, "out of memory: the parameters need %zu MiB",
                (bytes >> 20) + 1);
  const size_t past = (uintptr_t)whole % ARENA_ALIGNMENT;
  unsigned char *start = whole + 2 * (size_t)ARENA_ALIGNMENT - past;
  memcpy(start - sizeof whole, &whole, sizeof whole);
  *block = (real *)(void *)start;
  return ELMAN_OK;
}

void parameter_block_free(real *block) {
  if (block == NULL) return;
  unsigned char *whole;
  memcpy(&whole, (unsigned char *)block - sizeof whole, sizeof whole);
  free(whole);
}

/* ---- initial values ---- */

/* Make a random orthogonal matrix: apply Gram-Schmidt, twice for accuracy, to rows of independent
 * normal numbers. The first of these has index `first` in the stream. Compute in double, so that
 * both precisions start from the same weights. */
static void make_orthogonal(double *matrix, size_t n, struct random_stream stream, uint64_t first) {
  for (size_t i = 0; i < n * n; i++) matrix[i] = random_normal(stream, first + i);
  for (size_t i = 0; i < n; i++) {
    double *row = matrix + i * n;
    for (size_t pass = 0; pass < 2; pass++) {
      for (size_t k = 0; k < i; k++) {
        const double *other = matrix + k * n;
        double dot = 0;
        for (size_t j = 0; j < n; j++) dot += row[j] * other[j];
        for (size_t j = 0; j < n; j++) row[j] -= dot * other[j];
      }
      double square = 0;
      for (size_t j = 0; j < n; j++) square += row[j] * row[j];
      for (size_t j = 0; j < n; j++) row[j] /= sqrt(square);
    }
  }
}

/* Initialize a tensor with one orthogonal matrix per gate. */
static elman_status initialize_orthogonal(real *values, const struct parameter *row,
                                          struct random_stream stream, elman_error *error) {
  const size_t n = row->columns, size = parameter_size(row);
  double *matrix = malloc(n * n * sizeof *matrix);
  if (matrix == NULL) return fail_no_memory(error);
  for (size_t first = 0; first < size; first += n * n) {
    make_orthogonal(matrix, n, stream, first);
    for (size_t i = 0; i < n * n; i++) values[first + i] = (real)matrix[i];
  }
  free(matrix);
  return ELMAN_OK;
}

static void initialize_identity(real *values, const struct parameter *row) {
  for (size_t i = 0; i < row->rows; i++)
    for (size_t j = 0; j < row->columns; j++) values[i * row->columns + j] = i % row->columns == j;
}

static void initialize_plain(real *values, const struct parameter *row, bool normal, double scale,
                             struct random_stream stream) {
  for (size_t j = 0; j < parameter_size(row); j++)
    values[j] =
        (real)(scale * (normal ? random_normal(stream, j) : 2 * random_uniform(stream, j) - 1));
}

elman_status parameters_initialize(real *block, const struct parameter_table *table,
                                   enum initial_values values, uint64_t seed, elman_error *error) {
  elman_status status = ELMAN_OK;
  for (size_t i = 0; i < table->count && status == ELMAN_OK; i++) {
    const struct parameter *row = &table->rows[i];
    const struct random_stream stream = {seed, RANDOM_INITIAL_WEIGHTS, (uint32_t)i};
    real *numbers = block + row->offset;
    if (row->alias || row->initializer == INIT_ZERO) continue;
    if (row->initializer == INIT_ONE)
      for (size_t j = 0; j < parameter_size(row); j++) numbers[j] = 1;
    else if (row->initializer == INIT_IDENTITY)
      initialize_identity(numbers, row);
    else if (row->initializer == INIT_EMBEDDING)
      initialize_plain(numbers, row, true, values == INITIAL_PYTORCH ? 1 : row->bound, stream);
    else if (row->initializer == INIT_RECURRENT && values == INITIAL_ORTHOGONAL)
      status = initialize_orthogonal(numbers, row, stream, error);
    else
      initialize_plain(numbers, row, false, row->bound, stream);
  }
  return status;
}
