/* Attention on plain matrices, as elman/mechanisms.h describes it: one sentence without a network.
 */
#ifndef ELMAN_MODEL_MATRIX_ATTENTION_H
#define ELMAN_MODEL_MATRIX_ATTENTION_H

#include "attention/attention.h"
#include "elman/mechanisms.h"

struct matrix_attention {
  const elman_attention_input *input;
  const elman_attention_gradients *gradients; /* NULL = forward only */
  const float *dcontext;
  struct attention_layer layer;
  struct attention_shape shape;
  size_t query_length, key_length; /* lengths to which `shape` points */
  struct attention_parameters weights, dweights;
  struct attention_arrays cache, scratch;
  real *dqueries, *dkeys, *dvalues;
  struct arena arena;
};

/* Check the arguments of elman_attention_forward or, if `gradients` is not NULL, of
 * elman_attention_backward, and allocate memory. The struct must not move. The caller must call
 * matrix_attention_free, also after a failure. */
elman_status matrix_attention_start(struct matrix_attention *a, const elman_attention_input *input,
                                    const elman_attention_options *options,
                                    const elman_attention_gradients *gradients,
                                    const float *dcontext, elman_error *error) CHECKED;
void matrix_attention_free(struct matrix_attention *a);

/* Compute the attention, and add the gradients if there are any. */
elman_status matrix_attention_run(struct matrix_attention *a, elman_error *error) CHECKED;

/* Copy the results. */
elman_status matrix_attention_output(elman_attention_output **output,
                                     const struct matrix_attention *a, elman_error *error) CHECKED;

#endif
