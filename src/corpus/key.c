#include "corpus/key.h"

#include <string.h>

#include "base/xxh64.h"
#include "vocab/characters.h"
#include "vocab/normalize.h"
#include "vocab/tokens.h"

static bool is_dropped(int codepoint) {
  if (is_white_space(codepoint)) return true;
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO) ||
         category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF;
}

/* Return whether the character is an ASCII character that keys omit. This test is fast; table
 * look-ups would take half of the total time. Symbols are kept, because they are not
 * punctuation. */
static bool is_dropped_ascii(int codepoint) {
  return codepoint <= ' ' || codepoint == 0x7F ||
         (!is_word_character(codepoint) && strchr("$+<=>^`|~", codepoint) == NULL);
}

/* Return whether the character is common Chinese or typographic punctuation and folds only to
 * punctuation. */
static bool is_common_punctuation(int codepoint) {
  static const struct codepoint_range common[] = {
      {0x2010, 0x2016}, {0x2018, 0x2027}, {0x3001, 0x3003}, {0x3008, 0x3011}};
  return IN_RANGES(common, codepoint);
}

/* Fold the most frequent characters in place; the result is never longer than the text. Return
 * false at any other character; the contents of `into` are then undefined. */
static bool fold_common(struct buffer *into) {
  const struct text text = buffer_text(into);
  size_t at = 0, length = 0;
  while (at < text.length) {
    const size_t start = at;
    int codepoint = character_at(text, &at);
    if (codepoint >= 0xFF01 && codepoint <= 0xFF5E) codepoint -= 0xFF01 - '!';
    if (codepoint < 0x80) {
      if (is_dropped_ascii(codepoint)) continue;
      const bool upper = codepoint >= 'A' && codepoint <= 'Z';
      into->bytes[length++] = (char)(upper ? codepoint - 'A' + 'a' : codepoint);
    } else if (codepoint >= 0x4E00 && codepoint <= 0x9FFF) {
      memmove(into->bytes + length, into->bytes + start, at - start);
      length += at - start;
    } else if (!is_common_punctuation(codepoint)) {
      return false;
    }
  }
  buffer_cut(into, length);
  return true;
}

static void drop_in_place(struct buffer *into) {
  const struct text text = buffer_text(into);
  size_t at = 0, length = 0;
  while (at < text.length) {
    const size_t start = at;
    if (is_dropped(character_at(text, &at))) continue;
    memmove(into->bytes + length, into->bytes + start, at - start);
    length += at - start;
  }
  if (length > 0) buffer_cut(into, length);
}

elman_status key_of(struct buffer *into, struct text text, elman_error *error) {
  buffer_clear(into);
  buffer_append_text(into, text);
  if (into->failed) return fail_no_memory(error);
  if (fold_common(into) && into->length > 0) return ELMAN_OK;
  const elman_status status = text_fold(into, text, error);
  if (status == ELMAN_OK) drop_in_place(into);
  return status;
}

uint64_t key_hash_pair(uint64_t source, uint64_t target) {
  const uint64_t both[] = {source, target};
  return xxh64_of(both, sizeof both);
}

static bool is_key(const void *keys, size_t position, const void *key) {
  return ((const uint64_t *)keys)[position] == *(const uint64_t *)key;
}

elman_status key_first(size_t *first, struct table *table, const uint64_t *keys, size_t position,
                       elman_error *error) {
  const uint64_t key = keys[position];
  const uint32_t found = table_find(table, key, is_key, keys, &key);
  *first = found == TABLE_NONE ? position : found;
  return found == TABLE_NONE ? table_add(table, key, position, error) : ELMAN_OK;
}
