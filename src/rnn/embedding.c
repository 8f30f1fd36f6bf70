#include "rnn/embedding.h"

#include <string.h>

#include "base/team.h"

/* The same place in a whole sentence has the same mask, however the sentence is cut. */
static uint64_t position(size_t t, size_t b, struct embedding_shape shape) {
  return ((shape.first + t) * shape.batch + b) * shape.size;
}

enum { STRIPE = 64 };

static double work_of(struct embedding_shape shape) {
  return (double)WORK_OF_FUNCTION * (double)(shape.steps * shape.batch * shape.size);
}

struct lookup {
  real *x, *dtable;
  const real *table;
  const uint32_t *ids;
  struct dropout dropout;
  struct embedding_shape shape;
};

static bool is_real(const struct lookup *lookup, size_t place) {
  const size_t t = place / lookup->shape.batch, b = place % lookup->shape.batch;
  return lookup->shape.first + t < lookup->shape.lengths[b];
}

static void drop_row(const struct lookup *lookup, size_t place) {
  const struct embedding_shape shape = lookup->shape;
  dropout_apply(lookup->x + place * shape.row, shape.size,
                position(place / shape.batch, place % shape.batch, shape), lookup->dropout);
}

static void look_up(const void *context, size_t place) {
  const struct lookup *lookup = context;
  const size_t size = lookup->shape.size;
  real *row = lookup->x + place * lookup->shape.row;
  if (is_real(lookup, place)) {
    memcpy(row, lookup->table + lookup->ids[place] * size, size * sizeof *row);
    drop_row(lookup, place);
  } else {
    memset(row, 0, size * sizeof *row);
  }
}

void embedding_forward(real *x, const real *table, const uint32_t *ids, struct dropout dropout,
                       struct embedding_shape shape) {
  const struct lookup lookup = {
      .x = x, .table = table, .ids = ids, .dropout = dropout, .shape = shape};
  share_out(shape.steps * shape.batch, work_of(shape), look_up, &lookup);
}

static void drop_if_real(const void *context, size_t place) {
  if (is_real(context, place)) drop_row(context, place);
}

/* Some columns of all rows: a word may be there more than once. */
static void add_stripe(const void *context, size_t stripe) {
  const struct lookup *lookup = context;
  const struct embedding_shape shape = lookup->shape;
  const size_t start = stripe * STRIPE;
  const size_t width = shape.size - start < STRIPE ? shape.size - start : STRIPE;
  for (size_t place = 0; place < shape.steps * shape.batch; place++) {
    if (!is_real(lookup, place)) continue;
    real *row = lookup->dtable + lookup->ids[place] * shape.size + start;
    const real *drow = lookup->x + place * shape.row + start;
    for (size_t i = 0; i < width; i++) row[i] += drow[i];
  }
}

void embedding_backward(real *dtable, real *dx, const uint32_t *ids, struct dropout dropout,
                        struct embedding_shape shape) {
  const struct lookup lookup = {
      .x = dx, .dtable = dtable, .ids = ids, .dropout = dropout, .shape = shape};
  const double work = work_of(shape);
  if (dropout.probability > 0) share_out(shape.steps * shape.batch, work, drop_if_real, &lookup);
  share_out((shape.size + STRIPE - 1) / STRIPE, work, add_stripe, &lookup);
}
