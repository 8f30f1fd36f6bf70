/* The largest of the logits w_v·f + b_v, without most of the multiplications.
 *
 * Weights and features are also kept in eight bits (for AVX2, features in seven), with a scale for
 * each row: w~_v and f~. Their product is cheap, exact in integers, and tells each logit to within
 * a bound: by Cauchy and Schwarz, since w·f - w~·f~ = w·(f - f~) + (w - w~)·f~,
 *
 *   |logit - approximation| <= |w| |f - f~| + |w - w~| |f~| + rounding,
 *
 * where |x| is the Euclidean norm and the errors f - f~, w - w~ are those that were really made.
 * Rounding: a sum of F products of floats, in any order, is off by at most (F + 2) 2^-24 |w| |f|,
 * to first order; with what the approximation, the bias and the bound itself are rounded by, we
 * take (F + 32) 2^-24 (2 (|w| + |w - w~|) max(|f|, |f~|) + |b|). Numbers below the smallest normal
 * one may be taken as zero, which moves a sum by less than 10^-25 for the features let in.
 *
 * A token whose approximation plus bound is below another's approximation minus bound, or below a
 * logit that is known, is not the likeliest one. Of those that are left the logits are computed
 * from the floats, in one fixed order of summation, and the first of the largest is taken: the same
 * token as when all logits are computed in that order, whatever else is in the batch and however
 * many threads there are. */
#ifndef ELMAN_TENSOR_SCREEN_H
#define ELMAN_TENSOR_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "tensor/quantized.h"
#include "tensor/real.h"

struct screened_layer {
  const real *weight, *bias; /* (V,F), (V); borrowed: they must not change */
  size_t V, F;
  size_t never;     /* the token that is not to be chosen */
  bool first_never; /* nor is the first of all */
};

struct screen {
  struct screened_layer layer;
  size_t blocks, groups;
  const struct quantized_kernel *kernel; /* NULL: compute all logits */
  double largest;        /* of all norms |w| + |w - w~| and |b|; infinite where one is */
  double *block_largest; /* (blocks): the same of each block */
  struct arena arena;
  int8_t *packed; /* (64 blocks,F) as in quantized.h; the rest (64 blocks): */
  float *scales, *norms, *errors, *biases;
  float *slack;     /* the part of the bound that does not depend on the features */
  int32_t *offsets; /* what L + 1, added to the features, adds to a sum */
};

/* `kernel` NULL: the logits are all computed. Free it also when this fails. */
elman_status screen_create(struct screen *screen, struct screened_layer layer,
                           const struct quantized_kernel *kernel, elman_error *error) CHECKED;
void screen_free(struct screen *screen);

/* Whether for so many rows at a time it is faster than all logits. */
bool screen_is_worth(const struct screen *screen, size_t rows);

/* A row of features in eight bits, and what the bound needs of it. */
struct screened_row {
  float scale;
  float norm_factor, error_factor; /* of |w| and of |w - w~| */
  bool exact;                      /* nothing is bounded: compute all logits */
};

struct screen_scratch {
  uint8_t *features;         /* (n, 4 groups) */
  struct screened_row *rows; /* (n) */
  float *highest, *lowest;   /* (n,blocks): of approximation plus, and minus, bound */
  real *logits;              /* (V) */
};
void screen_scratch_allocate(struct screen_scratch *scratch, struct arena *arena,
                             const struct screen *screen, size_t n);

#define SCREEN_NONE SIZE_MAX

/* largest (n): of each row of features (n,F) the token with the largest logit, the first among
 * equals; SCREEN_NONE where log Σ exp of the logits is not a number. */
void screen_largest(size_t *largest, const struct screen *screen, struct screen_scratch *scratch,
                    const real *features, size_t n);

#endif
