/* The hypotheses of a search: how they grow by scores and weights, which others compute, how they
 * compare, and what was found. */
#ifndef ELMAN_TRANSLATE_BEAM_H
#define ELMAN_TRANSLATE_BEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "decoder/output.h"
#include "elman/translate.h"

/* A sentence as ids, and what is to be found for it. */
struct search_request {
  const uint32_t *ids; /* at least one */
  size_t count;
  size_t limit;           /* tokens of a translation, at least 1 */
  const uint32_t *forced; /* NULL = choose; else force these and then </s>, whatever the limit */
  size_t forced_count;
  bool goes_on;    /* force these, and then choose; the limit is more than forced_count */
  uint64_t number; /* of the sentence: keys what is drawn for it */
};

/* One token of a hypothesis. Hypotheses that begin alike share their first nodes. */
struct beam_node {
  size_t previous;  /* BEAM_START for the first */
  size_t attention; /* where its weights (K,S) begin in the pool: those of the next node follow */
  double log_probability; /* of this token, after those before it */
  uint32_t id;
};
#define BEAM_START SIZE_MAX

/* Common to the searches of a batch. Start from all zero; memory is reused. */
struct beam_pool {
  struct beam_node *nodes;
  real *attention;
  size_t *moved; /* scratch of beams_tidy, one a node */
  size_t node_count, node_capacity, moved_capacity;
  size_t attention_count, attention_capacity;
  size_t tidy_at; /* weights from which on it is worth while to tidy up */
};
void beam_pool_clear(struct beam_pool *pool); /* keeps the memory */
void beam_pool_free(struct beam_pool *pool);

struct hypothesis {
  size_t last; /* its last node */
  size_t count;
  double log_probability;
  double score; /* once it has ended */
  size_t row;   /* open: the row of its sentence that it was grown from */
};

/* One sentence's search. `open` + `finished` never exceed the width. */
struct beam {
  const struct search_request *request;
  const elman_translate_options *options; /* looked at until beam_close */
  struct beam_pool *pool;                 /* of the batch */
  size_t heads;                           /* K: matrices of weights */
  bool without_unknown;                   /* <unk> is never chosen */
  struct hypothesis *paths;               /* (width): those that go on, the likeliest first */
  struct hypothesis *ended;               /* (width): those that do not, the best score first */
  struct hypothesis *grown;               /* (width): scratch */
  size_t open, finished;
  size_t limit;  /* tokens of the longest hypothesis, at least 1 */
  bool overflow; /* a number was infinite or none at all; the search is over */
};

/* ---- growing ---- */

/* Begins with one empty hypothesis; what stands before `open` is set by the caller. */
void beam_start(struct beam *beam);

/* Before each step of these beams: room in their pool for all that the step can add. */
elman_status beams_reserve(const struct beam *beams, size_t count, elman_error *error) CHECKED;

/* Also before a step: gives up the nodes that no hypothesis of these beams leads to, once there are
 * many: a wide beam over a long sentence would fill the memory with what it has long dropped. */
elman_status beams_tidy(const struct beam *beams, size_t count, elman_error *error) CHECKED;

/* Grows the open hypotheses by one token, for which there is room. Hypothesis i has row `first` + i
 * of the scores and row i of the weights (open,K,stride), of which S count. A sentence of the beam
 * ends with </s>, at the limit, or when no open hypothesis can still be among the n best. */
void beam_grow(struct beam *beam, const struct output_scores *scores, size_t first,
               const real *weights, size_t stride);

/* Ends a search: the n best hypotheses stay, all different; none where numbers overflowed. */
void beam_close(struct beam *beam);

/* ---- greedy search whose probabilities come later ---- */

/* The token that a forced search says next. */
uint32_t beam_forced_token(const struct beam *beam);

/* Grows the one open hypothesis by a token whose probability is not known yet. weights (K,stride)
 * as above. Returns the new node, which stays where it is until beams_tidy. */
size_t beam_append(struct beam *beam, uint32_t id, const real *weights, size_t stride);

/* Adds such a probability, of such a node, in any step after. */
void beam_add_log_probability(struct beam *beam, size_t node, double log_probability);

/* When all are there: the score; NaN, like the probability, where they are not wanted. */
void beam_score(struct beam *beam, bool wanted);

/* ---- what was found: hypothesis n of a beam that is closed, below beam->finished ---- */

/* Its ids (T), of which the last is TOKEN_END if the decoder ended by itself. */
void hypothesis_ids(uint32_t *ids, const struct beam *beam, size_t n);

/* The log-probability of each (T); NaN where that of the whole is. */
void hypothesis_log_probabilities(double *log_probabilities, const struct beam *beam, size_t n);

/* Its attention: the average of the heads (T,S), and each of them (K,T,S) unless `heads` is the
 * array of the average, as it is of one head. */
void hypothesis_attention(float *attention, float *heads, const struct beam *beam, size_t n);

/* What its rows of weights, of one head, leave of 1 (T). */
void hypothesis_sentinel(float *sentinel, const struct beam *beam, size_t n);

/* The first of the source tokens with the largest weight of token t, on the average of the heads.
 */
size_t hypothesis_looked_at(const struct beam *beam, size_t n, size_t t);

/* ---- scores, by which translations of different lengths are compared ---- */

/* "power", "wu"; NULL past the last. */
const char *length_norm_name(size_t index);

/* log p of `count` tokens, divided by the power of their length                            (81) */
double score_of_length(double log_probability, size_t count,
                       const elman_translate_options *options);

/* No translation that begins with tokens of this log p, and has `limit` tokens at most, has a
 * score above this. */
double score_bound(double log_probability, size_t limit, const elman_translate_options *options);

/* ---- sampling ---- */

/* A token other than <s>, or <unk> if that is not wanted, with a probability in proportion to
 * exp(logit / temperature). It is a function of the logits (V), the options, the number of the
 * sentence and that of the step alone. The logits are finite. */
uint32_t sample_token(const real *logits, size_t V, bool without_unknown,
                      const elman_translate_options *options, uint64_t sentence, size_t step);

/* The mean of what several heads look at: rows (K,S), one per head, at source token s. */
real mean_weight(const real *rows, size_t K, size_t S, size_t s);

#endif
