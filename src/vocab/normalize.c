#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vocab/characters.h"
#include "vocab/signs.h"
#include "vocab/token_modes.h"
#include "vocab/tokens.h"

static const utf8proc_option_t nfc = (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
static const utf8proc_option_t nfkc =
    (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
static const utf8proc_option_t folded =
    (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                        UTF8PROC_IGNORE);

const char *normalization_name(size_t normalization) {
  static const char *const names[] = {
      [ELMAN_NFC] = "nfc", [ELMAN_NFKC] = "nfkc", [ELMAN_NFKC_WIDE] = "nfkc-wide"};
  return normalization < sizeof names / sizeof *names ? names[normalization] : NULL;
}

struct codepoints {
  utf8proc_int32_t *items;
  size_t count;
  size_t capacity;
};

/* Characters that NFKC would spoil and signs_unify makes right: an acute accent typed for an
 * apostrophe, which would become a space and a mark, and the ellipsis of full-width signs. */
static bool is_kept(int codepoint, elman_normalization form) {
  return (codepoint == 0xB4 && form != ELMAN_NFC) ||
         (codepoint == 0x2026 && form == ELMAN_NFKC_WIDE);
}

/* Text of these characters alone is its own normal form: NFC, and NFKC before signs_unify. There
 * are more of that kind; text with others takes the slow way, which is always right. */
static bool is_inert(int codepoint, elman_normalization form) {
  static const struct range nfc_inert[] = {{0x80, 0x2FF},    {0x400, 0x482},   {0x2010, 0x2027},
                                           {0x3001, 0x3029}, {0x3041, 0x3096}, {0x30A1, 0x30FF},
                                           {0x3400, 0x4DBF}, {0xFF01, 0xFF60}};
  static const struct range nfkc_inert[] = {{0xC0, 0x131},    {0x400, 0x482},   {0x2010, 0x2016},
                                            {0x2018, 0x2023}, {0x3001, 0x3029}, {0x3041, 0x3096},
                                            {0x30A1, 0x30FE}, {0x3400, 0x4DBF}, {0xFF01, 0xFF5E}};
  if (codepoint < 0x80 || (codepoint >= 0x4E00 && codepoint <= 0x9FFF)) return true;
  if (form == ELMAN_NFC) return IN_RANGES(nfc_inert, codepoint);
  return IN_RANGES(nfkc_inert, codepoint) || is_kept(codepoint, form);
}

/* Makes every run of white space one space, and none at the ends. White space never composes, so
 * that this may come before NFC. True if composing would change nothing. */
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

/* Sorts marks by combining class, equal ones in their old order. */
static elman_status sort_marks(utf8proc_int32_t *marks, size_t count, elman_error *error) {
  /* combining class (8 bits), position (35), code point (21): one integer comparison does it. */
  if (count >= (uint64_t)1 << 35 || count > SIZE_MAX / sizeof(uint64_t))
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

/* The canonical order. utf8proc_decompose does it with a sort that is quadratic in the length of a
 * run of marks, which is too slow for a hostile line of some megabytes. */
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

/* Compatibility decompositions may hold spaces. */
static size_t drop_double_spaces(utf8proc_int32_t *items, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (items[i] != ' ' || (kept > 0 && items[kept - 1] != ' ')) items[kept++] = items[i];
  return kept > 0 && items[kept - 1] == ' ' ? kept - 1 : kept;
}

static elman_status compose(struct buffer *into, struct codepoints *text, elman_error *error) {
  const elman_status status = order_marks(text, error);
  if (status != ELMAN_OK) return status;
  const utf8proc_ssize_t length =
      utf8proc_normalize_utf32(text->items, (utf8proc_ssize_t)text->count, nfc);
  if (length < 0) return fail(error, ELMAN_BAD_DATA, NULL, "%s", utf8proc_errmsg(length));
  buffer_clear(into);
  append_codepoints(into, text->items, drop_double_spaces(text->items, (size_t)length));
  return ELMAN_OK;
}

elman_status text_normalize(struct buffer *into, struct text text, elman_normalization form,
                            elman_error *error) {
  buffer_clear(into);
  const bool done = collapse_white_space(into, text, form);
  if (into->failed) return fail_no_memory(error);
  elman_status status = ELMAN_OK;
  if (!done) {
    struct codepoints codepoints = {0};
    status = decompose(&codepoints, buffer_text(into), form == ELMAN_NFC ? nfc : nfkc, form, error);
    if (status == ELMAN_OK) status = compose(into, &codepoints, error);
    free(codepoints.items);
  }
  if (status == ELMAN_OK && into->failed) status = fail_no_memory(error);
  if (status == ELMAN_OK && form != ELMAN_NFC)
    status = signs_unify(into, form == ELMAN_NFKC_WIDE, error);
  return status;
}

static bool is_idle(enum idle_spaces idle, bool unspaced, bool next_unspaced) {
  return idle == SPACES_BESIDE_HAN    ? unspaced || next_unspaced
         : idle == SPACES_BETWEEN_HAN ? unspaced && next_unspaced
                                      : false;
}

/* Not if all is ASCII, or nothing a space. */
static bool may_have_idle_spaces(struct text text) {
  bool ascii = true;
  for (size_t i = 0; i < text.length && ascii; i++) ascii = (unsigned char)text.bytes[i] < 0x80;
  return !ascii && memchr(text.bytes, ' ', text.length) != NULL;
}

void text_drop_spaces(struct buffer *normalized, elman_token_mode mode) {
  const enum idle_spaces idle = token_mode_row(mode)->idle_spaces;
  const struct text text = buffer_text(normalized);
  if (idle == NO_SPACES || !may_have_idle_spaces(text)) return;
  bool unspaced = false; /* the character before, without what stands on it */
  size_t length = 0;
  for (size_t at = 0; at < text.length;) {
    const size_t start = at;
    const int codepoint = character_at(text, &at);
    if (codepoint == ' ' && at < text.length) {
      size_t behind = at;
      const int next = character_at(text, &behind);
      if (is_idle(idle, unspaced, is_unspaced(next)) && !stands_on_another(next)) continue;
    }
    if (!stands_on_another(codepoint)) unspaced = is_unspaced(codepoint);
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
