/* Test: some threads. */
/* Products of operands in bfloat16: rounding, kernels, and an update of the network, compared with
 * plain sums in double of operands that are rounded one by one. */
#include "tensor/bfloat16.h"
#include "check.h"

/* The plain equations of docs/bptt.md round the operands of linear maps if this is set. */
static bool rounds_operands;

static inline double operand(double x) {
  return rounds_operands ? (double)bfloat16_round((float)x) : x;
}

#define PRODUCT(a, b) (operand(a) * operand(b))
#include "plain.h"
#include "threads.h"

#include <string.h>

#include "corpus/batch.h"
#include "model/network.h"
#include "tensor/blas.h"
#include "tensor/blas_kernels.h"

static double rounded(real x) {
  return (double)bfloat16_round((float)x);
}

static float float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

Test(bfloat16, rounds_to_nearest_with_ties_to_even) {
  static const uint32_t cases[][2] = {
      {0x3F800000, 0x3F800000}, {0x3F807FFF, 0x3F800000}, {0x3F808000, 0x3F800000},
      {0x3F808001, 0x3F810000}, {0x3F818000, 0x3F820000}, {0xBF808001, 0xBF810000},
      {0x3FFF8000, 0x40000000}, /* a carry into the exponent */
      {0x00000000, 0x00000000}, {0x80000000, 0x80000000}, {0x007FFFFF, 0x00000000},
      {0x807FFFFF, 0x80000000}, {0x00800000, 0x00800000}, {0x7F7F7FFF, 0x7F7F0000},
      {0x7F7F8000, 0x7F800000}, {0xFF7FFFFF, 0xFF800000}, {0x7F800000, 0x7F800000},
      {0xFF800000, 0xFF800000}, {0x7F800001, 0x7FC00000}, {0xFFC12345, 0xFFC10000},
      {0x7F91FFFF, 0x7FD10000}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_assert_eq(bits_of(bfloat16_round(float_of(cases[i][0]))), cases[i][1], "%08x becomes %08x",
                 cases[i][0], bits_of(bfloat16_round(float_of(cases[i][0]))));
}

/* ---- products ---- */

static struct operand operand_of(const real *x, size_t rows, size_t columns, bool turned) {
  return (struct operand){x, (turned ? rows : columns) + 1, turned ? TRANSPOSED : NOT_TRANSPOSED};
}

static real element(struct operand x, size_t row, size_t column) {
  return x.transpose == TRANSPOSED ? x.data[column * x.ld + row] : x.data[row * x.ld + column];
}

/* Return op(X), or its transpose, in double, with rounded elements. */
static double *rounded_rows(struct operand x, size_t rows, size_t columns, bool turned) {
  double *values = calloc(rows * columns + 1, sizeof *values);
  cr_assert_not_null(values);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++)
      values[i * columns + j] = rounded(turned ? element(x, j, i) : element(x, i, j));
  return values;
}

/* Compare an element with the sum in double of the products of k terms. A sum in `real` has at most
 * two roundings per term, two per block and one for alpha; each changes the sum by at most one unit
 * in the last place of a number that is not larger than the sum of all magnitudes. A subnormal sum
 * may become 0. */
static void check_element(const struct product *p, const double *a, const double *b, real before,
                          size_t row, size_t column) {
  const double unit = sizeof(real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON;
  const double alpha = (double)p->alpha;
  double sum = 0, size = 0;
  for (size_t i = 0; i < p->k; i++) {
    const double term = alpha * (a[i] * b[i]);
    sum += term;
    size += fabs(term);
  }
  if (p->beta != 0) {
    sum += (double)before;
    size += fabs((double)before);
  }
  const double found = (double)p->c[row * p->ldc + column];
  const double operations = 2 * (double)p->k + 2 * (double)(p->k / PRODUCT_BLOCK + 1) + 1;
  const double bound = operations * (unit * size + (double)FLT_MIN);
  if (isnan(sum))
    cr_assert(isnan(found), "row %zu, column %zu: %g, not NaN", row, column, found);
  else if (isinf(sum))
    cr_assert_eq(found, sum, "row %zu, column %zu: %g, not %g", row, column, found, sum);
  else
    cr_assert(fabs(found - sum) <= bound, "%zu x %zu x %zu, row %zu, column %zu: %.9g, not %.9g",
              p->m, p->n, p->k, row, column, found, sum);
}

static void check_product(const struct product *p, const real *before) {
  owned double *a = rounded_rows(p->a, p->m, p->k, false),
               *b = rounded_rows(p->b, p->n, p->k, true);
  for (size_t i = 0; i < p->m; i++) {
    for (size_t j = 0; j < p->n; j++)
      check_element(p, a + i * p->k, b + j * p->k, before[i * p->ldc + j], i, j);
    for (size_t j = p->n; j < p->ldc; j++)
      cr_assert_eq(p->c[i * p->ldc + j], before[i * p->ldc + j], "a number beside C has changed");
  }
}

static const struct numerics *numerics(enum arithmetic arithmetic) {
  return numerics_of(arithmetic, ELMAN_PRECISION_BFLOAT16);
}

/* Check all sizes, and both directions of both operands. */
static void check_sizes(enum arithmetic arithmetic) {
  const size_t ms[] = {1, 2, 13, 14, 15, 29, 130, 393}, ns[] = {1, 5, 15, 16, 17, 32, 33, 75},
               ks[] = {0, 1, 2, 3, 31, 33, 300, 383, 385, PAIR_BLOCK - 1, PAIR_BLOCK + 1, 770};
  size_t number = 0;
  for (size_t m = 0; m < sizeof ms / sizeof *ms; m++)
    for (size_t n = 0; n < sizeof ns / sizeof *ns; n++)
      for (size_t k = 0; k < sizeof ks / sizeof *ks; k++, number++) {
        const size_t M = ms[m], N = ns[n], K = ks[k], ldc = N + 3;
        owned real *a = random_reals((M + 1) * (K + 1), 1, 1),
                   *b = random_reals((N + 1) * (K + 1), 1, 2);
        owned real *c = random_reals(M * ldc, 1, 3), *before = random_reals(M * ldc, 1, 3);
        const struct product p = {c,
                                  ldc,
                                  (real)(number % 2),
                                  number % 3 == 0 ? (real)0.3 : 1,
                                  operand_of(a, M, K, number / 2 % 2 == 0),
                                  operand_of(b, K, N, number / 4 % 2 == 0),
                                  M,
                                  N,
                                  K,
                                  numerics(arithmetic)};
        matrix_product_alone(p);
        check_product(&p, before);
      }
}

Test(bfloat16, products_are_sums_of_rounded_operands) {
  blas_set_up();
  check_sizes(ARITHMETIC_FAST);
}

Test(bfloat16, portable_products_are_sums_of_rounded_operands) {
  cr_assert_null(pair_kernel_in_use(ARITHMETIC_PORTABLE));
  check_sizes(ARITHMETIC_PORTABLE);
}

#ifndef ELMAN_DOUBLE

enum { M = 150, N = 70, K = 900 };

static struct product example(real *c, const real *a, const real *b, enum arithmetic arithmetic) {
  return (struct product){
      c, N, 1, 1, not_transposed(a, K), transposed(b, K), M, N, K, numerics(arithmetic)};
}

/* In portable arithmetic, rounding the operands first and multiplying them in float32 is the
 * definition. */
Test(bfloat16, portable_bits_are_those_of_rounded_matrices) {
  owned real *a = random_reals(M * K, 1, 1), *b = random_reals(N * K, 1, 2);
  owned real *c = random_reals(M * N, 1, 3), *expected = random_reals(M * N, 1, 3), *panels;
  matrix_product_alone(example(c, a, b, ARITHMETIC_PORTABLE));
  const size_t size = packed_size_for(product_kernel_in_use(ARITHMETIC_PORTABLE), 1, N, K);
  owned real *packed_c = random_reals(M * N, 1, 3);
  panels = reals(size);
  const struct packed packed =
      pack(panels, transposed(b, K), 1, N, K, numerics(ARITHMETIC_PORTABLE));
  cr_assert_null(packed.pairs);
  packed_product_then(example(packed_c, a, b, ARITHMETIC_PORTABLE), &packed, NULL, NULL);
  bfloat16_round_all(a, M * K);
  bfloat16_round_all(b, N * K);
  struct product p = example(expected, a, b, ARITHMETIC_PORTABLE);
  p.numerics = numerics_in_float32(p.numerics);
  product_alone(p);
  cr_assert_arr_eq(c, expected, M * N * sizeof *c);
  cr_assert_arr_eq(packed_c, expected, M * N * sizeof *c);
}

static void skip_without_kernel(void) {
  blas_set_up();
  if (pair_kernel_in_use(ARITHMETIC_FAST) == NULL)
    cr_skip_test("this processor has no instructions for bfloat16");
}

/* Every kind of float, and every exponent. */
static uint32_t any_bits(size_t i) {
  static const uint32_t special[] = {0x00000000, 0x80000000, 0x00000001, 0x807FFFFF, 0x007FFFFF,
                                     0x00800000, 0x7F7FFFFF, 0xFF7F8000, 0x7F7F7FFF, 0x7F800000,
                                     0xFF800000, 0x7F800001, 0xFFC12345, 0x7FFFFFFF, 0x3F808000};
  const size_t count = sizeof special / sizeof *special;
  return i % 3 == 0 ? special[i / 3 % count] : (uint32_t)i * 2654435761U;
}

static void check_packed(const char *name, const uint32_t *pairs, size_t count, size_t k,
                         bool along) {
  for (size_t i = 0; i < (k + 1) / 2; i++)
    for (size_t j = 0; j < PAIR_LANES; j++)
      for (size_t half = 0; half < 2; half++) {
        const size_t term = 2 * i + half;
        const bool is_set = j < count && term < k;
        const uint32_t bits = any_bits(along ? j * k + term : term * count + j);
        const uint32_t expected = is_set ? bits_of(bfloat16_round(float_of(bits))) >> 16 : 0;
        cr_assert_eq(pairs[i * PAIR_LANES + j] >> (16 * half) & 0xFFFF, expected,
                     "%s: %08x, lane %zu of %zu, term %zu of %zu", name, bits, j, count, term, k);
      }
}

/* Return kernel `i` of pairs that this processor can run, from 0; NULL after the last. */
static const struct pair_kernel *kernel_at(size_t i) {
  for (enum pair_kind kind = PAIRS_AVX512; kind <= PAIRS_PLAIN; kind++) {
    const struct pair_kernel *kernel = pair_kernel_runs(kind) ? pair_kernel_of(kind) : NULL;
    if (kernel == NULL) continue;
    if (i == 0) return kernel;
    i--;
  }
  return NULL;
}

Test(bfloat16, kernels_round_like_plain_code) {
  enum { TERMS = 99 };
  static float x[PAIR_LANES * TERMS + PAIR_LANES];
  static uint32_t pairs[PAIR_LANES * TERMS];
  for (size_t i = 0; i < PAIR_LANES * TERMS; i++) {
    const uint32_t bits = any_bits(i);
    memcpy(&x[i], &bits, sizeof bits);
  }
  const struct pair_kernel *kernel;
  for (size_t n = 0; (kernel = kernel_at(n)) != NULL; n++)
    for (size_t count = 1; count <= PAIR_LANES; count++)
      for (size_t k = 1; k <= TERMS; k++) {
        kernel->along(pairs, PAIR_LANES, x, k, count, k);
        check_packed("along", pairs, count, k, true);
        kernel->across(pairs, PAIR_LANES, x, count, count, k);
        check_packed("across", pairs, count, k, false);
      }
}

static bool same_number(float x, float y) {
  return bits_of(x) == bits_of(y) || (isnan(x) && isnan(y));
}

/* The instruction for tiles computes what the plain kernel computes, bit for bit: for any sizes,
 * and for numbers of every exponent. */
Test(bfloat16, tiles_are_like_plain_code) {
  const size_t sizes[][3] = {{1, 1, 1},    {5, 40, 33},   {16, 16, 32},   {17, 31, 31},
                             {32, 32, 64}, {33, 65, 385}, {150, 70, 900}, {480, 20, 64}};
  const struct pair_kernel *tiles = pair_kernel_runs(PAIRS_AMX) ? pair_kernel_of(PAIRS_AMX) : NULL;
  if (tiles == NULL) cr_skip_test("this machine has no tiles");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (size_t extreme = 0; extreme < 2; extreme++)
      for (size_t turned = 0; turned < 4; turned++) {
        const size_t m = sizes[i][0], n = sizes[i][1], k = sizes[i][2];
        const size_t a_size = (m + 1) * (k + 1), b_size = (n + 1) * (k + 1);
        owned real *a = random_reals(a_size, 1, i), *b = random_reals(b_size, 1, i + 9);
        owned real *c = random_reals(m * n, 1, 5), *expected = random_reals(m * n, 1, 5);
        for (size_t j = 0; extreme != 0 && j < a_size; j++) a[j] = float_of(any_bits(3 * j + 1));
        for (size_t j = 0; extreme != 0 && j < b_size; j++) b[j] = float_of(any_bits(5 * j + 2));
        for (size_t j = 0; extreme != 0 && j < m * n; j += 2)
          c[j] = expected[j] = FLT_MIN / (real)(j + 2);
        struct product p = {c,
                            n,
                            (real)(i % 2),
                            i % 3 == 0 ? (real)0.3 : 1,
                            operand_of(a, m, k, turned % 2 != 0),
                            operand_of(b, k, n, turned / 2 != 0),
                            m,
                            n,
                            k,
                            numerics(ARITHMETIC_FAST)};
        pair_product(tiles, p);
        p.c = expected;
        pair_product(pair_kernel_of(PAIRS_PLAIN), p);
        for (size_t j = 0; j < m * n; j++)
          cr_assert(same_number(c[j], expected[j]), "%zu x %zu x %zu, %zu: %a instead of %a", m, n,
                    k, j, (double)c[j], (double)expected[j]);
      }
}

Test(bfloat16, every_kernel_computes_sums_of_rounded_operands) {
  const struct pair_kernel *kernel;
  for (size_t i = 0; (kernel = kernel_at(i)) != NULL; i++)
    for (size_t turned = 0; turned < 4; turned++) {
      enum { ROWS = 37, COLUMNS = 45, TERMS = PAIR_BLOCK + 37, LDC = COLUMNS + 2 };
      owned real *a = random_reals((ROWS + 1) * (TERMS + 1), 1, 1),
                 *b = random_reals((COLUMNS + 1) * (TERMS + 1), 1, 2);
      owned real *c = random_reals(ROWS * LDC, 1, 3), *before = random_reals(ROWS * LDC, 1, 3);
      const struct product p = {c,
                                LDC,
                                1,
                                (real)0.7,
                                operand_of(a, ROWS, TERMS, turned % 2 != 0),
                                operand_of(b, TERMS, COLUMNS, turned / 2 != 0),
                                ROWS,
                                COLUMNS,
                                TERMS,
                                numerics(ARITHMETIC_FAST)};
      pair_product(kernel, p);
      check_product(&p, before);
    }
}

/* Infinity and NaN stay in their row and column, and subnormal operands count as 0. */
Test(bfloat16, extreme_values) {
  const real extremes[] = {INFINITY,    -INFINITY, NAN,   FLT_MAX, -FLT_MAX,
                           FLT_MIN / 2, 0,         -0.0F, FLT_MIN};
  owned real *a = random_reals((M + 1) * (K + 1), 1, 1), *b = random_reals((N + 1) * (K + 1), 1, 2);
  owned real *before = random_reals(M * N, 1, 3), *c = reals(M * N);
  blas_set_up();
  for (size_t portable = 0; portable < 2; portable++) {
    const enum arithmetic arithmetic = portable ? ARITHMETIC_PORTABLE : ARITHMETIC_FAST;
    for (size_t i = 0; i < 2 * sizeof extremes / sizeof *extremes; i++) {
      real *const place = i % 2 == 0 ? &a[17 * K + 300] : &b[33 * K + 599];
      const real kept = *place;
      *place = extremes[i / 2];
      memcpy(c, before, M * N * sizeof *c);
      const struct product p = example(c, a, b, arithmetic);
      matrix_product_alone(p);
      check_product(&p, before);
      *place = kept;
    }
  }
}

/* Pairs are added in the same order in tiles of any size, packed or not. */
Test(bfloat16, bits_do_not_depend_on_threads_or_packing) {
  enum { GROUPS = 4, SIZE = PAIR_BLOCK + 10, WIDTH = PAIR_BLOCK + 32, ROWS = 40 };
  owned real *a = random_reals(ROWS * SIZE, 1, 1), *b = random_reals(GROUPS * SIZE * SIZE, 1, 2);
  owned real *alone = reals(GROUPS * ROWS * SIZE), *c = reals(GROUPS * ROWS * SIZE);
  owned real *panels = reals(GROUPS * WIDTH * SIZE); /* whole panels of columns */
  skip_without_kernel();
  struct product p = {alone,
                      GROUPS * SIZE,
                      0,
                      1,
                      not_transposed(a, SIZE),
                      transposed(b, SIZE),
                      ROWS,
                      GROUPS * SIZE,
                      SIZE,
                      numerics(ARITHMETIC_FAST)};
  matrix_product_alone(p);
  for (size_t threads = 1; threads <= 5; threads++) {
    use_threads(threads);
    p.c = c;
    p.n = GROUPS * SIZE;
    memset(c, 0xFF, GROUPS * ROWS * SIZE * sizeof *c);
    matrix_product(p);
    cr_assert_arr_eq(c, alone, GROUPS * ROWS * SIZE * sizeof *c);
    memset(c, 0xFF, GROUPS * ROWS * SIZE * sizeof *c);
    const struct packed packed = pack(panels, p.b, GROUPS, SIZE, SIZE, p.numerics);
    cr_assert_not_null(packed.pairs);
    p.n = SIZE;
    packed_product_then(p, &packed, NULL, NULL);
    cr_assert_arr_eq(c, alone, GROUPS * ROWS * SIZE * sizeof *c);
  }
  use_threads(1);
}

#endif

/* ---- an update ---- */

enum { H = 24, V = 40, S = 7, T = 6, LABELS = T + 1 };

struct one_sentence {
  struct model_config config;
  struct parameter_table table;
  struct parameters weights, views;
  real *block, *gradients;
  struct corpus corpus;
  struct batch batch;
  struct workspace workspace;
};

/* Compute the gradients by the plain equations, in the order of the table of parameters. Return the
 * loss. */
static double plain_gradients(double *g, const struct one_sentence *one, bool rounds) {
  struct plain_network net;
  struct plain_pair pair = {.S = S, .T = LABELS};
  plain_create(&net, H, V, V);
  for (size_t i = 0, at = 0; i < one->table.count; at += parameter_size(&one->table.rows[i++]))
    for (size_t j = 0; j < parameter_size(&one->table.rows[i]); j++)
      net.w[at + j] = (double)one->block[one->table.rows[i].offset + j];
  memcpy(pair.source, one->batch.source.ids, S * sizeof *pair.source);
  memcpy(pair.inputs, one->batch.target.ids, LABELS * sizeof *pair.inputs);
  memcpy(pair.labels, one->batch.labels, LABELS * sizeof *pair.labels);
  rounds_operands = rounds;
  const double loss = plain_gradient(&net, &pair, LABELS);
  memcpy(g, net.g, net.size * sizeof *g);
  free(net.w), free(net.g), free(net.m), free(net.v);
  return loss;
}

static void fill_side(struct sentences *side, size_t words) {
  side->count = 1;
  side->starts = calloc(2, sizeof *side->starts);
  side->starts[1] = words;
  side->ids = calloc(words, sizeof *side->ids);
  for (size_t i = 0; i < words; i++) side->ids[i] = (uint32_t)(3 + i * 7 % (V - 3));
}

static void set_up(struct one_sentence *one) {
  const size_t first = 0;
  *one = (struct one_sentence){.config = {.source_vocabulary = V,
                                          .target_vocabulary = V,
                                          .embedding_size = H,
                                          .hidden_size = H,
                                          .layers = 1,
                                          .attention_heads = 1,
                                          .cell = "elman",
                                          .attention = "dot"}};
  blas_set_up();
  cr_assert_eq(parameter_table_create(&one->table, &one->config, NULL), ELMAN_OK);
  cr_assert_eq(parameter_block_create(&one->block, &one->table, NULL), ELMAN_OK);
  cr_assert_eq(parameter_block_create(&one->gradients, &one->table, NULL), ELMAN_OK);
  cr_assert_eq(parameters_initialize(one->block, &one->table, INITIAL_PYTORCH, 5, NULL), ELMAN_OK);
  parameters_bind(&one->weights, one->block, &one->config);
  parameters_bind(&one->views, one->gradients, &one->config);
  fill_side(&one->corpus.source, S);
  fill_side(&one->corpus.target, T);
  cr_assert_eq(batch_fill(&one->batch, &one->corpus, &first, 1, NULL), ELMAN_OK);
  cr_assert_eq(one->batch.tokens, LABELS);
  succeeds(workspace_fit(&one->workspace, &one->weights, &one->batch, WITH_GRADIENTS, &why));
}

/* Compute the gradients in this precision. Return the loss. */
static double network_gradients(double *g, struct one_sentence *one, elman_precision precision) {
  static const struct regularization none = {0};
  const struct network_pass pass = {.weights = &one->weights,
                                    .batch = &one->batch,
                                    .regularization = &none,
                                    .workspace = &one->workspace,
                                    .precision = precision};
  memset(one->gradients, 0, one->table.block * sizeof(real));
  const double loss = network_gradient(&one->views, &pass);
  for (size_t i = 0; i < one->table.count; i++)
    for (size_t j = 0; j < parameter_size(&one->table.rows[i]); j++)
      *g++ = (double)one->gradients[one->table.rows[i].offset + j];
  return loss;
}

static double distance(const double *a, const double *b, size_t n) {
  double squares = 0, size = 0;
  for (size_t i = 0; i < n; i++) {
    squares += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return sqrt(squares / size);
}

/* Every linear map of the update has rounded operands, and nothing else is rounded. A product whose
 * operands were not rounded would move the gradients of its parameters by the error of bfloat16,
 * which `moved` measures. In float, the operands that are computed have other last bits than in the
 * plain sums, so that a few of them are rounded to the other neighbor. */
Test(bfloat16, an_update_is_that_of_plain_sums) {
  enum { SIZE = 2 * V * H + 4 * (H * H + H) + V * (2 * H + 1) };
  static double exact[SIZE], plain[SIZE], found[SIZE], found_exact[SIZE];
  struct one_sentence one;
  set_up(&one);
  const double loss = plain_gradients(exact, &one, false);
  const double plain_loss = plain_gradients(plain, &one, true);
  cr_assert_float_eq(network_gradients(found_exact, &one, ELMAN_PRECISION_FLOAT32), loss,
                     CLOSE * loss);
  cr_assert_float_eq(network_gradients(found, &one, ELMAN_PRECISION_BFLOAT16), plain_loss,
                     fabs(plain_loss - loss) / 4 + CLOSE * loss);
  for (size_t i = 0, at = 0, n = 0; i < one.table.count; i++, at += n) {
    n = parameter_size(&one.table.rows[i]);
    const double moved = distance(plain + at, exact + at, n);
    const double close = sizeof(real) == sizeof(float) ? moved / 8 : CLOSE;
    const double error = distance(found + at, plain + at, n);
    const char *name = one.table.rows[i].name;
    cr_assert_leq(distance(found_exact + at, exact + at, n), CLOSE, "%s", name);
    cr_assert_gt(moved, 10 * CLOSE, "%s: moved by %g", name, moved);
    cr_assert_leq(error, close, "%s: error %g, moved by %g", name, error, moved);
  }
  parameter_block_free(one.block);
  parameter_block_free(one.gradients);
  workspace_free(&one.workspace);
  batch_free(&one.batch);
  corpus_free(&one.corpus);
}
