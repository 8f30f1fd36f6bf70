/* Linear maps with weights and features in eight bits, for translation and for model files.
 *
 * A row x of weights or of features is approximated by scale · levels, where
 *
 *   scale = max |x_j| / 127, rounded to 17 significant bits,  level_i = round(x_i / scale),
 *
 * half to even. A level has 7 bits, so scale · level is exact as a float. Therefore the
 * approximation of the row scale · levels is this row itself, with the same scale and levels. If
 * max |x_j| is below 1e-30, scale and levels are 0. If an element is infinite or NaN, the scale is
 * NaN, and so is every result of the row. A sum of products of levels is an exact integer
 * (docs/kernels.md, (96) and (97)). The floating-point operations around it have a fixed order
 * for each element. Therefore a row of results has the same bits on every processor, for any other
 * rows in the batch, and for any number of threads. */
#ifndef ELMAN_TENSOR_EIGHT_BITS_H
#define ELMAN_TENSOR_EIGHT_BITS_H

#include "base/arena.h"
#include "tensor/quantized.h"
#include "tensor/real.h"

/* Return the scale of a row x (n). */
float eight_bits_scale(const real *x, size_t n);

/* Set levels (n), the levels of elements of a row x with this scale. */
void eight_bits_levels(int8_t *levels, const real *x, size_t n, float scale);

/* Set `to` (n) to the approximation of a row x (n). */
void eight_bits_round(real *to, const real *x, size_t n);

/* A matrix of weights, to be stored in eight bits. */
struct float_matrix {
  const real *weight; /* (out,in); borrowed while the set is created; afterwards only the address is
                         used, to find the matrix */
  size_t out, in;
};

/* The same matrix in eight bits, laid out as in quantized.h. */
struct eight_bit_matrix {
  struct float_matrix from;
  size_t groups;
  int8_t *packed;   /* (64 blocks, 4 groups) */
  float *scales;    /* (64 blocks) */
  int32_t *offsets; /* (64 blocks): amount by which the zero of the features increases a sum */
};

/* All matrices of a model. */
struct eight_bits {
  const struct quantized_kernel *kernel;
  struct eight_bit_matrix *matrices; /* (count) */
  size_t count;
  struct arena arena;
};

/* Quantize the matrices with this kernel (NULL = the fastest). Return ELMAN_INVALID_ARGUMENT if a
 * matrix has more than QUANTIZED_MAX_COLUMNS columns. The caller must call eight_bits_free, also
 * after a failure. */
elman_status eight_bits_create(struct eight_bits *set, const struct float_matrix *matrices,
                               size_t count, const struct quantized_kernel *kernel,
                               elman_error *error) CHECKED;
void eight_bits_free(struct eight_bits *set);

/* Some rows of a matrix: outputs `first` to `first` + `out` - 1. */
struct eight_bit_rows {
  const struct eight_bits *set;
  const struct eight_bit_matrix *matrix;
  size_t first, out;
};

/* Find the rows that begin at this address of the floats. The set must contain them. */
struct eight_bit_rows eight_bits_find(const struct eight_bits *set, const real *weight, size_t out);

/* Features in eight bits. */
struct eight_bit_features {
  uint8_t *levels; /* (n, 4 groups) */
  float *scales;   /* (n) */
};

void eight_bit_features_allocate(struct eight_bit_features *features, struct arena *arena, size_t n,
                                 size_t in);

/* Quantize features x (n,in), for a kernel. */
void eight_bit_features_fill(struct eight_bit_features features,
                             const struct quantized_kernel *kernel, const real *x, size_t in,
                             size_t n);

/* The destination of a product. */
struct eight_bit_results {
  real *rows;
  size_t ld;        /* distance between rows */
  const real *bias; /* (out); NULL = none */
  bool add;         /* add to the existing values; requires that there is no bias */
};

/* Compute y = x Wᵀ [+ bias], or y += x Wᵀ, on the calling thread, from features that are already
 * quantized. An element is y or bias, plus float(sum) · (weight scale · feature scale). */
void eight_bit_product_alone(struct eight_bit_results y, struct eight_bit_features features,
                             struct eight_bit_rows weights, size_t n);

/* Like eight_bit_product_alone, from floats x (n,in), and shared among threads. */
void eight_bit_product(struct eight_bit_results y, const real *x, struct eight_bit_rows weights,
                       size_t n);

#endif
