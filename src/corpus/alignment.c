#include "corpus/alignment.h"

#include <stdint.h>

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

bool alignment_next(struct link *link, struct text *rest) {
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

/* A link is as long either way round: it is reversed, and then each number. */
void alignment_turn(char *bytes, size_t length) {
  struct text rest = {bytes, length};
  struct link link;
  for (char *start = bytes; alignment_next(&link, &rest); start = bytes + (length - rest.length)) {
    while (*start == ' ') start++;
    char *end = start, *dash = start;
    while (end < bytes + length && *end != ' ') end++;
    reverse(start, end);
    while (*dash != '-') dash++;
    reverse(start, dash);
    reverse(dash + 1, end);
  }
}

static elman_status not_there(elman_error *error, const struct link *link, size_t sources,
                              size_t targets) {
  if (sources == SIZE_MAX || targets == SIZE_MAX)
    return fail(error, ELMAN_BAD_DATA, NULL, "the alignment %zu-%zu names a word that is not there",
                link->source, link->target);
  return fail(error, ELMAN_BAD_DATA, NULL,
              "the alignment %zu-%zu names a word that is not there: i-j counts from 0, and the "
              "sides have %zu and %zu words",
              link->source, link->target, sources, targets);
}

elman_status alignment_read(bool *found, struct link *link, struct text *rest, size_t sources,
                            size_t targets, elman_error *error) {
  *found = alignment_next(link, rest);
  if (*found && (link->source >= sources || link->target >= targets))
    return not_there(error, link, sources, targets);
  if (!*found && rest->length > 0) {
    const struct text shown = {rest->bytes, rest->length < 40 ? rest->length : 40};
    return fail(error, ELMAN_BAD_DATA, NULL,
                "\"%.*s\" is not an alignment of the form i-j; is it the right column?",
                (int)text_valid_prefix(shown), rest->bytes);
  }
  return ELMAN_OK;
}
