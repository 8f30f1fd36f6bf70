/* Numbers that a query predicts by a small network of one tanh layer: φ_t = tanh(W d_t), and
 * z_t = ω·φ_t for each of them; docs/beyond.md, equations 40 and 65. */
#ifndef ELMAN_ATTENTION_PREDICTION_H
#define ELMAN_ATTENTION_PREDICTION_H

#include "attention/attention.h"

/* Where its parts stand among the mechanism's own weights and arrays: W and φ first, then an ω (a
 * row) and a z for each number. */
enum { PREDICTION_STATES, PREDICTIONS };

/* From the queries to φ and the z of `count` numbers, which the mechanism may then change. */
void prediction_forward(const struct attention_pass *pass, size_t count);

/* From the dz in the scratch to the gradients of the queries and of all weights, added. Those of
 * queries past a sentence's end are not looked at. */
void prediction_backward(const struct attention_gradients *d, const struct attention_pass *pass,
                         size_t count);

#endif
