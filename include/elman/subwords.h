/* Parts of words by byte-pair encoding, on text whose words have spaces between: Sennrich, Haddow
 * and Birch, "Neural machine translation of rare words with subword units", ACL 2016. Merges are
 * learnt and applied as subword-nmt's learn-bpe and apply-bpe do, and its codes are lines here.
 *
 * A model with token mode `bpe` has merges for itself; this is for looking at them, and for other
 * programs. A model also normalizes text and splits off punctuation: its tokens are those of
 * elman_encode. */
#ifndef ELMAN_SUBWORDS_H
#define ELMAN_SUBWORDS_H

#include "elman/model.h"

ELMAN_BEGIN

typedef struct elman_subwords elman_subwords; /* merges, and words to learn more from */

/* Without merges. */
ELMAN_CHECKED elman_status elman_subwords_create(elman_subwords **subwords, elman_error *error);
ELMAN_API void elman_subwords_free(elman_subwords *subwords);

/* Counts the words of a line of `length` bytes. ELMAN_BAD_DATA where it is not valid UTF-8. */
ELMAN_CHECKED elman_status elman_subwords_count_line(elman_subwords *subwords, const char *line,
                                                     size_t length, elman_error *error);

/* Learns at most `merges` from the words counted: fewer where no pair of parts is seen twice.
 * ELMAN_INVALID_ARGUMENT if there are merges already. */
ELMAN_CHECKED elman_status elman_subwords_learn(elman_subwords *subwords, size_t merges,
                                                elman_error *error);

/* Adds the merge of a line of `length` bytes behind the others: "left right", where what ends a
 * word has "</w>" behind it. ELMAN_BAD_DATA for anything else. */
ELMAN_CHECKED elman_status elman_subwords_add_merge(elman_subwords *subwords, const char *line,
                                                    size_t length, elman_error *error);

/* Adds the merges of one side of a model. ELMAN_INVALID_ARGUMENT if that is not split by `bpe`. */
ELMAN_CHECKED elman_status elman_subwords_add_model(elman_subwords *subwords,
                                                    const elman_model *model, elman_side side,
                                                    elman_error *error);

/* How many merges there are. */
ELMAN_API size_t elman_subwords_merges(const elman_subwords *subwords);

/* The line of merge `index`, which is less than their number; *line is valid until the next call
 * with these subwords. */
ELMAN_CHECKED elman_status elman_subwords_get_merge(const char **line, elman_subwords *subwords,
                                                    size_t index, elman_error *error);

/* The line of `length` bytes with "@@ " behind each part that another part of its word follows;
 * spaces at its ends stay, and of those between words one. *split is valid until the next call with
 * these subwords. */
ELMAN_CHECKED elman_status elman_subwords_apply(const char **split, elman_subwords *subwords,
                                                const char *line, size_t length,
                                                elman_error *error);

ELMAN_END

#endif
