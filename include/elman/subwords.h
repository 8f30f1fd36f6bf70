/* Subwords by byte-pair encoding (BPE), for text whose words are separated by spaces: Sennrich,
 * Haddow and Birch, "Neural machine translation of rare words with subword units", ACL 2016.
 * Results are equal to those of learn-bpe and apply-bpe in subword-nmt. The BPE codes of
 * subword-nmt can be read line by line.
 *
 * A model with token mode `bpe` contains its merge operations. These functions inspect them, and
 * exchange them with other programs. A model also normalizes text and splits off punctuation;
 * elman_encode returns its tokens. */
#ifndef ELMAN_SUBWORDS_H
#define ELMAN_SUBWORDS_H

#include "elman/model.h"

ELMAN_BEGIN

typedef struct elman_subwords elman_subwords; /* merge operations and counted words */

/* Create an object without merge operations. */
ELMAN_CHECKED elman_status elman_subwords_create(elman_subwords **subwords, elman_error *error);
ELMAN_API void elman_subwords_free(elman_subwords *subwords);

/* Count the words of a line of `length` bytes. Return ELMAN_BAD_DATA if the line is not valid
 * UTF-8. */
ELMAN_CHECKED elman_status elman_subwords_count_line(elman_subwords *subwords, const char *line,
                                                     size_t length, elman_error *error);

/* Learn up to `merges` merge operations from the counted words. Stop early when no pair of symbols
 * occurs twice. Return ELMAN_INVALID_ARGUMENT if merge operations exist already. */
ELMAN_CHECKED elman_status elman_subwords_learn(elman_subwords *subwords, size_t merges,
                                                elman_error *error);

/* Append the merge operation of a line of `length` bytes: "left right", where "</w>" marks the end
 * of a word. Return ELMAN_BAD_DATA for any other line. */
ELMAN_CHECKED elman_status elman_subwords_add_merge(elman_subwords *subwords, const char *line,
                                                    size_t length, elman_error *error);

/* Append the merge operations of one side of a model. Return ELMAN_INVALID_ARGUMENT if the side
 * does not use token mode `bpe`. */
ELMAN_CHECKED elman_status elman_subwords_add_model(elman_subwords *subwords,
                                                    const elman_model *model, elman_side side,
                                                    elman_error *error);

/* Return the number of merge operations. */
ELMAN_API size_t elman_subwords_merges(const elman_subwords *subwords);

/* Get merge operation `index` as a line; `index` must be less than the number of merge operations.
 * *line is valid until the next call with the same object. */
ELMAN_CHECKED elman_status elman_subwords_get_merge(const char **line, elman_subwords *subwords,
                                                    size_t index, elman_error *error);

/* Split the words of a line of `length` bytes: "@@ " follows each subword except the last of a
 * word. Spaces at the ends of the line are kept; several spaces between words become one. *split is
 * valid until the next call with the same object. */
ELMAN_CHECKED elman_status elman_subwords_apply(const char **split, elman_subwords *subwords,
                                                const char *line, size_t length,
                                                elman_error *error);

ELMAN_END

#endif
