/* A translation as it is shown: in its tokens, or in words that they are parts of. */
#ifndef ELMAN_INSPECT_SHOWN_H
#define ELMAN_INSPECT_SHOWN_H

#include "base/arena.h"
#include "elman/attention.h"
#include "vocab/locate.h"

/* A matrix of attention between groups of tokens, as words are. */

/* Which groups a row or a column belongs to. */
struct grouping {
  size_t count, groups;
  const struct word_range *of; /* (count); NULL = each is a group by itself */
};

/* merged (rows.groups, columns.groups): the weights of a group's columns are added, those of a
 * group's rows averaged. A column of several groups is shared out equally among them; a row of
 * several is a row of each. So where each column is in a group, the sum of a row is the mean of the
 * sums of its rows. A group without a row has 0. `matrix` is (rows.count, columns.count). */
void merge_matrix(double *merged, const float *matrix, const struct grouping *rows,
                  const struct grouping *columns);

/* Attention between words as white space separates them, whatever the tokens are; or between tokens
 * where text has no such words. */

/* A "word" is a token where the units are tokens. */
struct word_matrix {
  size_t source_count, target_count; /* words */
  double *weights;      /* (target words, source words): the weights of a source word's tokens are
                           added, those of a target word's tokens averaged; no </s> */
  double *sentinels;    /* (target words): those of its tokens, averaged; 0 if there is none */
  size_t *best_sources; /* (target words): the first one with the largest weight */
  size_t *best_targets; /* (source words): likewise */
  struct word_range *source_words; /* (S): the words that a token lies in */
  struct word_range *target_words; /* (T) */
  struct arena arena;
};

/* Of the average over the heads. */
elman_status word_matrix_create(struct word_matrix *matrix, const elman_translation *translation,
                                elman_alignment_units units, elman_error *error) CHECKED;
void word_matrix_free(struct word_matrix *matrix);

/* ---- which source word belongs to which target word ---- */

/* As the public functions that are named so. */
const char *alignment_rule_name(elman_alignment_rule rule);
const char *alignment_units_name(elman_alignment_units units);

/* Checks what the style, NULL for all zero, says about links, and sets the default threshold. */
elman_status text_style_complete(elman_text_style *complete, const elman_text_style *style,
                                 elman_error *error) CHECKED;

/* By a complete style. Weights of 0 are never links; nor, where the largest weight counts, those
 * below the sentinel's. */
bool words_linked(const struct word_matrix *matrix, const elman_text_style *style, size_t source,
                  size_t target);

struct shown {
  elman_translation view; /* borrows from the translation that it was made of. A side in words has
                             no ids, nor probabilities, and tokens that are words: as they stand in
                             the text, known if all their tokens are */
  bool source_words, target_words;
  struct arena groups, arena;
};

/* What a side has is grouped if its units are words, by merge_matrix; "</s>" stays apart, and a
 * token without a word goes with the one before or, at the front, with the first word, so that no
 * weight is lost. */
elman_status shown_create(struct shown *shown, const elman_translation *translation,
                          elman_alignment_units units, elman_error *error) CHECKED;
void shown_free(struct shown *shown);

#endif
