/* Changes of the text of a pair that make training robust: final marks, case, typing errors,
 * joining. Texts are normalized. A buffer that runs out of memory has `failed` set. */
#ifndef ELMAN_CORPUS_MODIFIERS_H
#define ELMAN_CORPUS_MODIFIERS_H

#include "base/text.h"
#include "corpus/draws.h"
#include "elman/tokens.h"

/* Remove the final marks of a text (vocab/marks.h) and the spaces before them. Return whether there
 * were any. */
bool drop_final_marks(struct buffer *text);

/* Append " " unless the last character of the text, or the first character of `next`, is written
 * without spaces. In mode `space`, always append it. */
void append_space_before(struct buffer *text, struct text next, elman_token_mode mode);

enum letter_case { UPPER_CASE, TITLE_CASE };

/* Write both texts in upper case, or all their words with a capital letter. If most of the source
 * is in a script without case, change only words that both texts contain. Return whether the source
 * was changed. */
bool change_case(struct buffer texts[2], enum letter_case letter_case, struct buffer *scratch);

/* Add typing errors to words of at least three letters of alphabets: one error, and one more for
 * every eight words. In an error, two letters are interchanged, or one letter is omitted, doubled
 * or replaced by its neighbor on the keyboard. Change nothing if most of the text is in another
 * script. Return whether anything was changed. */
bool add_typos(struct buffer *text, struct draws *draws, struct buffer *scratch);

/* Return the next run of letters (or of digits) at or after byte *at, and move *at to its end. Only
 * letters of scripts with case count. Return an empty text if there is none. */
struct text next_word(struct text text, size_t *at, bool digits);

/* Return whether a run of the text, as next_word finds them, equals `word`. */
bool contains_word(struct text text, struct text word, bool digits);

#endif
