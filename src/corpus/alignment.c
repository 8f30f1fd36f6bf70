#include "corpus/alignment.h"

static void skip_spaces(struct text *rest) {
  while (rest->length > 0 && rest->bytes[0] == ' ') text_drop(rest, 1);
}

static bool take_number(size_t *number, struct text *rest) {
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
  if (!take_number(&link->source, &at) || at.length == 0 || at.bytes[0] != '-') return false;
  text_drop(&at, 1);
  if (!take_number(&link->target, &at) || (at.length > 0 && at.bytes[0] != ' ')) return false;
  skip_spaces(&at);
  *rest = at;
  return true;
}

elman_status alignment_read(bool *found, struct link *link, struct text *rest, size_t sources,
                            size_t targets, elman_error *error) {
  *found = alignment_next(link, rest);
  if (*found && (link->source >= sources || link->target >= targets))
    return fail(error, ELMAN_BAD_DATA, NULL, "the alignment %zu-%zu names a word that is not there",
                link->source, link->target);
  if (!*found && rest->length > 0) {
    const struct text shown = {rest->bytes, rest->length < 40 ? rest->length : 40};
    return fail(error, ELMAN_BAD_DATA, NULL,
                "\"%.*s\" is not an alignment of the form i-j; is it the right column?",
                (int)text_valid_prefix(shown), rest->bytes);
  }
  return ELMAN_OK;
}
