/* Attention on plain matrices.
 *
 * T queries attend to S keys; the context of a query is the weighted mean of S values. All
 * mechanisms of the translator are available; these functions run the translator's own code.
 * docs/attention.md explains each mechanism. */
#ifndef ELMAN_MECHANISMS_H
#define ELMAN_MECHANISMS_H

#include "elman/status.h"

ELMAN_BEGIN

/* A parameter of a mechanism, or its gradient. */
typedef struct elman_tensor {
  const char *name; /* name in a model file without "decoder.attention.", such as "query.weight" */
  size_t rows, columns; /* a vector has 1 column */
  float *values;        /* (rows,columns) */
} elman_tensor;

/* Get the name and shape of parameter `index`, from 0, of a mechanism for queries of `width`
 * elements, and set its `values` to NULL. Return false after the last parameter, and if there is no
 * such mechanism. */
ELMAN_API bool elman_attention_parameter(elman_tensor *parameter, const char *mechanism,
                                         size_t width, size_t index);

/* Read all parameters of a mechanism for queries of `width` elements from the safetensors file at
 * `path`. The file has the tensor names that elman_attention_parameter returns, with or without the
 * prefix "decoder.attention.". The array of *count parameters is freed as a whole by
 * elman_attention_parameters_free. */
ELMAN_CHECKED elman_status elman_attention_parameters_load(elman_tensor **parameters, size_t *count,
                                                           const char *path, const char *mechanism,
                                                           size_t width, elman_error *error);
ELMAN_API void elman_attention_parameters_free(elman_tensor *parameters);

/* Value of key_length for keys that have no padding. */
#define ELMAN_ALL_KEYS SIZE_MAX

typedef struct elman_attention_options {
  const char *mechanism; /* a name from elman_attention_name; default "dot" */
  size_t heads;  /* K, the number of heads; must divide both widths; default 1; must be 1 for
                    "additive", "local", "adaptive", "sentinel" and "hierarchical" */
  size_t window; /* for "local": keys on each side of the center; for "hierarchical": keys per
                    segment; 0 (default) = 5. Must be 0 for other mechanisms */
  double scale;  /* factor of the scores; 0 (default) = the default of the mechanism: 1 / sqrt(width
                    / K) for "scaled", "projected" and "multihead", and 1 for other mechanisms */
  bool divide_by_sum; /* divide the scores by their sum instead of computing a softmax.
                         ELMAN_BAD_DATA if the sum of a row is not positive. Not permitted for
                         "local", "adaptive", "sentinel" and "hierarchical", whose weights are not a
                         plain softmax */
  bool causal;        /* query t attends to keys 0 to t only */
  size_t key_length;  /* index of the first padding key; this key and all later ones are masked; at
                         least 1; default ELMAN_ALL_KEYS */
  uint64_t reserved[4];
} elman_attention_options;

ELMAN_API elman_attention_options elman_attention_options_default(void);

/* Input of a mechanism. All values are finite. The three matrices may be identical:
 * self-attention. */
typedef struct elman_attention_input {
  size_t query_count, key_count; /* T and S, at least 1 */
  size_t width;                  /* H: number of elements per query and per key */
  size_t value_width;   /* V: number of elements per value; 0 = H; must be H for "projected",
                           "multihead" and "sentinel" */
  const float *queries; /* (T,H) */
  const float *keys;    /* (S,H) */
  const float *values;  /* (S,V) */
  const elman_tensor *parameters; /* all parameters of the mechanism, in any order */
  size_t parameter_count;
} elman_attention_input;

/* Output of a mechanism. It is read-only and owned by the caller. */
typedef struct elman_attention_output {
  size_t heads, query_count, key_count, value_width; /* K, T, S, V */
  const float *scores;   /* (K,T,S): scaled, before the softmax (and before the mask of "adaptive");
                            -INFINITY where masked */
  const float *weights;  /* (K,T,S): attention weights, exactly 0 where masked. Rows sum to 1. With
                            "local" they sum to between exp(-2) and 1. With "sentinel" they sum to 1
                            together with the sentinel */
  const float *sentinel; /* (T): weights of the sentinel; NULL if there is none */
  size_t segment_count;  /* G: number of segments of "hierarchical"; 0 for other mechanisms */
  const float *segments; /* (T,G): sum of the weights in each segment; NULL for other mechanisms */
  const float *context;  /* (T,V) */
} elman_attention_output;

/* Compute scores, attention weights and contexts. Return ELMAN_INVALID_ARGUMENT for sizes that do
 * not match. Return ELMAN_BAD_DATA for values that are not finite, or so large that results
 * overflow. */
ELMAN_CHECKED elman_status elman_attention_forward(elman_attention_output **output,
                                                   const elman_attention_input *input,
                                                   const elman_attention_options *options,
                                                   elman_error *error);
ELMAN_API void elman_attention_output_free(elman_attention_output *output);

/* Arrays to which gradients are added. A gradient is not computed if its pointer is NULL or its
 * parameter is omitted. Two pointers may be equal; that array then receives the sum, as
 * self-attention requires. */
typedef struct elman_attention_gradients {
  float *queries;                 /* (T,H) */
  float *keys;                    /* (S,H) */
  float *values;                  /* (S,V) */
  const elman_tensor *parameters; /* names and shapes as in the input */
  size_t parameter_count;
} elman_attention_gradients;

/* Add the gradients with respect to all inputs. `dcontext` (T,V) is the gradient with respect to
 * the context. After an error the arrays are unchanged. */
ELMAN_CHECKED elman_status elman_attention_backward(const elman_attention_gradients *gradients,
                                                    const float *dcontext,
                                                    const elman_attention_input *input,
                                                    const elman_attention_options *options,
                                                    elman_error *error);

ELMAN_END

#endif
