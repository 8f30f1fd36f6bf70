/* Search: target ids for encoded sentences, a batch at a time. */
#ifndef ELMAN_TRANSLATE_SEARCH_H
#define ELMAN_TRANSLATE_SEARCH_H

#include "model/ensemble.h"
#include "translate/beam.h"
#include "translate/greedy.h"
#include "translate/search_member.h"

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
