/* Properties of single characters, and of lines by their script. */
#ifndef ELMAN_VOCAB_CHARACTERS_H
#define ELMAN_VOCAB_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <utf8proc.h>

#include "base/text.h"
#include "elman/tokens.h"

/* The code point at byte *at, which moves to the next one; *at < text.length. */
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
  /* Text is valid wherever this is called; a broken promise must not become an endless loop. */
  *at += step > 0 ? (size_t)step : 1;
  return step > 0 ? codepoint : 0xFFFD;
}

/* A byte of UTF-8 that is not the first of its character. */
static inline bool continues_character(char byte) {
  return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Ranges of code points, from the lowest up. */
struct codepoint_range {
  int first, last;
};

bool in_ranges(const struct codepoint_range *ranges, size_t count, int codepoint);

#define IN_RANGES(ranges, codepoint)                                                               \
  in_ranges(ranges, sizeof(ranges) / sizeof(ranges)[0], codepoint)

bool is_one_of(const char *characters, int codepoint);

/* The end of the characters from byte `start` on for which is_kind says `wanted`. */
size_t run_end(struct text text, size_t start, bool (*is_kind)(int codepoint), bool wanted);

/* Unicode's White_Space property. */
bool is_white_space(int codepoint);

/* Han: the ideographs of all CJK blocks and 々 〇 (no kana). */
bool is_han(int codepoint);

/* Han, kana and full-width signs, which are typed without spaces. */
bool is_unspaced(int codepoint);

/* Categories L*, M* and N*. */
bool is_word_character(int codepoint);

/* A combining mark or a joiner: part of what stands before it. */
bool stands_on_another(int codepoint);

/* Which neighbours of a character stand without a space between in ordinary typing. */
enum attachment { ATTACH_NONE = 0, ATTACH_LEFT = 1, ATTACH_RIGHT = 2, ATTACH_BOTH = 3 };

enum attachment character_attachment(int codepoint);

/* The end of the extended grapheme cluster at byte `start`; *first is its first code point. */
size_t cluster_end(struct text text, size_t start, int *first);

/* ---- script ---- */

/* Characters of normalised text by script. Start from all zero. */
struct script_counts {
  size_t characters;    /* without white space */
  size_t letters;       /* letters and digits, Han included */
  size_t han;           /* Han characters */
  size_t kana;          /* letters that are kana */
  size_t han_adjacent;  /* pairs of a Han character and another one, a kana or a full-width sign */
  size_t han_separated; /* the same with a space between them */
};

void script_count(struct script_counts *counts, struct text text);
bool script_is_han(const struct script_counts *counts); /* most letters and digits are Han */

/* A sample of lines, from which `auto` is resolved. Each line counts once, so that none outweighs
 * the others: as `words` unless it is mostly Han; as `space` when at least a fifth of its
 * neighbouring Han characters have a space between them (segmented Chinese), else as `chars`. A
 * line too short to distinguish the latter two counts as Han only. Where both are found, `chars`
 * loses least: it treats them alike, whereas an unsegmented sentence is one long word in `space`.
 * So `space` needs nine lines of ten. Start from all zero. */
struct script_sample {
  size_t lines;    /* with letters or digits */
  size_t han;      /* of them, mostly Han */
  size_t wide;     /* of them, mostly Han and kana: written with full-width signs */
  size_t spaced;   /* of these, segmented by spaces */
  size_t unspaced; /* surely not */
};

/* The mode that fits the line with these counts. */
elman_token_mode script_line_mode(const struct script_counts *line);
void script_sample_add(struct script_sample *sample, const struct script_counts *line);
elman_token_mode script_token_mode(const struct script_sample *sample);

/* ELMAN_NFKC becomes ELMAN_NFKC_WIDE where most lines are written with full-width signs. */
elman_normalization script_normalization(const struct script_sample *sample,
                                         elman_normalization asked);

#endif
