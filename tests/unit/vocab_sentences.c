/* Test: text. */
/* Where sentences of a text end, and what separates their translations. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "owned_values.h"

#include "vocab/sentences.h"

/* `expected` has the sentences with "|" after each. */
static void expect(const char *text, const char *expected) {
  owned_by(buffer_free) struct buffer shown = {0};
  struct sentence_reader reader;
  size_t start, end, last = 0, count = 0;
  sentence_reader_start(&reader, text_of(text));
  for (; sentence_next(&start, &end, &reader); count++) {
    cr_assert_geq(start, last);
    cr_assert_gt(end, start);
    last = end;
    buffer_append(&shown, text + start, end - start);
    buffer_append(&shown, "|", 1);
  }
  cr_assert(text_equal(buffer_text(&shown), text_of(expected)), "\"%s\" became %s, not %s", text,
            shown.bytes == NULL ? "nothing" : shown.bytes, expected);
  cr_assert_eq(elman_find_sentences(NULL, 0, text, strlen(text)), count);
}

Test(sentences, marks_of_chinese_and_japanese_need_no_space) {
  expect("", "");
  expect(" \n\u3000", "");
  expect("我爱你", "我爱你|");
  expect("我哥哥比我高。我爱你。你呢", "我哥哥比我高。|我爱你。|你呢|");
  expect("你好！！我叫王明？！好", "你好！！|我叫王明？！|好|");
  expect("你好!我叫王明.你呢?", "你好!|我叫王明.|你呢?|");
  expect("これは本です。あれは何ですか？", "これは本です。|あれは何ですか？|");
  expect("ﾊｲ｡ｲｲｴ｡", "ﾊｲ｡|ｲｲｴ｡|");
  expect("我……我不知道。好", "我……我不知道。|好|");
}

Test(sentences, marks_of_latin_greek_and_cyrillic_come_before_a_space) {
  expect("How are you? I am fine. Thanks", "How are you?|I am fine.|Thanks|");
  expect("Hello World.This is one", "Hello World.This is one|");
  expect("¿Qué tal? ¡Hola! Bien.", "¿Qué tal?|¡Hola!|Bien.|");
  expect("Bonjour ! Comment ça va ? Bien.", "Bonjour !|Comment ça va ?|Bien.|");
  expect("Привет! Как дела?", "Привет!|Как дела?|");
  expect("Τι κάνεις; Καλά. Ναι; Όχι", "Τι κάνεις;|Καλά.|Ναι;|Όχι|");
  expect("Tea; coffee; milk.", "Tea; coffee; milk.|");
  expect("Wait... what? No... He left.", "Wait... what?|No...|He left.|");
}

Test(sentences, every_script_has_its_marks) {
  expect("मैं घर जा रहा हूँ। तुम कैसे हो? अच्छा।", "मैं घर जा रहा हूँ।|तुम कैसे हो?|अच्छा।|");
  expect("كيف حالك؟ أنا بخير. شكرا!", "كيف حالك؟|أنا بخير.|شكرا!|");
  expect("یہ کتاب ہے۔ وہ قلم ہے۔", "یہ کتاب ہے۔|وہ قلم ہے۔|");
  expect("מה שלומך? טוב.", "מה שלומך?|טוב.|");
  expect("ሰላም ነው። እንዴት ነህ?", "ሰላም ነው።|እንዴት ነህ?|");
  expect("Բարեւ։ Ինչպես ես։", "Բարեւ։|Ինչպես ես։|");
  expect("សួស្តី។ តើអ្នកសុខសប្បាយទេ?", "សួស្តី។|តើអ្នកសុខសប្បាយទេ?|");
  expect("နေကောင်းလား။ ကောင်းပါတယ်။", "နေကောင်းလား။|ကောင်းပါတယ်။|");
  expect("สวัสดีครับ สบายดีไหม", "สวัสดีครับ สบายดีไหม|");
  expect("안녕하세요? 저는 학생입니다.", "안녕하세요?|저는 학생입니다.|");
  expect("ᠰᠠᠶᠢᠨ ᠤᠤ᠃ ᠰᠠᠶᠢᠨ᠃", "ᠰᠠᠶᠢᠨ ᠤᠤ᠃|ᠰᠠᠶᠢᠨ᠃|");
}

Test(sentences, closing_marks_and_emoji_stay_with_their_sentence) {
  expect("“你好。”“再见。”", "“你好。”|“再见。”|");
  expect("“你好！”他说。“再见。”", "“你好！”他说。|“再见。”|");
  expect("「はい。」「いいえ。」", "「はい。」|「いいえ。」|");
  expect("He said \"stop.\" Then he left.", "He said \"stop.\"|Then he left.|");
  expect("\"Really?\" he asked. \"Yes!\" She nodded.",
         "\"Really?\" he asked.|\"Yes!\"|She nodded.|");
  expect("« Très bien ! » Merci.", "« Très bien ! »|Merci.|");
  expect("(He left. She stayed.) Then we went.", "(He left.|She stayed.)|Then we went.|");
  expect("我说。\"你好吗？\"\"好。\"", "我说。|\"你好吗？\"|\"好。\"|");
  expect("我爱你！👍🏽你呢？", "我爱你！👍🏽|你呢？|");
  expect("Hi! 👍 How are you? :)", "Hi!|👍 How are you? :)|");
}

Test(sentences, brackets_within_a_sentence_do_not_end_it) {
  expect("他（真的吗？）走了。我哭了。", "他（真的吗？）走了。|我哭了。|");
  expect("Nice (really! I mean it.) day. Bye.", "Nice (really! I mean it.) day.|Bye.|");
  expect("So sad :( Why? Because.", "So sad :( Why?|Because.|");
}

Test(sentences, abbreviations_initials_and_numbers_do_not_end_one) {
  expect("Mr. Smith met Dr. J. R. Ewing, e.g. today. He left.",
         "Mr. Smith met Dr. J. R. Ewing, e.g. today.|He left.|");
  expect("It is 3.14. See No. 5, pp. 12 and Fig. 2. Good.",
         "It is 3.14.|See No. 5, pp. 12 and Fig. 2.|Good.|");
  expect("Das ist z.B. gut. Am 3. Oktober kommt er. Er ist 5. Sie ist 6.",
         "Das ist z.B. gut.|Am 3. Oktober kommt er.|Er ist 5.|Sie ist 6.|");
  expect("Это г. Москва. И т.д. Он ушёл.", "Это г. Москва.|И т.д.|Он ушёл.|");
  expect("M. Dupont est là. Mme Durand aussi.", "M. Dupont est là.|Mme Durand aussi.|");
  expect("Apples, pears etc. are fruit, etc. The end.",
         "Apples, pears etc. are fruit, etc.|The end.|");
  expect("1. Open the box. 2. Close it. A. Done.", "1. Open the box.|2. Close it.|A. Done.|");
}

Test(sentences, acronyms_end_one_before_a_usual_beginning) {
  expect("I live in the U.S. He joined the U.S. Army.",
         "I live in the U.S.|He joined the U.S. Army.|");
  expect("At 5 p.m. we left. At 6 p.m. Peter came.", "At 5 p.m. we left.|At 6 p.m. Peter came.|");
  expect("It was I. He took plan B. Then we left.", "It was I.|He took plan B.|Then we left.|");
}

Test(sentences, lower_case_begins_one_only_in_a_text_without_upper_case) {
  expect("hello. how are you? i am fine.", "hello.|how are you?|i am fine.|");
  expect("Hello. how are you? i am fine.", "Hello. how are you?|i am fine.|");
}

Test(sentences, addresses_stay_whole) {
  expect("Visit http://www.example.com/a?b=c!d now. OK? Yes.",
         "Visit http://www.example.com/a?b=c!d now.|OK?|Yes.|");
  expect("看http://x.com/?q=中。好的。", "看http://x.com/?q=中。|好的。|");
  expect("Mail a.b@c.org. Thanks.", "Mail a.b@c.org.|Thanks.|");
}

Test(sentences, line_breaks_end_them) {
  expect("one line\ntwo. And three\r\n\r\n- item\u2028last",
         "one line|two.|And three|- item|last|");
  expect("\n\n我爱你\n", "我爱你|");
}

Test(sentences, marks_alone_belong_to_a_neighbor) {
  expect("...", "...|");
  expect("!!! Wow. ??", "!!! Wow. ??|");
  expect("好。!!! 👍", "好。!!! 👍|");
}

/* A text of `count` times `unit`, with `end`. */
static size_t count_in_long_text(const char *unit, size_t count, const char *end) {
  owned_by(buffer_free) struct buffer text = {0};
  for (size_t i = 0; i < count; i++) buffer_append_text(&text, text_of(unit));
  buffer_append_text(&text, text_of(end));
  return elman_find_sentences(NULL, 0, text.bytes, text.length);
}

/* Quadratic time would take hours. */
Test(sentences, long_texts_take_linear_time) {
  enum { MANY = 200000 };
  cr_assert_eq(count_in_long_text("a((", MANY, ""), 1);
  cr_assert_eq(count_in_long_text("a.b", MANY, ""), 1);
  cr_assert_eq(count_in_long_text("a. ", MANY, "B"), 2);
  cr_assert_eq(count_in_long_text("ab. ", MANY, ""), MANY);
  cr_assert_gt(count_in_long_text("a!\" -! -! ", MANY, "b"), MANY);
  cr_assert_eq(count_in_long_text("\"", MANY, "a"), 1);
  cr_assert_eq(count_in_long_text("我。\n", MANY, ""), MANY);
}

static void expect_joined(const char *left, const char *gap, const char *right,
                          const char *expected) {
  owned_by(buffer_free) struct buffer joined = {0};
  buffer_append_text(&joined, text_of(left));
  append_separator(&joined, text_of(left), text_of(gap), text_of(right));
  buffer_append_text(&joined, text_of(right));
  cr_assert(text_equal(buffer_text(&joined), text_of(expected)), "%s, not %s", joined.bytes,
            expected);
}

Test(sentences, the_script_of_translations_determines_the_separator) {
  expect_joined("I love you.", "", "And you?", "I love you. And you?");
  expect_joined("我爱你。", " ", "你呢？", "我爱你。你呢？");
  expect_joined("我爱你", " ", "“你呢？”", "我爱你“你呢？”");
  expect_joined("はい。", " ", "いいえ。", "はい。いいえ。");
  expect_joined("สวัสดี", "", "ครับ", "สวัสดี ครับ");
  expect_joined("안녕.", "", "네.", "안녕. 네.");
  expect_joined("。", "", "！", "。！");
  expect_joined("1.", "", "2.", "1. 2.");
}

Test(sentences, line_breaks_of_the_source_separate_translations) {
  expect_joined("Hi.", " \r\n\t\n", "Bye.", "Hi.\r\n\nBye.");
  expect_joined("我", "\n", "你", "我\n你");
  expect_joined("", " ", "Bye.", "Bye.");
  expect_joined("Hi.", "\n", "", "Hi.\n");
}
