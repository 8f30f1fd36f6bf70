/* Test: some threads. */
/* Products of operands in bfloat16: rounding, kernels, and an update of the network, compared with
 * plain sums in double of operands that are rounded one by one. */
#include "check.h"
#include "threads.h"

#include <string.h>

#include "corpus/batch.h"
#include "model/network.h"
#include "tensor/bfloat16.h"
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

/* Compare an element with the sum in double. A sum in `real` has at most two roundings per term,
 * two per block and one for alpha; each changes the sum by at most one unit in the last place of
 * a number that is not larger than the sum of all magnitudes. A subnormal sum may become 0. */
static void check_element(const struct product *p, const real *before, size_t row, size_t column) {
  const double unit = sizeof(real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON;
  double sum = 0, size = 0;
  for (size_t i = 0; i < p->k; i++) {
    const double term = rounded(element(p->a, row, i)) * rounded(element(p->b, i, column));
    sum += (double)p->alpha * term;
    size += fabs((double)p->alpha * term);
  }
  if (p->beta != 0) {
    sum += (double)before[row * p->ldc + column];
    size += fabs((double)before[row * p->ldc + column]);
  }
  const double found = (double)p->c[row * p->ldc + column];
  const double operations = 2 * (double)p->k + 2 * (double)(p->k / PAIR_BLOCK + 1) + 1;
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
  for (size_t i = 0; i < p->m; i++) {
    for (size_t j = 0; j < p->n; j++) check_element(p, before, i, j);
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
               ks[] = {0, 1, 2, 3, 31, 33, 300, PAIR_BLOCK - 1, PAIR_BLOCK + 1, 770};
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

Test(bfloat16, kernels_round_like_plain_code) {
  enum { TERMS = 99 };
  static float x[PAIR_LANES * TERMS + PAIR_LANES];
  static uint32_t pairs[PAIR_LANES * TERMS];
  skip_without_kernel();
  const struct pair_kernel *kernel = pair_kernel_in_use(ARITHMETIC_FAST);
  for (size_t i = 0; i < PAIR_LANES * TERMS; i++) {
    const uint32_t bits = any_bits(i);
    memcpy(&x[i], &bits, sizeof bits);
  }
  for (size_t count = 1; count <= PAIR_LANES; count++)
    for (size_t k = 1; k <= TERMS; k++) {
      kernel->along(pairs, PAIR_LANES, x, k, count, k);
      check_packed("along", pairs, count, k, true);
      kernel->across(pairs, PAIR_LANES, x, count, count, k);
      check_packed("across", pairs, count, k, false);
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

enum { E = 24, H = 24, V = 40, S = 7, T = 6, LABELS = T + 1 };

/* A network of one sentence, in double. Each operand of a linear map is rounded if `rounds`. */
struct plain {
  bool rounds;
  const struct rnn_parameters *weights;
  double h[LABELS + 1][H]; /* the initial state and all later ones */
  double x[LABELS][E];
  struct {
    double *weight_ih, *weight_hh, *bias;
  } d;
};

static double operand(const struct plain *plain, double x) {
  return plain->rounds ? rounded((real)x) : x;
}

/* Add W x for a matrix (out,in) that is rounded like x. */
static void add_map(double *y, const struct plain *plain, const real *W, const double *x,
                    size_t out, size_t in) {
  for (size_t i = 0; i < out; i++)
    for (size_t j = 0; j < in; j++)
      y[i] += operand(plain, (double)W[i * in + j]) * operand(plain, x[j]);
}

static void add_map_backward(double *dx, double *dW, const struct plain *plain, const real *W,
                             const double *x, const double *dy, size_t out, size_t in) {
  for (size_t i = 0; i < out; i++)
    for (size_t j = 0; j < in; j++) {
      dx[j] += operand(plain, (double)W[i * in + j]) * operand(plain, dy[i]);
      dW[i * in + j] += operand(plain, dy[i]) * operand(plain, x[j]);
    }
}

static void run_layer(struct plain *layer, size_t steps) {
  for (size_t t = 0; t < steps; t++) {
    double z[H];
    for (size_t i = 0; i < H; i++)
      z[i] = (double)layer->weights->bias_ih[i] + (double)layer->weights->bias_hh[i];
    add_map(z, layer, layer->weights->weight_ih, layer->x[t], H, E);
    add_map(z, layer, layer->weights->weight_hh, layer->h[t], H, H);
    for (size_t i = 0; i < H; i++) layer->h[t + 1][i] = tanh(z[i]);
  }
}

/* Set dx; dh is the gradient of the states, and on return that of the initial state. */
static void run_layer_backward(double dx[][E], double dh[][H], struct plain *layer, size_t steps) {
  for (size_t t = steps; t-- > 0;) {
    double dz[H];
    for (size_t i = 0; i < H; i++) {
      dz[i] = dh[t + 1][i] * (1 - layer->h[t + 1][i] * layer->h[t + 1][i]);
      layer->d.bias[i] += dz[i];
    }
    memset(dx[t], 0, sizeof dx[t]);
    add_map_backward(dx[t], layer->d.weight_ih, layer, layer->weights->weight_ih, layer->x[t], dz,
                     H, E);
    add_map_backward(dh[t], layer->d.weight_hh, layer, layer->weights->weight_hh, layer->h[t], dz,
                     H, H);
  }
}

/* The gradients of all parameters, in double. */
struct gradients {
  double source_embedding[V][E], target_embedding[V][E];
  double encoder_ih[H][E], encoder_hh[H][H], encoder_bias[H];
  double decoder_ih[H][E], decoder_hh[H][H], decoder_bias[H];
  double out_weight[V][2 * H], out_bias[V];
};

struct one_sentence {
  struct model_config config;
  struct parameter_table table;
  struct parameters weights, views;
  real *block, *gradients;
  struct corpus corpus;
  struct batch batch;
  struct workspace workspace;
};

static void look_up(double x[][E], const real *table, const uint32_t *ids, size_t steps) {
  for (size_t t = 0; t < steps; t++)
    for (size_t j = 0; j < E; j++) x[t][j] = (double)table[ids[t] * E + j];
}

static void add_rows(double table[][E], const uint32_t *ids, double dx[][E], size_t steps) {
  for (size_t t = 0; t < steps; t++)
    for (size_t j = 0; j < E; j++) table[ids[t]][j] += dx[t][j];
}

/* (6) to (8) for state d; the sums are not rounded, because attention stays in float32. */
static void attend(double *a, double *c, const double *d, double e[][H]) {
  double sum = 0;
  memset(c, 0, H * sizeof *c);
  for (size_t s = 0; s < S; s++) {
    double u = 0;
    for (size_t j = 0; j < H; j++) u += d[j] * e[s][j];
    sum += a[s] = exp(u);
  }
  for (size_t s = 0; s < S; s++) {
    a[s] /= sum;
    for (size_t j = 0; j < H; j++) c[j] += a[s] * e[s][j];
  }
}

/* (15) to (17) */
static void attend_backward(double *dd, double de[][H], const double *a, const double *d,
                            double e[][H], const double *dc) {
  double da[S] = {0}, mean = 0;
  for (size_t s = 0; s < S; s++) {
    for (size_t j = 0; j < H; j++) da[s] += dc[j] * e[s][j];
    mean += a[s] * da[s];
  }
  for (size_t s = 0; s < S; s++) {
    const double du = a[s] * (da[s] - mean);
    for (size_t j = 0; j < H; j++) {
      dd[j] += du * e[s][j];
      de[s][j] += a[s] * dc[j] + du * d[j];
    }
  }
}

/* (9) to (14): set dfeatures, the gradient of the mean of all losses. */
static void output(double *dfeatures, struct gradients *g, const struct plain *plain,
                   const struct decoder_parameters *w, const double *features, size_t label) {
  double logits[V], sum = 0;
  for (size_t v = 0; v < V; v++) logits[v] = (double)w->out_bias[v];
  add_map(logits, plain, w->out_weight, features, V, 2 * H);
  for (size_t v = 0; v < V; v++) sum += exp(logits[v]);
  for (size_t v = 0; v < V; v++) {
    logits[v] = (exp(logits[v]) / sum - (v == label)) / LABELS;
    g->out_bias[v] += logits[v];
  }
  memset(dfeatures, 0, 2 * H * sizeof *dfeatures);
  add_map_backward(dfeatures, g->out_weight[0], plain, w->out_weight, features, logits, V, 2 * H);
}

static void plain_gradients(struct gradients *g, const struct one_sentence *one, bool rounds) {
  const struct decoder_parameters *decoder_weights = &one->weights.decoder;
  struct plain encoder = {rounds, &one->weights.encoder.rnn[0][0], {{0}}, {{0}}, {0}};
  struct plain decoder = {rounds, &decoder_weights->rnn[0], {{0}}, {{0}}, {0}};
  double dencoder[S + 1][H] = {{0}}, ddecoder[LABELS + 1][H] = {{0}}, dx[LABELS][E];
  memset(g, 0, sizeof *g);
  encoder.d.weight_ih = g->encoder_ih[0];
  encoder.d.weight_hh = g->encoder_hh[0];
  encoder.d.bias = g->encoder_bias;
  decoder.d.weight_ih = g->decoder_ih[0];
  decoder.d.weight_hh = g->decoder_hh[0];
  decoder.d.bias = g->decoder_bias;
  look_up(encoder.x, one->weights.encoder.embedding, one->batch.source.ids, S);
  run_layer(&encoder, S);
  memcpy(decoder.h[0], encoder.h[S], sizeof decoder.h[0]);
  look_up(decoder.x, decoder_weights->embedding, one->batch.target.ids, LABELS);
  run_layer(&decoder, LABELS);
  for (size_t t = 0; t < LABELS; t++) {
    double a[S], features[2 * H], dfeatures[2 * H];
    memcpy(features, decoder.h[t + 1], sizeof decoder.h[0]);
    attend(a, features + H, decoder.h[t + 1], encoder.h + 1);
    output(dfeatures, g, &decoder, decoder_weights, features, one->batch.labels[t]);
    for (size_t j = 0; j < H; j++) ddecoder[t + 1][j] = dfeatures[j];
    attend_backward(ddecoder[t + 1], dencoder + 1, a, decoder.h[t + 1], encoder.h + 1,
                    dfeatures + H);
  }
  run_layer_backward(dx, ddecoder, &decoder, LABELS);
  add_rows(g->target_embedding, one->batch.target.ids, dx, LABELS);
  for (size_t j = 0; j < H; j++) dencoder[S][j] += ddecoder[0][j];
  run_layer_backward(dx, dencoder, &encoder, S);
  add_rows(g->source_embedding, one->batch.source.ids, dx, S);
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
                                          .embedding_size = E,
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

/* Return the gradients in this precision in the order of struct gradients. */
static void network_gradients(double *g, struct one_sentence *one, elman_precision precision) {
  static const struct regularization none = {0};
  const struct network_pass pass = {.weights = &one->weights,
                                    .batch = &one->batch,
                                    .regularization = &none,
                                    .workspace = &one->workspace,
                                    .precision = precision};
  const struct rnn_parameters *encoder = &one->views.encoder.rnn[0][0];
  const struct rnn_parameters *decoder = &one->views.decoder.rnn[0];
  memset(one->gradients, 0, one->table.block * sizeof(real));
  (void)network_gradient(&one->views, &pass);
  const struct {
    const real *from;
    size_t size;
  } all[] = {{one->views.encoder.embedding, (size_t)V * E},
             {one->views.decoder.embedding, (size_t)V * E},
             {encoder->weight_ih, (size_t)H * E},
             {encoder->weight_hh, (size_t)H * H},
             {encoder->bias_ih, H},
             {decoder->weight_ih, (size_t)H * E},
             {decoder->weight_hh, (size_t)H * H},
             {decoder->bias_ih, H},
             {one->views.decoder.out_weight, (size_t)V * 2 * H},
             {one->views.decoder.out_bias, V}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (size_t j = 0; j < all[i].size; j++) *g++ = (double)all[i].from[j];
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
  static struct gradients exact, plain, found, found_exact;
  static const size_t ends[] = {
      offsetof(struct gradients, target_embedding), offsetof(struct gradients, encoder_ih),
      offsetof(struct gradients, encoder_hh),       offsetof(struct gradients, encoder_bias),
      offsetof(struct gradients, decoder_ih),       offsetof(struct gradients, decoder_hh),
      offsetof(struct gradients, decoder_bias),     offsetof(struct gradients, out_weight),
      offsetof(struct gradients, out_bias),         sizeof(struct gradients)};
  struct one_sentence one;
  set_up(&one);
  plain_gradients(&exact, &one, false);
  plain_gradients(&plain, &one, true);
  network_gradients(&found_exact.source_embedding[0][0], &one, ELMAN_PRECISION_FLOAT32);
  network_gradients(&found.source_embedding[0][0], &one, ELMAN_PRECISION_BFLOAT16);
  for (size_t i = 0, start = 0; i < sizeof ends / sizeof *ends; start = ends[i++]) {
    const size_t at = start / sizeof(double), n = (ends[i] - start) / sizeof(double);
    const double *of_exact = (const double *)&exact + at, *of_plain = (const double *)&plain + at;
    const double moved = distance(of_plain, of_exact, n);
    const double close = sizeof(real) == sizeof(float) ? moved / 8 : CLOSE;
    const double error = distance((const double *)&found + at, of_plain, n);
    cr_assert_leq(distance((const double *)&found_exact + at, of_exact, n), CLOSE, "tensor %zu", i);
    cr_assert_gt(moved, 10 * CLOSE, "tensor %zu: moved by %g", i, moved);
    cr_assert_leq(error, close, "tensor %zu: error %g, moved by %g", i, error, moved);
  }
  parameter_block_free(one.block);
  parameter_block_free(one.gradients);
  workspace_free(&one.workspace);
  batch_free(&one.batch);
  corpus_free(&one.corpus);
}
