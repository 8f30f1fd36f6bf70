#include "tensor/eight_bits.h"

#include <math.h>
#include <string.h>

#include "base/team.h"

enum { GROUP = 4 };

static size_t blocks_of(size_t out) {
  return (out + QUANTIZED_BLOCK - 1) / QUANTIZED_BLOCK;
}

/* ---- rows of numbers to levels ---- */

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Return the largest of the bit patterns of |x_i|. Bit patterns have the same order as their
 * numbers; those of infinity and NaN are larger than those of all numbers. */
static uint32_t largest_bits(const real *x, size_t n) {
  int32_t largest = 0; /* signed, because more processors compare signed integers in vectors */
  for (size_t i = 0; i < n; i++) {
    const int32_t bits = (int32_t)(bits_of((float)x[i]) & 0x7fffffffu);
    largest = bits > largest ? bits : largest;
  }
  return (uint32_t)largest;
}

float eight_bits_scale(const real *x, size_t n) {
  enum { DROPPED = 7 }; /* 127 has 7 bits, so that its product with the scale has at most 24 */
  const float least = 1e-30f;
  const uint32_t bits = largest_bits(x, n), half = 1u << (DROPPED - 1);
  float largest, scale;
  memcpy(&largest, &bits, sizeof largest);
  if (bits >= bits_of(INFINITY)) return NAN;
  if (largest < least) return 0;
  const uint32_t rounded = (bits_of(largest / QUANTIZED_LEVELS) + half) >> DROPPED << DROPPED;
  memcpy(&scale, &rounded, sizeof scale);
  return scale;
}

static const float MAGIC = 0x1.8p23f; /* adding it rounds to an integer, in the low bits */

/* Return the factor from numbers to levels; 0 if all levels are 0. */
static float inverse_of(float scale) {
  return scale > 0 ? 1 / scale : 0;
}

/* Set the levels (n) of a row with this scale, each plus `zero` modulo 256. */
static void quantize(uint8_t *levels, const real *x, size_t n, float scale, int zero) {
  const float inverse = inverse_of(scale);
  if (inverse == 0) {
    memset(levels, zero, n);
    return;
  }
  for (size_t i = 0; i < n; i++)
    levels[i] = (uint8_t)(bits_of((float)x[i] * inverse + MAGIC) + (unsigned)zero);
}

void eight_bits_levels(int8_t *levels, const real *x, size_t n, float scale) {
  quantize((uint8_t *)levels, x, n, scale, 0);
}

void eight_bits_round(real *to, const real *x, size_t n) {
  const float scale = eight_bits_scale(x, n), inverse = inverse_of(scale);
  for (size_t i = 0; i < n; i++)
    to[i] = (real)(scale * (((inverse == 0 ? 0 : (float)x[i] * inverse) + MAGIC) - MAGIC));
}

/* ---- weights ---- */

enum { LANES = 16, CHUNK = 256 }; /* outputs and columns that are packed together */

static void allocate(struct eight_bits *set, struct arena *arena,
                     const struct float_matrix *matrices) {
  set->matrices = arena_allocate(arena, sizeof *set->matrices, set->count, 1, 1);
  for (size_t i = 0; i < set->count; i++) {
    const size_t groups = quantized_groups(matrices[i].in), blocks = blocks_of(matrices[i].out);
    const struct eight_bit_matrix matrix = {
        .from = matrices[i],
        .groups = groups,
        .packed = arena_allocate(arena, QUANTIZED_BLOCK, blocks, groups, GROUP),
        .scales = arena_allocate(arena, sizeof(float), blocks, QUANTIZED_BLOCK, 1),
        .offsets = arena_allocate(arena, sizeof(int32_t), blocks, QUANTIZED_BLOCK, 1)};
    if (arena->base != NULL) set->matrices[i] = matrix;
  }
}

/* Pack levels (16,CHUNK) of consecutive outputs; `to` is the place of the first of them. */
static void pack_chunk(int8_t *to, const uint8_t *levels, size_t groups) {
  for (size_t g = 0; g < groups; g++, to += (size_t)QUANTIZED_BLOCK * GROUP)
    for (size_t lane = 0; lane < LANES; lane++)
      memcpy(to + lane * GROUP, levels + lane * CHUNK + g * GROUP, GROUP);
}

struct eight_bits_packing {
  const struct eight_bit_matrix *matrix;
  const struct quantized_kernel *kernel;
};

/* Pack 16 outputs. Outputs after the last one have only zeros. */
static void pack_outputs(const void *context, size_t i) {
  const struct eight_bits_packing *packing = context;
  const struct eight_bit_matrix *matrix = packing->matrix;
  const size_t in = matrix->from.in, first = i * LANES;
  float scales[LANES] = {0};
  int32_t sums[LANES] = {0};
  for (size_t lane = 0; lane < LANES && first + lane < matrix->from.out; lane++)
    scales[lane] = eight_bits_scale(matrix->from.weight + (first + lane) * in, in);
  for (size_t column = 0; column < in; column += CHUNK) {
    const size_t count = in - column < CHUNK ? in - column : CHUNK;
    uint8_t levels[LANES * CHUNK] = {0};
    for (size_t lane = 0; lane < LANES && first + lane < matrix->from.out; lane++) {
      uint8_t *row = levels + lane * CHUNK;
      quantize(row, matrix->from.weight + (first + lane) * in + column, count, scales[lane], 0);
      for (size_t j = 0; j < count; j++) sums[lane] += (int8_t)row[j];
    }
    pack_chunk(matrix->packed + quantized_place(first, column, matrix->groups), levels,
               quantized_groups(count));
  }
  for (size_t lane = 0; lane < LANES; lane++) {
    matrix->scales[first + lane] = scales[lane];
    matrix->offsets[first + lane] = packing->kernel->zero * sums[lane];
  }
}

elman_status eight_bits_create(struct eight_bits *set, const struct float_matrix *matrices,
                               size_t count, const struct quantized_kernel *kernel,
                               elman_error *error) {
  *set = (struct eight_bits){.kernel = kernel != NULL ? kernel : quantized_kernel_at(0),
                             .count = count};
  for (size_t i = 0; i < count; i++)
    if (matrices[i].in > QUANTIZED_MAX_COLUMNS)
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "precision int8 permits matrices of at most %d columns, not %zu; use float32",
                  QUANTIZED_MAX_COLUMNS, matrices[i].in);
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &set->arena, error)) allocate(set, fit.now, matrices);
  if (fit.status != ELMAN_OK) return fit.status;
  for (size_t i = 0; i < count; i++) {
    const struct eight_bits_packing packing = {&set->matrices[i], set->kernel};
    const double numbers = (double)matrices[i].out * (double)matrices[i].in;
    share_out(blocks_of(matrices[i].out) * (QUANTIZED_BLOCK / LANES),
              (double)WORK_OF_NUMBER * numbers, pack_outputs, &packing);
  }
  return ELMAN_OK;
}

void eight_bits_free(struct eight_bits *set) {
  arena_free(&set->arena);
  *set = (struct eight_bits){0};
}

struct eight_bit_rows eight_bits_find(const struct eight_bits *set, const real *weight,
                                      size_t out) {
  size_t i = 0;
  while (!(weight >= set->matrices[i].from.weight &&
           weight <
               set->matrices[i].from.weight + set->matrices[i].from.out * set->matrices[i].from.in))
    i++;
  const struct float_matrix from = set->matrices[i].from;
  return (struct eight_bit_rows){set, &set->matrices[i], (size_t)(weight - from.weight) / from.in,
                                 out};
}

/* ---- features ---- */

void eight_bit_features_allocate(struct eight_bit_features *features, struct arena *arena, size_t n,
                                 size_t in) {
  features->levels = arena_allocate(arena, GROUP, n, quantized_groups(in), 1);
  features->scales = arena_allocate(arena, sizeof(float), n, 1, 1);
}

void eight_bit_features_fill(struct eight_bit_features features,
                             const struct quantized_kernel *kernel, const real *x, size_t in,
                             size_t n) {
  const size_t width = GROUP * quantized_groups(in);
  for (size_t r = 0; r < n; r++) {
    const float scale = eight_bits_scale(x + r * in, in);
    uint8_t *levels = features.levels + r * width;
    quantize(levels, x + r * in, in, scale, kernel->zero);
    memset(levels + in, kernel->zero, width - in);
    features.scales[r] = scale;
  }
}

/* ---- products ---- */

/* Some outputs of one row: sums, and the factors that convert them. */
struct converted {
  const int32_t *sums, *offsets;
  const float *scales;
  float scale;
};

/* Callers pass a constant `n` for a whole block. */
static inline __attribute__((always_inline)) void
put(real *restrict y, struct converted from, const real *restrict bias, bool add, size_t n) {
  const int32_t *restrict sums = from.sums, *restrict offsets = from.offsets;
  const float *restrict scales = from.scales;
  for (size_t j = 0; j < n; j++) {
    const float value = (float)(sums[j] - offsets[j]) * (scales[j] * from.scale);
    y[j] = add ? y[j] + (real)value : bias != NULL ? bias[j] + (real)value : (real)value;
  }
}

/* Compute the outputs of one block that belong to the rows of weights. */
static void product_of_block(struct eight_bit_results y, struct eight_bit_features features,
                             struct eight_bit_rows weights, size_t n, size_t block) {
  const struct eight_bit_matrix *matrix = weights.matrix;
  const size_t groups = matrix->groups, start = block * QUANTIZED_BLOCK;
  const size_t first = start > weights.first ? start : weights.first;
  const size_t end = weights.first + weights.out, past = start + QUANTIZED_BLOCK;
  const size_t count = (end < past ? end : past) - first, at = first - weights.first;
  const real *bias = y.bias == NULL ? NULL : y.bias + at;
  int32_t sums[QUANTIZED_ROWS * QUANTIZED_BLOCK];
  const struct quantized_kernel *kernel = weights.set->kernel;
  for (size_t r = 0; r < n; r += kernel->rows) {
    const size_t rows = n - r < kernel->rows ? n - r : kernel->rows;
    kernel->product(sums, features.levels + r * groups * GROUP, rows,
                    matrix->packed + start * groups * GROUP, groups);
    for (size_t i = 0; i < rows; i++) {
      const struct converted from = {sums + i * QUANTIZED_BLOCK + (first - start),
                                     matrix->offsets + first, matrix->scales + first,
                                     features.scales[r + i]};
      real *to = y.rows + (r + i) * y.ld + at;
      if (count < QUANTIZED_BLOCK)
        put(to, from, bias, y.add, count);
      else if (y.add)
        put(to, from, NULL, true, QUANTIZED_BLOCK);
      else if (bias != NULL)
        put(to, from, bias, false, QUANTIZED_BLOCK);
      else
        put(to, from, NULL, false, QUANTIZED_BLOCK);
    }
  }
}

void eight_bit_product_alone(struct eight_bit_results y, struct eight_bit_features features,
                             struct eight_bit_rows weights, size_t n) {
  const size_t first = weights.first / QUANTIZED_BLOCK;
  const size_t end = blocks_of(weights.first + weights.out);
  for (size_t block = first; block < end; block++) product_of_block(y, features, weights, n, block);
}

/* Rows that are quantized together. Their levels are on the stack: a product allocates nothing. */
enum { ROWS_TOGETHER = 64, LEVELS_TOGETHER = QUANTIZED_MAX_COLUMNS };

/* A product that is divided into parts of some blocks each. Threads share the parts. */
struct shared_product {
  struct eight_bit_results y;
  const real *x;
  struct eight_bit_rows weights;
  size_t n, blocks; /* rows, and blocks of a part */
};

static void run_part(const void *context, size_t part) {
  const struct shared_product *all = context;
  const struct eight_bit_rows whole = all->weights;
  const size_t in = whole.matrix->from.in, width = GROUP * whole.matrix->groups;
  const size_t together = LEVELS_TOGETHER / width,
               most = together < ROWS_TOGETHER ? together : ROWS_TOGETHER;
  const size_t start = (whole.first / QUANTIZED_BLOCK + part * all->blocks) * QUANTIZED_BLOCK;
  const size_t past = start + all->blocks * QUANTIZED_BLOCK, end = whole.first + whole.out;
  const size_t first = start > whole.first ? start : whole.first;
  const struct eight_bit_rows weights = {whole.set, whole.matrix, first,
                                         (past < end ? past : end) - first};
  uint8_t levels[LEVELS_TOGETHER];
  float scales[ROWS_TOGETHER];
  const struct eight_bit_features features = {levels, scales};
  struct eight_bit_results y = all->y;
  y.rows += first - whole.first;
  if (y.bias != NULL) y.bias += first - whole.first;
  for (size_t r = 0; r < all->n; r += most, y.rows += most * y.ld) {
    const size_t rows = all->n - r < most ? all->n - r : most;
    eight_bit_features_fill(features, whole.set->kernel, all->x + r * in, in, rows);
    eight_bit_product_alone(y, features, weights, rows);
  }
}

void eight_bit_product(struct eight_bit_results y, const real *x, struct eight_bit_rows weights,
                       size_t n) {
  enum { LEAST_BLOCKS = 4, FASTER = 4 }; /* FASTER than a product of floats */
  const size_t first = weights.first / QUANTIZED_BLOCK;
  const size_t blocks = blocks_of(weights.first + weights.out) - first;
  const double work = (double)n * (double)weights.out * (double)weights.matrix->from.in / FASTER;
  const size_t parts = is_worth_sharing(work) ? team_size() : 1,
               even = (blocks + parts - 1) / parts;
  const struct shared_product all = {y, x, weights, n, even < LEAST_BLOCKS ? LEAST_BLOCKS : even};
  if (n > 0) team_run(run_part, &all, (blocks + all.blocks - 1) / all.blocks);
}
