/* Test: threads. */
/* The output layer as search uses it, compared with sums by definition, with every kernel for few
 * rows. */
#include "check.h"
#include "threads.h"

#include "decoder/output.h"
#include "tensor/blas_kernels.h"
#include "tensor/few_rows.h"
#include "tensor/softmax.h"

/* Bound the rounding error of a sum of n products in `real`: λ √n u Σ|x w|, as in
 * rounding_of_sum. */
static double rounding_of_products(const real *x, const real *w, size_t n) {
  const double unit = sizeof(real) == sizeof(float) ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
  double size = 0;
  for (size_t i = 0; i < n; i++) size += fabs((double)x[i] * (double)w[i]);
  return 6 * sqrt((double)n + 1) * unit * size;
}

static double product_of(const real *x, const real *w, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (double)x[i] * (double)w[i];
  return sum;
}

static void check_few_rows(const struct few_rows_kernel *kernel, size_t n, size_t in, size_t out) {
  const size_t ldy = out + 3;
  owned real *x = random_reals(n * in, 1, 1), *weight = random_reals(out * in, 1, 2);
  owned real *y = reals(n * ldy);
  for (size_t i = 0; i < n * ldy; i++) y[i] = 77;
  kernel->run((struct few_rows){y, ldy, .add = false}, x, weight, n, in, out);
  owned real *doubled = reals(n * ldy);
  for (size_t i = 0; i < n * ldy; i++) doubled[i] = y[i];
  kernel->run((struct few_rows){doubled, ldy, .add = true}, x, weight, n, in, out);
  for (size_t i = 0; i < n * ldy; i++)
    cr_assert_eq(doubled[i], i % ldy < out ? 2 * y[i] : y[i], "%s adds", kernel->name);
  for (size_t r = 0; r < n; r++) {
    for (size_t o = 0; o < ldy; o++) {
      const real *row = x + r * in, *w = weight + o * in;
      if (o >= out)
        cr_assert_eq(y[r * ldy + o], 77, "the gaps between rows are not changed");
      else
        cr_assert_float_eq((double)y[r * ldy + o], product_of(row, w, in),
                           rounding_of_products(row, w, in), "%s: %zu, %zu of %zu, %zu, %zu",
                           kernel->name, r, o, n, in, out);
    }
  }
}

Test(scores, products_of_few_rows_match) {
  static const size_t ins[] = {1, 3, 16, 17, 64, 130}, outs[] = {1, 2, 3, 4, 7, 64};
  const struct few_rows_kernel *kernel;
  for (size_t k = 0; (kernel = few_rows_kernel_at(k)) != NULL; k++) {
    for (size_t n = 1; n <= FEW_ROWS + 1; n++)
      for (size_t i = 0; i < sizeof ins / sizeof *ins; i++)
        for (size_t o = 0; o < sizeof outs / sizeof *outs; o++)
          check_few_rows(kernel, n, ins[i], outs[o]);
  }
}

/* ---- scores ---- */

struct layer {
  struct decoder_parameters weights;
  struct output_scores scores;
  struct arena arena;
  real *features;
};

static void set_up(struct layer *layer, size_t rows, size_t V, size_t A, double size) {
  *layer = (struct layer){.weights = {.sizes = {.vocabulary = V, .features = A}, .numerics = FAST}};
  layer->weights.out_weight = random_reals(V * A, size, 1);
  layer->weights.out_bias = random_reals(V, 1, 2);
  layer->features = random_reals(rows * A, 1, 3);
  struct arena measured = {0};
  output_scores_allocate(&layer->scores, &measured, rows, layer->weights.sizes);
  cr_assert_eq(arena_reserve(&layer->arena, &measured, NULL), ELMAN_OK);
  output_scores_allocate(&layer->scores, &layer->arena, rows, layer->weights.sizes);
  layer->scores.logits = reals(rows * V);
  blas_set_up();
}

static void tear_down(struct layer *layer) {
  free(layer->weights.out_weight);
  free(layer->weights.out_bias);
  free(layer->features);
  free(layer->scores.logits);
  arena_free(&layer->arena);
}

static void check_row(const struct layer *layer, size_t row) {
  const size_t V = layer->weights.sizes.vocabulary, F = layer->weights.sizes.features;
  const struct output_scores *scores = &layer->scores;
  const real *features = layer->features + row * F, *logits = scores->logits + row * V;
  double most = -INFINITY, sum = 0, worst = 0;
  for (size_t v = 0; v < V; v++) {
    const real *w = layer->weights.out_weight + v * F;
    const double bias = (double)layer->weights.out_bias[v];
    const double rounding = rounding_of_products(features, w, F) + CLOSE * fabs(bias);
    cr_assert_float_eq((double)logits[v], product_of(features, w, F) + bias, rounding);
    cr_assert_leq(logits[v], scores->largest[row * scores->blocks + v / SCORES_BLOCK]);
    most = fmax(most, (double)logits[v]);
    worst = fmax(worst, rounding);
  }
  for (size_t v = 0; v < V; v++) sum += exp((double)logits[v] - most);
  cr_assert_float_eq(scores->log_sums[row], most + log(sum), CLOSE + worst);
  for (size_t block = 0; block < scores->blocks; block++) {
    bool found = false;
    for (size_t v = block * SCORES_BLOCK; v < V && v < (block + 1) * SCORES_BLOCK; v++)
      found = found || logits[v] == scores->largest[row * scores->blocks + block];
    cr_assert(found, "the largest value of a block belongs to it");
  }
}

/* Few, several and many rows, with large logits as well. */
Test(scores, scores_match_for_any_number_of_rows) {
  static const size_t rows[] = {1, 5, FEW_ROWS, FEW_ROWS + 1, 64, 65, 200};
  static const size_t vocabularies[] = {3, 65, SCORES_BLOCK, SCORES_BLOCK + 1, 700};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    for (size_t j = 0; j < sizeof vocabularies / sizeof *vocabularies; j++) {
      owned_by(tear_down) struct layer layer;
      set_up(&layer, rows[i], vocabularies[j], 33, i % 2 == 0 ? 0.2 : 20);
      output_scores_fill(&layer.scores, layer.features, rows[i], &layer.weights);
      for (size_t r = 0; r < rows[i]; r++) check_row(&layer, r);
    }
  }
}

/* The results are equal bit by bit. */
Test(scores, threads_do_not_change_scores) {
  static const size_t rows[] = {5, 40, 80};
  enum { V = 1000, F = 70 };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    owned_by(tear_down) struct layer alone;
    set_up(&alone, rows[i], V, F, 0.2);
    output_scores_fill(&alone.scores, alone.features, rows[i], &alone.weights);
    for (size_t members = 1; members <= 3; members++) {
      owned_by(tear_down) struct layer shared;
      use_threads(members);
      set_up(&shared, rows[i], V, F, 0.2);
      output_scores_fill(&shared.scores, shared.features, rows[i], &shared.weights);
      cr_assert_arr_eq(shared.scores.logits, alone.scores.logits, rows[i] * V * sizeof(real));
      cr_assert_arr_eq(shared.scores.log_sums, alone.scores.log_sums, rows[i] * sizeof(double));
    }
  }
  use_threads(1);
}

/* One logit that is NaN invalidates the sum of its row, and of no other. */
Test(scores, nan_invalidates_its_row_only) {
  enum { ROWS = 3, V = 200, F = 10 };
  const double bad[] = {(double)NAN, (double)INFINITY};
  for (size_t i = 0; i < 2; i++) {
    owned_by(tear_down) struct layer layer;
    set_up(&layer, ROWS, V, F, 1);
    layer.features[F] = (real)bad[i];
    output_scores_fill(&layer.scores, layer.features, ROWS, &layer.weights);
    for (size_t r = 0; r < ROWS; r++) cr_assert_eq(isfinite(layer.scores.log_sums[r]) != 0, r != 1);
  }
}

/* Without sums, the log-sum is the largest logit. A logit that is not finite invalidates its row,
 * at any place in a block and for a value of any kind. */
Test(scores, without_sums_every_logit_is_checked) {
  enum { ROWS = 2, V = SCORES_BLOCK + 50, F = 10 };
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  owned_by(tear_down) struct layer layer;
  set_up(&layer, ROWS, V, F, 1);
  layer.scores.without_sums = true;
  output_scores_fill(&layer.scores, layer.features, ROWS, &layer.weights);
  for (size_t r = 0; r < ROWS; r++)
    cr_assert_eq(layer.scores.log_sums[r], (double)maximum(layer.scores.logits + r * V, V));
  for (size_t v = 0; v < V; v++) {
    const real kept = layer.weights.out_bias[v];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
      layer.weights.out_bias[v] = (real)bad[i];
      output_scores_fill(&layer.scores, layer.features, ROWS, &layer.weights);
      for (size_t r = 0; r < ROWS; r++)
        cr_assert(!isfinite(layer.scores.log_sums[r]), "logit %zu is %g", v, bad[i]);
    }
    layer.weights.out_bias[v] = kept;
  }
}
