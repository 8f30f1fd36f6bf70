/* The hypotheses of a search. This module extends and compares them; search.c computes the scores
 * and weights. */
#ifndef ELMAN_TRANSLATE_BEAM_H
#define ELMAN_TRANSLATE_BEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/table.h"
#include "decoder/output.h"
#include "elman/translate.h"

/* A source sentence as ids, and the constraints on its translation. */
struct search_request {
  const uint32_t *ids; /* at least one */
  size_t count;
  size_t limit;           /* maximum number of tokens of a translation, at least 1 */
  const uint32_t *forced; /* NULL = free search; otherwise the translation is these tokens and then
                             </s>, regardless of the limit */
  size_t forced_count;
  bool is_prefix;  /* whether `forced` is only a prefix; then limit > forced_count */
  uint64_t number; /* numbers of the text and of the sentence in it, from which random numbers are
                      derived */
  size_t part;
  const void *item; /* passed to the `key` of struct beam_texts */
  double ceiling;   /* if texts are compared: hypotheses with a higher score do not count */
};

/* One token of a hypothesis. Hypotheses with the same prefix share its nodes. */
struct beam_node {
  size_t previous;  /* index of the node before this one; BEAM_START for the first token */
  size_t attention; /* offset of its weights (K,S) in the pool; offsets increase with the index of
                       the node */
  double log_probability; /* conditional log-probability of this token */
  uint32_t id;
};
#define BEAM_START SIZE_MAX

/* The text of an open hypothesis that a beam once had, if hypotheses are compared as text. */
struct beam_prefix {
  const struct beam *beam;
  uint64_t key;
  double log_probability; /* the largest log-probability of a hypothesis with this text */
};

/* Nodes and weights shared by the searches of a batch. The caller initializes the struct with
 * zeros; memory is reused. */
struct beam_pool {
  struct beam_node *nodes;
  real *attention;
  size_t *moved; /* scratch of beams_tidy, one element per node */
  size_t node_count, node_capacity, moved_capacity;
  size_t attention_count, attention_capacity;
  size_t tidy_at; /* number of weights at which beams_tidy compacts the pool */
  struct beam_prefix *prefixes;
  struct table known; /* finds prefixes */
  size_t prefix_count, prefix_capacity;
  struct hypothesis *chosen; /* scratch of beam_grow */
  size_t chosen_capacity;
};
void beam_pool_clear(struct beam_pool *pool); /* Remove all nodes, but keep the memory. */
void beam_pool_free(struct beam_pool *pool);

struct hypothesis {
  size_t last; /* last node */
  size_t count;
  double log_probability;
  double score; /* set once the hypothesis has ended */
  size_t row;   /* for an open hypothesis: the row, within its sentence, that was extended */
  uint64_t key; /* of a finished hypothesis: its text; used only if texts are compared */
};

struct beam;

/* The texts of hypotheses. A beam that has this struct merges hypotheses with equal text. */
struct beam_texts {
  /* Set *key to a hash of the text of a hypothesis. Its last token is in the pool; a finished
   * hypothesis has a score. Set the key to 0 if an open hypothesis must remain separate, or if a
   * finished hypothesis is not wanted. */
  elman_status (*key)(void *context, uint64_t *key, const struct beam *beam,
                      const struct hypothesis *path, bool is_finished, elman_error *error);
  void *context;
};

/* The search for one sentence. open + finished never exceeds the beam size. */
struct beam {
  const struct search_request *request;
  const elman_translate_options *options; /* used until beam_close */
  struct beam_pool *pool;                 /* shared by the batch */
  size_t heads;                           /* K: number of weight matrices */
  bool without_unknown;                   /* if true, <unk> is never chosen */
  const struct beam_texts *texts;         /* NULL: hypotheses with equal text remain separate */
  struct hypothesis *paths; /* (beam size): open hypotheses, the most probable first */
  struct hypothesis *ended; /* (beam size): finished hypotheses, the best score first */
  struct hypothesis *grown; /* (beam size): scratch */
  size_t open, finished;
  size_t limit;  /* maximum number of tokens of a hypothesis, at least 1 */
  bool overflow; /* a score was infinite or NaN; the search has ended */
};

/* ---- extending hypotheses ---- */

/* Begin with one empty hypothesis. The caller first sets the fields that precede `open`. */
void beam_start(struct beam *beam);

/* Reserve room in the pool for one step of these beams. The caller must do this before each
 * step. */
elman_status beams_reserve(const struct beam *beams, size_t count, elman_error *error) CHECKED;

/* If the pool is large, remove the nodes that no hypothesis of these beams uses. The caller should
 * do this before each step; otherwise the dropped hypotheses of a wide beam over a long sentence
 * would fill the memory. */
elman_status beams_tidy(const struct beam *beams, size_t count, elman_error *error) CHECKED;

/* Extend the open hypotheses by one token. The caller must first call beams_reserve. Hypothesis i
 * uses row `first` + i of the scores and row i of the weights (open,K,stride), of which S columns
 * are valid. A hypothesis ends with </s> or at the limit; the search ends when no open hypothesis
 * can enter the n best. This function can fail only if texts are compared. */
elman_status beam_grow(struct beam *beam, const struct output_scores *scores, size_t first,
                       const real *weights, size_t stride, elman_error *error) CHECKED;

/* End a search and keep the n best hypotheses. All of them differ; if texts are compared, their
 * texts differ, too. After overflow keep none. */
void beam_close(struct beam *beam);

/* ---- greedy search with probabilities added later ---- */

/* Return the next token of a forced search. */
uint32_t beam_forced_token(const struct beam *beam);

/* Extend the only open hypothesis by a token of unknown probability. Weights are (K,stride). Return
 * the index of the new node, which is valid until beams_tidy. */
size_t beam_append(struct beam *beam, uint32_t id, const real *weights, size_t stride);

/* Set the log-probability of a node from beam_append. The caller may do this at any later step. */
void beam_add_log_probability(struct beam *beam, size_t node, double log_probability);

/* Compute the score. The caller must first set all log-probabilities. If `wanted` is false, set the
 * score and the log-probability to NaN. */
void beam_score(struct beam *beam, bool wanted);

/* ---- results: hypothesis n < beam->finished of a closed beam ---- */

/* Store the ids of the tokens of a path in `ids` (T). The last id is TOKEN_END unless the path is
 * open or ended at the limit. */
void path_ids(uint32_t *ids, const struct beam *beam, const struct hypothesis *path);

/* Store the log-probability of each token in `log_probabilities` (T). Store NaN if the
 * log-probability of the hypothesis is NaN. */
void hypothesis_log_probabilities(double *log_probabilities, const struct beam *beam, size_t n);

/* Store the weights averaged over heads in `attention` (T,S), and the weights of each head in
 * `heads` (K,T,S). With one head, `heads` and `attention` may be the same array, which is then
 * written once. */
void hypothesis_attention(float *attention, float *heads, const struct beam *beam, size_t n);

/* Store 1 minus the sum of each row of weights in `sentinel` (T). The attention must have one
 * head. */
void hypothesis_sentinel(float *sentinel, const struct beam *beam, size_t n);

/* Return the first token of the source word whose weight for token t of a path is largest. The
 * weight of a word is the sum over its tokens, averaged over heads. If several words have this
 * largest weight, take the first of them. firsts (S) has the first token of the word of each token,
 * or a number of at least S for a token that is not considered. At least one token must be
 * considered. */
size_t path_best_source(const struct beam *beam, const struct hypothesis *path, size_t t,
                        const size_t *firsts);

/* ---- scores that compare translations of different lengths ---- */

/* Return the log-probability of `count` tokens divided by the length normalization. (86) */
double score_of_length(double log_probability, size_t count,
                       const elman_translate_options *options);

/* Return an upper bound on the scores of all translations that have at most `limit` tokens and
 * begin with a prefix of this log-probability. */
double score_bound(double log_probability, size_t limit, const elman_translate_options *options);

/* ---- sampling ---- */

/* Draw a token with a probability proportional to exp(logit / temperature). Never draw <s>. If
 * `without_unknown` is true, never draw <unk> either. The result depends only on the logits (V),
 * which must be finite, the options, and the numbers of the sentence and the step. */
uint32_t sample_token(const real *logits, size_t V, bool without_unknown,
                      const elman_translate_options *options, uint64_t sentence, size_t step);

/* Return the weight of source token s averaged over heads. `rows` (K,S) contains one row per
 * head. */
real mean_weight(const real *rows, size_t K, size_t S, size_t s);

#endif
