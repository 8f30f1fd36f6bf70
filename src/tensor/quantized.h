/* Products of numbers in eight bits, summed exactly in 32.
 *
 * A weight matrix (V,F) lies in blocks of 64 outputs, the last one filled up with zeros: of each
 * block first the four first columns of all its outputs, then the next four, and so on, so that a
 * vector instruction finds the numbers it multiplies side by side. Weights are -127 to 127.
 * Features meet them as unsigned numbers: a level of -L to L, plus L + 1. */
#ifndef ELMAN_TENSOR_QUANTIZED_H
#define ELMAN_TENSOR_QUANTIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  QUANTIZED_BLOCK = 64, /* outputs */
  QUANTIZED_ROWS = 4,   /* the most rows of one call */
  QUANTIZED_MOST_WEIGHT = 127,
  QUANTIZED_MOST_COLUMNS = 65536 /* more could overflow a sum */
};

/* F columns in groups of four. */
size_t quantized_groups(size_t F);

/* Where weight (v,column) of a matrix of so many groups lies. */
size_t quantized_place(size_t v, size_t column, size_t groups);

/* sums (rows,64) = features (rows, 4 groups) times one block of weights; rows is 1 to 4. */
typedef void quantized_product(int32_t *sums, const uint8_t *features, size_t rows,
                               const int8_t *block, size_t groups);

/* One way to compute it. */
struct quantized_kernel {
  const char *name; /* of the instructions it needs */
  quantized_product *product;
  int most_level; /* L */
  bool one_row;   /* faster than floats for one row at a time only */
};

/* The kernels that this processor can run, the fastest first; NULL past the last one, which is
 * plain C and runs everywhere. */
const struct quantized_kernel *quantized_kernel_at(size_t i);

#endif
