#include "translate/copied.h"

#include <string.h>

#include "vocab/characters.h"
#include "vocab/scripts.h"

bool is_joined(const struct copied_source *source, size_t s) {
  return source->spans.ends[s - 1] >= source->spans.starts[s];
}

/* ---- the text around a place ---- */

struct copied_range {
  size_t start, end;
};

static int character_in(struct text text, size_t at) {
  return at < text.length ? character_at(text, &at) : 0;
}

static size_t start_of_previous(struct text text, size_t at) {
  do at--;
  while (at > 0 && continues_character(text.bytes[at]));
  return at;
}

static bool is_ascii(int codepoint) {
  return codepoint > ' ' && codepoint < 0x7F;
}

static bool is_ascii_letter(int codepoint) {
  return codepoint < 0x7F && is_word_character(codepoint);
}

/* Return whether the character at byte `at` belongs to a run: ASCII, Latin letters, and full-width
 * signs between ASCII letters or digits, which normalization makes narrow. */
static bool is_of_run(struct text text, size_t at) {
  size_t next = at;
  if (at >= text.length) return false;
  const int codepoint = character_at(text, &next);
  if (is_ascii(codepoint) || script_of(codepoint) == SCRIPT_LATIN) return true;
  return at > 0 && codepoint > 0xFF00 && codepoint < 0xFF5F &&
         is_ascii_letter(character_in(text, start_of_previous(text, at))) &&
         is_ascii_letter(character_in(text, next));
}

static bool is_letter_like(struct text text, size_t at, int model) {
  const int codepoint = character_in(text, at);
  return is_word_character(codepoint) && !is_unspaced(codepoint) &&
         script_of(codepoint) == script_of(model);
}

/* Return the range of characters around byte `at` that belong together: a run, or a word in one
 * script with its digits and marks. */
static struct copied_range expand(struct text text, size_t at, bool run) {
  const int codepoint = character_in(text, at);
  struct copied_range range = {at, at};
  while (range.start > 0) {
    const size_t before = start_of_previous(text, range.start);
    if (!(run ? is_of_run(text, before) : is_letter_like(text, before, codepoint))) break;
    range.start = before;
  }
  while (range.end < text.length) {
    if (!(run ? is_of_run(text, range.end) : is_letter_like(text, range.end, codepoint))) break;
    character_at(text, &range.end);
  }
  return range;
}

/* The number of occurrences of each byte in a range. */
struct byte_counts {
  size_t of[256];
};

/* Return whether the byte at an end of a range belongs to the sentence and not to the range: a
 * mark, a quotation mark, or a bracket without its partner. `counts` are those of the range. */
static bool is_outside(char byte, const struct byte_counts *counts, bool at_end) {
  static const char opening[] = "([{<", closing[] = ")]}>";
  const char *found = strchr(at_end ? closing : opening, byte);
  if (byte == '"' || byte == '\'') return true;
  if (at_end && strchr(".,!?;:", byte) != NULL) return true;
  if (found == NULL) return false;
  const char partner = at_end ? opening[found - closing] : closing[found - opening];
  return counts->of[(unsigned char)byte] > counts->of[(unsigned char)partner];
}

static struct copied_range trim(struct text text, struct copied_range range) {
  const char *bytes = text.bytes;
  struct byte_counts counts = {{0}};
  for (size_t i = range.start; i < range.end; i++) counts.of[(unsigned char)bytes[i]]++;
  while (range.start < range.end && is_outside(bytes[range.start], &counts, false))
    counts.of[(unsigned char)bytes[range.start++]]--;
  while (range.start < range.end && is_outside(bytes[range.end - 1], &counts, true))
    counts.of[(unsigned char)bytes[--range.end]]--;
  return range;
}

/* Return the grapheme cluster that contains byte `at`. */
static struct copied_range cluster_around(struct text text, size_t at) {
  struct copied_range range = {0, 0};
  int first;
  while (range.end <= at && range.end < text.length) {
    range.start = range.end;
    range.end = cluster_end(text, range.start, &first);
  }
  return range;
}

static bool is_within(struct copied_range range, size_t at) {
  return range.start <= at && at < range.end;
}

/* A run or a word, and the part of it that is copied: without marks at the ends of a run. */
struct copied_word {
  struct copied_range all, part;
};

/* Return the run or word around byte `at`; empty ranges if the byte belongs to a symbol, a mark or
 * a character of text without spaces. */
static struct copied_word word_around(struct text text, size_t at, bool whole) {
  const int codepoint = character_in(text, at);
  const bool in_run = whole && is_of_run(text, at);
  if (!in_run && (!is_word_character(codepoint) || is_unspaced(codepoint)))
    return (struct copied_word){{0, 0}, {0, 0}};
  const struct copied_range all = expand(text, at, in_run);
  return (struct copied_word){all, in_run ? trim(text, all) : all};
}

static struct copied_range part_around(struct text text, size_t at, bool whole) {
  const struct copied_range part = word_around(text, at, whole).part;
  return is_within(part, at) ? part : cluster_around(text, at);
}

/* ---- a word ---- */

/* Return whether noise may teach a model to copy token s: it is neither punctuation nor a character
 * of text without spaces. */
static bool is_copyable(const struct copied_source *source, size_t s) {
  const int codepoint = character_in(source->text, source->spans.starts[s]);
  const utf8proc_category_t category = utf8proc_category(codepoint);
  return codepoint != 0 && !is_unspaced(codepoint) &&
         (category < UTF8PROC_CATEGORY_PC || category > UTF8PROC_CATEGORY_PO);
}

/* Return whether the text that is copied for token s may be longer than the token. A token that is
 * a word of another script is complete. */
static bool can_grow(const struct copied_source *source, size_t s, elman_token_mode target,
                     bool whole) {
  const size_t at = source->spans.starts[s];
  const bool divided = token_mode_row(source->mode)->has_subwords ||
                       (source->mode == ELMAN_TOKENS_CHARS &&
                        (target == ELMAN_TOKENS_WORDS || target == ELMAN_TOKENS_SPACE));
  return divided || (whole && (is_of_run(source->text, at) ||
                               !is_word_character(character_in(source->text, at))));
}

/* Set firsts[s] to the first of the tokens for which the same text is copied as for token s. */
static void find_firsts(size_t *firsts, const struct copied_source *source, elman_token_mode target,
                        bool whole) {
  struct copied_word word = {{0, 0}, {0, 0}};
  size_t first = SIZE_MAX; /* first token of the copied part; SIZE_MAX before it */
  for (size_t s = 0; s < source->tokens->count; s++) {
    const size_t at = source->spans.starts[s];
    firsts[s] = s;
    if (!can_grow(source, s, target, whole) || at >= source->text.length) {
      word = (struct copied_word){{0, 0}, {0, 0}};
      continue;
    }
    if (!is_within(word.all, at)) {
      word = word_around(source->text, at, whole);
      first = SIZE_MAX;
    }
    if (!is_within(word.part, at)) continue;
    if (first == SIZE_MAX) first = s;
    firsts[s] = first;
  }
}

void copied_firsts(size_t *firsts, const struct copied_source *source, elman_token_mode target,
                   bool whole) {
  const size_t S = source->tokens->count;
  bool any = false;
  find_firsts(firsts, source, target, whole);
  for (size_t s = 0; whole && s < S && !any; s++) any = is_copyable(source, s);
  for (size_t s = 0, next; any && s < S; s = next) {
    bool copyable = false;
    for (next = s; next < S && firsts[next] == s; next++)
      copyable = copyable || is_copyable(source, next);
    for (size_t i = s; i < next && !copyable; i++) firsts[i] = NOT_COPIED;
  }
}

/* Append a part of the source text. If it starts with a character that looks like a mark, put a
 * mark before it; otherwise the character would be read as a mark. */
static void append_part(struct buffer *into, struct text text, size_t start, size_t end) {
  const struct text part = {text.bytes + start, end - start};
  const bool spaced = start > 0 && text.bytes[start - 1] == ' ';
  if (token_has_mark(part)) buffer_append_text(into, text_of(spaced ? MARK_SPACED : MARK_JOINED));
  buffer_append_text(into, part);
}

void copy_source_word(struct buffer *into, const struct copied_source *source, size_t s,
                      elman_token_mode target, bool whole) {
  const struct text token = tokens_get(source->tokens, s), surface = token_surface(token);
  const size_t at = source->spans.starts[s], end = source->spans.ends[s];
  buffer_clear(into);
  if (can_grow(source, s, target, whole) && at < source->text.length) {
    const struct copied_range range = part_around(source->text, at, whole);
    append_part(into, source->text, range.start, range.end);
  } else if (source->lower && end > at) {
    append_part(into, source->text, at, end);
  } else {
    /* Keep the token's mark if the character after it would be read as a mark. */
    buffer_append_text(into, token_has_mark(surface) ? token : surface);
  }
}
