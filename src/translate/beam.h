/* The hypotheses of a search and how they grow by scores and weights, which others compute. */
#ifndef ELMAN_TRANSLATE_BEAM_H
#define ELMAN_TRANSLATE_BEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "decoder/output.h"
#include "elman/translate.h"
#include "tensor/real.h"

/* The score of a translation, by which those of different lengths are compared: docs/beyond.md,
 * section 23. Wu et al., "Google's neural machine translation system", 2016, equation 14. */

/* "power", "wu"; NULL past the last. */
const char *length_norm_name(size_t index);

/* log p of `count` tokens, divided by the power of their length                            (56) */
double score_of_length(double log_probability, size_t count,
                       const elman_translate_options *options);

/* No translation that begins with tokens of this log p, and has `limit` tokens at most, has a
 * score above this. */
double score_bound(double log_probability, size_t limit, const elman_translate_options *options);

/* Sampling: the next token is drawn from the softmax of the logits, in place of the likeliest one.
 * The k likeliest alone may be drawn from (Fan, Lewis and Dauphin, "Hierarchical neural story
 * generation", ACL 2018). docs/beyond.md, (89) and (90). */

/* A token other than <s>, or <unk> if that is not wanted, with a probability in proportion to
 * exp(logit / temperature). It is a function of the logits (V), the options, the number of the
 * sentence and that of the step alone. The logits are finite. */
uint32_t sample_token(const real *logits, size_t V, bool without_unknown,
                      const elman_translate_options *options, uint64_t sentence, size_t step);

/* One token of a hypothesis. Hypotheses that begin alike share their first nodes. */
struct beam_node {
  size_t previous;  /* BEAM_START for the first */
  size_t attention; /* where its weights (N,S) begin in the pool: those of the next node follow */
  double log_probability; /* of this token, after those before it */
  uint32_t id;
};

#define BEAM_START SIZE_MAX

/* Common to the searches of a batch. Start from all zero; memory is reused. */
struct beam_pool {
  struct beam_node *nodes;
  real *attention;
  size_t *moved; /* scratch of beam_pool_tidy, one a node */
  size_t node_count, node_capacity, moved_capacity;
  size_t attention_count, attention_capacity;
  size_t tidy_at; /* weights from which on it is worth while to tidy up */
};

void beam_pool_clear(struct beam_pool *pool); /* keeps the memory */
void beam_pool_free(struct beam_pool *pool);

/* A hypothesis, open or finished. */
struct beam_path {
  size_t last; /* its last node */
  size_t count;
  double log_probability;
  double score;
  size_t row; /* open: the row of its sentence that it was grown from */
};

/* One sentence's search. `open` + `finished` never exceed the width. */
struct beam {
  struct beam_path *paths; /* (width): those that go on, the likeliest first */
  struct beam_path *ended; /* (width): those that do not, the best score first */
  struct beam_path *grown; /* (width): scratch */
  size_t open, finished;
  struct beam_pool *pool; /* of the batch */
  const elman_translate_options *options;
  size_t source_count;    /* S */
  size_t heads;           /* N: matrices of weights */
  bool without_unknown;   /* <unk> is never chosen */
  size_t limit;           /* tokens of the longest hypothesis, at least 1 */
  const uint32_t *forced; /* NULL = choose; else take these and then </s> */
  size_t forced_count;
  bool goes_on;    /* take these and then choose */
  uint64_t number; /* of the sentence, for sampling */
  bool overflow;   /* a number was infinite or none at all; the search is over */
};

/* The rest is set by the caller. */
void beam_start(struct beam *beam);

/* Grows the open hypotheses by one token. Hypothesis i has row `first` + i of the scores and row i
 * of the weights (open,N,stride), of which S count. A sentence of the beam ends with </s>, at the
 * limit, or when no open hypothesis can still be among the n best. */
elman_status beam_grow(struct beam *beam, const struct output_scores *scores, size_t first,
                       const real *weights, size_t stride, elman_error *error) CHECKED;

/* Grows the one open hypothesis of a greedy search by a token whose probability is not known yet.
 * weights (N,stride) as above. */
elman_status beam_take(struct beam *beam, uint32_t id, const real *weights, size_t stride,
                       elman_error *error) CHECKED;

/* The node that it added, which stays where it is until the pool is tidied up. */
size_t beam_newest(const struct beam *beam);

/* Adds such a probability, of such a node, in any step after; and, when all are there, the score.
 */
void beam_add_log_probability(struct beam *beam, size_t node, double log_probability);
void beam_score(struct beam *beam);

/* Instead, where nobody wants to know them: makes it NaN. */
void beam_forget_log_probability(struct beam *beam);

/* The token that a forced search takes next. */
uint32_t beam_forced_token(const struct beam *beam);

/* Gives up the nodes that no hypothesis of these beams leads to, once there are many: a wide beam
 * over a long sentence would fill the memory with what it has long dropped. */
elman_status beam_pool_tidy(struct beam_pool *pool, const struct beam *beams, size_t count,
                            elman_error *error) CHECKED;

#endif
