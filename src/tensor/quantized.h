/* Products of 8-bit integers, summed exactly in 32 bits.
 *
 * A weight matrix (V,F) is stored in blocks of 64 outputs; the last block is padded with zeros. A
 * block contains columns 0 to 3 of all its outputs, then columns 4 to 7, and so on. Therefore
 * numbers that one vector instruction multiplies are adjacent. Weights and features are levels from
 * -127 to 127. A kernel reads features as bytes: the level plus the kernel's `zero`, modulo 256.
 *
 * No kernel saturates, so that all kernels compute the same integers. */
#ifndef ELMAN_TENSOR_QUANTIZED_H
#define ELMAN_TENSOR_QUANTIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  QUANTIZED_BLOCK = 64, /* outputs per block */
  QUANTIZED_ROWS = 16,  /* maximum rows per call of any kernel */
  QUANTIZED_LEVELS = 127,
  QUANTIZED_MAX_COLUMNS = 65536 /* more columns could overflow a sum */
};

/* Return the number of groups of four columns. */
size_t quantized_groups(size_t F);

/* Return the index of weight (v,column) in the packed matrix. */
size_t quantized_place(size_t v, size_t column, size_t groups);

/* Compute sums (rows,64) from features (rows, 4 groups) and one block of weights; rows is 1 to
 * the rows of the kernel. A sum is too large by `zero` times the sum of the output's weights. */
typedef void quantized_product(int32_t *sums, const uint8_t *features, size_t rows,
                               const int8_t *block, size_t groups);

/* An implementation of the product. */
struct quantized_kernel {
  const char *name; /* names the required instructions */
  quantized_product *product;
  size_t rows;  /* maximum rows per call */
  int zero;     /* added to each feature: 128 if the instructions need unsigned features, or 0 */
  bool one_row; /* faster than floats only for a single row */
};

/* Return kernel `i`, from the fastest to the slowest that this processor can run; NULL after the
 * last one, plain C, which runs on every processor. */
const struct quantized_kernel *quantized_kernel_at(size_t i);

#endif
