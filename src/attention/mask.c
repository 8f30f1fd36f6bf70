#include "attention/mask.h"

#include <string.h>

#include "tensor/softmax.h"

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t mask_queries(struct attention_shape shape, size_t b) {
  const size_t length = shape.query_lengths[b];
  return length <= shape.first_query ? 0 : smaller(length - shape.first_query, shape.queries);
}

struct visible mask_visible(struct attention_shape shape, size_t b, size_t t) {
  const size_t keys = shape.key_lengths[key_column(shape, b)];
  return (struct visible){0, shape.causal ? smaller(keys, shape.first_query + t + 1) : keys};
}

size_t mask_keys(struct attention_shape shape, size_t b) {
  const size_t queries = mask_queries(shape, b);
  return queries == 0 ? 0 : mask_visible(shape, b, queries - 1).end;
}

void mask_clear_queries(real *rows, size_t width, struct attention_shape shape, size_t b) {
  for (size_t t = mask_queries(shape, b); t < shape.queries; t++)
    memset(rows + (t * shape.batch + b) * width, 0, width * sizeof *rows);
}

void mask_fill_outside(real *row, struct visible visible, size_t S, real value) {
  for (size_t s = 0; s < visible.first; s++) row[s] = value;
  for (size_t s = visible.end; s < S; s++) row[s] = value;
}

static double sum_of(const real *row, struct visible visible) {
  double sum = 0;
  for (size_t s = visible.first; s < visible.end; s++) sum += (double)row[s];
  return sum;
}

real mask_rest(const real *row, size_t S) {
  const double rest = 1 - sum_of(row, (struct visible){0, S});
  return rest > 0 ? (real)rest : 0; /* rounding error can make the rest negative */
}

void mask_softmax_forward(struct attention_row *row) {
  const struct visible visible = row->visible;
  softmax_forward(row->weights + visible.first, visible.end - visible.first);
  mask_fill_outside(row->weights, visible, row->pass->shape.keys, 0);
}

void mask_softmax_backward(real *drow, const struct attention_row *row,
                           const struct attention_arrays *scratch) {
  const struct visible visible = row->visible;
  (void)scratch;
  softmax_backward(drow + visible.first, row->weights + visible.first, visible.end - visible.first);
  mask_fill_outside(drow, visible, row->pass->shape.keys, 0);
}

void mask_share_forward(struct attention_row *row) {
  const struct visible visible = row->visible;
  const real scale = (real)(1 / sum_of(row->weights, visible));
  for (size_t s = visible.first; s < visible.end; s++) row->weights[s] *= scale;
  mask_fill_outside(row->weights, visible, row->pass->shape.keys, 0);
}

void mask_share_backward(real *drow, const struct attention_row *row,
                         const struct attention_arrays *scratch) {
  const struct visible visible = row->visible;
  const real scale = (real)(1 / sum_of(row->scores, visible));
  double mean = 0;
  (void)scratch;
  for (size_t s = visible.first; s < visible.end; s++)
    mean += (double)row->weights[s] * (double)drow[s];
  for (size_t s = visible.first; s < visible.end; s++) drow[s] = (drow[s] - (real)mean) * scale;
  mask_fill_outside(drow, visible, row->pass->shape.keys, 0);
}

/* ---- interventions ---- */

static void make_uniform(real *row, struct visible visible) {
  const real share = 1 / (real)(visible.end - visible.first);
  for (size_t s = visible.first; s < visible.end; s++) row[s] = share;
}

/* Fisher–Yates shuffle: every order is equally likely. */
static void shuffle(real *row, struct visible visible, uint64_t seed, size_t query) {
  const struct random_stream stream = {seed, RANDOM_OVERRIDE, (uint32_t)query};
  for (size_t n = visible.end - visible.first; n > 1; n--) {
    const size_t other = visible.first + (size_t)random_below(stream, n, n);
    const size_t last = visible.first + n - 1;
    const real kept = row[last];
    row[last] = row[other];
    row[other] = kept;
  }
}

static size_t column_of(const elman_override *override, struct visible visible) {
  if (override->column < visible.first) return visible.first;
  return override->column < visible.end ? override->column : visible.end - 1;
}

static void set_position(real *row, struct visible visible, size_t column) {
  for (size_t s = visible.first; s < visible.end; s++) row[s] = s == column;
}

static void set_cell(real *row, struct visible visible, size_t column, real weight) {
  real others = 0;
  for (size_t s = visible.first; s < visible.end; s++) others += s == column ? 0 : row[s];
  const size_t count = visible.end - visible.first - 1;
  for (size_t s = visible.first; s < visible.end; s++) {
    if (s == column)
      row[s] = count == 0 ? 1 : weight; /* a single key keeps weight 1 */
    else
      row[s] = others > 0 ? row[s] * (1 - weight) / others : (1 - weight) / (real)count;
  }
}

void override_apply(real *row, struct visible visible, const struct attention_overrides *overrides,
                    size_t t) {
  const size_t query = overrides->first + t;
  for (size_t i = 0; i < overrides->options->override_count; i++) {
    const elman_override *override = &overrides->options->overrides[i];
    switch (override->kind) {
    case ELMAN_OVERRIDE_UNIFORM:
      make_uniform(row, visible);
      break;
    case ELMAN_OVERRIDE_SHUFFLE:
      shuffle(row, visible, overrides->options->seed, query);
      break;
    case ELMAN_OVERRIDE_POSITION:
      set_position(row, visible, column_of(override, visible));
      break;
    case ELMAN_OVERRIDE_CELL:
      if (override->row == query)
        set_cell(row, visible, column_of(override, visible), (real) override->weight);
      break;
    }
  }
}
