#include "tensor/screen.h"

#include <float.h>
#include <string.h>
#include <tgmath.h>

#include "base/team.h"
#include "tensor/elementary.h"
#include "tensor/softmax.h"

/* Limits above which all logits are computed, because the bounds could overflow. */
static const double MAX_NORM = 1e6, MAX_LOGIT = 1e30;

/* A factor that covers rounding errors in the norms and in the bound's factors. */
static const double UP = 1 + 0x1p-16;

static const double TINY = 1e-25;

/* The approximate logit, below every bound, of tokens that must not be chosen. */
static const double NEVER = -1e32;

static double rounding_of(size_t F) {
  return (double)(F + 32) * 0x1p-24;
}

/* Return the offset of the first of four columns of output v in the packed weights. */
static size_t place_of(const struct screen *screen, size_t v, size_t group) {
  return quantized_place(v, 4 * group, screen->weights.groups);
}

/* The norms of a row x and of its approximation x~ = scale · levels. */
struct accuracy {
  double norm, norm_quantized, error; /* |x|, |x~|, |x - x~|; not finite if an x_i is not */
};

static struct accuracy accuracy_of(const real *x, const int8_t *levels, size_t n, float scale) {
  struct lanes squares = {0}, quantized = {0}, errors = {0};
  for (size_t i = 0; i < n; i += LANES) {
    const size_t count = n - i < LANES ? n - i : LANES;
    for (size_t l = 0; l < count; l++) {
      const double number = (double)x[i + l], value = (double)scale * (double)levels[i + l];
      squares.of[l] += number * number;
      quantized.of[l] += value * value;
      errors.of[l] += (number - value) * (number - value);
    }
  }
  return (struct accuracy){sqrt(sum_of_lanes(&squares)), sqrt(sum_of_lanes(&quantized)),
                           sqrt(sum_of_lanes(&errors))};
}

/* ---- the weights ---- */

static void allocate(struct screen *screen, struct arena *arena) {
  const size_t rows = screen->blocks, R = QUANTIZED_BLOCK;
  screen->norms = arena_allocate(arena, sizeof(float), rows, R, 1);
  screen->errors = arena_allocate(arena, sizeof(float), rows, R, 1);
  screen->biases = arena_allocate(arena, sizeof(float), rows, R, 1);
  screen->slack = arena_allocate(arena, sizeof(float), rows, R, 1);
  screen->block_largest = arena_allocate(arena, sizeof(double), rows, 1, 1);
}

/* Set the logit of an output far below all others. The output is padding of the last block, or a
 * token that must not be chosen. */
static void forbid(struct screen *screen, size_t v) {
  screen->weights.scales[v] = screen->norms[v] = screen->errors[v] = screen->slack[v] = 0;
  screen->biases[v] = (float)NEVER;
}

static bool is_permitted(const struct screen *screen, size_t v) {
  return v < screen->layer.V && v != screen->layer.never && !(v == 0 && screen->layer.first_never);
}

static void permit(struct screen *screen, size_t v, struct accuracy row) {
  const double bias = (double)screen->layer.bias[v];
  screen->norms[v] = (float)(row.norm * UP);
  screen->errors[v] = (float)(row.error * UP);
  screen->biases[v] = (float)bias;
  screen->slack[v] = (float)(rounding_of(screen->layer.F) * fabs(bias) * UP + TINY);
}

/* Compute the bounds of one block. Store the largest norm or bias among its rows, or infinity if
 * one of them is not finite. */
static void bound_weights(const void *context, size_t block) {
  struct screen *screen = *(struct screen *const *)context;
  const size_t F = screen->layer.F;
  int8_t levels[QUANTIZED_MAX_COLUMNS];
  double largest = 0;
  for (size_t v = block * QUANTIZED_BLOCK; v < (block + 1) * QUANTIZED_BLOCK; v++) {
    struct accuracy row = {0};
    double size = 0;
    if (v < screen->layer.V) {
      for (size_t g = 0; g < screen->weights.groups; g++)
        memcpy(levels + 4 * g, screen->weights.packed + place_of(screen, v, g), 4);
      row = accuracy_of(screen->layer.weight + v * F, levels, F, screen->weights.scales[v]);
      size = row.norm + row.error + fabs((double)screen->layer.bias[v]);
    }
    if (is_permitted(screen, v))
      permit(screen, v, row);
    else
      forbid(screen, v);
    const double known = size <= MAX_LOGIT ? size : (double)INFINITY;
    largest = known > largest ? known : largest;
  }
  screen->block_largest[block] = largest;
}

elman_status screen_create(struct screen *screen, struct screened_layer layer,
                           const struct quantized_kernel *kernel, elman_error *error) {
  const struct float_matrix matrix = {layer.weight, layer.V, layer.F};
  *screen = (struct screen){.layer = layer,
                            .blocks = (layer.V + QUANTIZED_BLOCK - 1) / QUANTIZED_BLOCK,
                            .kernel = layer.F <= QUANTIZED_MAX_COLUMNS ? kernel : NULL};
  if (screen->kernel == NULL) return ELMAN_OK;
  const elman_status status = eight_bits_create(&screen->set, &matrix, 1, kernel, error);
  if (status != ELMAN_OK) return status;
  screen->weights = screen->set.matrices[0];
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &screen->arena, error)) allocate(screen, fit.now);
  if (fit.status != ELMAN_OK) return fit.status;
  share_out(screen->blocks, (double)WORK_OF_NUMBER * (double)layer.V * (double)layer.F,
            bound_weights, &screen);
  for (size_t i = 0; i < screen->blocks; i++)
    screen->largest = fmax(screen->largest, screen->block_largest[i]);
  return ELMAN_OK;
}

void screen_free(struct screen *screen) {
  eight_bits_free(&screen->set);
  arena_free(&screen->arena);
  *screen = (struct screen){0};
}

bool screen_is_worth(const struct screen *screen, size_t rows) {
  return screen->kernel != NULL && (rows == 1 || !screen->kernel->one_row);
}

void screen_scratch_allocate(struct screen_scratch *scratch, struct arena *arena,
                             const struct screen *screen, size_t n) {
  eight_bit_features_allocate(&scratch->features, arena, n, screen->layer.F);
  scratch->rows = arena_allocate(arena, sizeof *scratch->rows, n, 1, 1);
  scratch->highest = arena_allocate(arena, sizeof(float), n, screen->blocks, 1);
  scratch->lowest = arena_allocate(arena, sizeof(float), n, screen->blocks, 1);
  scratch->logits = arena_allocate(arena, sizeof(real), screen->layer.V, 1, 1);
}

/* ---- the features ---- */

static struct screened_row screen_row(const struct screen *screen, const real *f,
                                      const uint8_t *features, float scale) {
  const size_t F = screen->layer.F;
  int8_t levels[QUANTIZED_MAX_COLUMNS];
  for (size_t i = 0; i < F; i++) levels[i] = (int8_t)(features[i] - screen->kernel->zero);
  const struct accuracy row = accuracy_of(f, levels, F, scale);
  if (!(row.norm <= MAX_NORM) || !(screen->largest * (1 + row.norm) <= MAX_LOGIT))
    return (struct screened_row){.exact = true};
  const double rounding = 2 * rounding_of(F) * fmax(row.norm, row.norm_quantized);
  return (struct screened_row){.norm_factor = (float)((row.error + rounding) * UP),
                               .error_factor = (float)((row.norm_quantized + rounding) * UP)};
}

/* ---- approximations ---- */

/* Extremes of one row and one block: the largest approximation plus bound, and the largest
 * approximation minus bound. */
struct extremes {
  float highest, lowest;
};

static float larger(float a, float b) {
  return a > b ? a : b;
}

static float largest_of_four(const float *values, size_t apart) {
  return larger(larger(values[0], values[apart]), larger(values[2 * apart], values[3 * apart]));
}

static float largest_of_block(const float *values) {
  _Static_assert(QUANTIZED_BLOCK == 4 * 4 * 4, "three steps of four");
  float quarter[16], few[4];
  for (size_t j = 0; j < 16; j++) quarter[j] = largest_of_four(values + j, 16);
  for (size_t j = 0; j < 4; j++) few[j] = largest_of_four(quarter + j, 4);
  return largest_of_four(few, 1);
}

static struct extremes bound_block(float *upper, const int32_t *sums, struct screened_row row,
                                   float scale, const struct screen *screen, size_t block) {
  const size_t at = block * QUANTIZED_BLOCK;
  const float *scales = screen->weights.scales + at, *biases = screen->biases + at;
  const float *norms = screen->norms + at, *errors = screen->errors + at;
  const float *slack = screen->slack + at;
  const int32_t *offsets = screen->weights.offsets + at;
  float lower[QUANTIZED_BLOCK];
  for (size_t j = 0; j < QUANTIZED_BLOCK; j++) {
    const float value = scale * (scales[j] * (float)(sums[j] - offsets[j])) + biases[j];
    const float bound = norms[j] * row.norm_factor + errors[j] * row.error_factor + slack[j];
    upper[j] = value + bound;
    lower[j] = value - bound;
  }
  return (struct extremes){largest_of_block(upper), largest_of_block(lower)};
}

struct screening {
  const struct screen *screen;
  struct screen_scratch *scratch;
  size_t n;
};

static void screen_block(const void *context, size_t block) {
  const struct screening *all = context;
  const struct screen *screen = all->screen;
  struct screen_scratch *scratch = all->scratch;
  const size_t n = all->n;
  const size_t width = 4 * screen->weights.groups;
  const int8_t *weights = screen->weights.packed + block * QUANTIZED_BLOCK * width;
  int32_t sums[QUANTIZED_ROWS * QUANTIZED_BLOCK];
  float upper[QUANTIZED_BLOCK];
  const size_t most = screen->kernel->rows;
  for (size_t first = 0; first < n; first += most) {
    const size_t count = n - first < most ? n - first : most;
    screen->kernel->product(sums, scratch->features.levels + first * width, count, weights,
                            screen->weights.groups);
    for (size_t r = 0; r < count; r++) {
      const struct extremes found =
          bound_block(upper, sums + r * QUANTIZED_BLOCK, scratch->rows[first + r],
                      scratch->features.scales[first + r], screen, block);
      scratch->highest[(first + r) * screen->blocks + block] = found.highest;
      scratch->lowest[(first + r) * screen->blocks + block] = found.lowest;
    }
  }
}

/* Process all blocks. In every step a thread gets the same blocks, so that they remain in its
 * cache. If they do not all fit, the thread starts each step with the last blocks of the previous
 * step, because a team alternates the order. */
static void screen_blocks(const struct screen *screen, struct screen_scratch *scratch, size_t n) {
  const struct screening all = {screen, scratch, n};
  const double weights = (double)screen->layer.V * (double)screen->layer.F; /* 8-bit weights */
  share_out(screen->blocks, WORK_OF_SMALL_PRODUCTS / 2 * weights * (double)n, screen_block, &all);
}

/* ---- logits ---- */

static real logit(const struct screen *screen, const real *f, size_t v) {
  const real *w = screen->layer.weight + v * screen->layer.F;
  real lanes[MANY_LANES] = {0}, sum = 0;
  size_t i = 0;
  for (; i + MANY_LANES <= screen->layer.F; i += MANY_LANES) {
    for (size_t j = 0; j < MANY_LANES; j++) lanes[j] += f[i + j] * w[i + j];
  }
  for (; i < screen->layer.F; i++) sum += f[i] * w[i];
  for (size_t j = 0; j < MANY_LANES; j++) sum += lanes[j];
  return sum + screen->layer.bias[v];
}

struct all_logits {
  const struct screen *screen;
  const real *f;
  real *logits;
};

static void one_logit(const void *context, size_t v) {
  const struct all_logits *all = context;
  all->logits[v] = logit(all->screen, all->f, v);
}

static size_t largest_of_all(const struct screen *screen, struct screen_scratch *scratch,
                             const real *f) {
  real *logits = scratch->logits;
  const struct all_logits all = {screen, f, logits};
  const double weights = (double)screen->layer.V * (double)screen->layer.F;
  share_out(screen->layer.V, WORK_OF_SMALL_PRODUCTS * weights, one_logit, &all);
  if (!isfinite(log_sum_exp(logits, screen->layer.V))) return SCREEN_NONE;
  size_t best = SCREEN_NONE;
  for (size_t v = 0; v < screen->layer.V; v++)
    if (is_permitted(screen, v) && (best == SCREEN_NONE || logits[v] > logits[best])) best = v;
  return best;
}

/* The best token so far, and the number of logits computed. */
struct screen_choice {
  size_t best, candidates;
  real logit;
  double least; /* a token cannot be the best if its upper bound is below this value */
};

static bool is_better(const struct screen_choice *choice, real logit, size_t v) {
  if (choice->best == SCREEN_NONE || logit > choice->logit) return true;
  return logit == choice->logit && v < choice->best;
}

/* Update the choice with the tokens of one block. */
static void choose_in_block(struct screen_choice *choice, const struct screen *screen,
                            const struct screen_scratch *scratch, const real *f, size_t row,
                            size_t block) {
  const size_t groups = screen->weights.groups;
  int32_t sums[QUANTIZED_BLOCK];
  float upper[QUANTIZED_BLOCK];
  screen->kernel->product(sums, scratch->features.levels + row * 4 * groups, 1,
                          screen->weights.packed + place_of(screen, block * QUANTIZED_BLOCK, 0),
                          groups);
  (void)bound_block(upper, sums, scratch->rows[row], scratch->features.scales[row], screen, block);
  for (size_t j = 0; j < QUANTIZED_BLOCK; j++) {
    if ((double)upper[j] < choice->least) continue;
    const size_t v = block * QUANTIZED_BLOCK + j;
    const real value = logit(screen, f, v);
    choice->candidates++;
    if (!is_better(choice, value, v)) continue;
    choice->best = v;
    choice->logit = value;
    if ((double)value > choice->least) choice->least = (double)value;
  }
}

/* Return the token with the largest logit. Start with the most promising block, so that most others
 * can be skipped. */
static size_t choose(const struct screen *screen, struct screen_scratch *scratch, const real *f,
                     size_t row) {
  const float *highest = scratch->highest + row * screen->blocks;
  const float *lowest = scratch->lowest + row * screen->blocks;
  size_t first = 0;
  for (size_t i = 0; i < screen->blocks; i++) first = lowest[i] > lowest[first] ? i : first;
  struct screen_choice choice = {.best = SCREEN_NONE, .least = (double)lowest[first]};
  choose_in_block(&choice, screen, scratch, f, row, first);
  for (size_t i = 0; i < screen->blocks; i++) {
    if (choice.candidates > screen->layer.V / 8 + 8) return largest_of_all(screen, scratch, f);
    if (i != first && (double)highest[i] >= choice.least)
      choose_in_block(&choice, screen, scratch, f, row, i);
  }
  return choice.best;
}

void screen_largest(size_t *largest, const struct screen *screen, struct screen_scratch *scratch,
                    const real *features, size_t n) {
  const size_t F = screen->layer.F;
  if (screen->kernel != NULL) {
    eight_bit_features_fill(scratch->features, screen->kernel, features, F, n);
    for (size_t r = 0; r < n; r++)
      scratch->rows[r] = screen_row(screen, features + r * F,
                                    scratch->features.levels + r * 4 * screen->weights.groups,
                                    scratch->features.scales[r]);
    screen_blocks(screen, scratch, n);
  }
  for (size_t r = 0; r < n; r++) {
    const real *f = features + r * F;
    const bool all = screen->kernel == NULL || scratch->rows[r].exact;
    largest[r] = all ? largest_of_all(screen, scratch, f) : choose(screen, scratch, f, r);
  }
}
