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

void mask_clear_outside(real *row, struct visible visible, size_t S) {
  memset(row, 0, visible.first * sizeof *row);
  memset(row + visible.end, 0, (S - visible.end) * sizeof *row);
}

void mask_softmax_forward(real *row, struct visible visible, size_t S) {
  softmax_forward(row + visible.first, visible.end - visible.first);
  mask_clear_outside(row, visible, S);
}

void mask_softmax_backward(real *drow, const real *weights, struct visible visible, size_t S) {
  softmax_backward(drow + visible.first, weights + visible.first, visible.end - visible.first);
  mask_clear_outside(drow, visible, S);
}

static double sum_of(const real *row, struct visible visible) {
  double sum = 0;
  for (size_t s = visible.first; s < visible.end; s++) sum += (double)row[s];
  return sum;
}

void mask_share_forward(real *row, struct visible visible, size_t S) {
  const real scale = (real)(1 / sum_of(row, visible));
  for (size_t s = visible.first; s < visible.end; s++) row[s] *= scale;
  mask_clear_outside(row, visible, S);
}

void mask_share_backward(real *drow, const real *weights, const real *scores,
                         struct visible visible, size_t S) {
  const real scale = (real)(1 / sum_of(scores, visible));
  double mean = 0;
  for (size_t s = visible.first; s < visible.end; s++) mean += (double)weights[s] * (double)drow[s];
  for (size_t s = visible.first; s < visible.end; s++) drow[s] = (drow[s] - (real)mean) * scale;
  mask_clear_outside(drow, visible, S);
}
