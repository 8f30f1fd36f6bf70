/* Which keys a query may look at: some that follow each other, and nothing outside gets any weight.
 */
#ifndef ELMAN_ATTENTION_MASK_H
#define ELMAN_ATTENTION_MASK_H

#include "attention/attention.h"

/* Keys from `first` up to but not `end`. */
struct visible {
  size_t first, end;
};

/* The queries of sentence b that are run; the others of the shape's lie past its end. */
size_t mask_queries(struct attention_shape shape, size_t b);

/* Padding and, where it is causal, what comes after query t (counted from the shape's first). */
struct visible mask_visible(struct attention_shape shape, size_t b, size_t t);

/* The largest `end` of all queries that are run. */
size_t mask_keys(struct attention_shape shape, size_t b);

/* The masked part of a row (S) becomes exactly zero. */
void mask_clear_outside(real *row, struct visible visible, size_t S);

/* Softmax of the visible part of a row (S); the rest becomes exactly zero. Equations 7 and 37. */
void mask_softmax_forward(real *row, struct visible visible, size_t S);
/* As softmax_backward; the rest becomes exactly zero. */
void mask_softmax_backward(real *drow, const real *weights, struct visible visible, size_t S);

/* The visible part of a row (S) divided by its sum, which must not be zero; the rest becomes
 * exactly zero. Backward, `scores` is the row as it was before. Equation 46. */
void mask_share_forward(real *row, struct visible visible, size_t S);
void mask_share_backward(real *drow, const real *weights, const real *scores,
                         struct visible visible, size_t S);

#endif
