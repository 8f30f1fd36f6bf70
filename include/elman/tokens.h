/* Tokenization and normalization modes, and characters that are unsafe to print. */
#ifndef ELMAN_TOKENS_H
#define ELMAN_TOKENS_H

#include "elman/status.h"

ELMAN_BEGIN

/* Tokenization modes. SPACE splits at white space. WORDS keeps runs of letters and digits together
 * and splits off punctuation and single Chinese characters (Han). CHARS splits into extended
 * grapheme clusters. AUTO chooses one of these from the text. BPE splits words into subwords that
 * byte-pair encoding learns from the text (elman/subwords.h), so that no word is unknown. AUTO_BPE
 * chooses as AUTO does, but takes BPE where AUTO takes WORDS. */
typedef enum elman_token_mode {
  ELMAN_TOKENS_SPACE,
  ELMAN_TOKENS_WORDS,
  ELMAN_TOKENS_CHARS,
  ELMAN_TOKENS_AUTO,
  ELMAN_TOKENS_BPE,
  ELMAN_TOKENS_AUTO_BPE
} elman_token_mode;

/* Return the name of the elman_token_mode `index`: "space", "words", "chars", "auto", "bpe" or
 * "auto-bpe"; NULL for any other value. */
ELMAN_API const char *elman_token_mode_name(size_t index);

/* Normalization of text before tokenization. All forms unify white space and remove invisible
 * characters without meaning; NONE does nothing else. NFC composes letters with their marks as
 * Unicode's NFC does, and leaves everything else as it is written. NFKC applies Unicode's NFKC,
 * which replaces full-width letters by ordinary ones, and also unifies punctuation: curly quotation
 * marks become straight, dashes become hyphens. AUTO is NFKC for the source, to make more input
 * equal to the training data, and NFC for the target, so that translations use the characters of
 * the training data. NFKC_WIDE is NFKC with full-width punctuation; it replaces NFKC on a side
 * whose lines are mostly Chinese characters or kana. AUTO_LOWER is AUTO with NFKC_LOWER for the
 * source: NFKC in lower case, so that text in capital letters is translated like any other. */
typedef enum elman_normalization {
  ELMAN_NFC,
  ELMAN_NFKC,
  ELMAN_NO_NORMALIZATION,
  ELMAN_NORMALIZATION_AUTO,
  ELMAN_NORMALIZATION_AUTO_LOWER,
  ELMAN_NFKC_WIDE,
  ELMAN_NFKC_LOWER
} elman_normalization;

/* Return the name of the elman_normalization `index`: "nfc", "nfkc", "none", "auto", "auto-lower",
 * "nfkc-wide" or "nfkc-lower"; NULL for any other value. */
ELMAN_API const char *elman_normalization_name(size_t index);

/* Return the length in bytes of the unsafe character at the start of `text` (`length` bytes) and
 * set *codepoint; return 0 if the text starts with anything else, invalid UTF-8 included. Unsafe
 * characters are those that control a terminal, are invisible, or change the writing direction:
 * controls, format characters except joiners, line and paragraph separators, and noncharacters. The
 * writers of this library escape exactly these characters. */
ELMAN_API size_t elman_unsafe_character(uint32_t *codepoint, const char *text, size_t length);

/* Return the length in bytes of the right-to-left text at the start of `text` (`length` bytes). It
 * extends to the last right-to-left letter before a left-to-right letter or the end of the line.
 * Return 0 if the text starts with anything but a right-to-left letter. Between other text,
 * right-to-left text needs U+2068 before it and U+2069 after it. Without these, it changes the
 * order of the text around it. */
ELMAN_API size_t elman_right_to_left(const char *text, size_t length);

ELMAN_END

#endif
