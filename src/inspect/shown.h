/* A translation for display: in tokens, or in the words that contain them. */
#ifndef ELMAN_INSPECT_SHOWN_H
#define ELMAN_INSPECT_SHOWN_H

#include "base/arena.h"
#include "elman/attention.h"
#include "vocab/locate.h"

/* Attention matrices between groups of tokens, such as words. */

/* The groups of each row or column. */
struct grouping {
  size_t count, groups;
  const struct word_range *of; /* (count): groups of each item; NULL = each item is one group */
};

/* Compute merged (rows.groups, columns.groups) from `matrix` (rows.count, columns.count). Add the
 * weights over the columns in a group, and average them over the rows in a group. A column in
 * several groups is divided equally among them; a row in several groups counts in each. Therefore,
 * if every column has a group, a merged row sums to the mean of the original row sums. A group
 * without rows is 0. */
void merge_matrix(double *merged, const float *matrix, const struct grouping *rows,
                  const struct grouping *columns);

/* Attention between words separated by white space, regardless of the tokens. If the text has no
 * such words, the matrix contains attention between tokens. */

/* If the units are tokens, a "word" is a token. */
struct word_matrix {
  size_t source_count, target_count; /* words */
  double *weights;   /* (target words, source words): weights are added over the tokens of a source
                        word and averaged over the tokens of a target word; without </s> */
  double *sentinels; /* (target words): mean over the tokens of a word; 0 without a sentinel */
  size_t *best_sources; /* (target words): the first source word with the largest weight */
  size_t *best_targets; /* (source words): the first target word with the largest weight */
  struct word_range *source_words; /* (S): the words of each token */
  struct word_range *target_words; /* (T): the words of each token */
  struct arena arena;
};

/* Compute the matrix of the average over the heads. `lines` (2) are the lines of both sides of the
 * corpus; NULL = only this translation. */
elman_status word_matrix_create(struct word_matrix *matrix, const elman_translation *translation,
                                elman_alignment_units units, const struct unit_lines *lines,
                                elman_error *error) CHECKED;
void word_matrix_free(struct word_matrix *matrix);

/* ---- links between source and target words ---- */

/* Check the style (NULL: all zero) and set the default threshold. */
elman_status text_style_complete(elman_text_style *complete, const elman_text_style *style,
                                 elman_error *error) CHECKED;

/* Return whether two words are linked according to a complete style. A weight of 0 is never a link.
 * For rules based on the largest weight, a weight below that of the sentinel is not a link
 * either. */
bool words_linked(const struct word_matrix *matrix, const elman_text_style *style, size_t source,
                  size_t target);

struct shown {
  /* A translation that borrows from the original translation. A side in words has no ids or
   * probabilities; its tokens are words as in the text. A word is known if all its tokens are
   * known. */
  elman_translation view;
  bool source_words, target_words;
  struct arena groups, arena;
};

/* Group the tokens of each side whose units are words, with merge_matrix. "</s>" is a separate
 * group. A token without a word belongs to the previous word, or, at the start, to the first word,
 * so that no weight is lost. */
elman_status shown_create(struct shown *shown, const elman_translation *translation,
                          elman_alignment_units units, elman_error *error) CHECKED;
void shown_free(struct shown *shown);

#endif
