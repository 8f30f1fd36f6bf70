/* Properties of characters, and the scripts of lines. */
#ifndef ELMAN_VOCAB_CHARACTERS_H
#define ELMAN_VOCAB_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <utf8proc.h>

#include "base/text.h"
#include "elman/tokens.h"
#include "vocab/scripts.h"

/* Return the code point at byte *at < text.length, and advance *at to the next one. */
static inline int character_at(struct text text, size_t *at) {
  const unsigned char first = (unsigned char)text.bytes[*at];
  if (first < 0x80) {
    ++*at;
    return first;
  }
  const size_t left = text.length - *at < 4 ? text.length - *at : 4;
  utf8proc_int32_t codepoint;
  const utf8proc_ssize_t step = utf8proc_iterate((const utf8proc_uint8_t *)text.bytes + *at,
                                                 (utf8proc_ssize_t)left, &codepoint);
  /* Callers pass valid text; with invalid text advance by one byte to prevent an endless loop. */
  *at += step > 0 ? (size_t)step : 1;
  return step > 0 ? codepoint : 0xFFFD;
}

/* Return whether the byte continues a UTF-8 sequence. */
static inline bool continues_character(char byte) {
  return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Ranges of code points, in ascending order. */
struct codepoint_range {
  int first, last;
};

bool in_ranges(const struct codepoint_range *ranges, size_t count, int codepoint);

#define IN_RANGES(ranges, codepoint)                                                               \
  in_ranges(ranges, sizeof(ranges) / sizeof(ranges)[0], codepoint)

bool is_one_of(const char *characters, int codepoint);

/* Return the end of the run that starts at byte `start`. The run consists of characters for which
 * is_kind() returns `wanted`. */
size_t run_end(struct text text, size_t start, bool (*is_kind)(int codepoint), bool wanted);

/* Return whether the character has Unicode's property White_Space. */
bool is_white_space(int codepoint);

/* Return whether the character is Chinese (Han): the ideographs of all CJK blocks, and 々 〇; not
 * kana. */
bool is_han(int codepoint);

/* Return whether the character is Han, kana or full-width. These are written without spaces. */
bool is_unspaced(int codepoint);

/* Return whether the character is a letter, mark or digit of a script that is written without
 * spaces between words (Han, kana, Thai, ...). */
bool is_unspaced_letter(int codepoint);

/* Return the value of a decimal digit of any script; -1 for another character. */
int decimal_value(int codepoint);

/* Return whether the Unicode category of the character is L*, M* or N*. */
bool is_word_character(int codepoint);

/* Return whether the character is a combining mark or a joiner, which belongs to the preceding
 * character. */
bool extends_previous(int codepoint);

/* The sides on which a character is normally written without a space. */
enum attachment { ATTACH_NONE = 0, ATTACH_LEFT = 1, ATTACH_RIGHT = 2, ATTACH_BOTH = 3 };

enum attachment character_attachment(int codepoint);

/* Return the end of the extended grapheme cluster at byte `start`. Set *first to its first code
 * point. */
size_t cluster_end(struct text text, size_t start, int *first);

/* ---- script ---- */

/* Counts of characters of a text by script. White space of any length counts as one space, and
 * combining marks do not count. The caller initializes the struct to zero. A letter of a script
 * that is written without spaces is an unspaced letter. */
struct script_counts {
  struct letter_counts scripts;
  size_t letters;   /* letters and digits, including Han */
  size_t han;       /* Han characters */
  size_t kana;      /* letters that are kana */
  size_t adjacent;  /* adjacent pairs: an unspaced letter, and another unspaced letter or a
                       full-width character */
  size_t separated; /* pairs that would be adjacent without the space between them */
};

void script_count(struct script_counts *counts, struct text text);
bool script_is_han(const struct script_counts *counts); /* most letters and digits are Han */

/* A sample of lines, which determines the script of a side, and the mode that `auto` stands for.
 * All lines have equal weight. The caller initializes the struct to zero.
 *
 * A line counts as `words` unless its script is written without spaces. A line of a script without
 * spaces counts as `space` (segmented text) if a space separates at least a fifth of its adjacent
 * Han characters, or at least an eighth of the adjacent characters of another script, whose words
 * have more characters. With fewer such spaces it counts as `chars`. A line that is too short to
 * distinguish `space` from `chars` counts only for its script. For mixed samples `chars` is safest,
 * because in `space` an unsegmented sentence is one long word. Therefore `space` requires nine
 * lines of ten. */
struct script_sample {
  struct script_votes votes;
  size_t lines;    /* lines with letters or digits */
  size_t wide;     /* lines that are mostly Han and kana, whose punctuation is full-width */
  size_t spaced;   /* lines of scripts without spaces between words, but segmented by spaces */
  size_t unspaced; /* other lines of these scripts, certainly not segmented */
};

/* Return the mode for a line with these counts. */
elman_token_mode script_line_mode(const struct script_counts *line);
void script_sample_add(struct script_sample *sample, const struct script_counts *line);
enum script script_of_sample(const struct script_sample *sample);
elman_token_mode script_token_mode(const struct script_sample *sample);

/* Return the normalization of a side for the user's choice `asked`. Replace an automatic choice by
 * the default of the side. Then replace ELMAN_NFKC by ELMAN_NFKC_WIDE if most lines use full-width
 * punctuation. */
elman_normalization script_normalization(const struct script_sample *sample, bool is_source,
                                         elman_normalization asked);

#endif
