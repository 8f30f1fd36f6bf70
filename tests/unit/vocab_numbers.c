/* Test: text. */
/* Numbers that a translation lacks. */
#include <criterion/criterion.h>
#include <string.h>

#include "vocab/numbers.h"

static void expect(const char *source, const char *translation, const char *missing) {
  const struct text found = number_missing(text_of(source), text_of(translation));
  cr_assert(text_equal(found, text_of(missing)), "%s -> %s: %.*s", source, translation,
            (int)found.length, found.bytes);
}

static void expect_all(const char *source, const char *translation) {
  expect(source, translation, "");
}

Test(vocab_numbers, a_changed_number_is_named) {
  expect("1985年他十岁。", "He was ten on October 12.", "1985");
  expect("It costs $3,500.", "要3000日元。", "3,500");
  expect("12，500人", "12,600 people", "12，500");
  expect("12 500 Leute", "12,600 people", "12 500");
  expect("12’500 Leute", "12,600 people", "12’500");
  expect("１９８５年", "in 1986", "１９８５");
  expect("سنة ١٩٨٥", "in 1986", "١٩٨٥");
  expect("1985 and 1986", "1985年", "1986");
  expect("$1,234.56", "$1,243.56", "1,234");
  expect("1985", "", "1985");
  expect("119", "191", "119");
}

Test(vocab_numbers, the_same_number_may_look_otherwise) {
  expect_all("1985年", "In 1985, he was ten.");
  expect_all("سنة ١٩٨٥", "in １９８５");
  expect_all("$3,500", "3500美元");
  expect_all("12 500", "12,500");
  expect_all("3500000", "3.5 million");
  expect_all("3.5 million", "350万");
  expect_all("120000", "12万");
  expect_all("1985 Euro", "1.985 Euro");
  expect_all("1.985 Euro", "1,985 euros");
  expect_all("2.125 million", "212.5万");
  expect_all("1,234.56", "1234.56");
  expect_all("150 million", "1亿5000万");
  expect_all("12.10.1985", "October 12, 1985");
  expect_all("101，102，103", "101, 102 and 103");
}

Test(vocab_numbers, numbers_may_be_written_in_words) {
  expect_all("1985", "一九八五年");
  expect_all("2008", "二〇〇八年");
  expect_all("165 years", "一百六十五年");
  expect_all("115", "一百一十五");
  expect_all("3150円", "三千百五十円");
  expect_all("3005", "三千零五");
  expect_all("2,700", "两千七百");
  expect_all("150个人", "One hundred and fifty people");
  expect_all("120人", "a hundred and twenty people");
  expect_all("1997年", "nineteen-ninety-seven.");
  expect("165 years", "一百六十年", "165");
  expect("150个人", "One man", "150");
}

Test(vocab_numbers, a_year_may_be_two_digits) {
  expect_all("1985", "'85");
  expect_all("the 1980s", "80年代");
  expect_all("the 1980s", "八十年代");
  expect("the 1980s", "8月", "1980");
  expect("1985", "850", "1985");
}

Test(vocab_numbers, small_and_round_numbers_are_often_words) {
  expect_all("12点30分", "at noon");
  expect_all("3000日元", "some yen");
  expect_all("100 people", "many people");
  expect_all("3.14", "pi");
  expect_all("007", "Bond");
  expect_all("没有数字", "no number");
  expect_all("", "1985");
}

Test(vocab_numbers, any_length_is_read) {
  char digits[400], dots[400];
  memset(digits, '7', sizeof digits - 1);
  digits[sizeof digits - 1] = '\0';
  expect_all(digits, digits);
  expect(digits, "", digits);
  for (size_t i = 0; i + 1 < sizeof dots; i++) dots[i] = i % 4 == 3 ? '.' : '7';
  dots[sizeof dots - 1] = '\0';
  expect_all(dots, dots);
}
