/* Masks: the contiguous range of keys that a query sees, the weights over these keys, and overrides
 * of weights. */
#ifndef ELMAN_ATTENTION_MASK_H
#define ELMAN_ATTENTION_MASK_H

#include "attention/kinds.h"
#include "base/random.h"
#include "elman/translate.h"

/* The visible keys, from `first` to `end` - 1. */
struct visible {
  size_t first, end;
};

/* Return the column of keys that row b uses, and the number of columns. */
static inline size_t key_column(struct attention_shape shape, size_t b) {
  return shape.key_columns == NULL ? b : shape.key_columns[b];
}

static inline size_t key_batch(struct attention_shape shape) {
  return shape.key_batch == 0 ? shape.batch : shape.key_batch;
}

/* Return how many rows of the range are queries of sentence b; the other rows are padding. */
size_t mask_queries(struct attention_shape shape, size_t b);

/* Return the visible keys of query shape.first_query + t. Padding is not visible; if the shape is
 * causal, later keys are not visible either. */
struct visible mask_visible(struct attention_shape shape, size_t b, size_t t);

/* Return the largest `end` of the visible keys of all queries in the range. */
size_t mask_keys(struct attention_shape shape, size_t b);

/* In an array (T,B,width), set the rows after the end of sentence b to zero. */
void mask_clear_queries(real *rows, size_t width, struct attention_shape shape, size_t b);

/* Set the masked part of a row (S) to `value`. */
void mask_fill_outside(real *row, struct visible visible, size_t S, real value);

/* Return 1 minus the sum of a query's weights (S), but at least 0. A sentinel, if there is one, has
 * this weight. */
real mask_rest(const real *row, size_t S);

/* The weights of one query in one head. */
struct attention_row {
  const struct attention_pass *pass;
  size_t position; /* position of the query in arrays (T,B,·) */
  struct visible visible;
  real *weights; /* (S) */
  real *scores;  /* (S): scores before the softmax; NULL if they are not stored */
};

/* Return the score of a key in head n. Recompute it from queries and keys, because scores may not
 * be stored. */
real attention_score_at(const struct attention_row *row, size_t n, size_t key);

/* Convert the scores in row->weights to weights. Set the weights of keys that are not visible to
 * exactly zero. The function may narrow row->visible. */
typedef void weigh_forward(struct attention_row *row);
/* Convert drow (S) from the gradient of the weights to the gradient of the scores. Set the gradient
 * to exactly zero for keys that are not visible. On entry row->visible is as before the forward
 * pass. */
typedef void weigh_backward(real *drow, const struct attention_row *row,
                            const struct attention_arrays *scratch);

/* Apply the softmax: (7), (48) and (16). */
weigh_forward mask_softmax_forward;
weigh_backward mask_softmax_backward;

/* Divide scores by their sum, which must not be zero: (71). The backward pass needs row->scores. */
weigh_forward mask_share_forward;
weigh_backward mask_share_backward;

/* ---- overrides: weights that are changed during decoding, which shows whether the translation
 * depends on them ---- */

/* Overrides from the translation options. They are applied in order, in every head. */
struct attention_overrides {
  const elman_translate_options *options;
  size_t first; /* index of the first query in the range */
};

/* Override the row (S) of query `first` + t. A shuffle depends only on the seed, the query and the
 * number of visible keys. */
void override_apply(real *row, struct visible visible, const struct attention_overrides *overrides,
                    size_t t);

#endif
