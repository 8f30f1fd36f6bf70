#include "train/polar.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/team.h"
#include "tensor/blas.h"

/* Rows of a result per work item. A symmetric result is computed up to the last column of the band;
 * smaller bands compute less, but BLAS then copies its operands more often. */
enum { BAND = 64, BAND_UNIT = 16, STEPS = 5 };

/* Coefficients of X ← aX + b(XXᵀ)X + c(XXᵀ)²X: Polar Express for singular values from 0.001 to 1.
 * As the authors do, divide singular values by 1.01 before each step, so that rounding cannot move
 * them out of the range in which the polynomial is bounded. */
struct coefficients {
  real a, b, c;
};

#define SAFE 1.01
#define STEP(a, b, c)                                                                              \
  {                                                                                                \
    (real)((a) / SAFE), (real)((b) / (SAFE * SAFE * SAFE)),                                        \
        (real)((c) / (SAFE * SAFE * SAFE * SAFE * SAFE))                                           \
  }

static const struct coefficients steps[STEPS] = {
    STEP(8.28721201814563, -23.595886519098837, 17.300387312530933),
    STEP(4.107059111542203, -2.9478499167379106, 0.5448431082926601),
    STEP(3.9486908534822946, -2.908902115962949, 0.5518191394370137),
    STEP(3.3184196573706015, -2.488488024314874, 0.51004894012372),
    STEP(2.300652019954817, -1.6689039845747493, 0.4188073119525673),
};

/* Square matrices of the shorter side r; all are polynomials of the Gram matrix of x, so they are
 * symmetric and commute. */
struct squares {
  real *gram;    /* G of the current X */
  real *step;    /* P = aI + bG + cG² */
  real *product; /* PG, then unused */
  real *factor;  /* Q: the product of all P; the current X is Q x or x Q */
  real *spare;   /* the next Q */
};

/* A band of rows of one result. */
struct band {
  size_t matrix, first, count;
};

struct polar {
  const struct polar_matrix *matrices;
  size_t count;
  const struct numerics *numerics;
  struct squares *squares;           /* (count) */
  struct band *square_bands, *bands; /* bands of the square matrices; bands of the matrices */
  size_t square_band_count, band_count;
  const struct coefficients *now; /* the current step */
  struct arena arena;
};

static size_t shorter_side(const struct polar_matrix *x) {
  return x->rows < x->columns ? x->rows : x->columns;
}

/* ---- creating ---- */

static size_t bands_of(size_t rows) {
  return (rows + BAND - 1) / BAND;
}

/* Append the bands of a result with this number of rows. `list` NULL only counts them. */
static void add_bands(struct band *list, size_t *count, size_t matrix, size_t rows) {
  const size_t even = (rows + bands_of(rows) - 1) / bands_of(rows);
  const size_t size = (even + BAND_UNIT - 1) / BAND_UNIT * BAND_UNIT;
  for (size_t first = 0; first < rows; first += size, (*count)++)
    if (list != NULL)
      list[*count] = (struct band){matrix, first, rows - first < size ? rows - first : size};
}

static void list_bands(struct polar *polar) {
  polar->square_band_count = polar->band_count = 0;
  for (size_t i = 0; i < polar->count; i++) {
    add_bands(polar->square_bands, &polar->square_band_count, i, shorter_side(&polar->matrices[i]));
    add_bands(polar->bands, &polar->band_count, i, polar->matrices[i].rows);
  }
}

static void allocate(struct polar *polar, struct arena *arena) {
  list_bands(polar);
  polar->squares = arena_allocate(arena, sizeof *polar->squares, polar->count, 1, 1);
  polar->square_bands =
      arena_allocate(arena, sizeof *polar->square_bands, polar->square_band_count, 1, 1);
  polar->bands = arena_allocate(arena, sizeof *polar->bands, polar->band_count, 1, 1);
  for (size_t i = 0; i < polar->count; i++) {
    const size_t r = shorter_side(&polar->matrices[i]);
    real *all[5];
    for (size_t k = 0; k < 5; k++) all[k] = arena_allocate(arena, sizeof(real), r, r, 1);
    if (polar->squares != NULL)
      polar->squares[i] = (struct squares){all[0], all[1], all[2], all[3], all[4]};
  }
}

elman_status polar_create(struct polar **polar, const struct polar_matrix *matrices, size_t count,
                          enum arithmetic arithmetic, elman_error *error) {
  struct polar *new = *polar = calloc(1, sizeof *new);
  if (new == NULL) return fail_no_memory(error);
  new->matrices = matrices;
  new->count = count;
  new->numerics = numerics_of(arithmetic, ELMAN_PRECISION_FLOAT32);
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &new->arena, error)) allocate(new, fit.now);
  if (fit.status == ELMAN_OK) {
    list_bands(new);
  } else {
    polar_free(new);
    *polar = NULL;
  }
  return fit.status;
}

void polar_free(struct polar *polar) {
  if (polar == NULL) return;
  arena_free(&polar->arena);
  free(polar);
}

/* ---- products ---- */

/* Compute a band of the symmetric product C = A B of square matrices of size r, up to the last
 * column of the band. */
static void multiply(const struct polar *polar, real *c, struct operand a, struct operand b,
                     size_t k, size_t r, struct band band) {
  a.data += a.transpose == TRANSPOSED ? band.first : band.first * a.ld;
  matrix_product_alone((struct product){.c = c + band.first * r,
                                        .ldc = r,
                                        .alpha = 1,
                                        .a = a,
                                        .b = b,
                                        .m = band.count,
                                        .n = band.first + band.count,
                                        .k = k,
                                        .numerics = polar->numerics});
}

/* Copy the band below the diagonal block to the other side of the diagonal. */
static void mirror(real *c, size_t r, struct band band) {
  for (size_t j = 0; j < band.first; j++)
    for (size_t i = band.first; i < band.first + band.count; i++) c[j * r + i] = c[i * r + j];
}

static void multiply_squares(const struct polar *polar, real *c, const real *a, const real *b,
                             size_t r, struct band band) {
  multiply(polar, c, not_transposed(a, r), not_transposed(b, r), r, r, band);
  mirror(c, r, band);
}

/* G = X Xᵀ, or Xᵀ X if X has more rows than columns. */
static void compute_gram(const void *context, size_t i) {
  const struct polar *polar = context;
  const struct band band = polar->square_bands[i];
  const struct polar_matrix *x = &polar->matrices[band.matrix];
  const bool wide = x->rows <= x->columns;
  const struct operand straight = not_transposed(x->x, x->columns);
  const struct operand turned = transposed(x->x, x->columns);
  real *gram = polar->squares[band.matrix].gram;
  const size_t r = shorter_side(x);
  multiply(polar, gram, wide ? straight : turned, wide ? turned : straight,
           wide ? x->columns : x->rows, r, band);
  mirror(gram, r, band);
}

/* P = aI + bG + cG² */
static void compute_step(const void *context, size_t i) {
  const struct polar *polar = context;
  const struct band band = polar->square_bands[i];
  const struct squares *at = &polar->squares[band.matrix];
  const size_t r = shorter_side(&polar->matrices[band.matrix]);
  const struct coefficients now = *polar->now;
  multiply(polar, at->step, not_transposed(at->gram, r), not_transposed(at->gram, r), r, r, band);
  for (size_t row = band.first; row < band.first + band.count; row++) {
    real *restrict to = at->step + row * r;
    const real *restrict gram = at->gram + row * r;
    for (size_t j = 0; j < band.first + band.count; j++) to[j] = now.b * gram[j] + now.c * to[j];
    to[row] += now.a;
  }
  mirror(at->step, r, band);
}

/* PG in the first half of the work items, PQ in the second half. */
static void compute_products(const void *context, size_t i) {
  const struct polar *polar = context;
  const bool first = i < polar->square_band_count;
  const struct band band = polar->square_bands[first ? i : i - polar->square_band_count];
  const struct squares *at = &polar->squares[band.matrix];
  const size_t r = shorter_side(&polar->matrices[band.matrix]);
  multiply_squares(polar, first ? at->product : at->spare, at->step, first ? at->gram : at->factor,
                   r, band);
}

/* PQ, in the last step */
static void compute_factor(const void *context, size_t i) {
  compute_products(context, ((const struct polar *)context)->square_band_count + i);
}

/* G ← PGP */
static void compute_next_gram(const void *context, size_t i) {
  const struct polar *polar = context;
  const struct band band = polar->square_bands[i];
  const struct squares *at = &polar->squares[band.matrix];
  multiply_squares(polar, at->gram, at->product, at->step,
                   shorter_side(&polar->matrices[band.matrix]), band);
}

/* Subtract size · Q x, or size · x Q. */
static void subtract(const void *context, size_t i) {
  const struct polar *polar = context;
  const struct band band = polar->bands[i];
  const struct polar_matrix *x = &polar->matrices[band.matrix];
  const real *factor = polar->squares[band.matrix].factor;
  const bool wide = x->rows <= x->columns;
  const size_t r = shorter_side(x);
  matrix_product_alone(
      (struct product){.c = x->to + band.first * x->columns,
                       .ldc = x->columns,
                       .beta = 1,
                       .alpha = -x->size,
                       .a = not_transposed((wide ? factor : x->x) + band.first * r, r),
                       .b = wide ? not_transposed(x->x, x->columns) : not_transposed(factor, r),
                       .m = band.count,
                       .n = x->columns,
                       .k = r,
                       .numerics = polar->numerics});
}

static void swap(real **one, real **other) {
  real *kept = *one;
  *one = *other;
  *other = kept;
}

void polar_subtract(struct polar *polar) {
  const size_t bands = polar->square_band_count;
  team_run(compute_gram, polar, bands);
  for (size_t k = 0; k < STEPS; k++) {
    const bool first = k == 0, last = k + 1 == STEPS;
    polar->now = &steps[k];
    team_run(compute_step, polar, bands);
    if (last)
      team_run(compute_factor, polar, bands);
    else
      team_run(compute_products, polar, first ? bands : 2 * bands);
    if (!last) team_run(compute_next_gram, polar, bands);
    /* The first Q is P. */
    for (size_t i = 0; i < polar->count; i++)
      swap(&polar->squares[i].factor, first ? &polar->squares[i].step : &polar->squares[i].spare);
  }
  team_run(subtract, polar, polar->band_count);
}
