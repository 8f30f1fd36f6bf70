/* Test: text. */
/* The mode that `auto` selects, the scripts of characters, texts and sides, and the characters that
 * count as Chinese (Han). */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "owned.h"

#include "vocab/characters.h"
#include "vocab/scripts.h"
#include "vocab/tokens.h"

static void vote_for(struct script_sample *sample, const char *line, size_t times) {
  struct script_counts counts = {.letters = 0};
  script_count(&counts, text_of(line));
  for (size_t i = 0; i < times; i++) script_sample_add(sample, &counts);
}

static elman_token_mode mode_of(const char *first, const char *second) {
  struct script_sample sample = {.lines = 0};
  vote_for(&sample, first, 1);
  vote_for(&sample, second, 1);
  return script_token_mode(&sample);
}

Test(script, auto_selects_the_mode) {
  cr_assert_eq(mode_of("我 爱 学习 。", "他 喜欢 茶 。"), ELMAN_TOKENS_SPACE);
  cr_assert_eq(mode_of("我爱学习。", "他喜欢茶。"), ELMAN_TOKENS_CHARS);
  cr_assert_eq(mode_of("I love to study.", "He likes tea."), ELMAN_TOKENS_WORDS);
  cr_assert_eq(mode_of("我在学 Python 。", "他爱 C 语言"), ELMAN_TOKENS_CHARS);
  cr_assert_eq(mode_of("Python 好", "C 语言"), ELMAN_TOKENS_WORDS);
  cr_assert_eq(mode_of("我爱C语言。", "今天天气很好 我们走吧"), ELMAN_TOKENS_CHARS);
  cr_assert_eq(mode_of("", ""), ELMAN_TOKENS_WORDS);
  cr_assert_eq(mode_of("好", "茶"), ELMAN_TOKENS_CHARS);
}

Test(script, auto_makes_no_word_of_a_sentence) {
  static const struct {
    const char *plain, *segmented;
    enum script script;
  } texts[] = {
      {"私はペンを持っています。", "私 は ペン を 持っ て い ます 。", SCRIPT_JAPANESE},
      {"これはペンです", "これ は ペン です", SCRIPT_JAPANESE},
      {"ฉันรักคุณมาก และเธอก็รักฉัน", "ฉัน รัก คุณ มาก และ เธอ ก็ รัก ฉัน", SCRIPT_THAI},
      {"ຂ້ອຍຮັກເຈົ້າຫຼາຍ", "ຂ້ອຍ ຮັກ ເຈົ້າ ຫຼາຍ", SCRIPT_LAO},
      {"ខ្ញុំស្រឡាញ់អ្នកណាស់", "ខ្ញុំ ស្រឡាញ់ អ្នក ណាស់", SCRIPT_KHMER},
      {"ကျွန်တော်မင်းကိုချစ်တယ်", "ကျွန်တော် မင်း ကို ချစ် တယ်", SCRIPT_MYANMAR},
      {"ང་ཁྱོད་ལ་དགའ་པོ་ཡོད།", NULL, SCRIPT_TIBETAN},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct script_sample sample = {.lines = 0};
    vote_for(&sample, texts[i].plain, 3);
    cr_assert_eq(script_of_sample(&sample), texts[i].script, "%s", texts[i].plain);
    cr_assert_eq(script_token_mode(&sample), ELMAN_TOKENS_CHARS, "%s", texts[i].plain);
    if (texts[i].segmented == NULL) continue;
    sample = (struct script_sample){.lines = 0};
    vote_for(&sample, texts[i].segmented, 3);
    cr_assert_eq(script_token_mode(&sample), ELMAN_TOKENS_SPACE, "%s", texts[i].segmented);
  }
}

/* These scripts have spaces between words. */
Test(script, auto_keeps_words) {
  static const char *const texts[] = {
      "J’aime étudier.",    "Я люблю учиться.", "나는 공부를 좋아해요.", "मुझे पढ़ना पसंद है।",
      "আমি পড়তে ভালোবাসি।", "أنا أحب الدراسة.", "אני אוהב ללמוד.",       "Tôi thích học."};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    cr_assert_eq(mode_of(texts[i], texts[i]), ELMAN_TOKENS_WORDS, "%s", texts[i]);
}

Test(script, one_fifth_of_adjacent_pairs_decides) {
  struct script_counts counts = {.letters = 100, .han = 100, .adjacent = 80};
  counts.scripts.of[SCRIPT_HAN] = 100;
  counts.separated = 20;
  cr_assert_eq(script_line_mode(&counts), ELMAN_TOKENS_SPACE);
  counts.separated = 19;
  cr_assert_eq(script_line_mode(&counts), ELMAN_TOKENS_CHARS);
  counts.scripts.of[SCRIPT_LATIN] = 301;
  cr_assert_eq(script_line_mode(&counts), ELMAN_TOKENS_WORDS);
}

Test(script, long_line_has_one_vote) {
  owned_by(buffer_free) struct buffer longest = {0};
  for (int i = 0; i < 10000; i++) buffer_append_text(&longest, text_of("我 爱 你 "));
  struct script_sample sample = {.lines = 0};
  vote_for(&sample, longest.bytes, 1);
  cr_assert_eq(script_token_mode(&sample), ELMAN_TOKENS_SPACE);
  vote_for(&sample, "我爱学习。", 300);
  cr_assert_eq(script_token_mode(&sample), ELMAN_TOKENS_CHARS);
  buffer_clear(&longest);
  for (int i = 0; i < 10000; i++) buffer_append_text(&longest, text_of("love "));
  vote_for(&sample, longest.bytes, 1);
  cr_assert_eq(script_token_mode(&sample), ELMAN_TOKENS_CHARS);
}

Test(script, mixed_corpus_selects_chars) {
  struct script_sample sample = {.lines = 0};
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
  struct script_counts counts = {.letters = 0};
  script_count(&counts, text_of("我爱 你，a1 学 b 习c是"));
  cr_assert_eq(counts.letters, 10);
  cr_assert_eq(counts.han, 6);
  cr_assert_eq(counts.adjacent, 2); /* 我爱 你， */
  cr_assert_eq(counts.separated, 1);
  script_count(&counts, text_of("好 。か 。"));
  cr_assert_eq(counts.adjacent, 3);
  cr_assert_eq(counts.separated, 3);
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

/* ---- scripts ---- */

static enum script script_of_text(const char *text) {
  struct letter_counts counts = {0};
  letters_count(&counts, text_of(text));
  return letters_script(&counts);
}

static bool is_foreign(const char *text, enum script side) {
  struct letter_counts counts = {0};
  letters_count(&counts, text_of(text));
  return letters_are_foreign(&counts, side);
}

Test(scripts, texts_have_a_script) {
  static const struct {
    const char *text;
    enum script script;
  } texts[] = {
      {"Where is the station?", SCRIPT_LATIN},
      {"Où est la gare ? Straße, naïve, Łódź, Đà Nẵng", SCRIPT_LATIN},
      {"Πού είναι ο σταθμός;", SCRIPT_GREEK},
      {"Где находится вокзал?", SCRIPT_CYRILLIC},
      {"Որտե՞ղ է կայարանը։", SCRIPT_ARMENIAN},
      {"სად არის სადგური?", SCRIPT_GEORGIAN},
      {"איפה התחנה?", SCRIPT_HEBREW},
      {"أين المحطة؟", SCRIPT_ARABIC},
      {"ጣቢያው የት ነው?", SCRIPT_ETHIOPIC},
      {"स्टेशन कहाँ है?", SCRIPT_DEVANAGARI},
      {"স্টেশন কোথায়?", SCRIPT_BENGALI},
      {"நிலையம் எங்கே?", SCRIPT_TAMIL},
      {"స్టేషన్ ఎక్కడ?", SCRIPT_TELUGU},
      {"สถานีอยู่ที่ไหน", SCRIPT_THAI},
      {"ສະຖານີຢູ່ໃສ", SCRIPT_LAO},
      {"ស្ថានីយនៅឯណា?", SCRIPT_KHMER},
      {"ဘူတာရုံ ဘယ်မှာလဲ", SCRIPT_MYANMAR},
      {"ས་ཚིགས་ག་པར་ཡོད།", SCRIPT_TIBETAN},
      {"역이 어디에 있습니까?", SCRIPT_HANGUL},
      {"车站在哪里？", SCRIPT_HAN},
      {"駅はどこですか。", SCRIPT_JAPANESE},
      {"ニューヨーク", SCRIPT_JAPANESE},
      {"我叫Tom", SCRIPT_HAN},
      {"Hello 你好 everybody", SCRIPT_LATIN},
      {"12:30, 50 %", SCRIPT_NONE},
      {"", SCRIPT_NONE},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    cr_assert_eq(script_of_text(texts[i].text), texts[i].script, "%s", texts[i].text);
}

Test(scripts, ranges_ascend_and_have_names) {
  enum script before = SCRIPT_NONE;
  size_t changes = 0;
  for (int codepoint = 0; codepoint <= 0x10FFFF; codepoint++) {
    const enum script script = script_of(codepoint);
    changes += script != before;
    before = script;
    cr_assert_eq(script == SCRIPT_HAN, is_han(codepoint), "%x", codepoint);
  }
  cr_assert_gt(changes, 100, "the search must find every range");
  for (enum script script = SCRIPT_NONE + 1; script < SCRIPTS; script++)
    cr_assert_not_null(script_name(script));
  cr_assert_null(script_name(SCRIPT_NONE));
  cr_assert_null(script_name(SCRIPTS));
}

Test(scripts, sides_accept_what_languages_borrow) {
  cr_assert_not(is_foreign("我叫Tom", SCRIPT_HAN));
  cr_assert_not(is_foreign("用Microsoft Visual Studio", SCRIPT_HAN));
  cr_assert_not(is_foreign("Где мой iPhone?", SCRIPT_CYRILLIC));
  cr_assert_not(is_foreign("Let α be an angle.", SCRIPT_LATIN));
  cr_assert_not(is_foreign("大学生", SCRIPT_JAPANESE));
  cr_assert_not(is_foreign("대한민국(大韓民國)", SCRIPT_HANGUL));
  cr_assert_not(is_foreign("12 %", SCRIPT_THAI));
  cr_assert_not(is_foreign("Где?", SCRIPT_NONE));
  cr_assert(is_foreign("Hello Tom", SCRIPT_HAN));
  cr_assert(is_foreign("Where is the station?", SCRIPT_CYRILLIC));
  cr_assert(is_foreign("The long English sentence has one привет", SCRIPT_LATIN));
  cr_assert(is_foreign("There is one а here and nothing else, see", SCRIPT_ARABIC));
  cr_assert(is_foreign("駅はどこですか。", SCRIPT_HAN));
  cr_assert(is_foreign("大學", SCRIPT_HANGUL));
  cr_assert(is_foreign("Привет, как дела у вас", SCRIPT_HEBREW));
}

static enum script elected(const char *const *texts, size_t count) {
  struct script_votes votes = {0};
  for (size_t i = 0; i < count; i++) {
    struct letter_counts letters = {0};
    letters_count(&letters, text_of(texts[i]));
    script_vote(&votes, &letters);
  }
  return script_elected(&votes);
}

Test(scripts, most_texts_elect_the_script_of_a_side) {
  cr_assert_eq(elected((const char *[]){"да", "нет", "yes", "1", "2", "3"}, 6), SCRIPT_CYRILLIC);
  cr_assert_eq(elected((const char *[]){"да", "yes"}, 2), SCRIPT_NONE);
  cr_assert_eq(elected((const char *[]){"東京", "学生", "電話", "はい"}, 4), SCRIPT_JAPANESE);
  cr_assert_eq(elected((const char *[]){"北京", "学生", "电话", "很好", "不是", "はい"}, 6),
               SCRIPT_HAN);
  cr_assert_eq(elected(NULL, 0), SCRIPT_NONE);
}
