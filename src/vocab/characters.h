/* Properties of single characters. */
#ifndef ELMAN_VOCAB_CHARACTERS_H
#define ELMAN_VOCAB_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <utf8proc.h>

#include "base/text.h"

/* The code point at byte *at, which moves behind it; *at < text.length. */
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
struct range {
  int first, last;
};
bool in_ranges(const struct range *ranges, size_t count, int codepoint);
#define IN_RANGES(ranges, codepoint)                                                               \
  in_ranges(ranges, sizeof(ranges) / sizeof(ranges)[0], codepoint)

bool is_one_of(const char *characters, int codepoint);

/* The end of the characters from byte `start` on for which is_kind says `wanted`. */
size_t run_end(struct text text, size_t start, bool (*is_kind)(int codepoint), bool wanted);

/* Unicode's White_Space property. */
bool is_white_space(int codepoint);

/* Categories M*: combining marks, variation selectors. */
bool is_combining_mark(int codepoint);

/* Han, kana and full-width signs: what is typed without spaces. */
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

#endif
