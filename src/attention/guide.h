/* Guided alignment (Chen, Matusov, Khadivi and Peter, AMTA 2016): a query's weights learn to be
 * like a given distribution over the keys, the uniform one over those that it is linked with. The
 * loss is the cross-entropy between the two; of several heads, of the mean of their weights.
 * docs/beyond.md, equations 75 to 78. */
#ifndef ELMAN_ATTENTION_GUIDE_H
#define ELMAN_ATTENTION_GUIDE_H

#include "attention/mask.h"

/* A query in one head, and the keys that it is linked with. */
struct guided {
  const struct attention_row *row;
  const uint32_t *keys;
  size_t count;
  size_t head;
  real scale; /* λ / (M count): what -log of the weight of one key counts in the loss */
};

/* Gradient of the loss with respect to the logarithm of this head's weight of the i-th of the keys:
 * -scale, or of several heads this one's share of it.                                 (77) */
real guided_pull(const struct guided *guided, size_t i);

/* The logarithm of a key's weight in head n, from the scores, so that it is finite where the weight
 * itself is too small for a number. The position of the row counts from the pass's first query. */
typedef double guided_log(const struct attention_row *row, size_t n, size_t key);
/* The usual one, of the softmax over what is visible. */
guided_log guided_log_of_softmax;

/* log Σ exp, one number after the other. Starts from all zero. */
struct log_sum {
  double largest, sum;
};
void log_sum_add(struct log_sum *log_sum, double x);
double log_sum_of(const struct log_sum *log_sum);
/* Adds to dscores (S), and to what else weights are made of in the scratch. */
typedef void guided_backward(real *dscores, const struct guided *guided,
                             const struct attention_arrays *scratch);

/* The usual one, of the softmax. */
guided_backward guided_softmax_backward;

/* losses (T B): of queries without links, zero. After the forward pass of all queries. */
void guide_losses(double *losses, const struct attention_pass *pass);

/* Adds what the guide's loss gives to the scores of a query in head n: dscores (S). */
void guide_backward(real *dscores, const struct attention_row *row, size_t n,
                    const struct attention_arrays *scratch);

#endif
