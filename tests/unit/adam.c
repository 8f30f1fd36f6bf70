/* Adam and clipping against the plain formulas, and across threads. */
#include "check.h"

#include <omp.h>
#include <string.h>

#include "train/adam.h"

Test(adam, follows_the_formulas) {
  enum { N = 37 };
  const struct adam_options options = {0.01, 0.8, 0.95, 1e-6};
  real *w = random_reals(N, 1, 1), *m = reals(N), *v = reals(N);
  double expected[N], first[N] = {0}, second[N] = {0};
  for (size_t i = 0; i < N; i++) expected[i] = (double)w[i];
  for (uint64_t k = 1; k <= 5; k++) {
    real *g = random_reals(N, 2, 10 + (unsigned)k);
    adam_update(w, m, v, g, N, k, options);
    for (size_t i = 0; i < N; i++) {
      const double gi = (double)g[i];
      first[i] = 0.8 * first[i] + 0.2 * gi;
      second[i] = 0.95 * second[i] + 0.05 * gi * gi;
      const double m_hat = first[i] / (1 - pow(0.8, (double)k));
      const double v_hat = second[i] / (1 - pow(0.95, (double)k));
      expected[i] -= 0.01 * m_hat / (sqrt(v_hat) + 1e-6);
      cr_assert_float_eq((double)w[i], expected[i], CLOSE);
    }
    free(g);
  }
  free(w);
  free(m);
  free(v);
}

Test(adam, defaults_are_those_of_pytorch) {
  const struct adam_options options = adam_options_default();
  cr_assert_eq(options.learning_rate, 0.001);
  cr_assert_eq(options.beta1, 0.9);
  cr_assert_eq(options.beta2, 0.999);
  cr_assert_eq(options.epsilon, 1e-8);
}

Test(adam, clipping_scales_down_only) {
  real g[] = {3, 4};
  cr_assert_float_eq(clip_global_norm(g, 2, 10), 5, 1e-6);
  cr_assert_eq(g[0], 3);
  cr_assert_float_eq(clip_global_norm(g, 2, 0), 5, 1e-6);
  cr_assert_eq(g[1], 4);
  cr_assert_float_eq(clip_global_norm(g, 2, 1), 5, 1e-6);
  cr_assert_float_eq((double)g[0], 0.6, 1e-6);
  cr_assert_float_eq((double)g[1], 0.8, 1e-6);
}

Test(adam, threads_change_no_bit) {
  enum { N = 2200003 }; /* more chunks than there are places for their sums */
  real *g = random_reals(N, 1, 1);
  omp_set_num_threads(1);
  const double norm = global_norm(g, N);
  double plain = 0;
  for (size_t i = 0; i < N; i++) plain += (double)g[i] * (double)g[i];
  cr_assert_float_eq(norm, sqrt(plain), 1e-6);
  real *expected = NULL;
  for (int threads = 1; threads <= 4; threads++) {
    omp_set_num_threads(threads);
    const double again = global_norm(g, N);
    cr_assert_eq(memcmp(&norm, &again, sizeof norm), 0);
    real *w = random_reals(N, 1, 2), *m = reals(N), *v = reals(N);
    adam_update(w, m, v, g, N, 1, adam_options_default());
    if (expected == NULL)
      expected = w;
    else
      cr_assert_eq(memcmp(w, expected, N * sizeof *w), 0);
    if (w != expected) free(w);
    free(m);
    free(v);
  }
  free(expected);
  free(g);
}
