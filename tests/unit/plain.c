/* Compare attention and the search for the most likely token with the plain equations. output.c
 * tests the output layer and adam.c tests Adam. */
#include "plain.h"

#include "attention/attention.h"
#include "tensor/blas_kernels.h"
#include "tensor/screen.h"

/* ---- attention ---- */

enum { B = 3, T = 5, S = 7, H = 6 };
static const size_t queries[B] = {5, 1, 3}, keys[B] = {4, 7, 1};

/* Copy sentence b from time-major rows. */
static double *sentence(const real *rows, size_t b, size_t steps) {
  double *out = numbers(steps * H);
  for (size_t t = 0; t < steps; t++)
    for (size_t i = 0; i < H; i++) out[t * H + i] = (double)rows[(t * B + b) * H + i];
  return out;
}

static void check_rows(const real *rows, const double *expected, size_t b, size_t steps) {
  for (size_t t = 0; t < steps; t++)
    for (size_t i = 0; i < H; i++)
      cr_assert_float_eq((double)rows[(t * B + b) * H + i], expected[t * H + i], 10 * CLOSE);
}

static void check_attention(enum attention_kind kind, double alpha) {
  const struct attention_parameters none = {.numerics = FAST};
  real *d = random_reals(T * B * H, 1, 1), *e = random_reals(S * B * H, 1, 2);
  real *dc = random_reals(T * B * H, 1, 3), *dd = reals(T * B * H), *de = reals(S * B * H);
  real context[T * B * H], weights[T * B * S], scratch[T * B * S];
  const struct attention_pass pass = {
      .layer = {.config = {.kind = kind, .size = H, .heads = 1}, .weights = &none},
      .shape = {.queries = T, .keys = S, .batch = B, .query_lengths = queries, .key_lengths = keys},
      .cache = {.context = context, .weights = weights},
      .queries = d,
      .keys = e,
      .values = e};
  const struct attention_gradients gradients = {dd, de, de, &none, {.weights = scratch}, dc};
  attention_forward(&pass, (struct range){0, T});
  attention_backward(&gradients, &pass, (struct range){0, T});
  for (size_t b = 0; b < B; b++) {
    const size_t Tb = queries[b], Sb = keys[b];
    double *db = sentence(d, b, Tb), *eb = sentence(e, b, Sb), *dcb = sentence(dc, b, Tb);
    double a[T * S], c[T * H], ddb[T * H] = {0}, deb[S * H] = {0};
    const struct plain_attention plain = {Tb, Sb, H, alpha, db, eb, a, c};
    plain_attention(&plain);
    plain_attention_backward(ddb, deb, &plain, dcb);
    check_rows(context, c, b, Tb);
    check_rows(dd, ddb, b, Tb);
    check_rows(de, deb, b, Sb);
    for (size_t t = 0; t < Tb; t++)
      for (size_t s = 0; s < Sb; s++)
        cr_assert_float_eq((double)weights[(t * B + b) * S + s], a[t * Sb + s], CLOSE);
    free(db), free(eb), free(dcb);
  }
  free(d), free(e), free(dc), free(dd), free(de);
}

Test(plain, attention_matches_plain_equations) {
  blas_set_up();
  check_attention(ATTENTION_DOT, 1);
  check_attention(ATTENTION_SCALED, 1 / sqrt(H));
}

/* ---- the most likely token ---- */

/* Return the index of the largest logit except that of `never`; if several are equal, the first. */
static size_t plain_likeliest(const struct plain_map *map, const double *x, size_t never) {
  double *o = numbers(map->out);
  size_t best = SIZE_MAX;
  plain_linear(o, map, x); /* (9) */
  for (size_t v = 0; v < map->out; v++)
    if (v != never && (best == SIZE_MAX || o[v] > o[best])) best = v;
  free(o);
  return best;
}

Test(plain, likeliest_token_matches) {
  enum { V = 700, F = 40, N = 9, NEVER = 1 };
  real *W = random_reals(V * F, 1, 1), *b = random_reals(V, 1, 2), *x = random_reals(N * F, 1, 3);
  double *plain_W = doubles(W, V * F), *plain_b = doubles(b, V), *plain_x = doubles(x, N * F);
  const struct plain_map map = {plain_W, plain_b, NULL, NULL, V, F};
  const struct quantized_kernel *kernel = NULL;
  size_t k = 0;
  do { /* the last round has no kernel: all logits */
    kernel = quantized_kernel_at(k++);
    owned_by(screen_free) struct screen screen;
    struct screen_scratch scratch = {0};
    struct arena measured = {0}, arena = {0};
    size_t found[N];
    succeeds(
        screen_create(&screen, (struct screened_layer){W, b, V, F, NEVER, false}, kernel, &why));
    screen_scratch_allocate(&scratch, &measured, &screen, N);
    cr_assert_eq(arena_reserve(&arena, &measured, NULL), ELMAN_OK);
    screen_scratch_allocate(&scratch, &arena, &screen, N);
    screen_largest(found, &screen, &scratch, x, N);
    for (size_t n = 0; n < N; n++)
      cr_assert_eq(found[n], plain_likeliest(&map, plain_x + n * F, NEVER));
    arena_free(&arena);
  } while (kernel != NULL);
  free(W), free(b), free(x), free(plain_W), free(plain_b), free(plain_x);
}
