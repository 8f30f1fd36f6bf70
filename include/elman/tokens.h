/* How text is normalised and split, and which characters are not shown as they are. */
#ifndef ELMAN_TOKENS_H
#define ELMAN_TOKENS_H

#include "elman/status.h"

ELMAN_BEGIN

/* How text becomes tokens: at white space; letters and digits together with punctuation apart and
 * Han characters one by one; by extended grapheme clusters; the fitting one of these; or parts of
 * words that byte-pair encoding learns from the text (elman/subwords.h), which never lack a word.
 */
typedef enum elman_token_mode {
  ELMAN_TOKENS_SPACE,
  ELMAN_TOKENS_WORDS,
  ELMAN_TOKENS_CHARS,
  ELMAN_TOKENS_AUTO,
  ELMAN_TOKENS_BPE
} elman_token_mode;

/* "space", "words", "chars", "auto", "bpe"; NULL for any other value. */
ELMAN_API const char *elman_token_mode_name(elman_token_mode mode);

/* How text is written before it is split. NFKC is Unicode's, which takes full-width letters and the
 * like for ordinary ones, with punctuation unified that a typist cannot tell apart: curly quotation
 * marks become straight ones, dashes hyphens. A side whose lines are mostly Han or kana is WIDE:
 * its punctuation is full-width instead, however it was typed. */
typedef enum elman_normalization { ELMAN_NFC, ELMAN_NFKC, ELMAN_NFKC_WIDE } elman_normalization;

/* "nfc", "nfkc", "nfkc-wide"; NULL for any other value. */
ELMAN_API const char *elman_normalization_name(elman_normalization normalization);

/* Whether `text`, of `length` bytes, begins with a character that can steer a terminal, is
 * invisible, or turns the writing direction: controls, format characters but for joiners, line and
 * paragraph separators, and what is no character. Gives its bytes and sets *codepoint, or gives 0
 * where it begins with anything else, also with what is not UTF-8. The writers of this library
 * escape just these. */
ELMAN_API size_t elman_unsafe_character(uint32_t *codepoint, const char *text, size_t length);

ELMAN_END

#endif
