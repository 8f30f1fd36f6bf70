#include "vocab/invisible.h"

#include "vocab/characters.h"

enum {
  GRAPHEME_JOINER = 0x34F,
  DIVIDER = 0x200B, /* zero-width space */
  NON_JOINER = 0x200C,
  JOINER = 0x200D,
  KEYCAP = 0x20E3,
  BLACK_FLAG = 0x1F3F4
};

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
      {0x600, 0x109F},                      /* Arabic to Myanmar */
      {0x1780, 0x18AF},                     /* Khmer, Mongolian */
      {0x1900, 0x1C7F},                     /* Limbu to Ol Chiki */
      {0xA800, 0xAB2F},                     /* Syloti Nagri to Ethiopic extended */
      {0xABC0, 0xABFF},                     /* Meetei Mayek */
      {0xFB50, 0xFDFF},   {0xFE70, 0xFEFC}, /* Arabic presentation forms */
      {0x10A00, 0x11FFF},                   /* Kharoshthi to Tamil supplement */
      {0x1E900, 0x1E95F},                   /* Adlam */
  };
  return IN_RANGES(joining, codepoint) && !is_invisible(codepoint);
}

/* Return whether the character may be of a script in which zero-width spaces separate words. */
static bool may_be_divided(int codepoint) {
  static const struct codepoint_range divided[] = {
      {0xE00, 0x109F},  /* Thai, Lao, Tibetan, Myanmar */
      {0x1780, 0x17FF}, /* Khmer */
      {0x1950, 0x19FF}, /* Tai Le to Khmer symbols */
      {0x1A20, 0x1AAF}, /* Tai Tham */
      {0xA980, 0xA9FF}, /* Javanese, Myanmar extended */
      {0xAA60, 0xAADF}, /* Myanmar extended, Tai Viet */
  };
  return IN_RANGES(divided, codepoint) && !is_invisible(codepoint);
}

/* Return whether the character is a pictograph, and not one that NFKC replaces by letters (™). */
static bool is_pictograph(int codepoint) {
  const utf8proc_property_t *property = utf8proc_get_property(codepoint);
  return codepoint > 0x7F && property->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC &&
         property->decomp_type == 0;
}

static bool is_skin_tone(int codepoint) {
  return codepoint >= 0x1F3FB && codepoint <= 0x1F3FF;
}

static bool is_tag(int codepoint) {
  return codepoint >= 0xE0020 && codepoint <= 0xE007F;
}

/* The characters that were kept last in a word. The rule must not depend on the order of marks,
 * which normalization changes. */
struct invisible_context {
  int base;   /* last character that is no mark */
  bool joins; /* `base` or one of its marks is of a joining script */
};

static void context_add(struct invisible_context *context, int codepoint) {
  if (is_white_space(codepoint)) {
    *context = (struct invisible_context){0};
  } else if (codepoint == JOINER || codepoint == NON_JOINER || codepoint == DIVIDER) {
    *context = (struct invisible_context){.base = codepoint};
  } else if (extends_previous(codepoint)) {
    context->joins = context->joins || may_join(codepoint);
  } else if (!is_skin_tone(codepoint) && !is_tag(codepoint)) {
    *context = (struct invisible_context){codepoint, may_join(codepoint)};
  }
}

/* Return whether an invisible character has a meaning before `next`, which is 0 at the end of the
 * text. */
static bool has_meaning(const struct invisible_context *context, int codepoint, int next) {
  static const struct codepoint_range varied[] = {
      {0x1000, 0x109F}, {0xA840, 0xA87F}, {0x10AC0, 0x10AFF}}; /* Myanmar, Phags-pa, Manichaean */
  const int base = context->base;
  const bool before_mark = extends_previous(next) && !is_invisible(next);
  if (codepoint == JOINER) return context->joins || (is_pictograph(base) && is_pictograph(next));
  if (codepoint == NON_JOINER) return context->joins && (may_join(next) || before_mark);
  if (codepoint == DIVIDER) return may_be_divided(base) && (may_be_divided(next) || before_mark);
  if (codepoint >= 0xFE00 && codepoint <= 0xFE0F)
    return is_pictograph(base) || next == KEYCAP || IN_RANGES(varied, base);
  if (codepoint >= 0x180B && codepoint <= 0x180F) return base >= 0x1820 && base <= 0x18AF;
  if (codepoint == GRAPHEME_JOINER) return base >= 0x5D0 && base <= 0x5EA;
  return is_tag(codepoint) && base == BLACK_FLAG;
}

static int next_character(struct text text, size_t at) {
  return at < text.length ? character_at(text, &at) : 0;
}

static bool may_have_invisible(struct text text) {
  for (size_t at = 0; at < text.length;)
    if (is_invisible(character_at(text, &at))) return true;
  return false;
}

/* Remove invisible characters without meaning. Append the rest to `into` unless it is NULL. Return
 * the number of bytes of the rest. */
static size_t keep_visible(struct buffer *into, struct text text, size_t *origins) {
  struct invisible_context context = {0};
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    const size_t start = at;
    const int codepoint = character_at(text, &at);
    if (is_invisible(codepoint) && !has_meaning(&context, codepoint, next_character(text, at)))
      continue;
    context_add(&context, codepoint);
    if (into != NULL) buffer_append(into, text.bytes + start, at - start);
    for (size_t i = start; i < at && origins != NULL; i++) origins[length + i - start] = i;
    length += at - start;
  }
  return length;
}

bool has_invisible(struct text text) {
  return may_have_invisible(text) && keep_visible(NULL, text, NULL) < text.length;
}

void drop_invisible(struct buffer *into, struct text text, size_t *origins) {
  const size_t length = keep_visible(into, text, origins);
  if (origins != NULL) origins[length] = text.length;
}

bool text_is_blank(struct text text) {
  for (size_t at = 0; at < text.length;) {
    const int codepoint = character_at(text, &at);
    if (is_white_space(codepoint)) continue;
    if (!is_invisible(codepoint) ||
        has_meaning(&(struct invisible_context){0}, codepoint, next_character(text, at)))
      return false;
  }
  return true;
}
