/* The predicted centre of local attention and the Gaussian around it: local-p of Luong et al.,
 * EMNLP 2015, equations 9 and 10; docs/beyond.md, equations 40 to 43. Source positions count
 * from 1.
 */
#ifndef ELMAN_ATTENTION_CENTER_H
#define ELMAN_ATTENTION_CENTER_H

#include "attention/mask.h"

/* p_t = S_b sigmoid(v_p · tanh(W_p d_t)) for the pass's queries, into the cache. */
void center_forward(const struct attention_pass *pass);

/* From dp_t in scratch.centers to the gradients of the queries, added, and of both weights. */
void center_backward(real *dqueries, const struct attention_parameters *gradients,
                     struct attention_scratch scratch, const struct attention_pass *pass);

/* The visible keys in the window p - D to p + D: at least one. */
struct visible center_window(struct visible visible, real center, size_t window);

/* weights *= exp(-(s - p)² / (2 (D/2)²)) over the visible keys */
void center_gaussian_forward(real *weights, struct visible visible, real center, size_t window);

/* drow, the gradient of a row of weights that a softmax and then the Gaussian made, becomes that of
 * the scores, and zero for what is not visible. Gives dp. */
real center_gaussian_backward(real *drow, const real *weights, struct visible visible, size_t S,
                              real center, size_t window);

#endif
