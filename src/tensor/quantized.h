/* Products of numbers in eight bits, summed exactly in 32.
 *
 * A weight matrix (V,F) lies in blocks of 64 outputs, the last one filled up with zeros: of each
 * block first the four first columns of all its outputs, then the next four, and so on, so that a
 * vector instruction finds the numbers it multiplies side by side. Weights are -127 to 127; what
 * they meet is 1 to 255 and stands for its value less 128. */
#ifndef ELMAN_TENSOR_QUANTIZED_H
#define ELMAN_TENSOR_QUANTIZED_H

#include <stddef.h>
#include <stdint.h>

enum {
  QUANTIZED_BLOCK = 64, /* outputs */
  QUANTIZED_ROWS = 4,   /* the most rows of one call */
  QUANTIZED_ZERO = 128,
  QUANTIZED_MOST_COLUMNS = 65536 /* more could overflow a sum */
};

/* F columns in groups of four. */
size_t quantized_groups(size_t F);

/* Where weight (v,column) of a matrix of so many groups lies. */
size_t quantized_place(size_t v, size_t column, size_t groups);

/* sums (rows,64) = features (rows, 4 groups) times one block of weights; rows is 1 to 4. */
typedef void quantized_product(int32_t *sums, const uint8_t *features, size_t rows,
                               const int8_t *block, size_t groups);

/* In plain C, for the tests. */
quantized_product quantized_product_plain;

/* With the processor's own instructions; NULL where it has none, so that floats are faster. */
quantized_product *quantized_product_fast(void);

#endif
