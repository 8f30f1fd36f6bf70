/* Finds the largest of the logits w_v·f + b_v without most of the multiplications.
 *
 * Weights and features are also stored in 8 bits, with a scale for each
 * row: w~_v and f~. Their product is cheap and exact in integers. It bounds each logit by the
 * Cauchy-Schwarz inequality, because w·f - w~·f~ = w·(f - f~) + (w - w~)·f~:
 *
 *   |logit - approximation| <= |w| |f - f~| + |w - w~| |f~| + rounding,
 *
 * where |x| is the Euclidean norm of x. The differences f - f~ and w - w~ are the actual
 * quantization errors. The term for rounding follows from this fact: a sum of F products of floats,
 * in any order, has an error of at most (F + 2) 2^-24 |w| |f| to first order. The bound must also
 * cover the rounding of the approximation, of the bias and of the bound itself. It therefore uses
 * (F + 32) 2^-24 (2 (|w| + |w - w~|) max(|f|, |f~|) + |b|). Subnormal numbers may be treated as
 * zero, which changes a sum by less than 10^-25 for the features that are accepted.
 *
 * A token is discarded if its approximation plus bound is below another token's approximation minus
 * bound, or below a known logit. The logits of the remaining tokens are computed from the floats,
 * in one fixed order of summation. The result is the first token with the largest of these logits.
 * Computing all logits in that order would select the same token, for any batch and any number of
 * threads. */
#ifndef ELMAN_TENSOR_SCREEN_H
#define ELMAN_TENSOR_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "tensor/eight_bits.h"

struct screened_layer {
  const real *weight, *bias; /* (V,F), (V); borrowed, must not change */
  size_t V, F;
  size_t never;     /* a token that must not be chosen */
  bool first_never; /* token 0 must not be chosen either */
};

struct screen {
  struct screened_layer layer;
  size_t blocks;
  const struct quantized_kernel *kernel; /* NULL: compute all logits */
  struct eight_bits set;                 /* contains the weights */
  struct eight_bit_matrix weights;       /* the scales of tokens that must not be chosen are 0 */
  double largest;        /* the largest of all |w| + |w - w~| and |b|; infinite if one of them is */
  double *block_largest; /* (blocks): the largest of these values in each block */
  struct arena arena;
  float *norms, *errors, *biases; /* (64 blocks) */
  float *slack; /* (64 blocks): the part of each bound that does not depend on the features */
};

/* Quantize the weights. If `kernel` is NULL, all logits are always computed. The caller must call
 * screen_free, also after a failure. */
elman_status screen_create(struct screen *screen, struct screened_layer layer,
                           const struct quantized_kernel *kernel, elman_error *error) CHECKED;
void screen_free(struct screen *screen);

/* Return whether screening `rows` rows at a time is faster than computing all logits. */
bool screen_is_worth(const struct screen *screen, size_t rows);

/* The terms of the bound of a row of features. */
struct screened_row {
  float norm_factor, error_factor; /* factors of |w| and of |w - w~| */
  bool exact;                      /* compute all logits, because no bound is possible */
};

struct screen_scratch {
  struct eight_bit_features features; /* (n,F) */
  struct screened_row *rows;          /* (n) */
  float *highest, *lowest; /* (n,blocks): largest approximation plus bound, and minus bound */
  real *logits;            /* (V) */
};
void screen_scratch_allocate(struct screen_scratch *scratch, struct arena *arena,
                             const struct screen *screen, size_t n);

#define SCREEN_NONE SIZE_MAX

/* Set largest (n) to the token with the largest logit for each row of features (n,F); if several
 * are equal, the first. Set it to SCREEN_NONE for a row whose log Σ exp is not finite. */
void screen_largest(size_t *largest, const struct screen *screen, struct screen_scratch *scratch,
                    const real *features, size_t n);

#endif
