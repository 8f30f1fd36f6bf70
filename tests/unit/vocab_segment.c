/* Test: text. */
/* Segmentation of Chinese text without spaces. */
#include <criterion/criterion.h>

#include "words_of.h"

#include "vocab/codec.h"

static struct vocabulary *counted_words(const char *const *lines, size_t count) {
  owned_token_counter *counter;
  struct vocabulary *vocabulary;
  owned_by(tokens_free) struct tokens tokens = {0};
  cr_assert_eq(token_counter_create(&counter, NULL), ELMAN_OK);
  for (size_t i = 0; i < count; i++) {
    cr_assert_eq(tokens_split(&tokens, text_of(lines[i]), ELMAN_TOKENS_SPACE, NULL), ELMAN_OK);
    cr_assert_eq(token_counter_add(counter, &tokens, NULL), ELMAN_OK);
  }
  cr_assert_eq(vocabulary_from_counts(&vocabulary, counter, ELMAN_SOURCE, 1, 0, NULL), ELMAN_OK);
  return vocabulary;
}

/* `expected` contains the tokens, separated by "|". */
static void assert_segments(const struct vocabulary *vocabulary, const char *typed,
                            const char *expected) {
  owned_by(tokens_free) struct tokens in = {0}, out = {0};
  cr_assert_eq(tokens_split(&in, text_of(typed), ELMAN_TOKENS_SPACE, NULL), ELMAN_OK);
  cr_assert_eq(tokens_add(&out, text_of("to be replaced"), NULL), ELMAN_OK);
  cr_assert_eq(segment_unspaced(&out, &in, vocabulary, NULL), ELMAN_OK);
  check_tokens(&out, typed, expected);
}

static const char *const lesson[] = {
    "我 爱 学习",
    "他 喜欢 茶",
    "我 喜欢 学习 。",
    "他 爱 喝茶 。",
    "我们 在 图书馆 学习 。",
    "这 是 一 本 书",
    "C 语言 很 难 。",
    "▁ 是 一 个 符号 。",
    "C语言 ",
};
enum { LESSON = sizeof lesson / sizeof lesson[0] };

Test(segment, text_is_split_into_known_words) {
  owned_vocabulary *vocabulary = counted_words(lesson, LESSON);
  assert_segments(vocabulary, "", "");
  assert_segments(vocabulary, "我爱学习", "我|爱|学习");
  assert_segments(vocabulary, "我们喜欢茶。", "我们|喜欢|茶|。");
  assert_segments(vocabulary, "他在图书馆喝茶", "他|在|图书馆|喝茶");
  assert_segments(vocabulary, "我 爱学习 。", "我|爱|学习|。");
}

Test(segment, non_han_text_is_a_separate_token) {
  owned_vocabulary *vocabulary = counted_words(lesson, LESSON);
  assert_segments(vocabulary, "我爱C语言。", "我|爱|C|语言|。");
  assert_segments(vocabulary, "C语言", "C语言"); /* the vocabulary contains the whole word */
  assert_segments(vocabulary, "don't stop.", "don't|stop.");
  assert_segments(vocabulary, "…？！", "…？！");
  assert_segments(vocabulary, "《书》2024年是", "《|书|》2024|年|是");
}

Test(segment, unknown_characters_stay_together) {
  owned_vocabulary *vocabulary = counted_words(lesson, LESSON);
  assert_segments(vocabulary, "魑魅魍魉", "魑魅魍魉");
  assert_segments(vocabulary, "我爱魑魅学习", "我|爱|魑魅|学习");
  assert_segments(vocabulary, "魑我魅魍", "魑|我|魅魍");
  assert_segments(vocabulary, "图书", "图|书"); /* 图 occurs only inside 图书馆 */
}

Test(segment, likeliest_segmentation_wins) {
  static const char *const lines[] = {"研究 研究 研究 研究 生命 生命 生命 研究生 命 起源"};
  owned_vocabulary *vocabulary = counted_words(lines, 1);
  assert_segments(vocabulary, "研究生命起源", "研究|生命|起源"); /* not the longest word first */
  assert_segments(vocabulary, "研究生", "研究生");
}

/* 甲乙|丙丁 uses no unknown character and 甲乙丙|丁 uses one: known words win even if both are
 * rare. */
Test(segment, known_word_beats_unknown_character) {
  static const char *const lines[] = {"甲乙丙 甲乙 丙丁 中 中 中 中 中 中 中 中 中"};
  owned_vocabulary *vocabulary = counted_words(lines, 1);
  assert_segments(vocabulary, "甲乙丙丁", "甲乙|丙丁");
}

Test(segment, ties_prefer_the_longer_last_word) {
  static const char *const lines[] = {"甲 甲乙 乙丙 丙"};
  owned_vocabulary *vocabulary = counted_words(lines, 1);
  assert_segments(vocabulary, "甲乙丙", "甲|乙丙");
}

Test(segment, counts_precede_the_tie_rule) {
  static const char *const lines[] = {"甲 甲乙 甲乙 甲乙 乙丙 丙 丙 丙"};
  owned_vocabulary *vocabulary = counted_words(lines, 1);
  assert_segments(vocabulary, "甲乙丙", "甲乙|丙");
}

Test(segment, mark_characters_are_preserved) {
  owned_vocabulary *vocabulary = counted_words(lesson, LESSON);
  assert_segments(vocabulary, "▁ 是", "▁▁|是");
  assert_segments(vocabulary, "▁abc ￭", "▁▁abc|▁￭");
  assert_segments(vocabulary, "▁我爱▁学习", "▁▁|我|爱|▁▁|学习");
  assert_segments(vocabulary, "我￭爱", "我|▁￭|爱");
}

Test(segment, empty_vocabulary_keeps_characters_together) {
  owned_vocabulary *vocabulary = counted_words(lesson, 0);
  assert_segments(vocabulary, "我爱C语言。", "我爱|C|语言|。");
}

/* A model file may give every word a count of 0. */
Test(segment, zero_counts_are_accepted) {
  static const char *const list[] = {"<unk>", "我", "爱", "学习"};
  static const uint64_t counts[4];
  owned_vocabulary *vocabulary = vocabulary_of(list, counts, 4, ELMAN_SOURCE);
  assert_segments(vocabulary, "我爱学习", "我|爱|学习");
}

/* The cost of a word is -log (count / total). 甲|乙 wins over 甲乙 if the product of its counts
 * exceeds the count of the whole word times the total; a count of 0 counts as 1. */
static void assert_wins(const uint64_t counts[5], const char *expected) {
  static const char *const list[] = {"<unk>", "甲", "乙", "甲乙", "丙"};
  owned_vocabulary *vocabulary = vocabulary_of(list, counts, 5, ELMAN_SOURCE);
  assert_segments(vocabulary, "甲乙丙", expected);
}

Test(segment, cost_uses_relative_counts) {
  assert_wins((const uint64_t[]){0, 5, 9, 2, 6}, "甲|乙|丙");  /* 45 and 2 · 22 */
  assert_wins((const uint64_t[]){0, 5, 9, 2, 7}, "甲乙|丙");   /* 45 and 2 · 23 */
  assert_wins((const uint64_t[]){0, 4, 6, 0, 13}, "甲|乙|丙"); /* 24 and 23 */
  assert_wins((const uint64_t[]){0, 4, 6, 0, 15}, "甲乙|丙");  /* 24 and 25 */
}

Test(segment, two_megabytes_are_segmented_in_time, .timeout = 120) {
  /* A whole sentence is one "word": it must not multiply the cost of each character by its
   * length. */
  owned_by(buffer_free) struct buffer sentence = {0};
  for (int i = 0; i < 20000; i++) buffer_append(&sentence, "长", 3);
  const char *const lines[] = {"我 爱 学习", sentence.bytes};
  owned_vocabulary *vocabulary = counted_words(lines, 2);
  assert_segments(vocabulary, sentence.bytes, sentence.bytes);

  owned_by(buffer_free) struct buffer run = {0};
  while (run.length < 2000000) buffer_append(&run, "我爱学习好", 15);
  owned_by(tokens_free) struct tokens in = {0}, out = {0};
  cr_assert_eq(tokens_add(&in, buffer_text(&run), NULL), ELMAN_OK);
  cr_assert_eq(segment_unspaced(&out, &in, vocabulary, NULL), ELMAN_OK);
  cr_assert_eq(out.count, run.length / 15 * 4);
  cr_assert(text_equal(tokens_get(&out, out.count - 2), text_of("学习")));
  cr_assert(text_equal(tokens_get(&out, out.count - 1), text_of("好")));
}
