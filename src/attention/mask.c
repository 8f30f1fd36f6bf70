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
  const size_t keys = shape.key_lengths[b];
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
  return rest > 0 ? (real)rest : 0; /* rounding */
}

void mask_softmax_forward(struct attention_row *row) {
  const struct visible visible = row->visible;
  softmax_forward(row->weights + visible.first, visible.end - visible.first);
  mask_fill_outside(row->weights, visible, row->pass->shape.keys, 0);
}

void mask_softmax_backward(real *drow, const struct attention_row *row,
                           const struct attention_scratch *scratch) {
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
                         const struct attention_scratch *scratch) {
  const struct visible visible = row->visible;
  const real scale = (real)(1 / sum_of(row->scores, visible));
  double mean = 0;
  (void)scratch;
  for (size_t s = visible.first; s < visible.end; s++)
    mean += (double)row->weights[s] * (double)drow[s];
  for (size_t s = visible.first; s < visible.end; s++) drow[s] = (drow[s] - (real)mean) * scale;
  mask_fill_outside(drow, visible, row->pass->shape.keys, 0);
}
