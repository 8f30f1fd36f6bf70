/* The table of attention mechanisms, their weights, and the arrays of a pass. */
#ifndef ELMAN_ATTENTION_KINDS_H
#define ELMAN_ATTENTION_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sequence.h"
#include "base/status.h"
#include "tensor/dropout.h"

/* One row per mechanism, with KIND and name. The rows define ATTENTION_KIND and refer to
 * elman_attention_name. Options and files use `name`. */
#define ATTENTION_MECHANISMS(ROW)                                                                  \
  ROW(DOT, dot)             /* d·e (Luong et al., EMNLP 2015) */                                  \
  ROW(SCALED, scaled)       /* d·e / √H (Vaswani et al., NIPS 2017) */                          \
  ROW(GENERAL, general)     /* (W d)·e (Luong et al.) */                                          \
  ROW(ADDITIVE, additive)   /* v·tanh(W_q d + b + W_k e) (Bahdanau et al., ICLR 2015) */          \
  ROW(PROJECTED, projected) /* scaled, after linear projections (Vaswani et al.) */                \
  ROW(MULTIHEAD, multihead) /* projected, in K heads, with an output projection */                 \
  ROW(LOCAL, local)         /* general, in a window around a predicted center (Luong's local-p) */ \
  ROW(ADAPTIVE, adaptive)   /* general, between all keys and a window whose center and width are   \
                               predicted (Yang et al., EMNLP 2018; Sukhbaatar et al., ACL 2019) */ \
  ROW(SENTINEL, sentinel)   /* additive, with a sentinel (Lu et al., CVPR 2017) */                 \
  ROW(HIERARCHICAL, hierarchical) /* general, over segments and then within them (Yang et al.,     \
                                     NAACL 2016) */

#define ATTENTION_KIND(KIND, name) ATTENTION_##KIND,
enum attention_kind { ATTENTION_MECHANISMS(ATTENTION_KIND) };

/* Return false if no kind has this name. */
bool attention_parse(enum attention_kind *kind, const char *name);

enum { MAX_HEADS = 64, MAX_WINDOW = 1000 };

/* Sizes and options of an attention layer. In the translator value_size, scale and divide_by_sum
 * are 0. Only attention on plain matrices can set these three fields. Attention on plain matrices
 * cannot use clauses. */
struct attention_config {
  enum attention_kind kind;
  size_t size;   /* H: number of columns of queries and keys, by default also of values */
  size_t heads;  /* K: number of heads, a divisor of H; 1 unless `multihead` or self-attention */
  size_t window; /* D: for `local`, positions on each side of the center; for `hierarchical`, keys
                    per segment; otherwise 0 */
  size_t value_size;  /* V: number of columns of values and contexts, if the mechanism does not
                         project them; 0 = H */
  real scale;         /* α: factor of the scores; 0 = the mechanism's default */
  bool clauses;       /* for `hierarchical`: segments are clauses, and the window is 0 */
  bool divide_by_sum; /* weights are the scores divided by their sum; no softmax */
};

/* If *heads is 0, set it to the mechanism's default. If *window is 0 and segments are not clauses,
 * set it to the mechanism's default. */
void attention_config_complete(size_t *heads, size_t *window, bool clauses,
                               enum attention_kind kind);

/* Return whether the mechanism has a sentinel. With a sentinel, a row of weights sums to less than
 * 1, because the sentinel receives the rest (mask_rest), and the mechanism has one head. */
bool attention_has_sentinel(enum attention_kind kind);

/* The segments of a mechanism that first computes a weight for each segment, and then a weight for
 * each key of the segment. A segment is a clause or has `length` keys. Both fields are zero for
 * other mechanisms. */
struct attention_cuts {
  size_t length;
  bool clauses;
};
struct attention_cuts attention_cuts_of(struct attention_config config);

/* Divide keys 0 to n - 1 into segments of `length` keys; the last may be shorter. Return the number
 * of segments, 0 if length is 0. Set ends[g] to the end of segment g, unless `ends` is NULL. */
size_t attention_segments(size_t *ends, size_t n, size_t length);

/* Sum the weights of a row within segments. */
void attention_sum_segments(float *segments, const float *weights, const size_t *ends,
                            size_t count);

/* Return the number of columns of values and contexts. */
size_t attention_value_size(struct attention_config config);

/* Check the sizes. If the mechanism does not support them, return ELMAN_INVALID_ARGUMENT and
 * describe the valid sizes in `error`. */
elman_status attention_config_check(const struct attention_config *config,
                                    elman_error *error) CHECKED;

/* Indices of a layer's parameters. The linear projections, which mechanisms share, come first; the
 * mechanism's own parameters begin at OWN_PARTS. */
enum {
  QUERY_WEIGHT,
  QUERY_BIAS,
  KEY_WEIGHT,
  KEY_BIAS,
  VALUE_WEIGHT,
  VALUE_BIAS,
  OWN_PARTS,
  MAX_OWN = 4,
  MAX_ATTENTION_PARTS = OWN_PARTS + MAX_OWN
};

/* Weights of a layer, or their gradients. Parts that the mechanism lacks are NULL. */
struct attention_parameters {
  real *part[MAX_ATTENTION_PARTS];
  const struct numerics *numerics;
};

/* One part: its shape, and its name in a model file without the name of the layer. */
struct attention_part {
  const char *name;
  int dimensions;
  size_t rows, columns; /* a vector has 1 column */
  real **view;
};

/* Get part `index` of a mechanism of size H, in the order of the model file; return false after the
 * last. */
bool attention_part_at(struct attention_part *part, struct attention_parameters *parameters,
                       enum attention_kind kind, size_t H, size_t index);
/* Return the number of elements of a part. */
size_t attention_part_size(const struct attention_part *part);

/* ---- a layer and its passes ---- */

struct attention_overrides; /* attention/mask.h */

/* Sentence b has query_lengths[b] queries and key_lengths[b] keys. Later rows are masked: their
 * weights and contexts are exactly zero. Projections still read all rows. With projections, masked
 * rows must be finite, and the gradients of their contexts must be zero. */
struct attention_shape {
  size_t queries, keys, batch; /* T, S, B */
  const size_t *query_lengths; /* (B): number of queries of each sentence */
  const size_t *key_lengths;   /* (B): number of keys of each sentence, at least 1 */
  size_t first_query; /* index of the first query, if the call runs only a range of queries */
  bool causal;        /* query t sees only keys 0 to t */
  const bool
      *clause_ends; /* (S,B): whether a clause ends with this key; required if config.clauses */
  /* Several rows of queries can share the keys of one sentence. Keys, values, key_lengths and
   * clause_ends then have `key_batch` columns (0 = B), and row b uses column key_columns[b] (NULL =
   * b). A call must then have one query per row, and no gradients. */
  const size_t *key_columns;
  size_t key_batch;
};

/* Settings that all calls of one update share. */
struct attention_layer {
  struct attention_config config;
  const struct attention_parameters *weights;
  struct dropout
      dropout; /* dropout of the weights; all calls use the same mask for a given position */
  const struct attention_overrides
      *overrides;            /* overrides of the weights in forward passes; NULL = none */
  const struct guide *guide; /* alignment links that guide the weights before dropout; NULL = none.
                                docs/training.md */
  real guide_scale;          /* λ/N_ξ: factor of each query's guide loss */
};

/* The results of a forward pass, or their gradients. Arrays that the mechanism does not use are
 * NULL. */
struct attention_arrays {
  real *context;       /* (T,B,H), or (T,B,V) */
  real *weights;       /* (T,B,K,S): a row sums to 1, or to less with a Gaussian or sentinel. In
                          gradients: dweights, later dscores */
  real *queries;       /* (T,B,H), projected */
  real *keys, *values; /* (S,B,H), projected */
  real *merged;        /* (T,B,H): contexts of the heads side by side, before context_forward */
  real *own[MAX_OWN];  /* (T,B,·): the mechanism's own arrays */
  /* NULL in gradients: */
  real *scores;  /* (T,B,K,S): scores before the softmax, -∞ where masked; NULL unless they are
                    exported or divide_by_sum is set */
  real *dropped; /* (T,B,K,S): weights after dropout; NULL without dropout */
  /* NULL except in gradients: */
  real *shares[MAX_OWN]; /* (B,·): gradients of own weights, one copy per sentence */
};

/* The inputs and results of one call. Arrays contain the rows of all queries, even if the call runs
 * only a range of queries. */
struct attention_pass {
  struct attention_layer layer;
  struct attention_shape shape;
  struct attention_arrays cache;
  const real *queries; /* (T,B,H) */
  const real *keys;    /* (S,B,H) */
  const real *values;  /* (S,B,H), or (S,B,V) */
};

/* Gradients of a pass, each with the shape of its array. A backward pass adds to them. Queries,
 * keys and values may share one array; the context must have an array of its own. */
struct attention_gradients {
  real *queries, *keys, *values;
  const struct attention_parameters *weights;
  struct attention_arrays scratch;
  const real *context; /* gradient of the context, which the backward pass reads */
};

#endif
