/* Test: threads. */
/* Compare polar factors and updates of Muon with plain loops in double, and check that neither
 * threads nor other matrices change a bit. */
#include "check.h"
#include "config_of.h"
#include "threads.h"

#include <string.h>

#include "model/parameters.h"
#include "tensor/blas_kernels.h"
#include "train/muon.h"

/* Shapes of one and of several bands, wide, tall and square. */
static const struct shape {
  size_t rows, columns;
} shapes[] = {{2, 2}, {7, 7}, {3, 200}, {200, 3}, {65, 64}, {96, 130}, {257, 70}, {150, 150}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static size_t size_of(struct shape shape) {
  return shape.rows * shape.columns;
}

static size_t shorter_of(struct shape shape) {
  return shape.rows < shape.columns ? shape.rows : shape.columns;
}

/* ---- plain loops ---- */

/* Compute C (m,n) = A (m,k) B, where B is (k,n), or (n,k) if `turned`. */
static void plain_product(double *c, const double *a, const double *b, size_t m, size_t n, size_t k,
                          bool turned) {
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t l = 0; l < k; l++) sum += a[i * k + l] * (turned ? b[j * k + l] : b[l * n + j]);
      c[i * n + j] = sum;
    }
  }
}

static double *zeros(size_t n) {
  double *values = calloc(n, sizeof *values);
  cr_assert_not_null(values);
  return values;
}

/* Take the steps X ← aX + (bXXᵀ + c(XXᵀ)²) X with the numbers of Amsel et al., Algorithm 1. */
static void plain_polar(double *x, struct shape shape) {
  static const double steps[][3] = {
      {8.28721201814563, -23.595886519098837, 17.300387312530933},
      {4.107059111542203, -2.9478499167379106, 0.5448431082926601},
      {3.9486908534822946, -2.908902115962949, 0.5518191394370137},
      {3.3184196573706015, -2.488488024314874, 0.51004894012372},
      {2.300652019954817, -1.6689039845747493, 0.4188073119525673},
  };
  const size_t m = shape.rows, n = shape.columns;
  owned double *gram = zeros(m * m), *square = zeros(m * m), *moved = zeros(m * n);
  for (size_t k = 0; k < 5; k++) {
    const double a = steps[k][0] / 1.01, b = steps[k][1] / pow(1.01, 3);
    const double c = steps[k][2] / pow(1.01, 5);
    plain_product(gram, x, x, m, m, n, true);
    plain_product(square, gram, gram, m, m, m, false);
    for (size_t i = 0; i < m * m; i++) gram[i] = b * gram[i] + c * square[i];
    plain_product(moved, gram, x, m, n, m, false);
    for (size_t i = 0; i < m * n; i++) x[i] = a * x[i] + moved[i];
  }
}

/* Update a matrix, counted from 1; docs/training.md, (81) to (84). */
static void plain_muon(double *w, double *m, const double *g, struct shape shape, double rate,
                       uint64_t update) {
  const size_t n = size_of(shape);
  owned double *u = zeros(n);
  double square = 0;
  for (size_t i = 0; i < n; i++) {
    m[i] = 0.95 * m[i] + 0.05 * g[i];
    u[i] = 0.95 * m[i] + 0.05 * g[i];
    square += u[i] * u[i];
  }
  if (update % 2 != 0) return;
  for (size_t i = 0; i < n; i++) u[i] /= 1.01 * sqrt(square);
  plain_polar(u, shape);
  const double longer = (double)(shape.rows > shape.columns ? shape.rows : shape.columns);
  for (size_t i = 0; i < n; i++) w[i] -= 2 * rate * 0.2 * sqrt(longer) * u[i];
}

/* ---- polar factors ---- */

/* Replace rows of random numbers by orthogonal rows of norm 1. */
static void orthogonalize(double *rows, size_t count, size_t n) {
  for (size_t i = 0; i < count; i++) {
    double *row = rows + i * n, square = 0;
    for (size_t pass = 0; pass < 2; pass++) {
      for (size_t k = 0; k < i; k++) {
        double dot = 0;
        for (size_t j = 0; j < n; j++) dot += row[j] * rows[k * n + j];
        for (size_t j = 0; j < n; j++) row[j] -= dot * rows[k * n + j];
      }
    }
    for (size_t j = 0; j < n; j++) square += row[j] * row[j];
    for (size_t j = 0; j < n; j++) row[j] /= sqrt(square);
  }
}

/* A matrix with known singular vectors; its singular values fall from 1 to `least`, before the
 * matrix is divided by a number above its norm. */
struct known {
  struct shape shape;
  double *left, *right; /* (r,rows), (r,columns): singular vectors */
  real *x, *to;
};

static struct known make_known(struct shape shape, double least, unsigned which) {
  const size_t r = shorter_of(shape), n = size_of(shape);
  owned real *left = random_reals(r * shape.rows, 1, which);
  owned real *right = random_reals(r * shape.columns, 1, which + 100);
  struct known known = {shape, doubles(left, r * shape.rows), doubles(right, r * shape.columns),
                        reals(n), reals(n)};
  double square = 0;
  orthogonalize(known.left, r, shape.rows);
  orthogonalize(known.right, r, shape.columns);
  for (size_t k = 0; k < r; k++) {
    const double value = pow(least, (double)k / fmax(1, (double)r - 1));
    square += value * value;
    for (size_t i = 0; i < shape.rows; i++)
      for (size_t j = 0; j < shape.columns; j++)
        known.x[i * shape.columns + j] +=
            (real)(value * known.left[k * shape.rows + i] * known.right[k * shape.columns + j]);
  }
  for (size_t i = 0; i < n; i++) known.x[i] = (real)((double)known.x[i] / (1.01 * sqrt(square)));
  return known;
}

static void free_known(struct known *known) {
  free(known->left);
  free(known->right);
  free(known->x);
  free(known->to);
}

static struct polar_matrix matrix_of(const struct known *known, real size) {
  return (struct polar_matrix){known->x, known->to, known->shape.rows, known->shape.columns, size};
}

static void subtract(const struct polar_matrix *matrices, size_t count,
                     enum arithmetic arithmetic) {
  struct polar *polar;
  cr_assert_eq(polar_create(&polar, matrices, count, arithmetic, NULL), ELMAN_OK);
  polar_subtract(polar);
  polar_free(polar);
}

/* Singular vectors stay, and every singular value above 0.002 of the norm comes near 1. */
Test(muon, singular_values_come_near_one) {
  blas_set_up();
  for (size_t s = 0; s < SHAPES; s++) {
    owned_by(free_known) struct known known = make_known(shapes[s], 0.05, (unsigned)s);
    const size_t r = shorter_of(shapes[s]), m = shapes[s].rows, n = shapes[s].columns;
    const struct polar_matrix matrix = matrix_of(&known, -1);
    subtract(&matrix, 1, ARITHMETIC_FAST);
    owned double *polar = doubles(known.to, m * n), *middle = zeros(r * n), *values = zeros(r * r);
    plain_product(middle, known.left, polar, r, n, m, false);
    plain_product(values, middle, known.right, r, r, n, true); /* Uᵀ polar(X) V */
    for (size_t i = 0; i < r; i++) {
      for (size_t j = 0; j < r; j++) {
        if (i == j)
          cr_assert(values[i * r + j] > 0.87 && values[i * r + j] < 1.124,
                    "%zu x %zu, singular value %zu is %g", m, n, i, values[i * r + j]);
        else
          cr_assert(fabs(values[i * r + j]) < (sizeof(real) == 8 ? 1e-9 : 2e-3),
                    "%zu x %zu, singular vectors %zu and %zu mix: %g", m, n, i, j,
                    values[i * r + j]);
      }
    }
  }
}

/* The Gram matrix squares singular values, and so loses half of the digits of the smallest. */
Test(muon, polar_agrees_with_plain_loops) {
  blas_set_up();
  for (size_t s = 0; s < SHAPES; s++) {
    for (int arithmetic = ARITHMETIC_FAST; arithmetic <= ARITHMETIC_PORTABLE; arithmetic++) {
      owned_by(free_known) struct known known = make_known(shapes[s], 0.05, (unsigned)s);
      const size_t n = size_of(shapes[s]);
      owned double *plain = doubles(known.x, n);
      const struct polar_matrix matrix = matrix_of(&known, (real)0.25);
      for (size_t i = 0; i < n; i++) known.to[i] = (real)(i % 3);
      plain_polar(plain, shapes[s]);
      subtract(&matrix, 1, (enum arithmetic)arithmetic);
      for (size_t i = 0; i < n; i++)
        cr_assert_float_eq((double)known.to[i], (double)(i % 3) - 0.25 * plain[i],
                           sizeof(real) == 8 ? 1e-10 : 1e-3, "%zu x %zu, number %zu",
                           shapes[s].rows, shapes[s].columns, i);
    }
  }
}

/* All matrices together, with several threads, against each alone. */
Test(muon, neither_threads_nor_other_matrices_change_bits) {
  blas_set_up();
  for (int arithmetic = ARITHMETIC_FAST; arithmetic <= ARITHMETIC_PORTABLE; arithmetic++) {
    struct known alone[SHAPES], together[SHAPES];
    struct polar_matrix matrices[SHAPES];
    for (size_t s = 0; s < SHAPES; s++) {
      alone[s] = make_known(shapes[s], 0.01, (unsigned)s);
      const struct polar_matrix matrix = matrix_of(&alone[s], 1);
      subtract(&matrix, 1, (enum arithmetic)arithmetic);
    }
    for (size_t threads = 1; threads <= 3; threads++) {
      use_threads(threads);
      for (size_t s = 0; s < SHAPES; s++) {
        together[s] = make_known(shapes[s], 0.01, (unsigned)s);
        matrices[s] = matrix_of(&together[s], 1);
      }
      subtract(matrices, SHAPES, (enum arithmetic)arithmetic);
      for (size_t s = 0; s < SHAPES; s++) {
        const size_t bytes = size_of(shapes[s]) * sizeof(real);
        cr_assert_eq(memcmp(alone[s].to, together[s].to, bytes), 0, "%zu x %zu, %zu threads",
                     shapes[s].rows, shapes[s].columns, threads);
        free_known(&together[s]);
      }
    }
    use_threads(1);
    for (size_t s = 0; s < SHAPES; s++) free_known(&alone[s]);
  }
}

/* ---- updates ---- */

Test(muon, follows_the_equations) {
  enum { UPDATES = 6 };
  const double rate = 0.01, scale = 0.5;
  blas_set_up();
  for (size_t s = 0; s < SHAPES; s++) {
    const struct shape shape = shapes[s];
    const size_t n = size_of(shape);
    owned real *w = random_reals(n, 1, 1), *m = reals(n), *g = reals(n), *old = reals(n);
    owned double *plain_w = doubles(w, n), *plain_m = zeros(n);
    owned_by(muon_free) struct muon muon;
    const struct muon_matrix matrix = {w, g, m, shape.rows, shape.columns};
    cr_assert_eq(muon_create(&muon, &matrix, 1, ARITHMETIC_FAST, NULL), ELMAN_OK);
    for (uint64_t update = 1; update <= UPDATES; update++) {
      owned real *new = random_reals(n, 2, 10 + (unsigned)update);
      owned double *clipped = doubles(new, n);
      struct muon_step step = muon_step_of(rate, update);
      for (size_t i = 0; i < n; i++) clipped[i] *= scale;
      step.scale = (real)scale;
      memcpy(g, new, n * sizeof *g);
      memcpy(old, w, n * sizeof *w);
      muon_update(&muon, &step);
      plain_muon(plain_w, plain_m, clipped, shape, rate, update);
      cr_assert_eq(memcmp(old, w, n * sizeof *w) != 0, update % 2 == 0);
      for (size_t i = 0; i < n; i++) {
        cr_assert_eq(g[i], 0, "ready for the next sum");
        cr_assert_float_eq((double)m[i], plain_m[i], CLOSE);
        cr_assert_float_eq((double)w[i], plain_w[i], sizeof(real) == 8 ? 1e-9 : 1e-3,
                           "%zu x %zu, update %zu, number %zu: %g, not %g", shape.rows,
                           shape.columns, (size_t)update, i, (double)w[i], plain_w[i]);
      }
    }
  }
}

/* A direction of length 0 has no polar factor; that of a tiny one is as long as any other. */
Test(muon, gradients_of_every_size) {
  enum { N = 6 };
  blas_set_up();
  const double sizes[] = {0, 1e-30, 1e30};
  for (size_t k = 0; k < 3; k++) {
    owned real *w = random_reals(N * N, 1, 1), *m = reals(N * N), *old = random_reals(N * N, 1, 1);
    owned real *g = random_reals(N * N, sizes[k], 2);
    owned_by(muon_free) struct muon muon;
    const struct muon_matrix matrix = {w, g, m, N, N};
    cr_assert_eq(muon_create(&muon, &matrix, 1, ARITHMETIC_FAST, NULL), ELMAN_OK);
    const struct muon_step step = muon_step_of(0.5, 2);
    muon_update(&muon, &step);
    double square = 0;
    for (size_t i = 0; i < N * N; i++)
      square += ((double)w[i] - (double)old[i]) * ((double)w[i] - (double)old[i]);
    const double moved = sqrt(square / (N * N)) / (2 * 0.2 * 0.5);
    if (k == 0)
      cr_assert_eq(memcmp(w, old, N * N * sizeof *w), 0);
    else
      cr_assert(moved > 0.5 && moved < 1.124, "gradients of size %g: %g", sizes[k], moved);
  }
}

/* ---- parameters ---- */

/* The rule of docs/training.md, for all cells and mechanisms. */
Test(muon, moves_matrices_between_vectors) {
  for (size_t c = 0; elman_cell_name(c) != NULL; c++) {
    for (size_t a = 0; elman_attention_name(a) != NULL; a++) {
      struct model_config config = config_of(30, 40, 8, 12);
      struct parameter_table table;
      size_t hidden = 0;
      config.cell = elman_cell_name(c);
      config.attention = elman_attention_name(a);
      config.layers = 2;
      config.layer_norm = config.bidirectional = config.attentional_layer = true;
      config.encoder_self_attention = config.decoder_self_attention = 2;
      cr_assert_eq(parameter_table_create(&table, &config, NULL), ELMAN_OK);
      for (size_t i = 0; i < table.count; i++) {
        const struct parameter *row = &table.rows[i];
        const bool word = strstr(row->name, ".embedding.") != NULL ||
                          strncmp(row->name, "decoder.out.", strlen("decoder.out.")) == 0;
        cr_assert_eq(row->hidden, row->rows > 1 && row->columns > 1 && !word, "%s", row->name);
        hidden += row->hidden;
      }
      cr_assert_geq(hidden, 6 * 2, "two matrices for each of six recurrent layers");
    }
  }
}
