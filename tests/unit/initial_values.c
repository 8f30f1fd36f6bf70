/* Compare the statistics of initial values with PyTorch's documentation of nn.Embedding, nn.RNN and
 * nn.Linear. */
#include "check.h"
#include "config_of.h"

#include <string.h>

#include "model/parameters.h"

enum { E = 40, H = 24, V = 70 };

struct drawn {
  struct model_config config;
  struct parameter_table table;
  real *block;
};

static struct drawn draw(struct model_config config, enum initial_values values, uint64_t seed) {
  struct drawn drawn = {.config = config};
  cr_assert_eq(model_config_check(&config, NULL), ELMAN_OK);
  cr_assert_eq(parameter_table_create(&drawn.table, &config, NULL), ELMAN_OK);
  cr_assert_eq(parameter_block_create(&drawn.block, &drawn.table, NULL), ELMAN_OK);
  cr_assert_eq(parameters_initialize(drawn.block, &drawn.table, values, seed, NULL), ELMAN_OK);
  return drawn;
}

/* Together these configurations contain every kind of row. */
static struct model_config config_at(size_t i) {
  struct model_config config = config_of(V, V + 3, E, H);
  switch (i) {
  case 0:
    break;
  case 1:
    config.layers = 2;
    config.bidirectional = true;
    config.attention = "multihead";
    config.attention_heads = 2;
    config.encoder_self_attention = 1;
    config.decoder_self_attention = 1;
    config.attentional_layer = true;
    config.input_feeding = true;
    break;
  case 2:
    config.attention = "additive";
    config.attentional_layer = true;
    config.tie_embeddings = true;
    break;
  case 3:
    config.attention = "local";
    config.attention_window = 2;
    break;
  default:
    config.cell = "gru";
  }
  return config;
}

enum { CONFIGS = 5 };

static bool is_of(const struct parameter *row, const char *part) {
  return strstr(row->name, part) != NULL;
}

/* nn.RNN: 1/√(units of the layer); nn.Linear: 1/√(inputs). */
static double bound_of(const struct parameter *row, const struct model_config *config) {
  double inputs = H;
  if (is_of(row, "encoder.rnn.") && config->bidirectional) inputs = H / 2;
  if (is_of(row, "decoder.attentional.")) inputs = 2 * H;
  if (is_of(row, "decoder.out."))
    inputs = config->tie_embeddings ? E : config->attentional_layer ? H : 2 * H;
  return 1 / sqrt(inputs);
}

/* U(-b, b): no value beyond the bound, one value close to it, a mean of 0 and a mean square of
 * b²/3, within five standard deviations. */
static void check_uniform(const struct parameter *row, const real *values, double bound) {
  const double n = (double)parameter_size(row);
  double sum = 0, squares = 0, most = 0;
  for (size_t i = 0; i < parameter_size(row); i++) {
    const double value = (double)values[i] / bound;
    sum += value;
    squares += value * value;
    most = fmax(most, fabs(value));
  }
  cr_assert(most <= 1 + CLOSE && most >= 1 - 12 / n, "%s: up to %g of its bound", row->name, most);
  cr_assert(fabs(sum / n) < 5 / sqrt(3 * n), "%s: mean %g", row->name, sum / n);
  cr_assert(fabs(3 * squares / n - 1) < 5 * sqrt(0.8 / n), "%s: mean square %g", row->name,
            squares / n);
}

static void check_normal(const struct parameter *row, const real *values, double deviation) {
  const double n = (double)parameter_size(row);
  double sum = 0, squares = 0, most = 0;
  for (size_t i = 0; i < parameter_size(row); i++) {
    const double value = (double)values[i] / deviation;
    sum += value;
    squares += value * value;
    most = fmax(most, fabs(value));
  }
  cr_assert(fabs(sum / n) < 5 / sqrt(n), "%s: mean %g", row->name, sum / n);
  cr_assert(fabs(squares / n - 1) < 5 * sqrt(2 / n), "%s: variance %g", row->name, squares / n);
  cr_assert(most > 2.5 && most < 6, "%s: up to %g deviations", row->name, most);
}

Test(initial_values, initial_values_match_pytorch) {
  for (size_t k = 0; k < CONFIGS; k++) {
    struct drawn drawn = draw(config_at(k), INITIAL_PYTORCH, 1);
    for (size_t i = 0; i < drawn.table.count; i++) {
      const struct parameter *row = &drawn.table.rows[i];
      const real *values = drawn.block + row->offset;
      if (is_of(row, "embedding") || row->alias)
        check_normal(row, values, 1);
      else
        check_uniform(row, values, bound_of(row, &drawn.config));
    }
    parameter_block_free(drawn.block);
  }
}

/* W Wᵀ = 1 */
static void check_orthogonal(const struct parameter *row, const real *values) {
  const size_t n = row->columns;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k <= i; k++) {
      double dot = 0;
      for (size_t j = 0; j < n; j++) dot += (double)values[i * n + j] * (double)values[k * n + j];
      cr_assert_float_eq(dot, i == k, CLOSE, "%s, rows %zu and %zu: %g", row->name, i, k, dot);
    }
  }
}

/* Embeddings have length about 1, recurrent matrices are orthogonal, and everything else is
 * unchanged. */
Test(initial_values, orthogonal_matrices_are_orthogonal) {
  for (size_t k = 0; k < CONFIGS; k++) {
    struct drawn drawn = draw(config_at(k), INITIAL_ORTHOGONAL, 1);
    size_t recurrent = 0;
    for (size_t i = 0; i < drawn.table.count; i++) {
      const struct parameter *row = &drawn.table.rows[i];
      const real *values = drawn.block + row->offset;
      if (is_of(row, "embedding") || row->alias) {
        check_normal(row, values, 1 / sqrt((double)E));
      } else if (is_of(row, "weight_hh")) {
        for (size_t first = 0; first < row->rows; first += row->columns)
          check_orthogonal(row, values + first * row->columns);
        recurrent++;
      } else {
        check_uniform(row, values, bound_of(row, &drawn.config));
      }
    }
    cr_assert_eq(recurrent, k == 1 ? 6 : 2);
    parameter_block_free(drawn.block);
  }
}

/* A rectifier starts from the identity also with orthogonal initialization, because the identity is
 * orthogonal. */
Test(initial_values, rectifier_starts_from_identity) {
  for (int orthogonal = 0; orthogonal < 2; orthogonal++) {
    struct model_config config = config_at(0);
    config.cell = "relu";
    struct drawn drawn = draw(config, orthogonal ? INITIAL_ORTHOGONAL : INITIAL_PYTORCH, 1);
    for (size_t i = 0; i < drawn.table.count; i++) {
      const struct parameter *row = &drawn.table.rows[i];
      const bool bias = is_of(row, "rnn.bias"), recurrent = is_of(row, "weight_hh");
      for (size_t j = 0; (bias || recurrent) && j < parameter_size(row); j++)
        cr_assert_eq(drawn.block[row->offset + j], recurrent && j % (row->columns + 1) == 0);
    }
    parameter_block_free(drawn.block);
  }
}

Test(initial_values, tensors_and_seeds_have_different_values) {
  struct drawn drawn = draw(config_at(1), INITIAL_PYTORCH, 1);
  struct drawn again = draw(config_at(1), INITIAL_PYTORCH, 1);
  struct drawn other = draw(config_at(1), INITIAL_PYTORCH, 2);
  cr_assert_eq(memcmp(drawn.block, again.block, drawn.table.block * sizeof(real)), 0);
  for (size_t i = 0; i < drawn.table.count; i++) {
    const struct parameter *row = &drawn.table.rows[i];
    const real *values = drawn.block + row->offset;
    cr_assert_neq(values[0], other.block[row->offset], "%s", row->name);
    for (size_t k = 0; k < i; k++) {
      const struct parameter *before = &drawn.table.rows[k];
      const double ratio = (double)values[0] / (double)drawn.block[before->offset];
      const double next = (double)values[1] / (double)drawn.block[before->offset + 1];
      cr_assert(fabs(ratio - next) > 1e-6 * fabs(ratio), "%s and %s", row->name, before->name);
    }
  }
  parameter_block_free(drawn.block);
  parameter_block_free(again.block);
  parameter_block_free(other.block);
}
