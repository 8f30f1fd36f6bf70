/* Test: threads. */
/* Compare Adam and gradient clipping with the plain formulas, and check that the number of threads
 * does not matter. */
#include "plain.h"
#include "threads.h"

#include <string.h>

#include "train/adam.h"
#include "train/norm.h"

Test(adam, follows_the_formulas) {
  enum { N = 37 };
  const double rates[] = {0.01, 0.8, 0.95, 1e-6};
  const struct adam_options options = {rates[1], rates[2], rates[3], false};
  owned real *w = random_reals(N, 1, 1), *m = reals(N), *v = reals(N);
  owned double *plain = doubles(w, N);
  double plain_m[N] = {0}, plain_v[N] = {0};
  for (uint64_t k = 1; k <= 5; k++) {
    owned real *g = random_reals(N, 2, 10 + (unsigned)k),
               *used = random_reals(N, 2, 10 + (unsigned)k);
    const struct adam_step step = adam_step_of(options, rates[0], k);
    adam_update(w, m, v, used, N, &step);
    for (size_t i = 0; i < N; i++) {
      plain_adam(&plain[i], &plain_m[i], &plain_v[i], (double)g[i], rates, k);
      cr_assert_float_eq((double)w[i], plain[i], CLOSE);
      cr_assert_eq(used[i], 0, "ready for the next sum");
    }
  }
}

/* Starting from a weight of 0, the weight equals the step. The step may differ by 4 units in the
 * last place for root and division, plus the rounding of the moments. */
Test(adam, steps_are_exact_to_rounding) {
  enum { N = 4000 };
  const struct adam_options options = {0.8, 0.95, 1e-6, false};
  const struct adam_step step = adam_step_of(options, 0.01, 3);
  owned real *w = reals(N), *m = random_reals(N, 1, 1), *v = random_reals(N, 1, 2);
  owned real *g = random_reals(N, 1, 3), *expected = reals(N);
  for (size_t i = 0; i < N; i++) {
    const double size = pow(10, 6 * (double)i / N - 3); /* gradients of every size */
    m[i] *= (real)size;
    v[i] *= v[i] * (real)(size * size);
    g[i] *= (real)size;
    const double first = 0.8 * (double)m[i] + (1 - 0.8) * (double)g[i];
    const double second = 0.95 * (double)v[i] + (1 - 0.95) * (double)g[i] * (double)g[i];
    const double m_hat = first / (1 - pow(0.8, 3)), v_hat = second / (1 - pow(0.95, 3));
    expected[i] = (real)(-0.01 * m_hat / (sqrt(v_hat) + 1e-6));
  }
  adam_update(w, m, v, g, N, &step);
  const double rounding = sizeof(real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
  for (size_t i = 0; i < N; i++) {
    /* Rounding errors weigh more where the two parts of the first moment cancel. */
    const double most = fmax(fabs((double)expected[i]), 0.001);
    cr_assert(fabs((double)w[i] - (double)expected[i]) <= 16 * rounding * most,
              "number %zu: %.9g, not %.9g", i, (double)w[i], (double)expected[i]);
  }
}

/* Run one update with the processor-specific code and with plain C, on values from 10^-scale to
 * 10^scale. The bounds count the roundings in which the two differ: 3 in a moment; in a step 3 of
 * the first moment, 2 of the second under its root, 5 of the root, 2 of the sum with ε, 3 of the
 * inverse, 3 of products and division. */
static void check_twins(size_t n, double scale, bool gradients) {
  const double rounding = sizeof(real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
  const struct adam_step step = adam_step_of(adam_options_default(), 0.001, 3);
  real *w[2], *m[2], *v[2], *g[2];
  for (unsigned i = 0; i < 2; i++) {
    w[i] = random_reals(n, 1e-6, 1); /* large enough that rounding does not hide the step */
    m[i] = random_reals(n, 1, 2);
    v[i] = random_reals(n, 1, 3);
    g[i] = random_reals(n, 1, 4);
    for (size_t j = 0; j < n; j++) {
      const real size = (real)pow(10, scale * sin((double)j));
      m[i][j] *= size;
      v[i][j] *= v[i][j] * size * size;
      g[i][j] *= size;
    }
  }
  real *const first = random_reals(n, 0, 1), *const given = random_reals(n, 0, 1);
  memcpy(first, m[0], n * sizeof *first);
  if (gradients) memcpy(given, g[0], n * sizeof *given);
  if (gradients)
    adam_update(w[0], m[0], v[0], g[0], n, &step);
  else
    adam_update_without_gradient(w[0], m[0], v[0], n, &step);
  adam_update_plain(w[1], m[1], v[1], gradients ? g[1] : NULL, n, &step);
  for (size_t j = 0; j < n; j++) {
    const double added = fabs((double)step.beta1 * (double)first[j]) +
                         fabs((double)step.one_minus_beta1 * (double)given[j]);
    const double moved = (double)step.size * added / (sqrt((double)v[1][j]) + (double)step.epsilon);
    cr_assert_leq(fabs((double)m[0][j] - (double)m[1][j]), 3 * rounding * added);
    cr_assert_leq(fabs((double)v[0][j] - (double)v[1][j]), 3 * rounding * (double)v[1][j]);
    cr_assert_leq(fabs((double)w[0][j] - (double)w[1][j]),
                  rounding * (2 * fabs((double)w[1][j]) + 18 * moved));
    cr_assert_eq(g[0][j], g[1][j]);
  }
  for (unsigned i = 0; i < 2; i++) free(w[i]), free(m[i]), free(v[i]), free(g[i]);
  free(first);
  free(given);
}

Test(adam, vector_code_matches_plain_code) {
  for (size_t n = 1; n <= 200; n += 1 + n / 8) {
    check_twins(n, 0, true);
    check_twins(n, 6, true);
    check_twins(n, 6, false);
  }
}

Test(adam, defaults_match_pytorch) {
  const struct adam_options options = adam_options_default();
  cr_assert_eq(options.beta1, 0.9);
  cr_assert_eq(options.beta2, 0.999);
  cr_assert_eq(options.epsilon, 1e-8);
}

Test(adam, clipping_scales_down_only) {
  cr_assert_eq(clip_scale(5, 10), 1);
  cr_assert_eq(clip_scale(5, 5), 1);
  cr_assert_eq(clip_scale(5, 0), 1);
  cr_assert_float_eq((double)clip_scale(5, 1), 0.2, 1e-6);
  cr_assert_float_eq((double)clip_scale(1.25, 1), 0.8, 2e-6);
}

Test(adam, update_scales_the_gradients) {
  enum { N = 37 };
  struct adam_step step = adam_step_of(adam_options_default(), 0.001, 1);
  owned real *w = random_reals(N, 1, 1), *m = reals(N), *v = reals(N), *g = random_reals(N, 1, 2);
  owned real *w2 = random_reals(N, 1, 1), *m2 = reals(N), *v2 = reals(N),
             *g2 = random_reals(N, 1, 2);
  for (size_t i = 0; i < N; i++) g2[i] *= (real)0.3;
  adam_update(w2, m2, v2, g2, N, &step);
  step.scale = (real)0.3;
  adam_update(w, m, v, g, N, &step);
  cr_assert_eq(memcmp(w, w2, N * sizeof *w), 0);
  cr_assert_eq(memcmp(m, m2, N * sizeof *m), 0);
  cr_assert_eq(memcmp(v, v2, N * sizeof *v), 0);
}

Test(adam, threads_do_not_change_results) {
  enum { N = 2200003 }; /* more chunks than slots for their partial sums */
  owned real *g = random_reals(N, 1, 1);
  use_threads(1);
  const double sum = sum_of_squares(g, N);
  double plain = 0;
  for (size_t i = 0; i < N; i++) plain += (double)g[i] * (double)g[i];
  cr_assert_float_eq(sum / plain, 1, 1e-12);
  owned real *expected = NULL;
  for (size_t threads = 1; threads <= 4; threads++) {
    use_threads(threads);
    const double again = sum_of_squares(g, N);
    cr_assert_eq(memcmp(&sum, &again, sizeof sum), 0);
    real *w = random_reals(N, 1, 2), *m = reals(N), *v = reals(N), *used = random_reals(N, 1, 1);
    const struct adam_step step = adam_step_of(adam_options_default(), 0.001, 1);
    adam_update(w, m, v, used, N, &step);
    if (expected == NULL)
      expected = w;
    else
      cr_assert_eq(memcmp(w, expected, N * sizeof *w), 0);
    if (w != expected) free(w);
    free(m);
    free(v);
    free(used);
  }
  use_threads(1);
}

/* Where squares underflow or overflow, the step is 0 and not NaN. */
Test(adam, extreme_gradients_give_finite_steps) {
  const real tried[] = {0, (real)1e30, (real)-1e30, (real)1e-30, (real)-1e18, 1};
  enum { N = sizeof tried / sizeof *tried };
  real gradients[N], weights[N], m[N] = {0}, v[N] = {0};
  for (size_t i = 0; i < N; i++) weights[i] = 1;
  memcpy(gradients, tried, sizeof tried);
  const struct adam_step step = adam_step_of(adam_options_default(), 0.001, 1);
  adam_update(weights, m, v, gradients, N, &step);
  cr_assert_eq(weights[0], 1);
  for (size_t i = 0; i < N; i++) {
    cr_assert(isfinite(weights[i]), "%g", (double)tried[i]);
    cr_assert(fabs((double)weights[i] - 1) < 0.0011, "%g: %g", (double)tried[i],
              (double)weights[i]);
  }
  cr_assert_float_eq((double)weights[5], 0.999, 1e-6);
}

/* With `exact`, the bits are those of plain C on every processor. */
Test(adam, exact_updates_have_the_bits_of_plain_code) {
  enum { N = 1003 };
  struct adam_options options = adam_options_default();
  options.exact = true;
  const struct adam_step step = adam_step_of(options, 0.001, 3);
  real *w[2], *m[2], *v[2], *g[2];
  for (unsigned i = 0; i < 2; i++) {
    w[i] = random_reals(N, 1, 1);
    m[i] = random_reals(N, 1, 2);
    v[i] = random_reals(N, 1, 3);
    g[i] = random_reals(N, 1, 4);
    for (size_t j = 0; j < N; j++) v[i][j] *= v[i][j];
  }
  adam_update(w[0], m[0], v[0], g[0], N, &step);
  adam_update_plain(w[1], m[1], v[1], g[1], N, &step);
  cr_assert(memcmp(w[0], w[1], N * sizeof(real)) == 0);
  adam_update_without_gradient(w[0], m[0], v[0], N, &step);
  adam_update_plain(w[1], m[1], v[1], NULL, N, &step);
  cr_assert(memcmp(w[0], w[1], N * sizeof(real)) == 0);
  cr_assert(memcmp(m[0], m[1], N * sizeof(real)) == 0);
  cr_assert(memcmp(v[0], v[1], N * sizeof(real)) == 0);
  for (size_t i = 0; i < 2; i++) {
    free(w[i]);
    free(m[i]);
    free(v[i]);
    free(g[i]);
  }
}
