/* Which keys a query may look at: some that follow each other, and nothing outside gets any weight;
 * and interventions in the weights. */
#ifndef ELMAN_ATTENTION_MASK_H
#define ELMAN_ATTENTION_MASK_H

#include "attention/kinds.h"
#include "base/random.h"
#include "elman/translate.h"

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

/* Rows (T,B,width) past the end of sentence b become zero. */
void mask_clear_queries(real *rows, size_t width, struct attention_shape shape, size_t b);

/* The masked part of a row (S) becomes this value. */
void mask_fill_outside(real *row, struct visible visible, size_t S, real value);

/* What the weights (S) of a query leave of 1: that of a sentinel, where there is one. At least 0.
 */
real mask_rest(const real *row, size_t S);

/* The weights of one query in one head. */
struct attention_row {
  const struct attention_pass *pass;
  size_t position; /* of the query in arrays (T,B,·) */
  struct visible visible;
  real *weights; /* (S) */
  real *scores;  /* (S) before the softmax; NULL if they are not kept */
};

/* The score of a key in head n, computed again from queries and keys. */
real attention_score_at(const struct attention_row *row, size_t n, size_t key);

/* From scores in row->weights to weights; what is not visible becomes exactly zero. May narrow what
 * is visible. */
typedef void weigh_forward(struct attention_row *row);
/* drow (S), the gradient of the weights, becomes that of the scores, and exactly zero for what is
 * not visible; `visible` is as the forward pass got it. */
typedef void weigh_backward(real *drow, const struct attention_row *row,
                            const struct attention_arrays *scratch);

/* The softmax: (7), (48) and (16). */
weigh_forward mask_softmax_forward;
weigh_backward mask_softmax_backward;

/* Division by the sum, which must not be zero: (71). Backward, scores must be kept. */
weigh_forward mask_share_forward;
weigh_backward mask_share_backward;

/* ---- interventions: weights that are changed while the model decodes, to see whether its
 * translation needs them as they are ---- */

/* Those of the options, applied one after the other, in every head. */
struct attention_overrides {
  const elman_translate_options *options;
  size_t first; /* number of the first query that is run, from 0 */
};

/* Changes the row (S) of query `first` + t. Shuffling depends on its seed, the query and the number
 * of keys only. */
void override_apply(real *row, struct visible visible, const struct attention_overrides *overrides,
                    size_t t);

#endif
