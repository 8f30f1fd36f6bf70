/* The error bound of screening, part by part: if the bound were too small, the token with the
 * largest approximate logit would win over the most likely one. */
#include <string.h>

#include "screening.h"

/* Check that every kernel for eight-bit products finds the same token as all logits computed in
 * float. */
static size_t checked(const real *weight, const real *bias, const real *features, size_t V,
                      size_t F) {
  const struct quantized_kernel *kernel;
  const struct screened_layer layer = layer_of(weight, bias, V, F);
  size_t expected, found;
  find_largest(&expected, NULL, layer, features, 1, false);
  for (size_t i = 0; (kernel = quantized_kernel_at(i)) != NULL; i++) {
    find_largest(&found, kernel, layer, features, 1, false);
    cr_assert_eq(found, expected, "%s: %zu, not %zu", kernel->name, found, expected);
  }
  return expected;
}

/* In eight bits all weights but the first round to 0, so token 300 seems ahead. The rounded weights
 * of token 77 contribute nine times as much. */
Test(screen_bound, bound_covers_weight_rounding) {
  enum { V = 500, F = 256 };
  owned real *weight = random_reals(V * F, 0.0001, 1), *bias = reals(V), *features = reals(F);
  for (size_t i = 0; i < F; i++) features[i] = i == 0 ? (real)0.1 : 1;
  for (size_t v = 0; v < V; v++) weight[v * F] = v == 300 ? (real)1.1 : 1;
  for (size_t i = 1; i < F; i++) weight[77 * F + i] = (real)0.0035;
  cr_assert_eq(checked(weight, bias, features, V, F), 77);
}

/* The reverse case: the rounded weights of token 300 make it worse than token 77, which loses
 * nothing. */
Test(screen_bound, bound_covers_weights_of_apparent_best) {
  enum { V = 500, F = 256 };
  owned real *weight = reals(V * F), *bias = reals(V), *features = reals(F);
  for (size_t i = 0; i < F; i++) features[i] = i == 0 ? (real)0.1 : 1;
  for (size_t v = 0; v < V; v++) weight[v * F] = v == 77 ? 1 : (real)0.9;
  weight[300 * F] = (real)1.5;
  for (size_t i = 1; i < F; i++) weight[300 * F + i] = (real)-0.0035;
  cr_assert_eq(checked(weight, bias, features, V, F), 77);
}

/* The same cases for the features. */
Test(screen_bound, bound_covers_feature_rounding) {
  enum { V = 500, F = 256 };
  owned real *weight = random_reals(V * F, 0.1, 2), *bias = reals(V), *features = reals(F);
  for (size_t i = 0; i < F; i++) features[i] = i == 0 ? 1 : (real)0.0035;
  for (size_t v = 0; v < V; v++) weight[v * F] = v == 300 ? (real)0.2 : (real)0.1;
  for (size_t i = 1; i < F; i++) weight[77 * F + i] = 1;
  cr_assert_eq(checked(weight, bias, features, V, F), 77);
}

/* Next to a large bias the logits keep few digits, and their rounding decides. */
Test(screen_bound, bound_covers_bias_rounding) {
  enum { V = 300, F = 6 };
  for (unsigned i = 0; i < 200; i++) {
    owned real *weight = random_reals(V * F, 0.05, 3 * i + 3),
               *features = random_reals(F, 1, 3 * i + 4);
    owned real *bias = reals(V);
    for (size_t v = 0; v < V; v++) bias[v] = (real)(i % 2 == 0 ? 1e6 : -1e6);
    (void)checked(weight, bias, features, V, F);
  }
}

static size_t draw(uint64_t index, size_t limit) {
  return (size_t)random_below((struct random_stream){7, 96, 0}, index, limit);
}

/* Integers lose nothing in eight bits. Every row is the first one with two weights exchanged, which
 * changes its sum by one or two. Floats beyond 2^24 are even, so the order of addition decides. */
Test(screen_bound, bound_covers_summation_rounding) {
  enum { V = 300, F = 2048, MOST = 127 };
  owned real *weight = reals(V * F), *features = reals(F), *bias = reals(V);
  for (uint64_t round = 0; round < 20; round++) {
    uint64_t next = round << 32;
    for (size_t i = 0; i < F; i++) features[i] = (real)(MOST - (i > 0 ? draw(next++, 3) : 0));
    for (size_t i = 0; i < F; i++) weight[i] = (real)(MOST - (i > 0 ? draw(next++, 3) : 0));
    for (size_t v = 1; v < V; v++) {
      const size_t j = 1 + draw(next++, F - 1), k = 1 + draw(next++, F - 1);
      memcpy(weight + v * F, weight, F * sizeof *weight);
      weight[v * F + j] = weight[k];
      weight[v * F + k] = weight[j];
    }
    (void)checked(weight, bias, features, V, F);
  }
}
