/* The mode that `auto` selects, and the characters that count as Chinese (Han). */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "vocab/characters.h"
#include "vocab/tokens.h"

static void vote_for(struct script_sample *sample, const char *line, size_t times) {
  struct script_counts counts = {0};
  script_count(&counts, text_of(line));
  for (size_t i = 0; i < times; i++) script_sample_add(sample, &counts);
}

static elman_token_mode mode_of(const char *first, const char *second) {
  struct script_sample sample = {0};
  vote_for(&sample, first, 1);
  vote_for(&sample, second, 1);
  return script_token_mode(&sample);
}

Test(script, auto_selects_the_mode) {
  cr_assert_eq(mode_of("我 爱 学习 。", "他 喜欢 茶 。"), ELMAN_TOKENS_SPACE);
  cr_assert_eq(mode_of("我爱学习。", "他喜欢茶。"), ELMAN_TOKENS_CHARS);
  cr_assert_eq(mode_of("I love to study.", "He likes tea."), ELMAN_TOKENS_WORDS);
  cr_assert_eq(mode_of("我在学 Python 。", "他爱 C 语言"), ELMAN_TOKENS_WORDS);
  cr_assert_eq(mode_of("我爱C语言。", "今天天气很好 我们走吧"), ELMAN_TOKENS_CHARS);
  cr_assert_eq(mode_of("", ""), ELMAN_TOKENS_WORDS);
  cr_assert_eq(mode_of("好", "茶"), ELMAN_TOKENS_CHARS);
  cr_assert_eq(mode_of("これはペンです", ""), ELMAN_TOKENS_WORDS);
}

Test(script, one_fifth_of_adjacent_pairs_decides) {
  struct script_counts counts = {.letters = 100, .han = 100, .han_adjacent = 80};
  counts.han_separated = 20;
  cr_assert_eq(script_line_mode(&counts), ELMAN_TOKENS_SPACE);
  counts.han_separated = 19;
  cr_assert_eq(script_line_mode(&counts), ELMAN_TOKENS_CHARS);
  counts.han = 50;
  cr_assert_eq(script_line_mode(&counts), ELMAN_TOKENS_WORDS);
}

Test(script, long_line_has_one_vote) {
  struct buffer longest = {0};
  for (int i = 0; i < 10000; i++) buffer_append_text(&longest, text_of("我 爱 你 "));
  struct script_sample sample = {0};
  vote_for(&sample, longest.bytes, 1);
  cr_assert_eq(script_token_mode(&sample), ELMAN_TOKENS_SPACE);
  vote_for(&sample, "我爱学习。", 300);
  cr_assert_eq(script_token_mode(&sample), ELMAN_TOKENS_CHARS);
  buffer_clear(&longest);
  for (int i = 0; i < 10000; i++) buffer_append_text(&longest, text_of("love "));
  vote_for(&sample, longest.bytes, 1);
  cr_assert_eq(script_token_mode(&sample), ELMAN_TOKENS_CHARS);
  buffer_free(&longest);
}

Test(script, mixed_corpus_selects_chars) {
  struct script_sample sample = {0};
  vote_for(&sample, "我爱学习。", 1500);
  vote_for(&sample, "我 爱 学习 。", 1800);
  cr_assert_eq(script_token_mode(&sample), ELMAN_TOKENS_CHARS);
  cr_assert_eq(sample.spaced, 1800);
  cr_assert_eq(sample.unspaced, 1500);
  vote_for(&sample, "我 爱 学习 。", 9 * 1500 - 1800 - 1);
  cr_assert_eq(script_token_mode(&sample), ELMAN_TOKENS_CHARS);
  vote_for(&sample, "我 爱 学习 。", 1);
  cr_assert_eq(script_token_mode(&sample), ELMAN_TOKENS_SPACE);
  vote_for(&sample, "你好！", 10000); /* a word */
  cr_assert_eq(script_token_mode(&sample), ELMAN_TOKENS_SPACE);
}

Test(script, characters_are_counted_by_kind) {
  struct script_counts counts = {0};
  script_count(&counts, text_of("我爱 你，a1 学 b 习c是"));
  cr_assert_eq(counts.letters, 10);
  cr_assert_eq(counts.han, 6);
  cr_assert_eq(counts.han_adjacent, 2); /* 我爱 你， */
  cr_assert_eq(counts.han_separated, 1);
  script_count(&counts, text_of("好 。か 。"));
  cr_assert_eq(counts.han_adjacent, 2);
  cr_assert_eq(counts.han_separated, 2);
}

Test(script, han_ranges_are_recognized) {
  static const int han[] = {0x2E80, 0x2FDF, 0x3005, 0x3007, 0x3021, 0x3029, 0x3038,  0x303B,
                            0x3400, 0x4DBF, 0x4E00, 0x9FFF, 0xF900, 0xFAFF, 0x20000, 0x323AF};
  static const int other[] = {0,      'a',    0x2E7F, 0x2FE0, 0x3001,  0x3002,  0x3006,
                              0x3008, 0x302A, 0x3037, 0x303C, 0x3042,  0x30A2,  0x33FF,
                              0x4DC0, 0xA000, 0xAC00, 0xFB00, 0x1FFFF, 0x323B0, 0x10FFFF};
  for (size_t i = 0; i < sizeof han / sizeof han[0]; i++) cr_assert(is_han(han[i]), "%x", han[i]);
  for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
    cr_assert_not(is_han(other[i]), "%x", other[i]);
}
