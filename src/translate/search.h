/* Search: target ids for encoded sentences, a batch at a time. */
#ifndef ELMAN_TRANSLATE_SEARCH_H
#define ELMAN_TRANSLATE_SEARCH_H

#include "attention/override.h"
#include "model/model.h"
#include "model/network.h"
#include "translate/beam.h"
#include "translate/greedy.h"

/* What the decoder chose, step by step. */
struct hypothesis {
  const uint32_t *ids;    /* (T); the last is TOKEN_END if the decoder ended by itself */
  const real *attention;  /* (T,S): the average of the heads */
  const real *heads;      /* (N,T,S); `attention` itself if there is one */
  size_t count;           /* T */
  double log_probability; /* NaN if it was not wanted */
  double score;           /* log p / T^A; likewise */
};

struct search_request {
  const uint32_t *ids; /* at least one */
  size_t count;
  size_t limit;           /* tokens of a translation, at least 1 */
  const uint32_t *forced; /* NULL = choose; else take these and then </s>, whatever the limit */
  size_t forced_count;
};

/* The best first, all different. None if the weights are so large that the numbers overflow. */
struct search_result {
  const struct hypothesis *hypotheses;
  size_t count;
};

/* Scratch of one search after the other, and the results of the last one. Start from all zero;
 * memory is reused. */
struct search {
  struct arena arena;
  struct encoder_cache encoder;
  struct decoder_cache decoder;
  struct sequence source; /* (S,B) */
  struct sequence target; /* (1,R): each row's last token; length 0 where a row is not in use */
  size_t *row_lengths;    /* (R): source lengths */
  real *row_states;       /* (S,R,H): the source states of each row's sentence; only if R > B */
  real *keys, *values;    /* (S,B,H): projected for attention, before they go to the rows */
  struct self_attention_history history;
  size_t *moves; /* (R): the row that each row's hypothesis was grown from */
  struct greedy greedy;
  struct output_scores scores; /* where greedy search is not active */
  struct team *team;           /* borrowed; NULL = none: helps the output layer */
  struct beam *beams;          /* (B) */
  struct beam_path *paths;     /* (B,3,width) */
  struct beam_pool pool;
  struct arena result_arena;
  struct search_result *results; /* (B), in the order of the requests */
};
void search_free(struct search *search);

struct search_options {
  struct beam_options beam;
  bool without_scores; /* with a width of 1, where nothing is forced: leave out the probabilities */
};

/* Beam search for `count` sentences at once, at least one; the rows of a sentence lie side by side,
 * R = B · width in all. The result of a sentence does not depend on the others (to rounding), and
 * the width 1 is greedy search: at each step the likeliest token. <s> is never chosen. `overrides`
 * (NULL = none) change the attention; their `first` is set here. `screen` (NULL = none), made of
 * the model's output layer, makes greedy search faster and changes nothing else. */
elman_status search_run(struct search *search, const struct model *model,
                        const struct search_request *requests, size_t count,
                        const struct search_options *options,
                        const struct attention_overrides *overrides, const struct screen *screen,
                        elman_error *error) CHECKED;

#endif
