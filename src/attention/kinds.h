/* The table of attention mechanisms, and the weights that each of them has. */
#ifndef ELMAN_ATTENTION_KINDS_H
#define ELMAN_ATTENTION_KINDS_H

#include <stdbool.h>

#include "attention/score.h"
#include "base/status.h"

enum attention_kind {
  ATTENTION_DOT,       /* d·e (Luong et al., EMNLP 2015) */
  ATTENTION_SCALED,    /* d·e / √H (Vaswani et al., NIPS 2017) */
  ATTENTION_GENERAL,   /* (W d)·e (Luong et al.) */
  ATTENTION_ADDITIVE,  /* v·tanh(W_q d + b + W_k e) (Bahdanau et al., ICLR 2015) */
  ATTENTION_PROJECTED, /* scaled, after linear projections of queries, keys and values (Vaswani et
                          al.) */
  ATTENTION_MULTIHEAD, /* the same in N heads, and a linear map of what they give */
  ATTENTION_LOCAL      /* general, in a window around a predicted centre (Luong's local-p) */
};

/* The name as it is used in options and files; NULL past the last kind. */
const char *attention_name(enum attention_kind kind);
/* False if there is no such kind. */
bool attention_parse(enum attention_kind *kind, const char *name);

enum { MAX_HEADS = 64, MAX_WINDOW = 1000 };

/* Sizes and options of an attention layer. The translator leaves the last three at 0; plain
 * matrices can have others. */
struct attention_config {
  enum attention_kind kind;
  size_t size;       /* H: of queries and keys, and, if nothing else is said, values and contexts */
  size_t heads;      /* N; 1 but for `multihead` and self-attention; divides H */
  size_t window;     /* D of `local`: positions to each side of the centre; else 0 */
  size_t value_size; /* of values and contexts, where the mechanism does not map them; 0 = H */
  real scale;        /* α; 0 = the mechanism's own */
  bool divide_by_sum; /* weights are the scores divided by their sum, without a softmax */
};

/* Columns of values and contexts. */
size_t attention_value_size(struct attention_config config);

/* Sizes that a mechanism can work with, or ELMAN_INVALID_ARGUMENT and which sizes can be. */
elman_status attention_config_check(const struct attention_config *config,
                                    elman_error *error) CHECKED;

/* Weights, or their gradients. What a mechanism does not have is NULL. */
struct attention_parameters {
  real *query_weight, *query_bias; /* (H,H), (H) */
  real *key_weight, *key_bias;
  real *value_weight, *value_bias;
  real *out_weight, *out_bias; /* the map of the merged heads */
  real *score_weight;          /* (H): v of `additive` */
  real *center_weight;         /* (H,H): W_p of `local` */
  real *center_score_weight;   /* (H): v_p of `local` */
};

/* One of them: its name in a model file, after the layer's own, and its shape. */
struct attention_part {
  const char *name;
  int dimensions; /* 2: a matrix of H columns; 1: a vector of H */
  bool one_row;   /* of a matrix: (1,H) instead of (H,H) */
  real **view;
};

/* The parts that a mechanism has, in the order of the file, from index 0 up; false past the last.
 */
bool attention_part_at(struct attention_part *part, struct attention_parameters *parameters,
                       enum attention_kind kind, size_t index);
/* Numbers in a part. */
size_t attention_part_size(const struct attention_part *part, size_t H);

/* The same as flags. */
struct attention_needs {
  bool query, key, value, out; /* projections */
  bool score, center;
};
struct attention_needs attention_needs(enum attention_kind kind);

real attention_scale(struct attention_config config); /* α of equation 6 */
score_forward *attention_score_forward(enum attention_kind kind);
score_backward *attention_score_backward(enum attention_kind kind);

#endif
