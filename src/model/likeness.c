#include "model/likeness.h"

#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "model/hyperparameters.h"

enum { VALUE_SIZE = 120 };

static elman_status differs(elman_error *error, const char *what, const char *value,
                            const char *expected) {
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s is %s there and %s here", what, expected,
              value);
}

/* ---- words ---- */

/* As people write it, cut where it is long, and how it joins what is before it. */
static void describe_token(char *text, struct text token) {
  enum { LONGEST = 60 };
  const struct text shown = token_shown(token);
  const struct text start = {shown.bytes, shown.length < LONGEST ? shown.length : LONGEST};
  snprintf(text, VALUE_SIZE, "\"%.*s%s\"%s", (int)text_valid_prefix(start), start.bytes,
           shown.length > LONGEST ? "…" : "",
           !token_has_mark(token)   ? ""
           : token_is_spaced(token) ? " after a space"
                                    : " joined");
}

static elman_status compare_vocabularies(const struct vocabulary *first,
                                         const struct vocabulary *other, const char *side,
                                         elman_error *error) {
  const size_t size = vocabulary_size(first);
  char what[VALUE_SIZE], expected[VALUE_SIZE], value[VALUE_SIZE];
  if (vocabulary_size(other) != size) {
    snprintf(what, sizeof what, "the %s vocabulary's size", side);
    snprintf(expected, sizeof expected, "%zu", size);
    snprintf(value, sizeof value, "%zu", vocabulary_size(other));
    return differs(error, what, value, expected);
  }
  for (size_t id = 0; id < size; id++) {
    const struct text one = vocabulary_token(first, id), two = vocabulary_token(other, id);
    if (text_equal(one, two)) continue;
    snprintf(what, sizeof what, "token %zu of the %s vocabulary", id, side);
    describe_token(expected, one);
    describe_token(value, two);
    return differs(error, what, value, expected);
  }
  return ELMAN_OK;
}

static void describe_merge(char *text, const struct merges *merges, size_t rank) {
  struct buffer line = {0};
  merges_append_line(&line, merges, rank);
  describe_token(text, line.failed ? text_of("?") : buffer_text(&line));
  buffer_free(&line);
}

static elman_status compare_merges(const struct merges *first, const struct merges *other,
                                   const char *side, elman_error *error) {
  char what[VALUE_SIZE], expected[VALUE_SIZE], value[VALUE_SIZE];
  if (first == NULL || other == NULL ||
      merges_hash(HASH_START, first) == merges_hash(HASH_START, other))
    return ELMAN_OK; /* who has none splits in another mode */
  for (size_t rank = 0; rank < first->count && rank < other->count; rank++) {
    describe_merge(expected, first, rank);
    describe_merge(value, other, rank);
    if (strcmp(expected, value) == 0) continue;
    snprintf(what, sizeof what, "merge %zu of the %s", rank + 1, side);
    return differs(error, what, value, expected);
  }
  snprintf(what, sizeof what, "the number of merges of the %s", side);
  snprintf(expected, sizeof expected, "%zu", first->count);
  snprintf(value, sizeof value, "%zu", other->count);
  return differs(error, what, value, expected);
}

static elman_status compare_names(const char *what, const char *first, const char *other,
                                  elman_error *error) {
  return strcmp(first, other) == 0 ? ELMAN_OK : differs(error, what, other, first);
}

elman_status models_have_same_words(const struct model *first, const struct model *other,
                                    elman_error *error) {
  const struct model_config *a = &first->config, *b = &other->config;
  elman_status status =
      compare_names("the splitting of the source", token_mode_name(a->source_tokens),
                    token_mode_name(b->source_tokens), error);
  if (status == ELMAN_OK)
    status = compare_names("the splitting of the target", token_mode_name(a->target_tokens),
                           token_mode_name(b->target_tokens), error);
  if (status == ELMAN_OK)
    status = compare_names("the normalization of the source",
                           normalization_name(a->source_normalization),
                           normalization_name(b->source_normalization), error);
  if (status == ELMAN_OK)
    status = compare_names("the normalization of the target",
                           normalization_name(a->target_normalization),
                           normalization_name(b->target_normalization), error);
  if (status == ELMAN_OK)
    status =
        compare_vocabularies(first->source_vocabulary, other->source_vocabulary, "source", error);
  if (status == ELMAN_OK)
    status =
        compare_vocabularies(first->target_vocabulary, other->target_vocabulary, "target", error);
  for (int s = 0; s < 2 && status == ELMAN_OK; s++)
    status = compare_merges(first->merges[s], other->merges[s],
                            s == ELMAN_SOURCE ? "source" : "target", error);
  return status;
}

/* ---- shape ---- */

static void describe(char *text, const elman_hyperparameter *row,
                     const struct model_config *config) {
  const char *field = (const char *)config + row->offset;
  if (row->choice != NULL)
    snprintf(text, VALUE_SIZE, "%s", hyperparameter_choice(row, config));
  else if (row->value == ELMAN_VALUE_FLAG)
    snprintf(text, VALUE_SIZE, "%s", *(const bool *)field ? "on" : "off");
  else
    snprintf(text, VALUE_SIZE, "%zu", *(const size_t *)field);
}

elman_status models_have_same_shape(const struct model *first, const struct model *other,
                                    elman_error *error) {
  const elman_hyperparameter *row = NULL;
  char expected[VALUE_SIZE], value[VALUE_SIZE];
  while ((row = hyperparameter_next(row, ELMAN_SCOPE_MODEL)) != NULL) {
    describe(expected, row, &first->config);
    describe(value, row, &other->config);
    if (strcmp(expected, value) != 0) return differs(error, row->label, value, expected);
  }
  return models_have_same_words(first, other, error);
}
