/* Test: text. */
/* Defects of single texts: those that are found, and ordinary texts of many languages. */
#include <criterion/criterion.h>

#include "corpus/defects.h"
#include "vocab/invisible.h"

static void assert_all(bool (*has)(struct text), bool expected, const char *const *texts) {
  for (size_t i = 0; texts[i] != NULL; i++)
    cr_assert_eq(has(text_of(texts[i])), expected, "%s", texts[i]);
}

/* Ordinary texts without any defect. */
static const char *const ordinary[] = {
    "He said: \"Don't go!\"",
    "« Liberté » et « Égalité », voilà… À l’été — « CAFÉ »",
    "„Ä“ und »Öl«, „SMÖ…“ – Größe: 3 m², 20 °C",
    "caffè\u00A0» è\u00A0» “AMANHÔ",
    "¿Dónde está? ¡Mañana! «Peña…»",
    "Łódź, żółć, „ćma”, Đà Nẵng, İstanbul, Þór, Šibenik",
    "Где вокзал? «Ёж», № 5, Рёв, СССР. Її, є, ґанок, Ђорђе, ѕвезда",
    "Ποῦ εἶναι ὁ σταθμός; «Ναί»",
    "איפה התחנה? \"כאן\"",
    "می‌خواهم به خانه‌ات بیایم؟",
    "क्‍या आप जानते हैं? श्री‌मान",
    "ฉันรัก​คุณ",
    "ខ្ញុំ​ស្រឡាញ់​អ្នក",
    "駅はどこですか。「ここ」！？ ニューヨーク・タイムズ",
    "역이 어디에 있습니까?",
    "车站在哪里？“这里”……",
    "👨‍👩‍👧 family, 🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F "
    "❤️",
    "I <3 you; 5 < 6 > 4; if x<y and y>z; AT&T, R&D; Q&A;",
    "a@b.com, @home, user@@host",
    "What?? Really???",
    "١٢٣ ؀ ۝",
    NULL};

Test(defects, ordinary_texts_have_none) {
  assert_all(text_has_markup, false, ordinary);
  assert_all(text_has_token_marks, false, ordinary);
  assert_all(has_invisible, false, ordinary);
  assert_all(text_is_garbled, false, ordinary);
  assert_all(text_is_id, false, ordinary);
}

Test(defects, ids_are_found) {
  assert_all(text_is_id, true,
             (const char *const[]){"1277", "2021-05-03", "s-00123", "12.5", "eng_1", NULL});
  assert_all(text_is_id, false,
             (const char *const[]){"eng", "Nr. 5", "3只猫", "١٢", "", "?", "№5", NULL});
}

Test(defects, markup_is_found) {
  assert_all(text_has_markup, true,
             (const char *const[]){
                 "你好<br>", "I <b>love</b> you", "x<br/>", "x <br />", "<a href=\"x\">y</a>",
                 "<url>", "</url>", "<!-- x -->", "a &lt; b", "it &apos;s", "AT &amp; T", "&#39;",
                 "&#x27;", "Hello&nbsp;there", "& quot ; x", "&eacute;t&eacute;", "<unk>", NULL});
  assert_all(text_has_markup, false,
             (const char *const[]){"a < b", "a <b and c> d", "<2de> x", "<a@b.com>", "x &", "& x ;",
                                   "<", "&", "&#", "&;", "<>", "x <b", "cats & dogs ; birds",
                                   NULL});
}

Test(defects, marks_of_other_tools_are_found) {
  assert_all(text_has_token_marks, true,
             (const char *const[]){"good @-@ looking", "1 @,@ 000", "lo@@ wer", "lower@@",
                                   "▁He ▁is", "don￭ ￭'t", NULL});
  assert_all(text_has_token_marks, false,
             (const char *const[]){"@", "@@", "@a@", "me @ home", "x@y", "@-@x", NULL});
}

Test(defects, invisible_characters_are_found) {
  assert_all(has_invisible, true,
             (const char *const[]){"你好\u200B世界", "Thank\u00AD you", "再\u2060见",
                                   "Good\u200Dbye", "\uFEFF再见", "привет\u200Cмир", "a\u200Eb",
                                   "bell\a", "\u202Ex", "x\x7F", "Straße\u200B", "か\u200Dな",
                                   NULL});
}

Test(defects, wrong_encodings_are_found) {
  assert_all(text_is_garbled, true,
             (const char *const[]){"cafÃ©", "Ã‰tat", "itâ€™s", "â€œyesâ€\xC2\x9D", "45Â°", "â‚¬5",
                                   "ä½\u00A0å¥½", "Å‚Ä…ka Å¼", "ÐŸÑ€Ð¸Ð²ÐµÑ‚",
                                   "ã\xC2\x81“ã‚“ã\xC2\x81«", "РџСЂРёРІРµС‚", "ï»¿Hello",
                                   "lost \uFFFD here", "Ù…Ø±Ø­Ø¨Ø§", NULL});
  assert_all(text_lost_letters, true, (const char *const[]){"???? ???", "?? ??", "???.", NULL});
  assert_all(text_lost_letters, false, (const char *const[]){"?!", "??", "А??? ???", "1", NULL});
}

Test(defects, quoted_fields_are_found) {
  cr_assert_eq(text_quoting(text_of("\"He said \"\"hi\"\".\"")), DOUBLED_QUOTES);
  cr_assert_eq(text_quoting(text_of("\"\"\"Hi\"\"\"")), DOUBLED_QUOTES);
  cr_assert_eq(text_quoting(text_of("\"Hello, world\"")), ENCLOSED);
  cr_assert_eq(text_quoting(text_of("\"Yes.\" \"No.\"")), NOT_QUOTED);
  cr_assert_eq(text_quoting(text_of("\"几点了?\"\"10点半了。\"")), NOT_QUOTED);
  cr_assert_eq(text_quoting(text_of("He said \"hi\"")), NOT_QUOTED);
  cr_assert_eq(text_quoting(text_of("\"")), NOT_QUOTED);
  cr_assert_eq(text_quoting(text_of("\"\"")), NOT_QUOTED);
  cr_assert(text_has_quotation_marks(text_of("他说：「好」")));
  cr_assert_not(text_has_quotation_marks(text_of("他说：好")));
}
