#include "vocab/marks.h"

#include "vocab/characters.h"
#include "vocab/scripts.h"

bool is_final_mark(int codepoint) {
  static const struct codepoint_range marks[] = {
      {'!', '!'},       {'.', '.'},       {'?', '?'},       {0x589, 0x589}, /* Armenian */
      {0x61D, 0x61F},   {0x6D4, 0x6D4},                                     /* Arabic, Urdu */
      {0x700, 0x702},                                                       /* Syriac */
      {0x7F9, 0x7F9},                                                       /* N'Ko */
      {0x964, 0x965},                     /* danda of the Indic scripts */
      {0xF0D, 0xF12},                     /* Tibetan */
      {0x104A, 0x104B},                   /* Myanmar */
      {0x1362, 0x1362}, {0x1367, 0x1368}, /* Ethiopic */
      {0x166E, 0x166E},                   /* Canadian syllabics */
      {0x17D4, 0x17D6},                   /* Khmer */
      {0x1803, 0x1803}, {0x1809, 0x1809}, /* Mongolian */
      {0x1C7E, 0x1C7F},                   /* Ol Chiki */
      {0x2024, 0x2026}, {0x203C, 0x203D}, {0x2047, 0x2049}, {0x22EF, 0x22EF}, {0x2E2E, 0x2E2E},
      {0x3002, 0x3002}, {0xA8CE, 0xA8CF}, {0xA9C8, 0xA9C9}, /* Javanese */
      {0xABEB, 0xABEB}, {0xFE12, 0xFE12}, {0xFE15, 0xFE16}, {0xFE52, 0xFE52}, {0xFE56, 0xFE57},
      {0xFF01, 0xFF01}, {0xFF0E, 0xFF0E}, {0xFF1F, 0xFF1F}, {0xFF61, 0xFF61},
  };
  return IN_RANGES(marks, codepoint);
}

bool closes_sentence(int codepoint) {
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return codepoint == '"' || codepoint == '\'' || category == UTF8PROC_CATEGORY_PE ||
         category == UTF8PROC_CATEGORY_PF || codepoint == 0x201C || codepoint == 0x2018;
}

/* Return the start of the character that ends at byte `end` > 0, and set *codepoint. */
static size_t character_before(int *codepoint, struct text text, size_t end) {
  size_t at = end - 1;
  while (at > 0 && continues_character(text.bytes[at])) at--;
  size_t after = at;
  *codepoint = character_at((struct text){text.bytes, end}, &after);
  return at;
}

/* Return the start of the run of characters of a kind that ends at byte `end`. */
static size_t run_before(struct text text, size_t end, bool (*is_kind)(int codepoint)) {
  while (end > 0) {
    int codepoint;
    const size_t start = character_before(&codepoint, text, end);
    if (!is_kind(codepoint)) break;
    end = start;
  }
  return end;
}

static bool follows_mark(int codepoint) {
  return is_white_space(codepoint) || closes_sentence(codepoint);
}

static bool is_mark_or_space(int codepoint) {
  return is_white_space(codepoint) || is_final_mark(codepoint);
}

struct marks_range final_marks(struct text text) {
  struct marks_range range = {0, run_before(text, text.length, follows_mark)};
  int codepoint;
  const size_t end = range.end;
  range.start = run_before(text, end, is_mark_or_space);
  if (range.start == end && end > 1 && text.bytes[end - 1] == ';') {
    (void)character_before(&codepoint, text, end - 1);
    if (script_of(codepoint) == SCRIPT_GREEK) range.start = end - 1;
  }
  if (range.start == 0) range.start = end;
  return range;
}

bool ends_with_mark(struct text text) {
  const struct marks_range range = final_marks(text);
  return range.start < range.end;
}
