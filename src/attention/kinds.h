/* The table of attention mechanisms, their weights, and the arrays of a pass. */
#ifndef ELMAN_ATTENTION_KINDS_H
#define ELMAN_ATTENTION_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sequence.h"
#include "base/status.h"
#include "tensor/dropout.h"

/* One row per mechanism: KIND and name. Defines ATTENTION_KIND and refers to attention_name
 * (attention/mechanism.h); `name` is also the name in options and files. */
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

/* Return the name in options and files; NULL after the last kind. */
const char *attention_name(size_t kind);
/* Return false if no kind has this name. */
bool attention_parse(enum attention_kind *kind, const char *name);

enum { MAX_HEADS = 64, MAX_WINDOW = 1000 };

/* Sizes and options of an attention layer. In the translator value_size, scale and divide_by_sum
 * are 0. Attention on plain matrices can set them, but has no clauses. */
struct attention_config {
  enum attention_kind kind;
  size_t size;       /* H: columns of queries and keys, and by default of values and contexts */
  size_t heads;      /* K; must divide H; 1 except for `multihead` and self-attention */
  size_t window;     /* D: `local`: positions on each side of the center; `hierarchical`: keys per
                        segment; else 0 */
  size_t value_size; /* V: columns of values and contexts, if the mechanism does not project them; 0
                        = H */
  real scale;        /* α; 0 = the mechanism's default */
  bool clauses;      /* `hierarchical`: segments are clauses; the window is 0 */
  bool divide_by_sum; /* weights are the scores divided by their sum; no softmax */
};

/* Replace zeros by the mechanism's default number of heads and, unless segments are clauses, its
 * default window. */
void attention_config_complete(size_t *heads, size_t *window, bool clauses,
                               enum attention_kind kind);

/* Return whether rows of weights sum to less than 1 because a sentinel receives the rest
 * (mask_rest). Such a mechanism has one head. */
bool attention_has_sentinel(enum attention_kind kind);

/* Segments of a mechanism that weights segments and then keys: every `length` keys, or clauses.
 * Both fields are zero for other mechanisms. */
struct attention_cuts {
  size_t length;
  bool clauses;
};
struct attention_cuts attention_cuts_of(struct attention_config config);

/* Return the number of columns of values and contexts. */
size_t attention_value_size(struct attention_config config);

/* Return ELMAN_INVALID_ARGUMENT, and the valid sizes in `error`, if the mechanism does not support
 * these sizes. */
elman_status attention_config_check(const struct attention_config *config,
                                    elman_error *error) CHECKED;
/* Also return ELMAN_INVALID_ARGUMENT if heads or clauses are set for a mechanism that does not use
 * them in the translator. */
elman_status attention_config_check_translator(const struct attention_config *config,
                                               elman_error *error) CHECKED;

/* Indices of a layer's parameters: the linear projections, which mechanisms share, and from
 * OWN_PARTS the mechanism's own. */
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

/* Weights or their gradients. Parts that a mechanism lacks are NULL. */
struct attention_parameters {
  real *part[MAX_ATTENTION_PARTS];
};

/* One part: its name in a model file, without the name of the layer, and its shape. */
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
  const size_t *query_lengths; /* (B) */
  const size_t *key_lengths;   /* (B), each at least 1 */
  size_t first_query;          /* first query of the range, if only a range is run */
  bool causal;                 /* query t sees only keys 0 to t */
  const bool
      *clause_ends; /* (S,B): whether a clause ends with this key; required if config.clauses */
};

/* Settings that all calls of one update share. */
struct attention_layer {
  struct attention_config config;
  const struct attention_parameters *weights;
  struct dropout dropout; /* dropout of the weights; every call uses the same mask for a position */
  const struct attention_overrides
      *overrides; /* overrides of the weights, in forward passes only; NULL = none */
  const struct guide
      *guide;       /* links for the weights before dropout; NULL = none. docs/training.md */
  real guide_scale; /* λ/N_ξ: factor of a query's guide loss */
};

/* The results of a forward pass, or their gradients. Arrays that a mechanism does not need are
 * NULL. */
struct attention_arrays {
  real *context; /* (T,B,H), or (T,B,V) */
  real *weights; /* (T,B,K,S); a row sums to 1, or less with a Gaussian or sentinel; in gradients:
                    first dweights, then dscores */
  real *queries; /* (T,B,H), projected */
  real *keys, *values; /* (S,B,H), projected */
  real *merged;        /* (T,B,H): contexts of the heads side by side, before context_forward */
  real *own[MAX_OWN];  /* (T,B,·): arrays of the mechanism */
  /* Not in gradients: */
  real *scores; /* (T,B,K,S) before the softmax, -∞ where masked; NULL unless they are exported or
                   divide_by_sum is set */
  real *dropped; /* (T,B,K,S): weights after dropout; NULL without dropout */
  /* Only in gradients: */
  real *shares[MAX_OWN]; /* (B,·): gradients of own weights by sentence */
};

/* One call: inputs and results. All arrays have the rows of all queries. */
struct attention_pass {
  struct attention_layer layer;
  struct attention_shape shape;
  struct attention_arrays cache;
  const real *queries; /* (T,B,H) */
  const real *keys;    /* (S,B,H) */
  const real *values;  /* (S,B,H), or (S,B,V) */
};

/* Gradients of a pass, each with the shape of its array; a backward pass adds to them. Queries,
 * keys and values may be the same array; the context must be another. */
struct attention_gradients {
  real *queries, *keys, *values;
  const struct attention_parameters *weights;
  struct attention_arrays scratch;
  const real *context; /* input */
};

#endif
