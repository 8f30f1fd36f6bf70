/* Test: text. */
/* Codes and names of languages, and the languages that scripts identify. */
#include "elman/language.h"

#include <string.h>

#include "check.h"

Test(languages, codes_are_written_as_recommended) {
  static const struct {
    const char *text, *code;
  } cases[] = {{"de", "de"},
               {"", ""},
               {"DE", "de"},
               {"deu", "de"},
               {"ger", "de"},
               {"cmn-hans", "zh-Hans"},
               {"PT-br", "pt-BR"},
               {"zh-hant-tw", "zh-Hant-TW"},
               {"es-419", "es-419"},
               {"de-1996", "de-1996"},
               {"de-CH-1901", "de-CH-1901"},
               {"EN-U-CA-buddhist", "en-u-ca-buddhist"},
               {"xog", "xog"},
               {"xx", "xx"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    elman_language language;
    memset(&language, 'x', sizeof language);
    cr_assert(elman_language_parse(&language, cases[i].text), "%s", cases[i].text);
    cr_assert_str_eq(language.code, cases[i].code);
    for (size_t n = strlen(language.code); n < sizeof language.code; n++)
      cr_assert_eq(language.code[n], '\0');
  }
}

Test(languages, other_texts_are_no_codes) {
  static const char *const cases[] = {
      "d",      "german", "en_US", "de-",          "-de",
      "de--AT", "d1",     "de AT", "de-AT-",       "de-Österreich",
      "de\n",   "1de",    "none",  "de-abcdefghi", "de-aaaaaaaa-bbbbbbbb-cccccccc-dddddddd"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    elman_language language = {"fr"};
    cr_assert_not(elman_language_parse(&language, cases[i]), "%s", cases[i]);
    cr_assert_str_eq(language.code, "fr", "unchanged");
  }
}

Test(languages, names) {
  cr_assert_str_eq(elman_language_name("de"), "German");
  cr_assert_str_eq(elman_language_name("de-AT"), "German");
  cr_assert_str_eq(elman_language_name("DEU"), "German");
  cr_assert_str_eq(elman_language_name("yue"), "Cantonese");
  cr_assert_null(elman_language_name("xog"));
  cr_assert_null(elman_language_name(""));
  cr_assert_str_eq(elman_language_named("german"), "de");
  cr_assert_null(elman_language_named("Deutsch"));
}

/* A script that several languages use identifies none. */
Test(languages, scripts) {
  static const struct {
    const char *script, *code;
  } cases[] = {{"Han", "zh"},    {"Japanese", "ja"}, {"Hangul", "ko"},   {"Thai", "th"},
               {"Lao", "lo"},    {"Khmer", "km"},    {"Myanmar", "my"},  {"Tibetan", "bo"},
               {"Hebrew", "he"}, {"Greek", "el"},    {"Armenian", "hy"}, {"Georgian", "ka"}};
  static const char *const shared[] = {"Latin",   "Cyrillic", "Arabic", "Devanagari",
                                       "Bengali", "Ethiopic", "N'Ko",   "none"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_assert_str_eq(elman_language_of_script(cases[i].script), cases[i].code);
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
    cr_assert_null(elman_language_of_script(shared[i]), "%s", shared[i]);
  cr_assert_null(elman_language_of_script(NULL));
}

Test(languages, scripts_of_texts) {
  cr_assert_str_eq(elman_text_script("How are you?"), "Latin");
  cr_assert_str_eq(elman_text_script("我爱 Tom"), "Han");
  cr_assert_str_eq(elman_text_script("これは本です"), "Japanese");
  cr_assert_null(elman_text_script("123"));
  cr_assert_null(elman_text_script(""));
}
