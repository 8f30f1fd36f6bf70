/* The sentences of a text. */
#ifndef ELMAN_SENTENCES_H
#define ELMAN_SENTENCES_H

#include "elman/status.h"

ELMAN_BEGIN

/* Whether a text is split into sentences, each of which is translated by itself. AUTO splits an
 * elman_sentence whose `is_text` is true, unless it has a reference or an override names a place in
 * its attention matrix. ON splits every text; a reference, or an override that names a place, is
 * then refused. */
typedef enum elman_split_sentences {
  ELMAN_SPLIT_AUTO,
  ELMAN_SPLIT_ON,
  ELMAN_SPLIT_OFF
} elman_split_sentences;

/* Return "auto" for index 0, "on" for 1, "off" for 2, NULL for any other index. */
ELMAN_API const char *elman_split_sentences_name(size_t index);

/* Bytes [start, end) of a text. */
typedef struct elman_span {
  size_t start, end;
} elman_span;

/* Return the number of sentences in `length` bytes of UTF-8 text. Write the first `most` of them,
 * without white space around them, to `sentences`, which may be NULL if `most` is 0.
 *
 * A line break always ends a sentence, and so do final marks of all scripts with the closing
 * quotation marks and brackets that follow them. A full stop ends no sentence in a number, or after
 * an abbreviation, an initial or the number of an item. docs/decoding.md has the rules. */
ELMAN_API size_t elman_find_sentences(elman_span *sentences, size_t most, const char *text,
                                      size_t length);

ELMAN_END

#endif
