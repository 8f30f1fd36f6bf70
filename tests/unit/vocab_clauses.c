/* Test: text. */
/* Where clauses end. */
#include <criterion/criterion.h>

#include "owned_values.h"

#include "vocab/clauses.h"
#include "vocab/codec.h"

/* `expected` is the text without spaces, with "|" after each clause. */
static void expect(elman_token_mode mode, const char *line, const char *expected) {
  owned_token_counter *counter;
  owned_vocabulary *vocabulary;
  owned_by(tokens_free) struct tokens tokens = {0};
  owned_by(buffer_free) struct buffer shown = {0};
  uint32_t ids[100];
  size_t ends[100];
  cr_assert_eq(token_counter_create(&counter, NULL), ELMAN_OK);
  cr_assert_eq(tokens_split(&tokens, text_of(line), mode, NULL), ELMAN_OK);
  cr_assert_leq(tokens.count, 100);
  cr_assert_eq(token_counter_add(counter, &tokens, NULL), ELMAN_OK);
  cr_assert_eq(vocabulary_from_counts(&vocabulary, counter, ELMAN_SOURCE, 1, 0, NULL), ELMAN_OK);
  for (size_t i = 0; i < tokens.count; i++)
    ids[i] = vocabulary_find(vocabulary, tokens_get(&tokens, i));
  const size_t count = clauses_of(ends, ids, tokens.count, vocabulary);
  cr_assert_eq(clauses_of(NULL, ids, tokens.count, vocabulary), count);
  for (size_t g = 0, i = 0; g < count; g++) {
    cr_assert_gt(ends[g], i);
    for (; i < ends[g]; i++) buffer_append_text(&shown, token_surface(tokens_get(&tokens, i)));
    buffer_append(&shown, "|", 1);
  }
  cr_assert(text_equal(buffer_text(&shown), text_of(expected)), "\"%s\" became %s, not %s", line,
            shown.bytes == NULL ? "nothing" : shown.bytes, expected);
}

Test(clauses, clauses_end_after_punctuation) {
  expect(ELMAN_TOKENS_CHARS, "", "");
  expect(ELMAN_TOKENS_CHARS, "我爱茶", "我爱茶|");
  expect(ELMAN_TOKENS_CHARS, "我爱茶，他也爱。", "我爱茶，|他也爱。|");
  expect(ELMAN_TOKENS_SPACE, "这 是 茶 、 水 ； 你 呢 ？", "这是茶、|水；|你呢？|");
  expect(ELMAN_TOKENS_WORDS, "Well, I do: tea; water - both.", "Well,|Ido:|tea;|water-both.|");
}

Test(clauses, consecutive_marks_stay_together) {
  expect(ELMAN_TOKENS_CHARS, "什么？！真的……好", "什么？！|真的……|好|");
  expect(ELMAN_TOKENS_CHARS, "。开始", "。|开始|");
}

Test(clauses, closing_marks_belong_to_their_clause) {
  expect(ELMAN_TOKENS_CHARS, "他说：“我来。”然后走了", "他说：|“我来。”|然后走了|");
  expect(ELMAN_TOKENS_CHARS, "（是的。）好", "（是的。）|好|");
  expect(ELMAN_TOKENS_CHARS, "（是的）好",
         "（是的）好|"); /* the bracket does not end a clause by itself */
}

Test(clauses, numbers_are_not_divided) {
  expect(ELMAN_TOKENS_WORDS, "It costs 3.5 or 1,000, he said.", "Itcosts3.5or1,000,|hesaid.|");
  expect(ELMAN_TOKENS_CHARS, "3.5元", "3.5元|");
  expect(ELMAN_TOKENS_CHARS, "3，5元", "3，|5元|"); /* full-width comma: not part of a number */
}

/* Special tokens are no text, and without a vocabulary the words are unknown. */
Test(clauses, without_vocabulary_there_is_one_clause) {
  const uint32_t ids[] = {0, 0, 7};
  size_t ends[3] = {0};
  cr_assert_eq(clauses_of(ends, ids, 3, NULL), 1);
  cr_assert_eq(ends[0], 3);
}
