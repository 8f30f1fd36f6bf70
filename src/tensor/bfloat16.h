/* Products whose operands are rounded to bfloat16: docs/training.md, "bfloat16".
 *
 * A bfloat16 number is a float whose lower 16 bits are 0: 8 significant bits, and the exponents of
 * a float. The product of two such numbers has 16 significant bits, so it is exact in float. Sums
 * are computed in float.
 *
 * A kernel of pairs multiplies panels whose elements are pairs of bfloat16 numbers, which belong to
 * successive terms of a sum. Every element of its result is one chain of pairs per block of
 * pair_block(k) terms; the sums of the blocks are added in order. Therefore the bits depend on
 * neither the tile nor the number of threads. They depend on the instruction: it defines the order
 * and the rounding of the additions within a pair, and it sets subnormal sums to 0. */
#ifndef ELMAN_TENSOR_BFLOAT16_H
#define ELMAN_TENSOR_BFLOAT16_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tensor/operand.h"

/* Return x rounded to bfloat16: to nearest, ties to even. A number that rounds to 2^128 or more
 * becomes infinity, a subnormal number becomes 0 of its sign, and a NaN becomes a quiet NaN. These
 * are the results of the conversion instructions of x86, whatever the mode of the thread is. */
static inline float bfloat16_round(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000)
    bits |= 0x00400000;
  else if (magnitude < 0x00800000)
    bits &= 0x80000000;
  else
    bits += 0x7FFF + (bits >> 16 & 1);
  bits &= 0xFFFF0000;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Round the first k numbers of `rows` rows of a matrix (NOT_TRANSPOSED) to rows that are `ld`
 * apart. */
void bfloat16_round_rows(real *to, size_t ld, struct operand from, size_t rows, size_t k);

/* Round n numbers in place. */
void bfloat16_round_all(real *x, size_t n);

enum {
  PAIR_BLOCK = 384,  /* largest number of terms of a block: 192 pairs */
  PAIR_ROWS = 14,    /* rows of a strip of A */
  PAIR_LANES = 16,   /* pairs of a vector; a strip has one vector per pair of terms */
  PAIR_COLUMNS = 32, /* columns of a panel of B: two vectors per pair of terms */
  PAIR_STRIPS = 28,  /* strips of A that are packed together */
};

/* A tile of a product: C (rows,columns) = alpha A (rows,2 pairs) B (2 pairs,columns), added to C if
 * `add`. */
struct pair_tile {
  float *c;
  size_t ldc;
  const uint32_t *a; /* (pairs,PAIR_LANES): a strip */
  const uint32_t *b; /* (pairs,PAIR_COLUMNS): a panel */
  size_t rows;       /* 1 to PAIR_ROWS */
  size_t columns;    /* 1 to PAIR_COLUMNS */
  size_t pairs;      /* at most PAIR_BLOCK / 2 */
  float alpha;
  bool add;
};

/* Round and pack k terms of `count` rows or columns, at most PAIR_LANES, to vectors of pairs that
 * are `step` pairs apart. The lanes after `count` become 0, and so does the second term of the last
 * pair if k is odd. */
typedef void pair_pack_function(uint32_t *to, size_t step, const float *from, size_t ld,
                                size_t count, size_t k);

struct pair_kernel {
  const char *instructions;
  void (*run)(const struct pair_tile *tile);
  pair_pack_function *along;  /* `from` is (count,k): the terms of a row are adjacent */
  pair_pack_function *across; /* `from` is (k,count) */
};

/* Return the number of terms of each block but the last, for sums of k terms: even, and about equal
 * blocks, because every block reads and writes C. */
size_t pair_block(size_t k);

/* Return the kernel of pairs that this processor can run; NULL if it has none. */
const struct pair_kernel *pair_kernel_here(void);

/* Compute the whole product on the calling thread. p.beta must be 0 or 1. */
void pair_product(const struct pair_kernel *kernel, struct product p);

/* Pack `columns` columns of op(B), all k terms, to a panel of (k + 1) / 2 rows of pairs. */
void pair_pack_panel(const struct pair_kernel *kernel, uint32_t *panel, struct operand b,
                     size_t columns, size_t k);

/* Pack k terms of `rows` rows of op(A) to strips, which have (k + 1) / 2 vectors each. */
void pair_pack_strips(const struct pair_kernel *kernel, uint32_t *strips, struct operand a,
                      size_t rows, size_t k);

/* Run the kernel for strips that pair_pack_strips has packed, and any number of rows. tile.a is the
 * first strip; tile.rows is not used. */
void pair_run_strips(const struct pair_kernel *kernel, struct pair_tile tile, size_t rows);

#endif
