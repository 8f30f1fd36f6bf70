/* Looking at the parts of a corpus before training on it: leaks between them, bad lines, and what
 * else is worth a look. Read-only. */
#ifndef ELMAN_CORPUS_CHECK_H
#define ELMAN_CORPUS_CHECK_H

#include "corpus/findings.h"
#include "corpus/pairs.h"

/* Token modes, scripts, the usual ratio of lengths and the vocabulary come from the first part.
 * `skipped`, `strict` and `whole_lines` of a part are not looked at. */
elman_status check_corpus(struct findings **findings, const elman_check_options *options,
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
                          const elman_check_options *options, elman_error *error) CHECKED;

#endif
