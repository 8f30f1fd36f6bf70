#include "corpus/alignment.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Pharaoh format ---- */

static void skip_spaces(struct text *rest) {
  while (rest->length > 0 && rest->bytes[0] == ' ') text_drop(rest, 1);
}

static bool read_number(size_t *number, struct text *rest) {
  enum { LARGEST = 1000000 };
  size_t digits = 0;
  *number = 0;
  while (digits < rest->length && rest->bytes[digits] >= '0' && rest->bytes[digits] <= '9') {
    *number = *number * 10 + (size_t)(rest->bytes[digits] - '0');
    if (*number > LARGEST) return false;
    digits++;
  }
  text_drop(rest, digits);
  return digits > 0;
}

bool alignment_next(struct word_link *link, struct text *rest) {
  skip_spaces(rest);
  struct text at = *rest;
  if (!read_number(&link->source, &at) || at.length == 0 || at.bytes[0] != '-') return false;
  text_drop(&at, 1);
  if (!read_number(&link->target, &at) || (at.length > 0 && at.bytes[0] != ' ')) return false;
  skip_spaces(&at);
  *rest = at;
  return true;
}

static void reverse(char *from, char *to) {
  while (from < --to) {
    const char byte = *from;
    *from++ = *to;
    *to = byte;
  }
}

/* Reverse the bytes of the whole link, then the bytes of each number. This works in place, because
 * i-j and j-i have the same length. */
void elman_alignment_reverse(char *alignment) {
  struct text rest = text_of(alignment);
  const size_t length = rest.length;
  struct word_link link;
  for (char *start = alignment; alignment_next(&link, &rest);
       start = alignment + (length - rest.length)) {
    while (*start == ' ') start++;
    char *end = start, *dash = start;
    while (*end != '\0' && *end != ' ') end++;
    reverse(start, end);
    while (*dash != '-') dash++;
    reverse(start, dash);
    reverse(dash + 1, end);
  }
}

const char *alignment_mismatch(size_t count) {
  return count == 1 ? "does not match its line" : "do not match their lines";
}

static elman_status fail_range(elman_error *error, const struct word_link *link, size_t sources,
                               size_t targets) {
  if (sources == SIZE_MAX || targets == SIZE_MAX)
    return fail(error, ELMAN_BAD_DATA, NULL, "alignment %zu-%zu is out of range", link->source,
                link->target);
  return fail(error, ELMAN_BAD_DATA, NULL,
              "alignment %zu-%zu is out of range: i-j counts from 0, and the "
              "sides have %zu and %zu words",
              link->source, link->target, sources, targets);
}

elman_status alignment_read(bool *found, struct word_link *link, struct text *rest, size_t sources,
                            size_t targets, elman_error *error) {
  *found = alignment_next(link, rest);
  if (*found && (link->source >= sources || link->target >= targets))
    return fail_range(error, link, sources, targets);
  if (!*found && rest->length > 0) {
    const struct text shown = {rest->bytes, rest->length < 40 ? rest->length : 40};
    return fail(error, ELMAN_BAD_DATA, NULL,
                "\"%.*s\" is not an alignment of the form i-j; check the column or file",
                (int)text_valid_prefix(shown), rest->bytes);
  }
  return ELMAN_OK;
}

/* ---- links between tokens ---- */

void token_linker_free(struct token_linker *linker) {
  free(linker->words);
  free(linker->linked);
  for (int s = 0; s < 2; s++) {
    free(linker->places[s]);
    free(linker->units[s]);
  }
  *linker = (struct token_linker){0};
}

/* ---- links between tokens: the words of the tokens, and their links ---- */

/* The words that each token overlaps. */
struct located {
  const struct word_range *units; /* (tokens) */
  size_t tokens, count;           /* number of tokens; number of words */
};

static elman_status locate(struct located *located, struct token_linker *linker,
                           const struct encoded_side *side, elman_side which, elman_error *error) {
  const struct tokens *tokens = &side->encoding->tokens;
  const size_t n = tokens->count;
  size_t **places = &linker->places[which], room;
  struct word_range **units = &linker->units[which];
  if (__builtin_mul_overflow(n, 2, &room)) return fail_no_memory(error);
  elman_status status =
      array_grow(places, &linker->place_counts[which], room + 1, sizeof **places, error);
  if (status == ELMAN_OK)
    status = array_grow(units, &linker->unit_counts[which], n + 1, sizeof **units, error);
  if (status != ELMAN_OK) return status;
  size_t *starts = *places, *ends = starts + n;
  status = locate_tokens((struct spans){starts, ends}, tokens, side->text, side->codec->mode,
                         side->codec->normalization, error);
  if (status != ELMAN_OK) return status;
  const struct unit_side units_of = {side->text, starts, ends, n,
                                     units_are_tokens(side->text, ELMAN_UNITS_AUTO, side->lines)};
  units_locate(*units, &units_of);
  *located = (struct located){*units, n, units_count(&units_of)};
  return ELMAN_OK;
}

static int by_target(const void *a, const void *b) {
  const struct word_link *x = a, *y = b;
  if (x->target != y->target) return x->target < y->target ? -1 : 1;
  return x->source < y->source ? -1 : x->source > y->source;
}

/* Read the word links, sorted by target, without duplicates. */
static elman_status read_words(size_t *count, struct token_linker *linker, struct text alignment,
                               const struct located located[2], elman_error *error) {
  size_t found_count = 0;
  struct word_link link;
  *count = 0;
  for (bool found = true; found;) {
    elman_status status = alignment_read(&found, &link, &alignment, located[ELMAN_SOURCE].count,
                                         located[ELMAN_TARGET].count, error);
    if (status == ELMAN_OK && found)
      status = array_grow(&linker->words, &linker->capacity, found_count + 1, sizeof *linker->words,
                          error);
    if (status != ELMAN_OK) return status;
    if (found) linker->words[found_count++] = link;
  }
  if (found_count > 0) qsort(linker->words, found_count, sizeof *linker->words, by_target);
  for (size_t i = 0; i < found_count; i++) {
    if (i == 0 || by_target(&linker->words[i], &linker->words[*count - 1]) != 0)
      linker->words[(*count)++] = linker->words[i];
  }
  return ELMAN_OK;
}

/* ---- links between tokens: from the links of their words ---- */

static bool any(const bool *linked, struct word_range words) {
  for (size_t word = words.first; word < words.end; word++)
    if (linked[word]) return true;
  return false;
}

/* Append the links between target token t and the tokens of all linked source words. */
static elman_status add_token(struct token_links *links, size_t *end, size_t t, const bool *linked,
                              const struct located *source, elman_error *error) {
  for (size_t s = 0; s < source->tokens; s++) {
    if (!any(linked, source->units[s])) continue;
    const elman_status status =
        array_grow(&links->items, &links->capacity, *end + 1, sizeof *links->items, error);
    if (status != ELMAN_OK) return status;
    links->items[(*end)++] = (struct token_link){(uint32_t)t, (uint32_t)s};
  }
  return ELMAN_OK;
}

/* Append the links of all target tokens. Each target token covers a
 * range of words. From one token to the next, neither the first nor the last word decreases. */
static elman_status add_tokens(struct token_links *links, size_t *end, struct token_linker *linker,
                               size_t words, const struct located located[2], elman_error *error) {
  const struct located *source = &located[ELMAN_SOURCE], *target = &located[ELMAN_TARGET];
  elman_status status = array_grow(&linker->linked, &linker->linked_capacity, source->count + 1,
                                   sizeof *linker->linked, error);
  for (size_t t = 0, first = 0; status == ELMAN_OK && t < target->tokens; t++) {
    const struct word_range of = target->units[t];
    if (of.first == of.end) continue;
    while (first < words && linker->words[first].target < of.first) first++;
    if (first == words || linker->words[first].target >= of.end) continue;
    memset(linker->linked, 0, source->count * sizeof *linker->linked);
    for (size_t i = first; i < words && linker->words[i].target < of.end; i++)
      linker->linked[linker->words[i].source] = true;
    status = add_token(links, end, t, linker->linked, source, error);
  }
  return status;
}

elman_status token_links_add(struct token_links *links, size_t pair, struct token_linker *linker,
                             const struct encoded_side sides[2], struct text alignment,
                             elman_error *error) {
  struct located located[2];
  size_t words = 0, end = links->starts[pair];
  elman_status status = ELMAN_OK;
  for (int s = 0; s < 2 && status == ELMAN_OK; s++)
    status = locate(&located[s], linker, &sides[s], (elman_side)s, error);
  if (status == ELMAN_OK) status = read_words(&words, linker, alignment, located, error);
  if (status == ELMAN_OK) status = add_tokens(links, &end, linker, words, located, error);
  links->starts[pair + 1] = end;
  return status;
}
