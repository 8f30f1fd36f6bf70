/* The marks that end sentences, in all scripts. */
#ifndef ELMAN_VOCAB_MARKS_H
#define ELMAN_VOCAB_MARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Return whether the character ends sentences in some script (Unicode's Sentence_Terminal and the
 * ellipsis). The Greek question mark is not among them, because normalization replaces it by ";".
 */
bool is_final_mark(int codepoint);

/* Return whether the character may follow a final mark: a closing bracket or quotation mark,
 * including straight quotation marks. */
bool closes_sentence(int codepoint);

/* The final marks of a text, bytes [start, end). White space before them belongs to them; closing
 * quotation marks, brackets and white space after them do not. */
struct marks_range {
  size_t start, end;
};

/* Return the final marks of a text; an empty range if the text does not end with a mark, or
 * contains only marks. ";" is a mark after a Greek letter. */
struct marks_range final_marks(struct text text);

/* Return whether the text has final marks. */
bool ends_with_mark(struct text text);

#endif
