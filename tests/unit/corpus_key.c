/* Test: text. */
/* Keys of sentences, and finding equal sentences by them. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>
#include <utf8proc.h>

#include "owned.h"

#include "corpus/key.h"

static struct buffer key = {0}, other = {0};

static void assert_key(const char *text, const char *expected) {
  cr_assert_eq(key_of(&key, text_of(text), NULL), ELMAN_OK);
  cr_assert(text_equal(buffer_text(&key), text_of(expected)), "\"%s\" became \"%s\", not \"%s\"",
            text, key.bytes, expected);
}

Test(key, drops_case_width_punctuation_and_space) {
  assert_key("Hello, World!", "helloworld");
  assert_key("Ｈｅｌｌｏ，　Ｗｏｒｌｄ！", "helloworld");
  assert_key("他在睡觉。", "他在睡觉");
  assert_key("“他”……在——睡觉？！", "他在睡觉");
  assert_key("STRASSE", "strasse");
  assert_key("Straße", "strasse");
  assert_key("ﬁne \xC2\xADthing\xE2\x80\x8B", "finething");
  assert_key("1 + 1 = 2", "1+1=2");
  assert_key("", "");
  buffer_free(&key);
}

Test(key, canonically_equal_texts_are_equal) {
  cr_assert_eq(key_of(&key, text_of("caf\xC3\xA9"), NULL), ELMAN_OK);
  cr_assert_eq(key_of(&other, text_of("CAFE\xCC\x81"), NULL), ELMAN_OK);
  cr_assert(text_equal(buffer_text(&key), buffer_text(&other)));
  /* Two marks in either order: dot below (class 220), acute (class 230). */
  cr_assert_eq(key_of(&key, text_of("a\xCC\xA3\xCC\x81"), NULL), ELMAN_OK);
  cr_assert_eq(key_of(&other, text_of("a\xCC\x81\xCC\xA3"), NULL), ELMAN_OK);
  cr_assert(text_equal(buffer_text(&key), buffer_text(&other)));
  buffer_free(&key);
  buffer_free(&other);
}

Test(key, text_of_punctuation_keeps_it) {
  assert_key("?!", "?!");
  assert_key("？ ！", "? !");
  buffer_free(&key);
}

/* The fast path for common characters agrees with the general path, which U+00FE forces. */
Test(key, fast_and_general_path_agree) {
  for (utf8proc_int32_t codepoint = 1; codepoint <= 0x10FFFF; codepoint++) {
    if (codepoint >= 0xD800 && codepoint <= 0xDFFF) continue;
    char bytes[8] = "x", slow[8] = "\xC3\xBE";
    const size_t length = (size_t)utf8proc_encode_char(codepoint, (utf8proc_uint8_t *)bytes + 1);
    memcpy(slow + 2, bytes + 1, length);
    cr_assert_eq(key_of(&key, (struct text){bytes, 1 + length}, NULL), ELMAN_OK);
    cr_assert_eq(key_of(&other, (struct text){slow, 2 + length}, NULL), ELMAN_OK);
    const struct text a = {key.bytes + 1, key.length - 1}, b = {other.bytes + 2, other.length - 2};
    if (!text_equal(a, b)) cr_assert_fail("U+%04X: \"%s\" and \"%s\"", codepoint, key.bytes, slow);
  }
  buffer_free(&key);
  buffer_free(&other);
}

Test(key, different_texts_have_different_hashes) {
  static const char *const texts[] = {"",
                                      "a",
                                      "b",
                                      "ab",
                                      "ba",
                                      "abcdefgh",
                                      "abcdefghi",
                                      "abcdefghij",
                                      "hgfedcba",
                                      "aaaaaaaa",
                                      "aaaaaaaaaaaaaaaa"};
  enum { TEXTS = sizeof texts / sizeof texts[0] };
  for (size_t i = 0; i < TEXTS; i++)
    for (size_t j = 0; j < TEXTS; j++)
      cr_assert_eq(text_hash(text_of(texts[i])) == text_hash(text_of(texts[j])), i == j, "%s %s",
                   texts[i], texts[j]);
  /* A text with an extra zero byte is another text; so is a pair with its sides exchanged. */
  cr_assert_neq(text_hash((struct text){"a\0", 2}), text_hash(text_of("a")));
  cr_assert_neq(key_hash_pair(1, 2), key_hash_pair(2, 1));
}

Test(key, first_of_equal_keys_is_found) {
  /* All these keys map to the same slot. */
  const uint64_t keys[] = {0, 1ull << 40, 0, 2ull << 40, 1ull << 40, 0};
  const size_t firsts[] = {0, 1, 0, 3, 1, 0};
  owned_by(table_free) struct table table = {0};
  for (int round = 0; round < 2; round++) {
    cr_assert_eq(table_reset(&table, 6, NULL), ELMAN_OK);
    for (size_t i = 0, first = 0; i < 6; i++) {
      cr_assert_eq(key_first(&first, &table, keys, i, NULL), ELMAN_OK);
      cr_assert_eq(first, firsts[i]);
    }
  }
}
