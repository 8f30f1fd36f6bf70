#include "vocab/locate.h"

#include <stdlib.h>
#include <string.h>

#include "vocab/characters.h"
#include "vocab/invisible.h"
#include "vocab/normalize.h"
#include "vocab/tokens.h"

/* ---- tokens in the original text ---- */

/* Progress through the tokens. Their concatenated surfaces are the normalized text without its
 * spaces. */
struct cursor {
  struct spans spans;
  const struct tokens *tokens;
  bool has_bytes; /* a token may be a byte, or a mark alone */
  size_t token;   /* index of the token of the next byte */
  size_t used;    /* bytes of the surface of this token that are already consumed */
};

static bool is_byte(const struct cursor *cursor, size_t index) {
  return cursor->has_bytes && token_byte(tokens_get(cursor->tokens, index)) >= 0;
}

static size_t surface_size(const struct cursor *cursor, size_t index) {
  return is_byte(cursor, index) ? 1 : token_surface(tokens_get(cursor->tokens, index)).length;
}

/* Skip tokens that are marks alone; their range is empty and at the current byte. */
static void pass_marks(struct cursor *cursor, size_t at) {
  for (; cursor->token < cursor->tokens->count && surface_size(cursor, cursor->token) == 0;
       cursor->token++)
    cursor->spans.starts[cursor->token] = cursor->spans.ends[cursor->token] = at;
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Assign bytes [start, end) of the text to the next `length` bytes of the tokens. These bytes of
 * the tokens are the normalized form of the bytes of the text. If `same`, normalization did not
 * change the bytes, so the token boundaries inside are known. */
static void consume(struct cursor *cursor, size_t start, size_t end, size_t length, bool same) {
  for (size_t done = 0; done < length;) {
    pass_marks(cursor, same ? start + done : start);
    if (cursor->token == cursor->tokens->count) return;
    const size_t i = cursor->token, size = surface_size(cursor, i);
    const size_t used = smaller(length - done, size - cursor->used);
    if (cursor->used == 0) cursor->spans.starts[i] = same ? start + done : start;
    cursor->used += used;
    done += used;
    cursor->spans.ends[i] = same ? start + done : end;
    if (cursor->used < size) return;
    cursor->token++;
    cursor->used = 0;
  }
}

static size_t word_end(struct text text, size_t start) {
  return run_end(text, start, is_white_space, false);
}

static size_t word_start(struct text text, size_t start) {
  return run_end(text, start, is_white_space, true);
}

/* Return the length in bytes of the character at the cursor, or `otherwise` if there is none. Its
 * form may differ from the normalized form of the single character, because normalization chooses
 * punctuation by context. */
static size_t next_length(struct cursor *cursor, size_t start, size_t otherwise) {
  pass_marks(cursor, start);
  if (cursor->token >= cursor->tokens->count) return otherwise;
  if (is_byte(cursor, cursor->token)) {
    struct surface surface;
    tokens_surface(&surface, cursor->tokens, cursor->token, ELMAN_TOKENS_BPE);
    return surface.next - cursor->token;
  }
  const struct text surface = token_surface(tokens_get(cursor->tokens, cursor->token));
  size_t at = cursor->used;
  if (at >= surface.length) return otherwise;
  character_at(surface, &at);
  return at - cursor->used;
}

static void consume_normalized(struct cursor *cursor, size_t start, size_t end,
                               struct text normalized) {
  for (size_t at = 0; at < normalized.length;) {
    const size_t from = at;
    const int codepoint = character_at(normalized, &at);
    if (codepoint == ' ') continue; /* this space is part of a compatibility decomposition */
    const bool sign = sign_has_two_forms(codepoint);
    consume(cursor, start, end, sign ? next_length(cursor, start, at - from) : at - from, false);
  }
}

static bool is_compatibility_jamo(int codepoint) {
  return (codepoint >= 0x3131 && codepoint <= 0x318E) ||
         (codepoint >= 0xFFA0 && codepoint <= 0xFFDC);
}

static bool is_hangul(int codepoint) {
  static const struct codepoint_range hangul[] = {{0x1100, 0x11FF}, {0xA960, 0xD7FF}};
  return IN_RANGES(hangul, codepoint) || is_compatibility_jamo(codepoint);
}

/* Return whether the character is a vowel or final consonant, which joins the preceding letter. */
static bool is_joining_jamo(int codepoint) {
  return (codepoint >= 0x1160 && codepoint <= 0x11FF) ||
         (codepoint >= 0xD7B0 && codepoint <= 0xD7FF);
}

/* Return the end of the unit at byte `start` that is normalized independently of its context.
 * Normalization composes and reorders within a grapheme cluster. Only NFKC composes Hangul across
 * clusters, from compatibility jamo. */
static size_t unit_end(struct text text, size_t start, elman_normalization form) {
  int last;
  size_t end = cluster_end(text, start, &last);
  while (unifies(form) && is_hangul(last) && end < text.length) {
    int next;
    const size_t next_end = cluster_end(text, end, &next);
    if (!is_compatibility_jamo(next) && !(is_compatibility_jamo(last) && is_joining_jamo(next)))
      break;
    last = next;
    end = next_end;
  }
  return end;
}

static elman_status consume_word(struct cursor *cursor, struct text text, size_t start, size_t end,
                                 elman_normalization form, struct buffer *normalized,
                                 elman_error *error) {
  const struct text upto = {text.bytes, end};
  for (size_t next; start < end; start = next) {
    next = unit_end(upto, start, form);
    const struct text unit = {text.bytes + start, next - start};
    const elman_status status = text_normalize_visible(normalized, unit, form, error);
    if (status != ELMAN_OK) return status;
    size_t at = 0;
    const bool same =
        text_equal(unit, buffer_text(normalized)) && !sign_has_two_forms(character_at(unit, &at));
    if (same)
      consume(cursor, start, next, unit.length, true);
    else
      consume_normalized(cursor, start, next, buffer_text(normalized));
  }
  return ELMAN_OK;
}

/* Extend the range of each byte token to the whole character. */
static void widen_bytes(struct cursor *cursor, struct text text) {
  for (size_t i = 0; i < cursor->tokens->count; i++) {
    size_t *start = &cursor->spans.starts[i], *end = &cursor->spans.ends[i];
    if (!is_byte(cursor, i)) continue;
    while (*start > 0 && *start < text.length && continues_character(text.bytes[*start])) --*start;
    while (*end < text.length && continues_character(text.bytes[*end])) ++*end;
  }
}

/* Find the tokens of a text from which invisible characters without meaning have been removed. */
static elman_status locate_visible(struct spans spans, const struct tokens *tokens,
                                   struct text text, elman_token_mode mode,
                                   elman_normalization form, elman_error *error) {
  struct cursor cursor = {
      .spans = spans, .tokens = tokens, .has_bytes = token_mode_row(mode)->has_subwords};
  struct buffer normalized = {0};
  elman_status status = ELMAN_OK;
  for (size_t at = word_start(text, 0); at < text.length && status == ELMAN_OK;) {
    const size_t end = word_end(text, at);
    status = consume_word(&cursor, text, at, end, form, &normalized, error);
    at = word_start(text, end);
  }
  /* This loop has an effect only if the tokens do not belong to this text. */
  for (size_t i = cursor.token + (cursor.used > 0); i < tokens->count; i++)
    spans.starts[i] = spans.ends[i] = text.length;
  widen_bytes(&cursor, text);
  buffer_free(&normalized);
  return status;
}

/* Whether invisible characters have a meaning depends on their neighbors. Remove those without
 * meaning from the whole text first, and then convert the positions, so that words can be
 * normalized in parts. */
elman_status locate_tokens(struct spans spans, const struct tokens *tokens, struct text text,
                           elman_token_mode mode, elman_normalization form, elman_error *error) {
  if (!has_invisible(text)) return locate_visible(spans, tokens, text, mode, form, error);
  struct buffer visible = {0};
  size_t *origins =
      text.length < SIZE_MAX / sizeof *origins ? malloc((text.length + 1) * sizeof *origins) : NULL;
  if (origins != NULL) drop_invisible(&visible, text, origins);
  elman_status status =
      origins == NULL || visible.failed
          ? fail_no_memory(error)
          : locate_visible(spans, tokens, buffer_text(&visible), mode, form, error);
  for (size_t i = 0; i < tokens->count && status == ELMAN_OK; i++) {
    size_t *start = &spans.starts[i], *end = &spans.ends[i];
    *end = *end > *start ? origins[*end - 1] + 1 : origins[*start];
    *start = origins[*start];
  }
  free(origins);
  buffer_free(&visible);
  return status;
}

/* ---- tokens in joined text ---- */

static bool text_is_at(struct text text, size_t at, struct text surface) {
  return surface.length <= text.length - at &&
         memcmp(text.bytes + at, surface.bytes, surface.length) == 0;
}

void locate_joined(struct spans spans, const struct tokens *tokens, size_t count,
                   elman_token_mode mode, struct text joined) {
  size_t at = 0;
  for (size_t i = 0; i < tokens->count;) {
    struct surface surface = {.text = {"", 0}, .next = i + 1};
    if (i < count)
      tokens_surface(&surface, tokens, i, mode);
    else
      at = joined.length;
    if (!text_is_at(joined, at, surface.text)) at++; /* skip the space before the token */
    for (; i < surface.next; i++) {
      spans.starts[i] = smaller(at, joined.length);
      spans.ends[i] = smaller(at + surface.text.length, joined.length);
    }
    at = spans.ends[i - 1];
  }
}

/* ---- words ---- */

bool word_next(size_t *start, size_t *at, struct text text) {
  *start = word_start(text, *at);
  if (*start >= text.length) return false;
  *at = word_end(text, *start);
  return true;
}

size_t words_count(struct text text) {
  size_t count = 0;
  for (size_t start, at = 0; word_next(&start, &at, text);) count++;
  return count;
}

static bool has_word(const struct word_range *words) {
  return words->first < words->end;
}

static void locate_words(struct word_range *words, const size_t *starts, const size_t *ends,
                         size_t count, struct text text) {
  size_t token = 0, word = 0;
  for (size_t i = 0; i < count; i++) words[i] = (struct word_range){0, 0};
  for (size_t start, end = 0; word_next(&start, &end, text); word++) {
    for (; token < count; token++) /* the remaining tokens overlap no later word */
      if (starts[token] < ends[token] ? ends[token] > start : !has_word(&words[token])) break;
    for (size_t i = token; i < count && starts[i] < end; i++) {
      const bool placed = has_word(&words[i]);
      if (starts[i] < ends[i] ? ends[i] > start : !placed)
        words[i] = (struct word_range){placed ? words[i].first : word, word + 1};
    }
  }
}

/* ---- units ---- */

/* Count a text that is mostly Han, and return whether it is. */
static bool count_han(struct unit_lines *lines, struct text text) {
  struct script_counts counts = {.letters = 0};
  script_count(&counts, text);
  if (!script_is_han(&counts)) return false;
  if (counts.separated > 0)
    lines->spaced++;
  else if (counts.adjacent > 0)
    lines->unspaced++;
  return true;
}

void unit_lines_add(struct unit_lines *lines, struct text text) {
  (void)count_han(lines, text);
}

bool units_are_tokens(struct text text, elman_alignment_units units,
                      const struct unit_lines *lines) {
  struct unit_lines own = {0};
  if (units != ELMAN_UNITS_AUTO) return units != ELMAN_UNITS_WORDS;
  if (!count_han(&own, text)) return false;
  if (lines == NULL) lines = &own;
  return lines->unspaced > lines->spaced;
}

/* Trailing tokens without bytes, such as </s>, do not count. */
size_t units_count(const struct unit_side *side) {
  size_t count = side->tokens;
  if (!side->by_tokens) return words_count(side->text);
  while (count > 0 && side->starts[count - 1] == side->ends[count - 1]) count--;
  return count;
}

void units_locate(struct word_range *units, const struct unit_side *side) {
  if (!side->by_tokens) {
    locate_words(units, side->starts, side->ends, side->tokens, side->text);
    return;
  }
  for (size_t i = 0; i < side->tokens; i++)
    units[i] = (struct word_range){i, i + (side->starts[i] < side->ends[i])};
}
