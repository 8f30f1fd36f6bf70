/* Search: target ids for encoded sentences, a batch at a time. */
#ifndef ELMAN_TRANSLATE_SEARCH_H
#define ELMAN_TRANSLATE_SEARCH_H

#include "attention/mask.h"
#include "base/sequence.h"
#include "decoder/output.h"
#include "elman/translate.h"
#include "model/ensemble.h"
#include "model/model.h"
#include "tensor/screen.h"
#include "translate/beam.h"

/* What one model does in a search: its view of the source, and a step of its decoder for each
 * hypothesis; and what several models say as one. docs/beyond.md, section 22. */

/* The batch as rows of hypotheses, those of a sentence side by side; the same for all members. */
struct search_rows {
  struct sequence source; /* (S,B) */
  struct sequence target; /* (1,R): each row's last token; length 0 where a row is not in use */
  size_t width;           /* R / B */
  size_t *lengths;        /* (R): source lengths */
  bool *clause_ends;      /* (S,R): where the source's clauses end */
  size_t *moves;          /* (R): the row that each row's hypothesis was grown from */
};

/* Start from all zero but for `model`. */
struct search_member {
  const struct model *model; /* borrowed */
  struct encoder_cache encoder;
  struct decoder_cache decoder;
  struct decoder_pass pass; /* of a step */
  struct attention_overrides overrides;
  real *row_states; /* (S,R,H): the source states of each row's sentence; only if R > B */
  struct self_attention_history history;
  struct output_scores scores; /* where greedy search is not active */
};

/* The screen of a model's output layer, by which greedy search finds the likeliest token. */

/* Of `model`, which must not change meanwhile, for greedy search by it alone; NULL for a wider beam
 * and for an ensemble. */
elman_status model_screen_create(struct screen **screen, const struct model *model,
                                 const elman_translate_options *options,
                                 elman_error *error) CHECKED;
void model_screen_free(struct screen *screen);

/* Greedy search without the logits: which token is the likeliest, a screen tells; how likely it is,
 * the output layer tells later, for many steps at once, if anybody wants to know. */

/* A row whose features wait for their logits. */
struct waiting_token {
  size_t sentence;
  size_t node; /* of the pool */
  uint32_t id;
};

struct greedy {
  bool active;                 /* otherwise the decoder gives logits */
  bool scores;                 /* wanted */
  const struct screen *screen; /* NULL: all sentences are forced */
  struct screen_scratch scratch;
  size_t *chosen;               /* (R) */
  real *features;               /* (K,F) */
  real *logits;                 /* (K,V) */
  struct waiting_token *tokens; /* (K) */
  size_t count, most;           /* of K rows */
};

struct search_request {
  const uint32_t *ids; /* at least one */
  size_t count;
  size_t limit;           /* tokens of a translation, at least 1 */
  const uint32_t *forced; /* NULL = choose; else take these and then </s>, whatever the limit */
  size_t forced_count;
  bool goes_on;    /* take them, and then choose; the limit is more than forced_count */
  uint64_t number; /* of the sentence: keys what is drawn for it */
};

/* Scratch of searches, and the last one's result. Start from all zero; memory is reused. */
struct search {
  struct arena arena;
  struct search_rows rows;
  struct search_member *members; /* (members): the models that translate together */
  size_t member_count, member_capacity;
  struct greedy greedy;    /* of the only one */
  real *weights;           /* (R,1,S): the mean of the members' attention, of several */
  struct beam *beams;      /* (B) */
  struct beam_path *paths; /* (B,3,width) */
  struct beam_pool pool;
  size_t n_best;
  bool without_unknown; /* the target's words are split so that none is unknown */
};

void search_free(struct search *search);

/* Beam search for `count` sentences at once, at least one; the rows of a sentence lie side by side,
 * R = B · width in all. The result of a sentence does not depend on the others (to rounding), and
 * the width 1 is greedy search: at each step the likeliest token. <s> is never chosen. The
 * ensemble of the options, whose words are the model's, translates with it. `screen` (NULL = none),
 * made of the model's output layer, makes greedy search faster where the model is alone, and
 * changes nothing else. Of the options it looks at those of ensemble, beam, scores and overrides.
 */
elman_status search_run(struct search *search, const struct model *model,
                        const struct search_request *requests, size_t count,
                        const elman_translate_options *options, const struct screen *screen,
                        elman_error *error) CHECKED;

/* Found by the last search for request b: how many hypotheses, none if the weights are so large
 * that the numbers overflow; and hypothesis n, the best first, all different. */
size_t search_count(const struct search *search, size_t b);
const struct beam_path *search_path(const struct search *search, size_t b, size_t n);

/* Its ids (T), of which the last is TOKEN_END if the decoder ended by itself. */
void search_ids(uint32_t *ids, const struct search *search, size_t b, size_t n);

/* The log-probability of each (T); NaN where that of the whole is. */
void search_log_probabilities(double *log_probabilities, const struct search *search, size_t b,
                              size_t n);

/* Its attention: the average of the heads (T,S), and each of them (N,T,S) unless `heads` is the
 * array of the average, as it is of one head. */
void search_attention(float *attention, float *heads, const struct search *search, size_t b,
                      size_t n);

/* What its rows of weights, of one head, leave of 1 (T). */
void search_sentinel(float *sentinel, const struct search *search, size_t b, size_t n);

/* The first of the source tokens that token t of it looked at most, on the average of the heads. */
size_t search_looked_at(const struct search *search, size_t b, size_t n, size_t t);

#endif
