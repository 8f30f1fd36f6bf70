/* The sentences of a text.
 *
 * A line break always ends a sentence. Within a line, a sentence ends after a final mark (marks.h),
 * with the further marks, closing quotation marks and brackets, and emoji that follow it directly:
 *
 * - A mark of a script without spaces (。！？｡) and of scripts that have their own marks (। ؟ ። …)
 *   ends a sentence anywhere. The marks . ! ? … end a sentence before white space; . ! ? also
 *   between two characters of a script without spaces.
 * - A full stop does not end a sentence in a number (3.14), after the number of an item (1.), an
 *   initial, an abbreviation (Mr. e.g. z.B.), or before a lower-case letter. After an acronym (U.S.
 *   p.m.) a full stop ends a sentence only before a word that often begins sentences. In a text
 *   without upper-case letters, a full stop also ends a sentence before lower-case letters.
 * - A mark within brackets that began in the middle of a sentence does not end the sentence.
 *
 * A sentence has at least one letter or digit, unless the text has none. Other characters alone are
 * no sentence: they belong to the next sentence of the line, or to its last sentence. */
#ifndef ELMAN_VOCAB_SENTENCES_H
#define ELMAN_VOCAB_SENTENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "elman/sentences.h"

/* Reads the sentences of a text. Time grows linearly with the length of the text. */
struct sentence_reader {
  struct text text;
  size_t at;        /* the place after the last sentence */
  size_t line_end;  /* the end of the line of the last sentence */
  size_t last_word; /* the place after the last letter or digit of this line */
  bool has_upper;   /* the text has an upper-case letter */
};

void sentence_reader_start(struct sentence_reader *reader, struct text text);

/* Find the next sentence, bytes [*start, *end) of the text, without white space around it. Return
 * false after the last one. White space alone is no sentence. */
bool sentence_next(size_t *start, size_t *end, struct sentence_reader *reader);

/* Append what separates two translated sentences. `gap` is the text between the two sources: its
 * line breaks are kept. Without a line break, append a space, but nothing if one of the
 * translations is empty or if the letters of both translations are of a script that writes
 * sentences without spaces (Han, kana). */
void append_separator(struct buffer *into, struct text left, struct text gap, struct text right);

#endif
