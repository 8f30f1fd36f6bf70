/* Products whose operands are rounded to bfloat16: docs/training.md, "bfloat16".
 *
 * A bfloat16 number is a float whose lower 16 bits are 0: 8 significant bits, and the exponents of
 * a float. The product of two such numbers has 16 significant bits, so it is exact in float. Sums
 * are computed in float.
 *
 * A kernel of pairs multiplies panels whose elements are pairs of bfloat16 numbers, which belong to
 * successive terms of a sum. An element of its result is computed in blocks of pair_block(kernel,
 * k) terms. Each block is a chain: a sum to which one pair after another is added. The sums of the
 * blocks are added in order; with tiles, a block continues the sum of the blocks before it, if
 * alpha is 1. Therefore the bits depend on neither the tile nor the number of threads. They depend
 * on the instruction: it defines the order and the rounding of the additions, and it sets subnormal
 * sums to 0.
 *
 * VDPBF16PS (AVX512-BF16) adds both products of a pair to the sum. TDPBF16PS (AMX-BF16) adds 16
 * pairs at once: the first products of the pairs are one chain, the second ones another, and the
 * sum of the two chains is added to the sum.
 *
 * A plain kernel computes what TDPBF16PS computes, on every processor, for tests. */
#ifndef ELMAN_TENSOR_BFLOAT16_H
#define ELMAN_TENSOR_BFLOAT16_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tensor/operand.h"

/* Return x rounded to bfloat16: to nearest, ties to even. A number that rounds to 2^128 or more
 * becomes infinity, a subnormal number becomes 0 with its sign, and a NaN becomes a quiet NaN.
 * These are the results of the conversion instructions of x86, whatever the mode of the thread
 * is. */
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
  PAIR_BLOCK = 512,  /* largest number of terms of a block of any kernel */
  PAIR_LANES = 16,   /* pairs of a vector */
  PAIR_COLUMNS = 32, /* columns of a panel of B: two vectors per pair of terms */
  PAIR_STRIPS = 28,  /* vectors per pair of terms of all strips of A that are packed together */
};

/* A tile of a product: C (rows,columns) = alpha A (rows,2 pairs) B (2 pairs,columns), added to C if
 * `add`. */
struct pair_tile {
  float *c;
  size_t ldc;
  const uint32_t *a; /* a strip of the kernel */
  const uint32_t *b; /* (pairs,PAIR_COLUMNS): a panel */
  size_t rows;       /* 1 to the kernel's rows */
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
  size_t rows;    /* rows of a strip of A */
  size_t vectors; /* vectors of a strip per pair of terms */
  size_t terms;   /* terms that the kernel multiplies at once; missing terms of a strip are 0 */
  size_t block;   /* largest number of terms of a block: a multiple of `terms` */
  void (*run)(const struct pair_tile *tile);
  pair_pack_function *along;  /* `from` is (count,k): the terms of a row are adjacent */
  pair_pack_function *across; /* `from` is (k,count) */
  /* Round and pack k terms of rows of op(A) to a strip. The argument `rows` is their number, at
   * most the field `rows`. */
  void (*strip)(uint32_t *to, struct operand a, size_t rows, size_t k);
  /* Called before and after the calls of `run` in a thread; NULL = nothing to do. */
  void (*begin)(void), (*end)(void);
};

/* Return the number of terms of each block except the last, for sums of k terms. It is a multiple
 * of the kernel's terms. The blocks are about equal, because every block reads and writes C. */
size_t pair_block(const struct pair_kernel *kernel, size_t k);

/* The kernels of pairs. */
enum pair_kind { PAIRS_NONE, PAIRS_AVX512, PAIRS_AMX, PAIRS_PLAIN };

/* Return whether the processor has the instructions of a kernel and this kernel is faster than
 * float32. VDPBF16PS is faster on AMD (Zen 4, Zen 5). On Intel it is not, because it does as many
 * products per cycle as the instruction for float32. */
bool pair_kernel_runs(enum pair_kind kind);
bool pair_kernel_gains(enum pair_kind kind);

/* Return the kernel; NULL for PAIRS_NONE, and if the system does not let this process use tiles
 * (AMX). The first call for PAIRS_AMX requests this permission. */
const struct pair_kernel *pair_kernel_of(enum pair_kind kind);

/* Compute the whole product on the calling thread. p.beta must be 0 or 1. */
void pair_product(const struct pair_kernel *kernel, struct product p);

/* Pack `columns` columns of op(B), all k terms, to a panel of (k + 1) / 2 rows of pairs. */
void pair_pack_panel(const struct pair_kernel *kernel, uint32_t *panel, struct operand b,
                     size_t columns, size_t k);

/* Pack k terms of `rows` rows of op(A) to strips. */
void pair_pack_strips(const struct pair_kernel *kernel, uint32_t *strips, struct operand a,
                      size_t rows, size_t k);

/* Return the rows of A that are packed together. */
static inline size_t pair_rows_at_once(const struct pair_kernel *kernel) {
  return PAIR_STRIPS / kernel->vectors * kernel->rows;
}

/* Begin and end the use of a kernel in a thread. */
void pair_begin(const struct pair_kernel *kernel);
void pair_end(const struct pair_kernel *kernel);

/* Run the kernel for strips that pair_pack_strips has packed, with any number of rows. The caller
 * must first call pair_begin. tile.a is the first strip; tile.rows is not used. */
void pair_run_strips(const struct pair_kernel *kernel, struct pair_tile tile, size_t rows);

#endif
