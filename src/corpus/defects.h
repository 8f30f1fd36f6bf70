/* Defects of one text, in any language: markup, marks of other tools, wrong encodings. */
#ifndef ELMAN_CORPUS_DEFECTS_H
#define ELMAN_CORPUS_DEFECTS_H

#include <stdbool.h>

#include "base/text.h"

/* Return whether the text is only a number, date or code such as "1277", "2021-05-03" or "s-001":
 * ASCII without spaces, with a digit. */
bool text_is_id(struct text text);

/* Return whether the text has an HTML or XML tag, such as <br>, </b>, <a href="x"> or <url>, or an
 * entity, such as &quot; &#39; or "& apos ;". */
bool text_has_markup(struct text text);

/* Return whether the text has marks by which another tool stores tokens: @-@ and similar marks of
 * Moses, "@@ " of subword-nmt, ▁ of SentencePiece, ￭ of the OpenNMT tokenizer. */
bool text_has_token_marks(struct text text);

/* Return whether the text has U+FFFD, or UTF-8 that was read as Windows-1252 or Windows-1251, such
 * as Ã© for é. */
bool text_is_garbled(struct text text);

/* Return whether the text has several question marks and no letters, as if an encoding had replaced
 * the letters. */
bool text_lost_letters(struct text text);

/* How a spreadsheet would have quoted a field. */
enum quoting {
  NOT_QUOTED,
  ENCLOSED,      /* "..." without further quotation marks: may also be a quotation */
  DOUBLED_QUOTES /* "... ""..."" ..." */
};

enum quoting text_quoting(struct text text);

/* Return whether the text has a quotation mark of any language. */
bool text_has_quotation_marks(struct text text);

#endif
