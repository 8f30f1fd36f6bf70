/* Test: threads. */
/* The output layer during training, computed in tiles, compared with the plain formulas (9) to
 * (14). */
#include "plain.h"
#include "threads.h"

#include <string.h>

#include "decoder/output.h"
#include "tensor/blas_kernels.h"

/* Two blocks of rows, and a vocabulary of several tiles per group, with a short last tile. */
enum { H = 4, F = 2 * H, V = 6100, N = 498, BLOCK = 250 };

struct layer {
  real *features, *weight, *bias;
  uint32_t labels[N];
};

static struct layer layer_create(void) {
  struct layer layer = {random_reals((size_t)N * F, 1, 1),
                        random_reals((size_t)V * F, 1, 2),
                        random_reals(V, 1, 3),
                        {0}};
  for (size_t i = 0; i < N; i++) layer.labels[i] = (uint32_t)(i * 2654435761U % V);
  layer.labels[0] = 0;
  layer.labels[1] = V - 1;
  return layer;
}

static void layer_free(struct layer *layer) {
  free(layer->features);
  free(layer->weight);
  free(layer->bias);
}

struct results {
  double *losses;
  real *dfeatures, *dweight, *dbias;
};

static struct results results_create(void) {
  return (struct results){calloc(N, sizeof(double)), reals((size_t)N * F), reals((size_t)V * F),
                          reals(V)};
}

static void results_free(struct results *results) {
  free(results->losses);
  free(results->dfeatures);
  free(results->dweight);
  free(results->dbias);
}

/* Add the gradient of α/2 (KL(p || p') + KL(p' || p)) / N for the features x and y of two passes
 * (99). dx and dy are the gradients of these features. */
static void add_plain_divergence(double *dx, double *dy, const struct plain_map *map,
                                 const double *x, const double *y, double alpha) {
  owned double *p = calloc(V, sizeof *p), *q = calloc(V, sizeof *q), *delta = calloc(V, sizeof *p);
  double p_mean = 0, q_mean = 0;
  plain_linear(p, map, x);
  plain_linear(q, map, y);
  for (size_t v = 0; v < V; v++) delta[v] = p[v] - q[v];
  softmax(p, V);
  softmax(q, V);
  for (size_t v = 0; v < V; v++) {
    p_mean += p[v] * delta[v];
    q_mean += q[v] * delta[v];
  }
  for (size_t v = 0; v < V; v++) {
    const double difference = p[v] - q[v];
    p[v] = alpha / 2 / N * (p[v] * (delta[v] - p_mean) + difference);
    q[v] = -alpha / 2 / N * (q[v] * (delta[v] - q_mean) + difference);
  }
  plain_linear_backward(dx, map, p, x);
  plain_linear_backward(dy, map, q, y);
}

static struct results plainly(const struct layer *layer, double smoothing, double alpha) {
  struct results results = results_create();
  owned double *dweight = calloc((size_t)V * F, sizeof *dweight), *dbias = calloc(V, sizeof *dbias);
  owned double *weight = doubles(layer->weight, (size_t)V * F), *bias = doubles(layer->bias, V);
  owned double *features = doubles(layer->features, (size_t)N * F);
  const struct plain_map map = {weight, bias, dweight, dbias, V, F};
  owned double *dfeatures = calloc((size_t)N * F, sizeof *dfeatures);
  for (size_t n = 0; n < N; n++)
    results.losses[n] =
        plain_output(dfeatures + n * F, &map, features + n * F, layer->labels[n], smoothing, N);
  for (size_t n = 0; n < N && alpha > 0; n += 2)
    add_plain_divergence(dfeatures + n * F, dfeatures + (n + 1) * F, &map, features + n * F,
                         features + (n + 1) * F, alpha);
  for (size_t i = 0; i < (size_t)N * F; i++) results.dfeatures[i] = (real)dfeatures[i];
  for (size_t i = 0; i < (size_t)V * F; i++) results.dweight[i] = (real)dweight[i];
  for (size_t v = 0; v < V; v++) results.dbias[v] = (real)dbias[v];
  return results;
}

static const struct decoder_sizes sizes = {.hidden = H,
                                           .features = F,
                                           .vocabulary = V,
                                           .layers = 1,
                                           .attention = {.kind = ATTENTION_DOT, .size = H}};

/* `before` is the previous content of the gradients of the weights and of the features. */
static struct results in_tiles(const struct layer *layer, double smoothing, double alpha,
                               real before) {
  const size_t copies = alpha > 0 ? 2 : 1;
  struct results results = results_create();
  struct arena measured = {0}, arena = {0};
  struct output_scratch scratch;
  output_allocate(&scratch, &measured, BLOCK, copies, sizes);
  cr_assert_eq(arena_reserve(&arena, &measured, NULL), ELMAN_OK);
  output_allocate(&scratch, &arena, BLOCK, copies, sizes);
  cr_assert_gt(scratch.tiles.groups, 1);
  cr_assert_gt(scratch.tiles.count, scratch.tiles.groups);
  cr_assert_neq(V % scratch.tiles.width, 0);
  owned real *logits = reals((size_t)BLOCK * V);
  for (size_t i = 0; i < (size_t)V * F; i++) results.dweight[i] = before;
  for (size_t i = 0; i < V; i++) results.dbias[i] = before;
  for (size_t i = 0; i < (size_t)N * F; i++) results.dfeatures[i] = before;
  const struct decoder_parameters weights = {
      .sizes = sizes, .out_weight = layer->weight, .out_bias = layer->bias, .numerics = FAST};
  const struct decoder_parameters gradients = {.out_weight = results.dweight,
                                               .out_bias = results.dbias};
  const struct output_pass pass = {.weights = &weights,
                                   .features = layer->features,
                                   .labels = layer->labels,
                                   .tokens = N,
                                   .mean_of = N,
                                   .smoothing = smoothing,
                                   .r_drop = alpha,
                                   .block = BLOCK,
                                   .logits = logits,
                                   .losses = results.losses};
  output_gradient(&gradients, results.dfeatures, &scratch, &pass);
  arena_free(&arena);
  return results;
}

static void check_same_results(const struct results *a, const struct results *b) {
  for (size_t n = 0; n < N; n++) cr_assert_float_eq(a->losses[n], b->losses[n], 10 * CLOSE);
  cr_assert_lt(relative_error(a->dfeatures, b->dfeatures, (size_t)N * F), CLOSE);
  cr_assert_lt(relative_error(a->dweight, b->dweight, (size_t)V * F), CLOSE);
  cr_assert_lt(relative_error(a->dbias, b->dbias, V), CLOSE);
}

Test(output, tiles_match_the_plain_formulas) {
  blas_set_up();
  owned_by(layer_free) struct layer layer = layer_create();
  for (double smoothing = 0; smoothing < 0.2; smoothing += 0.1) {
    owned_by(results_free) struct results expected = plainly(&layer, smoothing, 0);
    owned_by(results_free) struct results results = in_tiles(&layer, smoothing, 0, 0);
    check_same_results(&results, &expected);
  }
}

/* Rows 2i and 2i + 1 have different labels here, which R-Drop permits. */
Test(output, tiles_with_r_drop_match_the_plain_formulas) {
  blas_set_up();
  owned_by(layer_free) struct layer layer = layer_create();
  owned_by(results_free) struct results expected = plainly(&layer, 0.1, 3);
  owned_by(results_free) struct results results = in_tiles(&layer, 0.1, 3, 0);
  check_same_results(&results, &expected);
  for (size_t tokens = 2; tokens < 5000; tokens += 2) cr_assert_eq(output_block(tokens, 2) % 2, 0);
}

Test(output, weight_gradients_add_and_feature_gradients_overwrite) {
  blas_set_up();
  owned_by(layer_free) struct layer layer = layer_create();
  owned_by(results_free) struct results fresh = in_tiles(&layer, 0, 0, 0),
                                        added = in_tiles(&layer, 0, 0, 1);
  cr_assert_eq(memcmp(fresh.dfeatures, added.dfeatures, (size_t)N * F * sizeof(real)), 0);
  for (size_t i = 0; i < (size_t)V * F; i++)
    cr_assert_float_eq((double)added.dweight[i], 1 + (double)fresh.dweight[i], CLOSE);
  for (size_t i = 0; i < V; i++)
    cr_assert_float_eq((double)added.dbias[i], 1 + (double)fresh.dbias[i], CLOSE);
}

Test(output, threads_do_not_change_results) {
  blas_set_up();
  owned_by(layer_free) struct layer layer = layer_create();
  use_threads(1);
  owned_by(results_free) struct results expected = in_tiles(&layer, 0.1, 3, 0);
  for (size_t threads = 2; threads <= 5; threads++) {
    use_threads(threads);
    owned_by(results_free) struct results results = in_tiles(&layer, 0.1, 3, 0);
    cr_assert_eq(memcmp(results.losses, expected.losses, N * sizeof(double)), 0);
    cr_assert_eq(memcmp(results.dfeatures, expected.dfeatures, (size_t)N * F * sizeof(real)), 0);
    cr_assert_eq(memcmp(results.dweight, expected.dweight, (size_t)V * F * sizeof(real)), 0);
    cr_assert_eq(memcmp(results.dbias, expected.dbias, V * sizeof(real)), 0);
  }
  use_threads(1);
}

/* Small layers are a single tile and allocate no memory for the sums of groups. */
Test(output, tiles_depend_on_the_shape) {
  struct decoder_sizes small = sizes;
  for (small.vocabulary = 1; small.vocabulary < 300; small.vocabulary += 7) {
    const struct output_tiles tiles = output_tiles_of(5, small);
    cr_assert_eq(tiles.count, 1);
    cr_assert_eq(tiles.groups, 1);
    cr_assert_eq(tiles.width, small.vocabulary);
  }
  small.features = 512;
  for (size_t rows = 1; rows < 3000; rows += 37) {
    for (small.vocabulary = 1; small.vocabulary < 70000; small.vocabulary += 997) {
      const struct output_tiles tiles = output_tiles_of(rows, small);
      cr_assert_geq(tiles.count * tiles.width, small.vocabulary);
      cr_assert_lt((tiles.count - 1) * tiles.width, small.vocabulary);
      const size_t each = (tiles.count + tiles.groups - 1) / tiles.groups;
      cr_assert_lt((tiles.groups - 1) * each, tiles.count, "no group is empty");
    }
  }
}
