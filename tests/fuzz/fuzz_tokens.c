/* Text through every token mode: splitting loses nothing, and every token is found in the text that
 * it came from. */
#include <string.h>

#include "fuzz.h"
#include "vocab/codec.h"
#include "vocab/locate.h"
#include "vocab/segment.h"

static void require_places(const struct tokens *tokens, struct text text) {
  size_t *numbers = calloc(3 * tokens->count + 1, sizeof *numbers);
  REQUIRE(numbers != NULL);
  const struct places places = {numbers, numbers + tokens->count};
  size_t *words = numbers + 2 * tokens->count;
  REQUIRE(locate_tokens(places, tokens, text, NULL) == STATUS_OK);
  for (size_t i = 0; i < tokens->count; i++) {
    REQUIRE(places.starts[i] <= places.ends[i] && places.ends[i] <= text.length);
    REQUIRE(i == 0 || places.starts[i - 1] <= places.starts[i]);
  }
  locate_words(words, places.starts, places.ends, tokens->count, text);
  for (size_t i = 0; i < tokens->count; i++)
    REQUIRE(words[i] == NO_WORD || words[i] < count_words(text));
  free(numbers);
}

/* A vocabulary of the first half of the tokens: the others are unknown, or made of known ones. */
static struct vocabulary *learn(const struct tokens *tokens) {
  struct token_counter *counter;
  struct vocabulary *vocabulary;
  struct tokens half = {0};
  for (size_t i = 0; i < (tokens->count + 1) / 2; i++)
    REQUIRE(tokens_add(&half, tokens_get(tokens, i), NULL) == STATUS_OK);
  REQUIRE(token_counter_create(&counter, NULL) == STATUS_OK);
  REQUIRE(token_counter_add(counter, &half, NULL) == STATUS_OK);
  REQUIRE(vocabulary_from_counts(&vocabulary, counter, SIDE_SOURCE, 1, 0, NULL) == STATUS_OK);
  token_counter_free(counter);
  tokens_free(&half);
  return vocabulary;
}

static void through_ids(const struct tokens *tokens, struct text text, enum token_mode mode) {
  struct vocabulary *vocabulary = learn(tokens);
  const struct codec codec = {mode, vocabulary};
  struct encoding encoding = {0};
  struct buffer decoded = {0};
  REQUIRE(encode(&encoding, &codec, text, NULL) == STATUS_OK);
  for (size_t i = 0; i < encoding.tokens.count; i++)
    REQUIRE(encoding.ids[i] < vocabulary_size(vocabulary));
  require_places(&encoding.tokens, text);
  REQUIRE(decode(&decoded, &codec, encoding.ids, encoding.tokens.count, NULL) == STATUS_OK);
  const struct text result = buffer_text(&decoded);
  REQUIRE(text_valid_prefix(result) == result.length);
  buffer_free(&decoded);
  encoding_free(&encoding);
  vocabulary_free(vocabulary);
}

static void through_mode(struct text normalized, struct text text, enum token_mode mode) {
  struct tokens tokens = {0};
  struct buffer joined = {0};
  REQUIRE(tokens_split(&tokens, normalized, mode, NULL) == STATUS_OK);
  REQUIRE(tokens_join(&joined, &tokens, mode, NULL) == STATUS_OK);
  REQUIRE(text_equal(buffer_text(&joined), normalized));
  require_places(&tokens, text);
  through_ids(&tokens, text, mode);
  tokens_free(&tokens);
  buffer_free(&joined);
}

bool fuzz_one(const uint8_t *bytes, size_t size) {
  const struct text text = fuzz_text(bytes, size);
  struct buffer normalized = {0}, again = {0}, folded = {0};
  struct script_counts counts = {0};
  REQUIRE(text_normalize(&normalized, text, NULL) == STATUS_OK);
  REQUIRE(text_normalize(&again, buffer_text(&normalized), NULL) == STATUS_OK);
  REQUIRE(text_equal(buffer_text(&again), buffer_text(&normalized)));
  REQUIRE(text_fold(&folded, text, NULL) == STATUS_OK);
  script_count(&counts, buffer_text(&normalized));
  REQUIRE(script_token_mode(&counts) != TOKENS_AUTO);
  for (enum token_mode mode = TOKENS_SPACE; mode < TOKENS_AUTO; mode++)
    through_mode(buffer_text(&normalized), text, mode);
  buffer_free(&normalized);
  buffer_free(&again);
  buffer_free(&folded);
  return text.length == size;
}
