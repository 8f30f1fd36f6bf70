/* Attention on plain matrices.
 *
 * T queries look at S keys and take a weighted mean of S values, by any mechanism of the translator
 * and with the same code. docs/attention.md shows each of them. */
#ifndef ELMAN_MECHANISMS_H
#define ELMAN_MECHANISMS_H

#include "elman/status.h"

ELMAN_BEGIN

/* A learned weight of a mechanism, or the gradient of one. */
typedef struct elman_tensor {
  const char *name;     /* as in a model file after "decoder.attention.": "query.weight" */
  size_t rows, columns; /* a vector has 1 column */
  float *values;        /* (rows,columns) */
} elman_tensor;

/* The weights that a mechanism has for queries of `width` numbers, from index 0 up: *weight has
 * name and shape, and `values` NULL. False past the last, and if there is no such mechanism. */
ELMAN_API bool elman_attention_parameter(elman_tensor *parameter, const char *mechanism,
                                         size_t width, size_t index);

/* Reads all weights of a mechanism for queries of `width` numbers from the safetensors file at
 * `path`, where they have the names above, or the same behind "decoder.attention.", as in a model
 * file. Gives an array of *count, which lives in one piece; free it by
 * elman_attention_parameters_free.
 */
ELMAN_CHECKED elman_status elman_attention_parameters_load(elman_tensor **parameters, size_t *count,
                                                           const char *path, const char *mechanism,
                                                           size_t width, elman_error *error);
ELMAN_API void elman_attention_parameters_free(elman_tensor *parameters);

/* A key_length without padding. */
#define ELMAN_ALL_KEYS SIZE_MAX

typedef struct elman_attention_options {
  const char *mechanism; /* a name from elman_attention_name; default "dot" */
  size_t heads;  /* N, which divides both widths; default 1, as "additive", "local", "adaptive",
                    "sentinel" and "hierarchical" need it */
  size_t window; /* of "local": keys to each side of the centre; of "hierarchical": keys in a
                    segment; 0 (default) = 5. Other mechanisms have none: ELMAN_INVALID_ARGUMENT */
  double scale;  /* what products are multiplied by; 0 (default) = what the mechanism takes: 1,
                    or for "scaled", "projected" and "multihead" 1 / sqrt(width / N) */
  bool divide_by_sum; /* weights are scores divided by their sum, without a softmax; a row whose sum
                         is not positive is ELMAN_BAD_DATA. Not for "local", "adaptive", "sentinel"
                         and "hierarchical", whose weights are no plain softmax */
  bool causal;        /* query t sees the keys 0 to t only, however many keys there are */
  size_t key_length;  /* keys from this one on are padding, which no query sees; at least 1;
                         default ELMAN_ALL_KEYS */
} elman_attention_options;

ELMAN_API elman_attention_options elman_attention_options_default(void);

/* All numbers are finite. The three matrices may be one: self-attention. */
typedef struct elman_attention_input {
  size_t query_count, key_count;  /* T and S, at least 1 */
  size_t width;                   /* H, of queries and keys */
  size_t value_width;             /* V, of values; 0 = H, which it must be for "projected",
                                     "multihead" and "sentinel" */
  const float *queries;           /* (T,H) */
  const float *keys;              /* (S,H) */
  const float *values;            /* (S,V) */
  const elman_tensor *parameters; /* those of the mechanism, in any order, and no others */
  size_t parameter_count;
} elman_attention_input;

/* Read only; owned by the caller, freed whole. */
typedef struct elman_attention_output {
  size_t heads, query_count, key_count, value_width; /* N, T, S, V */
  const float *scores;   /* (N,T,S): scaled, before the softmax (and before the mask of
                           "adaptive"); -INFINITY where masked */
  const float *weights;  /* (N,T,S): exactly 0 where masked; rows sum to 1, or for "local" to
                            between exp(-2) and 1, or with the sentinel's weight to 1 */
  const float *sentinel; /* (T): weight of the sentinel; NULL if there is none */
  size_t segment_count;  /* G: segments of "hierarchical"; 0 for others */
  const float *segments; /* (T,G): the sums of the weights within them; NULL for others */
  const float *context;  /* (T,V) */
} elman_attention_output;

/* Sizes that do not fit are ELMAN_INVALID_ARGUMENT; numbers
 * that are not finite, or too large to compute with, ELMAN_BAD_DATA. */
ELMAN_CHECKED elman_status elman_attention_forward(elman_attention_output **output,
                                                   const elman_attention_input *input,
                                                   const elman_attention_options *options,
                                                   elman_error *error);
ELMAN_API void elman_attention_output_free(elman_attention_output *output);

/* Arrays that gradients are added to. NULL, or a weight left out, is not wanted. Two of them may be
 * one array, which then gets the sum, as self-attention needs it. */
typedef struct elman_attention_gradients {
  float *queries;                 /* (T,H) */
  float *keys;                    /* (S,H) */
  float *values;                  /* (S,V) */
  const elman_tensor *parameters; /* names and shapes as in the input */
  size_t parameter_count;
} elman_attention_gradients;

/* From `dcontext`, the gradient of the context (T,V), to those of all that went in. An error
 * changes no array.
 */
ELMAN_CHECKED elman_status elman_attention_backward(const elman_attention_gradients *gradients,
                                                    const float *dcontext,
                                                    const elman_attention_input *input,
                                                    const elman_attention_options *options,
                                                    elman_error *error);

ELMAN_END

#endif
