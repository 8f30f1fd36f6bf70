/* Search: from encoded sentences to target ids, one batch at a time. */
#ifndef ELMAN_TRANSLATE_SEARCH_H
#define ELMAN_TRANSLATE_SEARCH_H

#include "base/sequence.h"
#include "model/model.h"
#include "tensor/screen.h"
#include "translate/beam.h"

/* The rows of the open hypotheses of a batch. All models share these rows. The rows of a sentence
 * are adjacent, and sentences that have ended have none. */
struct search_rows {
  struct sequence source; /* (S,B) */
  struct sequence target; /* (1,rows of the step): last token of each row; the batch may be larger
                             than `used`, and rows after the used ones have length 0 */
  size_t most;            /* R: B times the beam size */
  size_t least;           /* minimum number of rows of a step */
  size_t used;            /* number of rows in use */
  size_t before;          /* number of rows of the previous step */
  size_t *sentences;      /* (R): the sentence of each row */
  size_t *moves;          /* (R): for each row, the row that its hypothesis extended */
};

/* A row whose features are stored until its logits are computed. */
struct waiting_token {
  size_t sentence;
  size_t node; /* index in the pool; BEAM_START after overflow, when no probability is needed */
  uint32_t id;
};

/* Greedy search without logits: a screen finds the most probable token. If probabilities are
 * wanted, the output layer computes them later, for many steps at once. */
struct greedy {
  bool active;                 /* if false, the decoder computes logits */
  bool scores;                 /* whether probabilities are wanted */
  const struct screen *screen; /* NULL if all sentences are forced */
  struct screen_scratch scratch;
  size_t *chosen;                /* (R) */
  real *features;                /* (K,F) */
  real *logits;                  /* (K,V) */
  struct waiting_token *waiting; /* (K) */
  size_t count, most;            /* number of waiting tokens, and K, its maximum */
};

struct search_member;

/* Scratch memory and the results of the last search. The caller initializes the struct with zeros;
 * memory is reused. */
struct search {
  struct arena arena;
  struct search_rows rows;
  struct search_member *members; /* (member_count): the models of the ensemble */
  size_t member_count, member_capacity;
  struct greedy greedy;           /* used only with one member */
  bool unscored;                  /* the results have no scores, even if the search computes some */
  bool without_sums;              /* unscored search in eight bits, without probabilities */
  const struct beam_texts *texts; /* set by the caller; borrowed; NULL = separate hypotheses */
  real *weights;      /* (R,K,S): weights of a step; with several members, their mean (R,1,S) */
  struct beam *beams; /* (B): results, one per request */
  struct hypothesis *paths; /* (B,3,width) */
  struct beam_pool pool;
  uint32_t *partial_ids; /* scratch for the callback of the options */
  size_t partial_capacity;
};
void search_free(struct search *search);

/* Call the callback of the options, if there is one. Return ELMAN_INTERRUPTED if it stops the
 * translation. */
elman_status search_pass_partial(const elman_partial *partial,
                                 const elman_translate_options *options, elman_error *error);

/* Run beam search for `count` >= 1 sentences at once, with R = B · beam size rows. Beam size 1 is
 * greedy search. A sentence's result does not depend on the other sentences, except for rounding
 * error. <s> is never chosen. An ensemble in the options must have the vocabularies of `model`.
 * `screen` (NULL = none) must be the result of model_screen for these options, which is NULL for
 * sampling and for weights in eight bits. It accelerates greedy search with one model and changes
 * nothing else. The result borrows the requests. */
elman_status search_run(struct search *search, const struct model *model,
                        const struct search_request *const *requests, size_t count,
                        const elman_translate_options *options, const struct screen *screen,
                        elman_error *error) CHECKED;

#endif
