/* Tokens and vocabularies from lists of words, and tokens shown as text. */
#ifndef ELMAN_TESTS_WORDS_OF_H
#define ELMAN_TESTS_WORDS_OF_H

#include "owned_values.h"
#include "vocab/locate.h"
#include "vocab/tokens.h"

static inline struct tokens tokens_of(const char *const *words, size_t count) {
  struct tokens tokens = {0};
  for (size_t i = 0; i < count; i++)
    cr_assert_eq(tokens_add(&tokens, text_of(words[i]), NULL), ELMAN_OK);
  return tokens;
}

static inline struct vocabulary *vocabulary_of(const char *const *words, const uint64_t *counts,
                                               size_t count, elman_side side) {
  owned_by(tokens_free) struct tokens tokens = tokens_of(words, count);
  struct vocabulary *vocabulary;
  cr_assert_eq(vocabulary_from_list(&vocabulary, &tokens, counts, side, NULL), ELMAN_OK);
  return vocabulary;
}

/* Check the tokens of `input`; `expected` contains them, separated by "|". */
static inline void check_tokens(const struct tokens *tokens, const char *input,
                                const char *expected) {
  owned_by(buffer_free) struct buffer shown = {0};
  for (size_t i = 0; i < tokens->count; i++) {
    if (i > 0) buffer_append(&shown, "|", 1);
    buffer_append_text(&shown, tokens_get(tokens, i));
  }
  cr_assert(text_equal(buffer_text(&shown), text_of(expected)), "\"%s\" became %s, not %s", input,
            buffer_text(&shown).bytes, expected);
}

static inline struct spans places_for(size_t count) {
  const size_t size = (count + 1) * sizeof(size_t);
  const struct spans places = {malloc(size), malloc(size)};
  cr_assert(places.starts != NULL && places.ends != NULL);
  memset(places.starts, 0xFF, size);
  memset(places.ends, 0xFF, size);
  return places;
}

static inline void free_places(struct spans places) {
  free(places.starts);
  free(places.ends);
}

/* Check the bytes of each range in a text; `expected` contains them, separated by "|". */
static inline void check_ranges(struct spans places, size_t count, struct text text,
                                const char *expected) {
  owned_by(buffer_free) struct buffer shown = {0};
  for (size_t i = 0; i < count; i++) {
    cr_assert_leq(places.starts[i], places.ends[i]);
    cr_assert_leq(places.ends[i], text.length);
    if (i > 0) buffer_append(&shown, "|", 1);
    buffer_append(&shown, text.bytes + places.starts[i], places.ends[i] - places.starts[i]);
  }
  cr_assert(text_equal(buffer_text(&shown), text_of(expected)), "\"%s\" became %s, not %s",
            text.bytes, buffer_text(&shown).bytes, expected);
}

#endif
