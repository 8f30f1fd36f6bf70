/* The table of attention mechanisms, the weights that each of them has, and the arrays of a pass.
 */
#ifndef ELMAN_ATTENTION_KINDS_H
#define ELMAN_ATTENTION_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sequence.h"
#include "base/status.h"
#include "tensor/dropout.h"

/* A row for each: its kind is ATTENTION_ and the first word, and what it does stands in
 * `attention_` and the second (attention/mechanism.h), which is also its name in options and files.
 */
#define ATTENTION_MECHANISMS(ROW)                                                                  \
  ROW(DOT, dot)             /* d·e (Luong et al., EMNLP 2015) */                                  \
  ROW(SCALED, scaled)       /* d·e / √H (Vaswani et al., NIPS 2017) */                          \
  ROW(GENERAL, general)     /* (W d)·e (Luong et al.) */                                          \
  ROW(ADDITIVE, additive)   /* v·tanh(W_q d + b + W_k e) (Bahdanau et al., ICLR 2015) */          \
  ROW(PROJECTED, projected) /* scaled, after linear projections of queries, keys and values        \
                               (Vaswani et al.) */                                                 \
  ROW(MULTIHEAD, multihead) /* the same in K heads, and a linear map of what they give */          \
  ROW(LOCAL, local)         /* general, in a window around a predicted centre (Luong's local-p) */ \
  ROW(ADAPTIVE, adaptive)   /* general, between all keys and a window whose centre and width are   \
                               predicted (Yang et al., EMNLP 2018; Sukhbaatar et al., ACL 2019) */ \
  ROW(SENTINEL, sentinel)   /* additive, beside a sentinel that stands for nothing (Lu et al.,     \
                               CVPR 2017) */                                                       \
  ROW(HIERARCHICAL, hierarchical) /* general, over segments and then within them (Yang et al.,     \
                                     NAACL 2016) */

#define ATTENTION_KIND(KIND, name) ATTENTION_##KIND,
enum attention_kind { ATTENTION_MECHANISMS(ATTENTION_KIND) };

/* The name as it is used in options and files; NULL past the last kind. */
const char *attention_name(size_t kind);
/* False if there is no such kind. */
bool attention_parse(enum attention_kind *kind, const char *name);

enum { MAX_HEADS = 64, MAX_WINDOW = 1000 };

/* Sizes and options of an attention layer. The translator leaves value size, scale and
 * divide_by_sum at 0; plain matrices can have others, but no clauses. */
struct attention_config {
  enum attention_kind kind;
  size_t size;       /* H: of queries and keys, and, if nothing else is said, values and contexts */
  size_t heads;      /* K; 1 but for `multihead` and self-attention; divides H */
  size_t window;     /* D: of `local` positions to each side of the centre, of `hierarchical` keys
                        in a segment; else 0 */
  size_t value_size; /* of values and contexts, where the mechanism does not map them; 0 = H */
  real scale;        /* α; 0 = the mechanism's own */
  bool clauses;      /* `hierarchical`: segments are clauses, and there is no window */
  bool divide_by_sum; /* weights are the scores divided by their sum, without a softmax */
};

/* Where they are 0, fills in the heads and, unless segments are clauses, the window of the
 * mechanism. */
void attention_config_complete(size_t *heads, size_t *window, bool clauses,
                               enum attention_kind kind);

/* Whether its rows of weights sum to less than 1 because a sentinel has the rest (mask_rest). Then
 * it has one head. */
bool attention_has_sentinel(enum attention_kind kind);

/* How a mechanism that weights segments and then keys cuts them: every `length` keys, or at the
 * ends of clauses. Both zero for other mechanisms. */
struct attention_cuts {
  size_t length;
  bool clauses;
};
struct attention_cuts attention_cuts_of(struct attention_config config);

/* Columns of values and contexts. */
size_t attention_value_size(struct attention_config config);

/* Sizes that a mechanism can work with, or ELMAN_INVALID_ARGUMENT and which sizes can be. */
elman_status attention_config_check(const struct attention_config *config,
                                    elman_error *error) CHECKED;
/* The same in the translator, where heads and a window are for those that are made for them. */
elman_status attention_config_check_translator(const struct attention_config *config,
                                               elman_error *error) CHECKED;

/* The parts that mechanisms have in common: linear projections. Their own follow. */
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

/* Weights, or their gradients. What a mechanism does not have is NULL. */
struct attention_parameters {
  real *part[MAX_ATTENTION_PARTS];
};

/* One of them: its name in a model file, after the layer's own, and its shape. */
struct attention_part {
  const char *name;
  int dimensions;
  size_t rows, columns; /* of a vector: 1 column */
  real **view;
};

/* The parts that a mechanism has for a size of H, in the order of the file, from index 0 up; false
 * past the last. */
bool attention_part_at(struct attention_part *part, struct attention_parameters *parameters,
                       enum attention_kind kind, size_t H, size_t index);
/* Numbers in a part. */
size_t attention_part_size(const struct attention_part *part);

/* ---- a layer and its passes ---- */

struct attention_overrides; /* attention/mask.h */

/* Sentence b has query_lengths[b] queries and key_lengths[b] keys; what lies past them is masked:
 * it is not read, and its weights and contexts are exactly zero. Projections go over all rows,
 * though: with them, what is masked must be finite, and its dcontext zero. */
struct attention_shape {
  size_t queries, keys, batch; /* T, S, B */
  const size_t *query_lengths; /* (B) */
  const size_t *key_lengths;   /* (B), each at least 1 */
  size_t first_query;          /* where a range of the queries is run: its first */
  bool causal;                 /* query t sees the keys 0 to t only */
  const bool *clause_ends;     /* (S,B): a clause of keys ends with this one; where the
                                  configuration asks for clauses */
};

/* The same for all calls of one update. */
struct attention_layer {
  struct attention_config config;
  const struct attention_parameters *weights;
  struct dropout dropout; /* of the weights; a position has the same mask in every call */
  const struct attention_overrides *overrides; /* of the weights; NULL = none. No backward pass */
  const struct guide *guide; /* of the weights before dropout; NULL = none. docs/training.md */
  real guide_scale;          /* λ/N_ξ: what a query's guide loss counts in the loss */
};

/* The results of a forward pass, or their gradients. Arrays that a mechanism does not need are
 * NULL. */
struct attention_arrays {
  real *context; /* (T,B,H), or with another size of the values (T,B,V) */
  real *weights; /* (T,B,K,S); each row sums to 1, or with a Gaussian to e⁻² to 1; of gradients:
                    dweights, then dscores */
  real *queries; /* (T,B,H), projected */
  real *keys, *values; /* (S,B,H), projected */
  real *merged;        /* (T,B,H): the heads' contexts side by side, before context_forward */
  real *own[MAX_OWN];  /* (T,B,·): the mechanism's */
  /* Of values only: */
  real *scores;  /* (T,B,K,S) before the softmax, -∞ where masked; NULL unless somebody wants to
                    see them, or weights are shares of them */
  real *dropped; /* (T,B,K,S): the weights after dropout; not used without it */
  /* Of gradients only: */
  real *shares[MAX_OWN]; /* (B,·): of the gradients that sentences share */
};

/* One call: what looks at what, and where the results go. All arrays hold all queries. */
struct attention_pass {
  struct attention_layer layer;
  struct attention_shape shape;
  struct attention_arrays cache;
  const real *queries; /* (T,B,H) */
  const real *keys;    /* (S,B,H) */
  const real *values;  /* (S,B,H), or (S,B,V) */
};

/* Where the gradients of a pass go, with the shapes of what they are of: all are added to. Queries,
 * keys and values may be one array, but none is the context's. */
struct attention_gradients {
  real *queries, *keys, *values;
  const struct attention_parameters *weights;
  struct attention_arrays scratch;
  const real *context; /* comes in */
};

#endif
