#include "vocab/normalize.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vocab/characters.h"
#include "vocab/invisible.h"
#include "vocab/tokens.h"

/* ---- punctuation ---- */

enum { OPENING_DOUBLE = 0x201C, CLOSING_DOUBLE, OPENING_SINGLE = 0x2018, CLOSING_SINGLE };

struct form {
  int from, to;
};

/* The narrow forms, sorted by the original character. Full-width ASCII is not listed. */
static const struct form narrow_forms[] = {
    {'`', '\''},   {0xB4, '\''},     {0x2BC, '\''},  {0x2010, '-'},  {0x2011, '-'},  {0x2012, '-'},
    {0x2013, '-'}, {0x2015, 0x2014}, {0x2018, '\''}, {0x2019, '\''}, {0x201A, '\''}, {0x201B, '\''},
    {0x201C, '"'}, {0x201D, '"'},    {0x201E, '"'},  {0x201F, '"'},  {0x2022, 0xB7}, {0x2027, 0xB7},
    {0x2212, '-'}, {0x22C5, 0xB7},   {0x3002, '.'},  {0x301C, '~'},  {0x301D, '"'},  {0x301E, '"'},
    {0x301F, '"'}, {0xFF61, '.'},
};

/* The wide forms. Quotation marks are not listed, because they have two wide forms. */
static const struct form wide_forms[] = {
    {'!', 0xFF01}, {'(', 0xFF08}, {')', 0xFF09}, {',', 0xFF0C}, {'.', 0x3002},
    {':', 0xFF1A}, {';', 0xFF1B}, {'?', 0xFF1F}, {'~', 0xFF5E},
};

/* Return the form to which `codepoint` is mapped, or `codepoint` itself if it is not listed. */
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

/* ---- punctuation in context ---- */

struct context {
  int before, given, after; /* narrow forms of neighbors; 0 at the ends of the text */
  bool *open;               /* by kind of quotation mark, double or single: whether one is open */
};

static bool is_ascii_word(int codepoint) {
  return codepoint < 0x80 && is_word_character(codepoint);
}

static bool is_within_word(const struct context *context) {
  return is_ascii_word(context->before) && is_ascii_word(context->after);
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
    if (context->before == '.' || context->after == '.') return narrow;
    return is_within_word(context) ? narrow : wide_form(narrow);
  case ',':
  case ':':
    return is_within_word(context) ? narrow : wide_form(narrow);
  default:
    return wide_form(narrow);
  }
}

/* ---- a text ---- */

/* Return whether the text is ASCII that equals its narrow forms. */
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
    context.after = at < text.length ? narrow_form(character_at(text, &next)) : 0;
    const int unified = wide ? widen(&context) : narrow_form(context.given);
    buffer_append_character(into, unified);
    context.before = narrow_form(context.given);
  }
}

/* Unify the punctuation of `text`, which must be in NFKC except for the characters of is_kept. */
static elman_status signs_unify(struct buffer *text, bool wide, elman_error *error) {
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

/* ---- normalize ---- */

static const utf8proc_option_t nfc = (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE);

static const utf8proc_option_t nfkc =
    (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);

static const utf8proc_option_t folded =
    (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                        UTF8PROC_IGNORE);

struct codepoints {
  utf8proc_int32_t *items;
  size_t count;
  size_t capacity;
};

/* Return whether NFKC must not change the character, because signs_unify maps it. One such
 * character is the acute accent that is typed as an apostrophe: NFKC would turn it into a space and
 * a mark. The other is the ellipsis in full-width text. */
static bool is_kept(int codepoint, elman_normalization form) {
  return (codepoint == 0xB4 && unifies(form)) || (codepoint == 0x2026 && form == ELMAN_NFKC_WIDE);
}

/* Return whether the character is inert: text that contains only inert characters is already
 * normalized, in NFC, or in NFKC before signs_unify. The set of inert characters need not be
 * complete; other text is normalized by the general functions. With the form "none", all characters
 * are inert. */
static bool is_inert(int codepoint, elman_normalization form) {
  static const struct codepoint_range nfc_inert[] = {
      {0x80, 0x2FF},    {0x400, 0x482},   {0x2010, 0x2027}, {0x3001, 0x3029},
      {0x3041, 0x3096}, {0x30A1, 0x30FF}, {0x3400, 0x4DBF}, {0xFF01, 0xFF60}};
  static const struct codepoint_range nfkc_inert[] = {
      {0xC0, 0x131},    {0x400, 0x482},   {0x2010, 0x2016}, {0x2018, 0x2023}, {0x3001, 0x3029},
      {0x3041, 0x3096}, {0x30A1, 0x30FE}, {0x3400, 0x4DBF}, {0xFF01, 0xFF5E}};
  if (codepoint < 0x80 || (codepoint >= 0x4E00 && codepoint <= 0x9FFF)) return true;
  if (form == ELMAN_NO_NORMALIZATION) return true;
  if (form == ELMAN_NFC) return IN_RANGES(nfc_inert, codepoint);
  return IN_RANGES(nfkc_inert, codepoint) || is_kept(codepoint, form);
}

/* Replace each run of white space by one space, and remove white space at the ends. This step may
 * precede NFC, because white space never composes. Return true if composition would change
 * nothing. */
static bool collapse_white_space(struct buffer *into, struct text text, elman_normalization form) {
  bool inert = true;
  bool space_pending = false;
  size_t at = 0;
  while (at < text.length) {
    const size_t word = at;
    size_t end = at;
    while (at < text.length) {
      const int codepoint = character_at(text, &at);
      if (is_white_space(codepoint)) break;
      inert = inert && is_inert(codepoint, form);
      end = at;
    }
    if (end > word) {
      if (space_pending) buffer_append(into, " ", 1);
      buffer_append(into, text.bytes + word, end - word);
      space_pending = true;
    }
  }
  return inert;
}

static elman_status append_decomposed(struct codepoints *out, int codepoint, utf8proc_option_t how,
                                      elman_error *error) {
  int boundary = UTF8PROC_BOUNDCLASS_START;
  for (;;) {
    const size_t room = out->capacity - out->count;
    const utf8proc_ssize_t length =
        utf8proc_decompose_char(codepoint, out->items == NULL ? NULL : out->items + out->count,
                                (utf8proc_ssize_t)room, how, &boundary);
    if (length < 0) return fail(error, ELMAN_BAD_DATA, NULL, "%s", utf8proc_errmsg(length));
    if ((size_t)length <= room) {
      out->count += (size_t)length;
      return ELMAN_OK;
    }
    const elman_status status = array_grow(&out->items, &out->capacity, out->count + (size_t)length,
                                           sizeof *out->items, error);
    if (status != ELMAN_OK) return status;
  }
}

static elman_status decompose(struct codepoints *out, struct text text, utf8proc_option_t how,
                              elman_normalization form, elman_error *error) {
  size_t at = 0;
  while (at < text.length) {
    const int codepoint = character_at(text, &at);
    const elman_status status =
        append_decomposed(out, codepoint, is_kept(codepoint, form) ? nfc : how, error);
    if (status != ELMAN_OK) return status;
  }
  return ELMAN_OK;
}

static unsigned combining_class(utf8proc_int32_t codepoint) {
  return (unsigned)utf8proc_get_property(codepoint)->combining_class;
}

static int compare_keys(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Sort marks by combining class; marks of equal class keep their order. */
static elman_status sort_marks(utf8proc_int32_t *marks, size_t count, elman_error *error) {
  /* one integer, for comparison: combining class (8 bits), position (35), code point (21) */
  if ((uint64_t)count >= (uint64_t)1 << 35 || count > SIZE_MAX / sizeof(uint64_t))
    return fail_no_memory(error);
  uint64_t *keys = malloc(count * sizeof *keys);
  if (keys == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < count; i++)
    keys[i] = (uint64_t)combining_class(marks[i]) << 56 | (uint64_t)i << 21 | (uint64_t)marks[i];
  qsort(keys, count, sizeof *keys, compare_keys);
  for (size_t i = 0; i < count; i++) marks[i] = (utf8proc_int32_t)(keys[i] & 0x1FFFFF);
  free(keys);
  return ELMAN_OK;
}

/* Sort all marks into canonical order. utf8proc_decompose would take quadratic time for a run of
 * marks, which is too slow for a malicious line of several megabytes. */
static elman_status order_marks(struct codepoints *text, elman_error *error) {
  size_t at = 0;
  while (at < text->count) {
    const size_t start = at;
    unsigned last = 0;
    bool sorted = true;
    for (; at < text->count; at++) {
      const unsigned class = combining_class(text->items[at]);
      if (class == 0) break;
      if (class < last) sorted = false;
      last = class;
    }
    if (!sorted) {
      const elman_status status = sort_marks(text->items + start, at - start, error);
      if (status != ELMAN_OK) return status;
    }
    if (at == start) at++;
  }
  return ELMAN_OK;
}

static void append_codepoints(struct buffer *into, const utf8proc_int32_t *items, size_t count) {
  for (size_t i = 0; i < count; i++) buffer_append_character(into, items[i]);
}

/* Remove double spaces, which compatibility decompositions can contain. */
static size_t drop_double_spaces(utf8proc_int32_t *items, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (items[i] != ' ' || (kept > 0 && items[kept - 1] != ' ')) items[kept++] = items[i];
  return kept > 0 && items[kept - 1] == ' ' ? kept - 1 : kept;
}

/* Compose decomposed text in place. */
static elman_status compose(struct codepoints *text, elman_error *error) {
  const elman_status status = order_marks(text, error);
  if (status != ELMAN_OK) return status;
  const utf8proc_ssize_t length =
      utf8proc_normalize_utf32(text->items, (utf8proc_ssize_t)text->count, nfc);
  if (length < 0) return fail(error, ELMAN_BAD_DATA, NULL, "%s", utf8proc_errmsg(length));
  text->count = (size_t)length;
  return ELMAN_OK;
}

/* Apply NFKC before signs_unify. */
static elman_status normalize_all(struct buffer *text, struct codepoints *scratch,
                                  elman_normalization form, elman_error *error) {
  elman_status status = decompose(scratch, buffer_text(text), nfkc, form, error);
  if (status == ELMAN_OK) status = compose(scratch, error);
  if (status != ELMAN_OK) return status;
  buffer_clear(text);
  append_codepoints(text, scratch->items, drop_double_spaces(scratch->items, scratch->count));
  return ELMAN_OK;
}

/* Append the NFC of a grapheme cluster if it has fewer code points; otherwise append the cluster.
 * Therefore characters that NFC never composes (some of Bengali and Hebrew) are not taken apart,
 * characters are not replaced, and marks are not merely reordered (in Arabic and Hebrew). */
static elman_status append_composed(struct buffer *into, struct text cluster,
                                    struct codepoints *scratch, elman_error *error) {
  size_t written = 0;
  for (size_t at = 0; at < cluster.length; written++) (void)character_at(cluster, &at);
  scratch->count = 0;
  elman_status status = ELMAN_OK;
  if (written > 1) status = decompose(scratch, cluster, nfc, ELMAN_NFC, error);
  if (status == ELMAN_OK && written > 1) status = compose(scratch, error);
  if (status != ELMAN_OK) return status;
  if (written > 1 && scratch->count < written)
    append_codepoints(into, scratch->items, scratch->count);
  else
    buffer_append_text(into, cluster);
  return ELMAN_OK;
}

static elman_status compose_clusters(struct buffer *text, struct codepoints *scratch,
                                     elman_error *error) {
  struct buffer given = {0};
  buffer_append_text(&given, buffer_text(text));
  buffer_clear(text);
  elman_status status = given.failed ? fail_no_memory(error) : ELMAN_OK;
  for (size_t at = 0, end; status == ELMAN_OK && at < given.length; at = end) {
    int first;
    end = cluster_end(buffer_text(&given), at, &first);
    status = append_composed(text, (struct text){given.bytes + at, end - at}, scratch, error);
  }
  buffer_free(&given);
  return status;
}

/* Return the lower case of a character. Return the same form for both Greek small sigmas, because
 * the choice between them depends on the neighbors. */
static int lower_form(int codepoint) {
  enum { SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2 };
  const int lower = utf8proc_tolower(codepoint);
  return lower == FINAL_SIGMA ? SIGMA : lower;
}

/* Append the text in lower case. Return whether it differs from `text`. */
static bool append_lower(struct buffer *into, struct text text) {
  bool differs = false;
  for (size_t at = 0; at < text.length;) {
    const int codepoint = character_at(text, &at), lower = lower_form(codepoint);
    differs = differs || lower != codepoint;
    buffer_append_character(into, lower);
  }
  return differs;
}

/* Normalize, change to lower case, and normalize again: a mark may combine with a small letter but
 * not with its capital. */
static elman_status normalize_lower(struct buffer *into, struct text text, elman_error *error) {
  struct buffer lower = {0};
  elman_status status = text_normalize_visible(into, text, ELMAN_NFKC, error);
  const bool differs = status == ELMAN_OK && append_lower(&lower, buffer_text(into));
  if (lower.failed)
    status = fail_no_memory(error);
  else if (differs)
    status = text_normalize_visible(into, buffer_text(&lower), ELMAN_NFKC, error);
  buffer_free(&lower);
  return status;
}

elman_status text_normalize_visible(struct buffer *into, struct text text, elman_normalization form,
                                    elman_error *error) {
  if (form == ELMAN_NFKC_LOWER) return normalize_lower(into, text, error);
  buffer_clear(into);
  const bool done = collapse_white_space(into, text, form);
  if (into->failed) return fail_no_memory(error);
  elman_status status = ELMAN_OK;
  if (!done) {
    struct codepoints scratch = {0};
    status = form == ELMAN_NFC ? compose_clusters(into, &scratch, error)
                               : normalize_all(into, &scratch, form, error);
    free(scratch.items);
  }
  if (status == ELMAN_OK && into->failed) status = fail_no_memory(error);
  if (status == ELMAN_OK && unifies(form))
    status = signs_unify(into, form == ELMAN_NFKC_WIDE, error);
  return status;
}

elman_status text_normalize(struct buffer *into, struct text text, elman_normalization form,
                            elman_error *error) {
  if (!has_invisible(text)) return text_normalize_visible(into, text, form, error);
  struct buffer visible = {0};
  drop_invisible(&visible, text, NULL);
  const elman_status status =
      visible.failed ? fail_no_memory(error)
                     : text_normalize_visible(into, buffer_text(&visible), form, error);
  buffer_free(&visible);
  return status;
}

static bool is_ignored(enum ignored_spaces ignored, bool unspaced, bool next_unspaced) {
  return ignored == SPACES_BESIDE_HAN    ? unspaced || next_unspaced
         : ignored == SPACES_BETWEEN_HAN ? unspaced && next_unspaced
                                         : false;
}

/* Return whether the text can contain spaces to remove: false for ASCII text and for text without
 * spaces. */
static bool may_have_ignored_spaces(struct text text) {
  bool ascii = true;
  for (size_t i = 0; i < text.length && ascii; i++) ascii = (unsigned char)text.bytes[i] < 0x80;
  return !ascii && memchr(text.bytes, ' ', text.length) != NULL;
}

void text_drop_spaces(struct buffer *normalized, elman_token_mode mode) {
  const enum ignored_spaces ignored = token_mode_row(mode)->ignored_spaces;
  const struct text text = buffer_text(normalized);
  if (ignored == NO_SPACES || !may_have_ignored_spaces(text)) return;
  bool unspaced = false; /* whether the last base character is unspaced */
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    const size_t start = at;
    const int codepoint = character_at(text, &at);
    if (codepoint == ' ' && at < text.length) {
      size_t after = at;
      const int next = character_at(text, &after);
      if (is_ignored(ignored, unspaced, is_unspaced(next)) && !extends_previous(next)) continue;
    }
    if (!extends_previous(codepoint)) unspaced = is_unspaced(codepoint);
    memmove(normalized->bytes + length, text.bytes + start, at - start);
    length += at - start;
  }
  buffer_cut(normalized, length);
}

elman_status text_fold(struct buffer *into, struct text text, elman_error *error) {
  buffer_clear(into);
  struct codepoints codepoints = {0};
  elman_status status = decompose(&codepoints, text, folded, ELMAN_NFC, error);
  if (status == ELMAN_OK) status = order_marks(&codepoints, error);
  if (status == ELMAN_OK) append_codepoints(into, codepoints.items, codepoints.count);
  free(codepoints.items);
  if (status == ELMAN_OK && into->failed) status = fail_no_memory(error);
  return status;
}
