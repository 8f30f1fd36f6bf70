#include "vocab/signs.h"

#include <string.h>

#include "vocab/characters.h"

enum { OPENING_DOUBLE = 0x201C, CLOSING_DOUBLE, OPENING_SINGLE = 0x2018, CLOSING_SINGLE };

struct form {
  int from, to;
};

/* By what they are made from. Full-width ASCII is not listed. */
static const struct form narrow_forms[] = {
    {'`', '\''},   {0xB4, '\''},     {0x2BC, '\''},  {0x2010, '-'},  {0x2011, '-'},  {0x2012, '-'},
    {0x2013, '-'}, {0x2015, 0x2014}, {0x2018, '\''}, {0x2019, '\''}, {0x201A, '\''}, {0x201B, '\''},
    {0x201C, '"'}, {0x201D, '"'},    {0x201E, '"'},  {0x201F, '"'},  {0x2022, 0xB7}, {0x2027, 0xB7},
    {0x2212, '-'}, {0x22C5, 0xB7},   {0x3002, '.'},  {0x301C, '~'},  {0x301D, '"'},  {0x301E, '"'},
    {0x301F, '"'}, {0xFF61, '.'},
};

/* Quotation marks have two, and are not listed. */
static const struct form wide_forms[] = {
    {'!', 0xFF01}, {'(', 0xFF08}, {')', 0xFF09}, {',', 0xFF0C}, {'.', 0x3002},
    {':', 0xFF1A}, {';', 0xFF1B}, {'?', 0xFF1F}, {'~', 0xFF5E},
};

/* The character itself where the list lacks it. */
static int look_up(const struct form *forms, size_t count, int codepoint) {
  for (size_t i = 0; i < count && forms[i].from <= codepoint; i++)
    if (forms[i].from == codepoint) return forms[i].to;
  return codepoint;
}

static int narrow_form(int codepoint) {
  if (codepoint >= 0xFF01 && codepoint <= 0xFF5E) codepoint -= 0xFF01 - '!';
  if (codepoint < 0x80 && codepoint != '`') return codepoint;
  if (codepoint >= 0x4E00 && codepoint <= 0x9FFF) return codepoint;
  return look_up(narrow_forms, sizeof narrow_forms / sizeof *narrow_forms, codepoint);
}

static int wide_form(int narrow) {
  return look_up(wide_forms, sizeof wide_forms / sizeof *wide_forms, narrow);
}

bool sign_has_two_forms(int codepoint) {
  const int narrow = narrow_form(codepoint);
  return narrow == '"' || narrow == '\'' || wide_form(narrow) != narrow;
}

/* ---- where they stand ---- */

struct context {
  int before, given, behind; /* 0 at an end; the neighbours in their narrow forms */
  bool *open;                /* by kind of quotation mark: double, single */
};

static bool is_ascii_word(int codepoint) {
  return codepoint < 0x80 && is_word_character(codepoint);
}

static bool is_within_word(const struct context *context) {
  return is_ascii_word(context->before) && is_ascii_word(context->behind);
}

static int quotation_mark(const struct context *context, bool single) {
  bool *open = &context->open[single];
  *open = is_one_of("‘‚‛“„‟〝", context->given) || (!is_one_of("’”〞〟", context->given) && !*open);
  if (single) return *open ? OPENING_SINGLE : CLOSING_SINGLE;
  return *open ? OPENING_DOUBLE : CLOSING_DOUBLE;
}

static int widen(const struct context *context) {
  const int narrow = narrow_form(context->given);
  switch (narrow) {
  case '"':
    return quotation_mark(context, false);
  case '\'':
    return is_within_word(context) ? narrow : quotation_mark(context, true);
  case '.':
    if (context->before == '.' || context->behind == '.') return narrow;
    return is_within_word(context) ? narrow : wide_form(narrow);
  case ',':
  case ':':
    return is_within_word(context) ? narrow : wide_form(narrow);
  default:
    return wide_form(narrow);
  }
}

/* ---- a text ---- */

/* Nothing is to be done: all is ASCII that no narrow form differs from. */
static bool is_plain(struct text text) {
  for (size_t i = 0; i < text.length; i++)
    if ((unsigned char)text.bytes[i] >= 0x80 || text.bytes[i] == '`') return false;
  return true;
}

static void append_unified(struct buffer *into, struct text text, bool wide) {
  bool open[2] = {false, false};
  struct context context = {.open = open};
  for (size_t at = 0; at < text.length;) {
    context.given = character_at(text, &at);
    size_t next = at;
    context.behind = at < text.length ? narrow_form(character_at(text, &next)) : 0;
    const int unified = wide ? widen(&context) : narrow_form(context.given);
    buffer_append_character(into, unified);
    context.before = narrow_form(context.given);
  }
}

elman_status signs_unify(struct buffer *text, bool wide, elman_error *error) {
  if (!wide && is_plain(buffer_text(text))) return ELMAN_OK;
  struct buffer given = {0};
  buffer_append_text(&given, buffer_text(text));
  if (!given.failed) {
    buffer_clear(text);
    append_unified(text, buffer_text(&given), wide);
  }
  const bool failed = given.failed || text->failed;
  buffer_free(&given);
  return failed ? fail_no_memory(error) : ELMAN_OK;
}
