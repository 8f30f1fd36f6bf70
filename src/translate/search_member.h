/* What one model does in a search: its view of the source, and a step of its decoder for each
 * hypothesis; and what several models say as one. docs/beyond.md, section 22. */
#ifndef ELMAN_TRANSLATE_SEARCH_MEMBER_H
#define ELMAN_TRANSLATE_SEARCH_MEMBER_H

#include "attention/override.h"
#include "base/sequence.h"
#include "decoder/output_scores.h"
#include "elman/translate.h"
#include "model/model.h"

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
void search_member_free(struct search_member *member);

/* Whether BLAS, which counts in int, can do S source tokens in B sentences. */
bool search_member_fits(const struct search_member *member, size_t S, size_t B, size_t width);

/* Memory but for the scores; the decoder has room for the features and logits of `features` rows.
 */
void search_member_take(struct search_member *member, struct arena *arena,
                        const struct search_rows *rows, size_t features);
void search_member_take_scores(struct search_member *member, struct arena *arena, size_t R);

/* Encodes the source and begins a hypothesis in each sentence's first row. */
elman_status search_member_start(struct search_member *member, const struct search_rows *rows,
                                 const elman_translate_options *options,
                                 elman_error *error) CHECKED;

/* A step of the decoder for all rows in use, to the features. */
void search_member_step(struct search_member *member);
/* And to the scores of the `used` rows in use. */
void search_member_score(struct search_member *member, size_t used);
/* The rows in use go on from those that rows->moves names. */
elman_status search_member_move(struct search_member *member, const struct search_rows *rows,
                                elman_error *error) CHECKED;

/* Into the scores of the first of `count` members: the mean of the logarithms of their
 * probabilities. */
void search_members_join_scores(struct search_member *members, size_t count, size_t used);
/* weights (R,1,S) of the rows in use: the mean of what the members look at, heads and all. */
void search_members_join_weights(real *weights, const struct search_member *members, size_t count,
                                 const struct search_rows *rows);

#endif
