/* Looking at the parts of a corpus before training on it: leaks between them, bad lines, and what
 * else is worth a look. Read-only. */
#ifndef ELMAN_CORPUS_CHECK_H
#define ELMAN_CORPUS_CHECK_H

#include "corpus/findings.h"
#include "corpus/pairs.h"

struct check_options {
  const struct pairs_options *parts; /* `skipped`, `strict` and `whole_lines` are not looked at */
  size_t part_count;
  elman_token_mode modes[2]; /* by side */
  size_t max_length;         /* tokens on a side */
  double max_ratio;          /* how many times longer or shorter than expected a side may be */
  size_t examples;
};

/* The first part is the one that is trained on: token modes, scripts, the usual ratio of lengths
 * and the vocabulary come from it. */
elman_status check_corpus(struct findings **findings, const struct check_options *options,
                          elman_error *error) CHECKED;

/* The three looks, for part after part; in files of their own. */

/* Sentences that come again, in the same part (duplicates) or in a later one (leaks). */
elman_status check_repeats(struct findings *findings, struct pairs *const *parts,
                           elman_error *error) CHECKED;
/* Scripts and lengths of single lines. */
elman_status check_lines(struct findings *findings, struct pairs *const *parts, double max_ratio,
                         elman_error *error) CHECKED;
/* Tokens: too long lines, unknown words. */
elman_status check_tokens(struct findings *findings, struct pairs *const *parts,
                          const struct check_options *options, elman_error *error) CHECKED;

#endif
