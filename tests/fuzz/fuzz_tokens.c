/* In every token mode, splitting preserves the text, and every token is found in its original text.
 */
#include <string.h>

#include "fuzz.h"
#include "vocab/bpe_learn.h"
#include "vocab/characters.h"
#include "vocab/codec.h"
#include "vocab/locate.h"
#include "vocab/normalize.h"
#include "vocab/sentences.h"

static void require_places(const struct tokens *tokens, struct text text, elman_token_mode mode,
                           elman_normalization form) {
  size_t *numbers = calloc(2 * tokens->count + 1, sizeof *numbers);
  struct word_range *words = calloc(tokens->count + 1, sizeof *words);
  REQUIRE(numbers != NULL && words != NULL);
  const struct spans places = {numbers, numbers + tokens->count};
  REQUIRE(locate_tokens(places, tokens, text, mode, form, NULL) == ELMAN_OK);
  for (size_t i = 0; i < tokens->count; i++) {
    REQUIRE(places.starts[i] <= places.ends[i] && places.ends[i] <= text.length);
    REQUIRE(i == 0 || places.starts[i - 1] <= places.starts[i]);
  }
  units_locate(words, &(struct unit_side){text, places.starts, places.ends, tokens->count, false});
  struct word_range last = {0, 0};
  for (size_t i = 0; i < tokens->count; i++) {
    REQUIRE(words[i].first <= words[i].end && words[i].end <= words_count(text));
    if (words[i].first == words[i].end) continue;
    REQUIRE(words[i].first >= last.first && words[i].end >= last.end);
    last = words[i];
  }
  free(numbers);
  free(words);
}

/* Return a vocabulary of the first half of the tokens, so others are unknown or composed. */
static struct vocabulary *learn(const struct tokens *tokens) {
  struct token_counter *counter;
  struct vocabulary *vocabulary;
  struct tokens half = {0};
  for (size_t i = 0; i < (tokens->count + 1) / 2; i++)
    REQUIRE(tokens_add(&half, tokens_get(tokens, i), NULL) == ELMAN_OK);
  REQUIRE(token_counter_create(&counter, NULL) == ELMAN_OK);
  REQUIRE(token_counter_add(counter, &half, NULL) == ELMAN_OK);
  REQUIRE(vocabulary_from_counts(&vocabulary, counter, ELMAN_SOURCE, 1, 0, NULL) == ELMAN_OK);
  token_counter_free(counter);
  tokens_free(&half);
  return vocabulary;
}

static void through_ids(const struct tokens *tokens, struct text text, elman_token_mode mode,
                        elman_normalization form) {
  struct vocabulary *vocabulary = learn(tokens);
  const struct codec codec = {mode, form, vocabulary, NULL};
  struct encoding encoding = {0};
  struct buffer decoded = {0};
  REQUIRE(encode(&encoding, &codec, text, NULL) == ELMAN_OK);
  for (size_t i = 0; i < encoding.tokens.count; i++)
    REQUIRE(encoding.ids[i] < vocabulary_size(vocabulary));
  require_places(&encoding.tokens, text, mode, form);
  REQUIRE(decode(&decoded, &codec, encoding.ids, encoding.tokens.count, NULL) == ELMAN_OK);
  const struct text result = buffer_text(&decoded);
  REQUIRE(text_valid_prefix(result) == result.length);
  buffer_free(&decoded);
  encoding_free(&encoding);
  vocabulary_free(vocabulary);
}

static void through_mode(struct text normalized, struct text text, elman_token_mode mode,
                         elman_normalization form) {
  struct tokens tokens = {0};
  struct buffer joined = {0};
  REQUIRE(tokens_split(&tokens, normalized, mode, NULL) == ELMAN_OK);
  REQUIRE(tokens_join(&joined, &tokens, mode, NULL) == ELMAN_OK);
  REQUIRE(text_equal(buffer_text(&joined), normalized));
  require_places(&tokens, text, mode, form);
  through_ids(&tokens, text, mode, form);
  tokens_free(&tokens);
  buffer_free(&joined);
}

/* With merge operations and a vocabulary of the first half, no token is unknown and no text lost.
 */
static void through_subwords(struct text normalized, struct text text, elman_normalization form) {
  struct word_table words = {0};
  struct merges merges = {0};
  struct tokens split = {0}, closure = {0};
  struct token_counter *counter;
  struct vocabulary *vocabulary;
  REQUIRE(tokens_split(&split, normalized, ELMAN_TOKENS_BPE, NULL) == ELMAN_OK);
  for (size_t i = 0; i < (split.count + 1) / 2; i++) {
    struct word *word;
    REQUIRE(word_add(&word, &words, token_surface(tokens_get(&split, i)), NULL) == ELMAN_OK);
    word->count += 2;
  }
  REQUIRE(bpe_learn(&merges, &words, 50, NULL) == ELMAN_OK);
  REQUIRE(subwords_closure(&closure, &words, 3, NULL) == ELMAN_OK);
  REQUIRE(token_counter_create(&counter, NULL) == ELMAN_OK);
  REQUIRE(token_counter_keep(counter, &closure, NULL) == ELMAN_OK);
  REQUIRE(vocabulary_from_counts(&vocabulary, counter, ELMAN_SOURCE, 1, 0, NULL) == ELMAN_OK);
  const struct codec codec = {ELMAN_TOKENS_BPE, form, vocabulary, &merges};
  struct encoding encoding = {0};
  struct buffer expected = {0}, decoded = {0};
  REQUIRE(encode(&encoding, &codec, text, NULL) == ELMAN_OK);
  for (size_t i = 0; i < encoding.tokens.count; i++) REQUIRE(encoding.ids[i] != TOKEN_UNKNOWN);
  require_places(&encoding.tokens, text, ELMAN_TOKENS_BPE, form);
  REQUIRE(codec_text(&expected, &codec, text, NULL) == ELMAN_OK);
  REQUIRE(decode(&decoded, &codec, encoding.ids, encoding.tokens.count, NULL) == ELMAN_OK);
  REQUIRE(text_equal(buffer_text(&expected), buffer_text(&decoded)));
  buffer_free(&expected);
  buffer_free(&decoded);
  encoding_free(&encoding);
  vocabulary_free(vocabulary);
  token_counter_free(counter);
  tokens_free(&closure);
  tokens_free(&split);
  merges_clear(&merges);
  word_table_free(&words);
}

static void through_form(struct text text, elman_normalization form) {
  struct buffer normalized = {0}, again = {0};
  REQUIRE(text_normalize(&normalized, text, form, NULL) == ELMAN_OK);
  REQUIRE(text_normalize(&again, buffer_text(&normalized), form, NULL) == ELMAN_OK);
  REQUIRE(text_equal(buffer_text(&again), buffer_text(&normalized)));
  for (elman_token_mode mode = ELMAN_TOKENS_SPACE; mode <= ELMAN_TOKENS_BPE; mode++)
    if (mode != ELMAN_TOKENS_AUTO) through_mode(buffer_text(&normalized), text, mode, form);
  through_subwords(buffer_text(&normalized), text, form);
  buffer_free(&normalized);
  buffer_free(&again);
}

/* Sentences are in order and have all characters but white space. */
static void check_sentences(struct text text) {
  struct sentence_reader reader;
  size_t start, end, last = 0, count = 0;
  sentence_reader_start(&reader, text);
  for (; sentence_next(&start, &end, &reader); count++) {
    REQUIRE(last <= start && start < end && end <= text.length);
    REQUIRE(run_end(text, last, is_white_space, true) >= start);
    REQUIRE(!continues_character(text.bytes[start]));
    REQUIRE(end == text.length || !continues_character(text.bytes[end]));
    last = end;
  }
  REQUIRE(run_end(text, last, is_white_space, true) == text.length);
  REQUIRE(elman_find_sentences(NULL, 0, text.bytes, text.length) == count);
}

bool fuzz_one(const uint8_t *bytes, size_t size) {
  const struct text text = fuzz_text(bytes, size);
  struct buffer folded = {0};
  struct script_counts counts = {.letters = 0};
  struct script_sample sample = {.lines = 0};
  check_sentences(text);
  REQUIRE(text_fold(&folded, text, NULL) == ELMAN_OK);
  script_count(&counts, text);
  script_sample_add(&sample, &counts);
  REQUIRE(script_token_mode(&sample) != ELMAN_TOKENS_AUTO);
  for (elman_normalization form = ELMAN_NFC; form <= ELMAN_NFKC_LOWER; form++)
    if (form != ELMAN_NORMALIZATION_AUTO && form != ELMAN_NORMALIZATION_AUTO_LOWER)
      through_form(text, form);
  buffer_free(&folded);
  return text.length == size;
}
