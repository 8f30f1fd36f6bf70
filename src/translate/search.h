/* Search: target ids for encoded sentences, a batch at a time. */
#ifndef ELMAN_TRANSLATE_SEARCH_H
#define ELMAN_TRANSLATE_SEARCH_H

#include "base/sequence.h"
#include "model/model.h"
#include "tensor/screen.h"
#include "translate/beam.h"

/* The batch as rows of hypotheses, those of a sentence side by side; the same for all models. */
struct search_rows {
  struct sequence source; /* (S,B) */
  struct sequence target; /* (1,R): each row's last token; length 0 where a row is not in use */
  size_t width;           /* R / B */
  size_t used;            /* rows in use */
  size_t *lengths;        /* (R): source lengths */
  bool *clause_ends;      /* (S,R): where the source's clauses end */
  size_t *moves;          /* (R): the row that each row's hypothesis was grown from */
};

/* A row whose features wait for their logits. */
struct waiting_token {
  size_t sentence;
  size_t node; /* of the pool; BEAM_START where numbers overflowed: no probability is wanted */
  uint32_t id;
};

/* Greedy search without the logits: a screen finds the likeliest token; the output layer computes
 * its probability later, for many steps at once, if it is wanted. */
struct greedy {
  bool active;                 /* otherwise the decoder gives logits */
  bool scores;                 /* wanted */
  const struct screen *screen; /* NULL: all sentences are forced */
  struct screen_scratch scratch;
  size_t *chosen;                /* (R) */
  real *features;                /* (K,F) */
  real *logits;                  /* (K,V) */
  struct waiting_token *waiting; /* (K) */
  size_t count, most;            /* of K rows */
};

struct search_member;

/* Scratch of searches, and the last one's result. Start from all zero; memory is reused. */
struct search {
  struct arena arena;
  struct search_rows rows;
  struct search_member *members; /* (members): the models that translate together */
  size_t member_count, member_capacity;
  struct greedy greedy;     /* of the only one */
  real *weights;            /* (R,K,S) of a step; of several members their mean (R,1,S) */
  struct beam *beams;       /* (B): what was found, one a request */
  struct hypothesis *paths; /* (B,3,width) */
  struct beam_pool pool;
};
void search_free(struct search *search);

/* Beam search for `count` sentences at once, at least one; the rows of a sentence lie side by side,
 * R = B · width in all. The result of a sentence does not depend on the others (to rounding), and
 * the width 1 is greedy search: at each step the likeliest token. <s> is never chosen. The
 * ensemble of the options, whose words are the model's, translates with it. `screen` (NULL = none),
 * made of the model's output layer, makes greedy search faster where the model is alone, and
 * changes nothing else. The result borrows the requests. */
elman_status search_run(struct search *search, const struct model *model,
                        const struct search_request *const *requests, size_t count,
                        const elman_translate_options *options, const struct screen *screen,
                        elman_error *error) CHECKED;

/* The screen of a model's output layer, by which greedy search finds the likeliest token. The model
 * must not change meanwhile. NULL for a wider beam, for sampling and for an ensemble. */
elman_status model_screen_create(struct screen **screen, const struct model *model,
                                 const elman_translate_options *options,
                                 elman_error *error) CHECKED;
void model_screen_free(struct screen *screen);

#endif
