/* The Elman layer where its products are cut into tiles, against equations 2, 3, 18 and 22 written
 * out. */
#include "check.h"

#include <string.h>

#include "rnn/elman.h"
#include "tensor/blas.h"

enum { STEPS = 3 };

struct layer {
  struct rnn_parameters weights;
  struct rnn_shape shape;
  size_t *lengths;
  real *inputs, *above; /* what reaches the states from above, (STEPS+1,B,H) */
};

static struct layer layer_create(size_t batch, size_t input, size_t hidden, bool reverse) {
  struct layer layer = {
      .weights = {random_reals(hidden * input, 0.1, 1), random_reals(hidden * hidden, 0.05, 2),
                  random_reals(hidden, 0.5, 3), random_reals(hidden, 0.5, 4)},
      .shape =
          {.steps = STEPS, .batch = batch, .input = input, .hidden = hidden, .reverse = reverse},
      .lengths = calloc(batch, sizeof *layer.lengths),
      .inputs = random_reals(STEPS * batch * input, 1, 5),
      .above = random_reals((STEPS + 1) * batch * hidden, 1, 6)};
  for (size_t b = 0; b < batch; b++) layer.lengths[b] = 1 + b % STEPS;
  layer.shape.lengths = layer.lengths;
  return layer;
}

static void layer_free(struct layer *layer) {
  real *const all[] = {layer->weights.weight_ih,
                       layer->weights.weight_hh,
                       layer->weights.bias_ih,
                       layer->weights.bias_hh,
                       layer->inputs,
                       layer->above};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  free(layer->lengths);
}

/* Blocks of the state after input t and of the one before. */
static size_t after(const struct layer *layer, size_t t) {
  return layer->shape.reverse ? t : t + 1;
}

static size_t before(const struct layer *layer, size_t t) {
  return layer->shape.reverse ? t + 1 : t;
}

static size_t number(const struct layer *layer, size_t i) {
  return layer->shape.reverse ? STEPS - 1 - i : i;
}

static double sum_of_step(const struct layer *layer, const double *previous, size_t t, size_t b,
                          size_t j) {
  const size_t E = layer->shape.input, H = layer->shape.hidden;
  const struct rnn_parameters *w = &layer->weights;
  double sum = (double)w->bias_ih[j] + (double)w->bias_hh[j];
  for (size_t i = 0; i < E; i++)
    sum += (double)w->weight_ih[j * E + i] *
           (double)layer->inputs[(t * layer->shape.batch + b) * E + i];
  for (size_t i = 0; i < H; i++) sum += (double)w->weight_hh[j * H + i] * previous[i];
  return sum;
}

static void plain_forward(double *states, const struct layer *layer) {
  const size_t B = layer->shape.batch, H = layer->shape.hidden;
  for (size_t i = 0; i < STEPS; i++) {
    const size_t t = number(layer, i);
    for (size_t b = 0; b < B; b++) {
      const double *previous = states + (before(layer, t) * B + b) * H;
      double *current = states + (after(layer, t) * B + b) * H;
      for (size_t j = 0; j < H; j++)
        current[j] =
            t < layer->lengths[b] ? tanh(sum_of_step(layer, previous, t, b, j)) : previous[j];
    }
  }
}

static void plain_backward(double *dstates, const double *states, const struct layer *layer) {
  const size_t B = layer->shape.batch, H = layer->shape.hidden;
  for (size_t i = STEPS; i-- > 0;) {
    const size_t t = number(layer, i);
    for (size_t b = 0; b < B; b++) {
      const double *h = states + (after(layer, t) * B + b) * H;
      double *dz = dstates + (after(layer, t) * B + b) * H;
      double *dprevious = dstates + (before(layer, t) * B + b) * H;
      for (size_t j = 0; j < H; j++) {
        if (t >= layer->lengths[b]) {
          dprevious[j] += dz[j];
          dz[j] = 0;
          continue;
        }
        dz[j] *= 1 - h[j] * h[j];
        for (size_t k = 0; k < H; k++)
          dprevious[k] += dz[j] * (double)layer->weights.weight_hh[j * H + k];
      }
    }
  }
}

/* NaN if any number is. With fmax instead, gcc 12 for 64-bit ARM breaks down. */
static double largest_difference(const real *a, const double *b, size_t n) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    const double difference = fabs((double)a[i] - b[i]);
    if (isnan(difference)) return difference;
    if (difference > largest) largest = difference;
  }
  return largest;
}

static void check_layer(size_t batch, size_t input, size_t hidden, bool reverse) {
  struct layer layer = layer_create(batch, input, hidden, reverse);
  const size_t n = (STEPS + 1) * batch * hidden;
  real *states = random_reals(n, 0.5, 7), *dstates = reals(n);
  double *expected = calloc(n, sizeof *expected);
  for (size_t i = 0; i < n; i++) expected[i] = (double)states[i];
  rnn_forward(states, layer.inputs, &layer.weights, layer.shape);
  plain_forward(expected, &layer);
  cr_assert_lt(largest_difference(states, expected, n), CLOSE);
  double *dexpected = calloc(n, sizeof *dexpected);
  for (size_t i = 0; i < n; i++) dexpected[i] = (double)layer.above[i];
  memcpy(dstates, layer.above, n * sizeof *dstates);
  real *dh = reals(STEPS * batch * hidden);
  rnn_backward_states(dstates, dh, states, &layer.weights, layer.shape);
  plain_backward(dexpected, expected, &layer);
  cr_assert_lt(largest_difference(dstates, dexpected, n), 10 * CLOSE);
  /* What reaches the last step that was run comes from above alone. */
  const size_t last = number(&layer, STEPS - 1) * batch * hidden;
  cr_assert_eq(memcmp(dh + last,
                      layer.above + after(&layer, number(&layer, STEPS - 1)) * batch * hidden,
                      batch * hidden * sizeof *dh),
               0);
  free(states);
  free(dstates);
  free(expected);
  free(dexpected);
  free(dh);
  layer_free(&layer);
}

Test(recurrence, tiles_of_columns) {
  blas_set_up();
  check_layer(16, 7, 520, false);
  check_layer(16, 7, 520, true);
}

Test(recurrence, tiles_of_rows) {
  blas_set_up();
  check_layer(300, 5, 128, false);
  check_layer(300, 5, 128, true);
}

Test(recurrence, one_tile) {
  blas_set_up();
  check_layer(1, 3, 9, false);
  check_layer(5, 3, 9, true);
}

/* Steps that are run apart, as input feeding needs them, are those of the whole: what is past the
 * end of a sentence is held there, too. */
Test(recurrence, a_sentence_in_stretches_is_the_sentence) {
  enum { B = 5, E = 3, H = 9 };
  blas_set_up();
  struct layer layer = layer_create(B, E, H, false);
  const size_t n = (STEPS + 1) * B * H;
  real *whole = random_reals(n, 0.5, 7), *apart = random_reals(n, 0.5, 7);
  rnn_forward(whole, layer.inputs, &layer.weights, layer.shape);
  for (size_t t = 0; t < STEPS; t++) {
    struct rnn_shape shape = layer.shape;
    shape.steps = 1;
    shape.first = t;
    rnn_forward(apart + t * B * H, layer.inputs + t * B * E, &layer.weights, shape);
  }
  cr_assert(relative_error(whole, apart, n) < CLOSE);
  for (size_t b = 0; b < B; b++)
    cr_assert_eq(memcmp(apart + (STEPS * B + b) * H, apart + (layer.lengths[b] * B + b) * H,
                        H * sizeof *apart),
                 0, "the last state of sentence %zu is held", b);
  free(whole);
  free(apart);
  layer_free(&layer);
}
