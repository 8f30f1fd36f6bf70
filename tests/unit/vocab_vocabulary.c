/* Test: text. */
/* Counting, ids, look-up, and vocabularies from model files. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "words_of.h"

#include "vocab/codec.h"

static void count_line(struct token_counter *counter, const char *line) {
  owned_by(tokens_free) struct tokens tokens = {0};
  cr_assert_eq(tokens_split(&tokens, text_of(line), ELMAN_TOKENS_SPACE, NULL), ELMAN_OK);
  cr_assert_eq(token_counter_add(counter, &tokens, NULL), ELMAN_OK);
}

static struct vocabulary *counted(const char *line, elman_side side, uint64_t min_count,
                                  size_t max_words) {
  owned_token_counter *counter;
  struct vocabulary *vocabulary;
  cr_assert_eq(token_counter_create(&counter, NULL), ELMAN_OK);
  count_line(counter, line);
  succeeds(vocabulary_from_counts(&vocabulary, counter, side, min_count, max_words, &why));
  return vocabulary;
}

/* Return all tokens in id order, separated by spaces. */
static void assert_list(const struct vocabulary *vocabulary, const char *expected) {
  owned_by(buffer_free) struct buffer list = {0};
  for (size_t id = 0; id < vocabulary_size(vocabulary); id++) {
    if (id > 0) buffer_append(&list, " ", 1);
    buffer_append_text(&list, vocabulary_token(vocabulary, id));
  }
  cr_assert_str_eq(list.bytes, expected);
}

static elman_status from_list(struct vocabulary **vocabulary, const char *const *list, size_t count,
                              elman_side side, elman_error *error) {
  uint64_t counts[16];
  owned_by(tokens_free) struct tokens tokens = tokens_of(list, count);
  for (size_t i = 0; i < count; i++) counts[i] = 100 - i;
  return vocabulary_from_list(vocabulary, &tokens, counts, side, error);
}

Test(vocabulary, words_are_ordered_by_count_then_bytes) {
  owned_vocabulary *source = counted("b c a c 茶 ab z c z", ELMAN_SOURCE, 1, 0);
  assert_list(source, "<unk> c z a ab b 茶");
  cr_assert_eq(vocabulary_specials(source), 1);
  cr_assert_eq(vocabulary_count(source, 0), 0);
  cr_assert_eq(vocabulary_count(source, 1), 3);
  cr_assert_eq(vocabulary_count(source, 6), 1);
  cr_assert_eq(vocabulary_total(source), 9.0);
  owned_vocabulary *other_order = counted("茶 z ab c a z b c c", ELMAN_SOURCE, 1, 0);
  assert_list(other_order, "<unk> c z a ab b 茶");
}

static void assert_counted(const char *line, elman_side side, uint64_t min_count, size_t max_words,
                           const char *expected) {
  owned_vocabulary *vocabulary = counted(line, side, min_count, max_words);
  assert_list(vocabulary, expected);
}

Test(vocabulary, size_and_count_limits_apply) {
  assert_counted("a a a b b c c d", ELMAN_TARGET, 2, 0, "<unk> <s> </s> a b c");
  assert_counted("a a a b b c c d", ELMAN_TARGET, 1, 2, "<unk> <s> </s> a b");
  assert_counted("a", ELMAN_TARGET, 0, 0, "<unk> <s> </s> a");
  assert_counted("", ELMAN_SOURCE, 1, 0, "<unk>");
}

Test(vocabulary, finds_exactly_its_words) {
  enum { WORDS = 50000 };
  owned_token_counter *counter;
  cr_assert_eq(token_counter_create(&counter, NULL), ELMAN_OK);
  owned_by(tokens_free) struct tokens tokens = {0};
  char word[32];
  for (int i = 0; i < WORDS; i++) {
    snprintf(word, sizeof word, "word-%d", i);
    cr_assert_eq(tokens_add(&tokens, text_of(word), NULL), ELMAN_OK);
  }
  cr_assert_eq(token_counter_add(counter, &tokens, NULL), ELMAN_OK);
  cr_assert_eq(token_counter_add(counter, &tokens, NULL), ELMAN_OK);
  owned_vocabulary *vocabulary;
  cr_assert_eq(vocabulary_from_counts(&vocabulary, counter, ELMAN_SOURCE, 2, 0, NULL), ELMAN_OK);

  cr_assert_eq(vocabulary_size(vocabulary), WORDS + 1);
  for (int i = 0; i < WORDS; i++) {
    snprintf(word, sizeof word, "word-%d", i);
    const uint32_t id = vocabulary_find(vocabulary, text_of(word));
    cr_assert_neq(id, TOKEN_UNKNOWN);
    cr_assert(text_equal(vocabulary_token(vocabulary, id), text_of(word)));
    cr_assert_eq(vocabulary_count(vocabulary, id), 2);
  }
  cr_assert_eq(vocabulary_find(vocabulary, text_of("word-50000")), TOKEN_UNKNOWN);
  cr_assert_eq(vocabulary_find(vocabulary, text_of("word-")), TOKEN_UNKNOWN);
  cr_assert_eq(vocabulary_find(vocabulary, text_of("")), TOKEN_UNKNOWN);
}

Test(vocabulary, special_names_in_text_are_unknown) {
  for (elman_side side = ELMAN_SOURCE; side <= ELMAN_TARGET; side++) {
    owned_vocabulary *vocabulary = counted("<unk> <s> <s> </s> a <S> <unk>", side, 1, 0);
    assert_list(vocabulary, side == ELMAN_SOURCE ? "<unk> <S> a" : "<unk> <s> </s> <S> a");
    cr_assert_eq(vocabulary_find(vocabulary, text_of("<unk>")), TOKEN_UNKNOWN);
    cr_assert_eq(vocabulary_find(vocabulary, text_of("<s>")), TOKEN_UNKNOWN);
    cr_assert_eq(vocabulary_find(vocabulary, text_of("</s>")), TOKEN_UNKNOWN);
  }
}

Test(vocabulary, longest_han_word_is_reported) {
  owned_vocabulary *vocabulary =
      counted("我 爱 学习 图书馆 C语言程序 abcdefgh 。。。。。", ELMAN_SOURCE, 1, 0);
  owned_vocabulary *none = counted("a b", ELMAN_SOURCE, 1, 0);
  cr_assert_eq(vocabulary_longest_unspaced(vocabulary), 3);
  cr_assert_eq(vocabulary_longest_unspaced(none), 0);
}

Test(vocabulary, from_a_list_keeps_ids_and_counts) {
  /* The order is that of the file, not of the counts. */
  const char *const list[] = {"<unk>", "<s>", "</s>", "b", "a", "我"};
  owned_vocabulary *vocabulary;
  cr_assert_eq(from_list(&vocabulary, list, 6, ELMAN_TARGET, NULL), ELMAN_OK);
  assert_list(vocabulary, "<unk> <s> </s> b a 我");
  cr_assert_eq(vocabulary_find(vocabulary, text_of("b")), 3);
  cr_assert_eq(vocabulary_find(vocabulary, text_of("我")), 5);
  cr_assert_eq(vocabulary_count(vocabulary, 2), 0);
  cr_assert_eq(vocabulary_count(vocabulary, 3), 97);
  cr_assert_eq(vocabulary_total(vocabulary), 97.0 + 96.0 + 95.0);
}

struct bad_list {
  const char *tokens[6];
  size_t count;
  elman_side side;
  const char *part_of_message;
};

Test(vocabulary, bad_lists_are_rejected) {
  static const struct bad_list bad[] = {
      {{0}, 0, ELMAN_SOURCE, "0 tokens"},
      {{"<unk>", "<s>"}, 2, ELMAN_TARGET, "2 tokens"},
      {{"a"}, 1, ELMAN_SOURCE, "token 0 of the vocabulary must be <unk>"},
      {{"<unk>", "</s>", "<s>"}, 3, ELMAN_TARGET, "token 1 of the vocabulary must be <s>"},
      {{"<unk>", "a", "b", "a"}, 4, ELMAN_SOURCE, "token 3 of the vocabulary is a duplicate"},
      {{"<unk>", "a", ""}, 3, ELMAN_SOURCE, "token 2 of the vocabulary is empty"},
      {{"<unk>", "a\xFF"}, 2, ELMAN_SOURCE, "token 1 of the vocabulary is not valid UTF-8"},
      {{"<unk>", "a", "<unk>"}, 3, ELMAN_SOURCE, "token 2 of the vocabulary must not be a special"},
      {{"<unk>", "</s>"}, 2, ELMAN_SOURCE, "token 1 of the vocabulary must not be a special"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct vocabulary *vocabulary;
    cr_assert_eq(from_list(&vocabulary, bad[i].tokens, bad[i].count, bad[i].side, &why),
                 ELMAN_BAD_DATA, "list %zu", i);
    cr_assert_null(vocabulary);
    cr_assert_not_null(strstr(why.message, bad[i].part_of_message), "%s", why.message);
  }
}

Test(vocabulary, free_accepts_null) {
  vocabulary_free(NULL);
  token_counter_free(NULL);
}

static void assert_decoded(const struct codec *codec, const uint32_t *ids, size_t count,
                           const char *expected) {
  owned_by(buffer_free) struct buffer text = {0};
  cr_assert_eq(decode(&text, codec, ids, count, NULL), ELMAN_OK);
  cr_assert(text_equal(buffer_text(&text), text_of(expected)), "%s", text.bytes);
}

Test(codec, text_round_trips_through_ids) {
  const char *const list[] = {"<unk>", "<s>", "</s>", "don", "'", "t", ".", "I"};
  owned_vocabulary *vocabulary;
  cr_assert_eq(from_list(&vocabulary, list, 8, ELMAN_TARGET, NULL), ELMAN_OK);
  const struct codec codec = {.mode = ELMAN_TOKENS_WORDS, .vocabulary = vocabulary};
  owned_by(encoding_free) struct encoding encoding = {0};
  cr_assert_eq(encode(&encoding, &codec, text_of("  I   don't <s>. "), NULL), ELMAN_OK);
  static const uint32_t expected[] = {7, 3, 4, 5, 0, 0, 0, 6};
  cr_assert_eq(encoding.tokens.count, 8);
  cr_assert_arr_eq(encoding.ids, expected, sizeof expected);

  static const uint32_t said[] = {1, 7, 3, 4, 5, 0, 6, 2};
  assert_decoded(&codec, said, 8, "I don't <unk>.");
  assert_decoded(&codec, said, 0, "");

  cr_assert_eq(encode(&encoding, &codec, text_of(" "), NULL), ELMAN_OK);
  cr_assert_eq(encoding.tokens.count, 0);
}

/* Ids 1 and 2 are ordinary words on the source side. */
Test(codec, source_side_has_no_special_ids) {
  const char *const list[] = {"<unk>", "我", "爱", "▁你"};
  owned_vocabulary *vocabulary;
  cr_assert_eq(from_list(&vocabulary, list, 4, ELMAN_SOURCE, NULL), ELMAN_OK);
  const struct codec codec = {.mode = ELMAN_TOKENS_CHARS, .vocabulary = vocabulary};
  static const uint32_t said[] = {1, 2, 3, 0};
  assert_decoded(&codec, said, 4, "我爱 你<unk>");
}

static void assert_encoded(const struct codec *codec, const char *text, const char *expected) {
  owned_by(encoding_free) struct encoding encoding = {0};
  cr_assert_eq(encode(&encoding, codec, text_of(text), NULL), ELMAN_OK);
  check_tokens(&encoding.tokens, text, expected);
}

/* A model trained without spaces ignores the spaces that a user types between words. */
Test(codec, spaces_between_han_are_ignored) {
  const char *const list[] = {"<unk>", "我", "爱", "▁你", "▁a", "a", "雨"};
  static const uint64_t counts[] = {0, 4, 4, 2, 9, 9, 4};
  owned_vocabulary *vocabulary = vocabulary_of(list, counts, 7, ELMAN_SOURCE);
  struct codec codec = {.mode = ELMAN_TOKENS_CHARS, .vocabulary = vocabulary};
  assert_encoded(&codec, "我 爱 a a 雨", "我|爱|a|▁a|雨");
  codec.mode = ELMAN_TOKENS_WORDS;
  assert_encoded(&codec, "我 爱 a a 雨", "我|爱|▁a|a|▁雨");
}

Test(codec, space_mode_segments_chinese) {
  const char *const list[] = {"<unk>", "我", "爱", "学习", "。"};
  owned_vocabulary *vocabulary;
  cr_assert_eq(from_list(&vocabulary, list, 5, ELMAN_SOURCE, NULL), ELMAN_OK);
  const struct codec codec = {.mode = ELMAN_TOKENS_SPACE, .vocabulary = vocabulary};
  owned_by(encoding_free) struct encoding encoding = {0};
  static const uint32_t expected[] = {1, 2, 3, 4};
  static const char *const typed[] = {"我爱学习。", "我 爱 学习 。", "我爱 学习。"};
  for (int i = 0; i < 3; i++) {
    cr_assert_eq(encode(&encoding, &codec, text_of(typed[i]), NULL), ELMAN_OK);
    cr_assert_eq(encoding.tokens.count, 4);
    cr_assert_arr_eq(encoding.ids, expected, sizeof expected);
  }
}
