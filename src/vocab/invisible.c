#include "vocab/invisible.h"

#include "vocab/characters.h"

enum { NON_JOINER = 0x200C, JOINER = 0x200D, KEYCAP = 0x20E3, BLACK_FLAG = 0x1F3F4 };

/* Return whether the character is invisible, and is no white space. These are the default ignorable
 * characters of Unicode, controls, and code points that never become characters. */
static bool is_invisible(int codepoint) {
  static const struct codepoint_range invisible[] = {
      {0x00, 0x08},       {0x0E, 0x1F},       {0x7F, 0x84},       {0x86, 0x9F},
      {0xAD, 0xAD},       {0x34F, 0x34F},     {0x61C, 0x61C},     {0x115F, 0x1160},
      {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},   {0x202A, 0x202E},
      {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFDD0, 0xFDEF},   {0xFE00, 0xFE0F},
      {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0xFFFE, 0xFFFF},
      {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
  };
  if (codepoint >= ' ' && codepoint < 0x7F) return false;
  if (codepoint > 0x3164 && codepoint < 0xFDD0) return false;
  return IN_RANGES(invisible, codepoint) || (codepoint & 0xFFFE) == 0xFFFE;
}

/* Return whether the character may be of a script whose letters join or form conjuncts. */
static bool may_join(int codepoint) {
  static const struct codepoint_range joining[] = {
      {0x600, 0x109F},  /* Arabic, Syriac, N'Ko, scripts of India and South-East Asia */
      {0x1780, 0x18AF}, /* Khmer, Mongolian */
      {0x1900, 0x1CFF}, /* Limbu to Vedic extensions */
      {0xA800, 0xABFF}, /* Syloti Nagri to Meetei Mayek */
      {0xFB50, 0xFDFF},   {0xFE70, 0xFEFC}, /* Arabic presentation forms */
      {0x10A00, 0x11FFF},                   /* Kharoshthi to Tamil supplement */
      {0x1E900, 0x1E95F},                   /* Adlam */
  };
  return IN_RANGES(joining, codepoint);
}

static bool is_pictographic(int codepoint) {
  return codepoint > 0x7F &&
         utf8proc_get_property(codepoint)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

static bool is_variation_selector(int codepoint) {
  return codepoint >= 0xFE00 && codepoint <= 0xFE0F;
}

/* Return whether an emoji may end here: with a pictograph, its variant or a skin tone. */
static bool ends_emoji(int codepoint) {
  return is_pictographic(codepoint) || is_variation_selector(codepoint) ||
         (codepoint >= 0x1F3FB && codepoint <= 0x1F3FF);
}

static bool is_tag(int codepoint) {
  return codepoint >= 0xE0020 && codepoint <= 0xE007F;
}

static bool is_jamo(int codepoint) {
  return (codepoint >= 0x1100 && codepoint <= 0x11FF) ||
         (codepoint >= 0x3131 && codepoint <= 0x318E) ||
         (codepoint >= 0xFFA1 && codepoint <= 0xFFDC);
}

/* Return whether an invisible character has a meaning. `before` is the last character that was kept
 * in the same word, or 0 at its start. `after` is the next character of the text, or 0. */
static bool has_meaning(int before, int codepoint, int after) {
  if (codepoint == JOINER)
    return may_join(before) || (ends_emoji(before) && is_pictographic(after));
  if (codepoint == NON_JOINER) return may_join(before) && may_join(after);
  if (is_variation_selector(codepoint))
    return is_pictographic(before) || after == KEYCAP ||
           (before >= 0x250 && !is_unspaced(before) && !is_invisible(before));
  if (is_tag(codepoint)) return before == BLACK_FLAG || is_tag(before);
  if (codepoint == 0x34F) return before >= 0x590 && before <= 0x5FF; /* between Hebrew points */
  if (codepoint >= 0x180B && codepoint <= 0x180F) return before >= 0x1820 && before <= 0x18AF;
  if (codepoint == 0x115F || codepoint == 0x1160 || codepoint == 0x3164 || codepoint == 0xFFA0)
    return is_jamo(before) || is_jamo(after); /* fills the place of a letter in a syllable */
  return false;
}

static int character_after(struct text text, size_t at) {
  return at < text.length ? character_at(text, &at) : 0;
}

bool has_invisible(struct text text) {
  for (size_t at = 0; at < text.length;)
    if (is_invisible(character_at(text, &at))) return true;
  return false;
}

void drop_invisible(struct buffer *into, struct text text, size_t *origins) {
  int before = 0;
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    const size_t start = at;
    const int codepoint = character_at(text, &at);
    if (is_invisible(codepoint) && !has_meaning(before, codepoint, character_after(text, at)))
      continue;
    before = is_white_space(codepoint) ? 0 : codepoint;
    buffer_append(into, text.bytes + start, at - start);
    for (size_t i = start; i < at && origins != NULL; i++) origins[length++] = i;
  }
  if (origins != NULL) origins[length] = text.length;
}

bool text_is_blank(struct text text) {
  for (size_t at = 0; at < text.length;) {
    const int codepoint = character_at(text, &at);
    if (is_white_space(codepoint)) continue;
    if (!is_invisible(codepoint) || has_meaning(0, codepoint, character_after(text, at)))
      return false;
  }
  return true;
}
