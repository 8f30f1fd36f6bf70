/* Test: text. */
/* The findings of a corpus check. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "owned_values.h"

#include "corpus/check.h"

static const char *const names[] = {"train", "dev", "test"};

TestSuite(check, .init = enter_folder, .fini = leave_folder);

static elman_check *findings_of(size_t parts, const char *const *contents, size_t max_length) {
  elman_pairs_options part_options[3];
  for (size_t i = 0; i < parts; i++) {
    put(names[i], contents[i]);
    part_options[i] = (elman_pairs_options){
        .files = &names[i], .file_count = 1, .source_column = 1, .target_column = 2};
  }
  const elman_check_options options = {.parts = part_options,
                                       .part_count = parts,
                                       .source_tokens = ELMAN_TOKENS_AUTO,
                                       .target_tokens = ELMAN_TOKENS_AUTO,
                                       .max_length = max_length,
                                       .max_ratio = 3,
                                       .examples = 2};
  elman_check *findings;
  succeeds(elman_check_create(&findings, &options, &why));
  return findings;
}

static void assert_count(const elman_check *findings, size_t part, elman_finding finding,
                         size_t expected) {
  cr_assert_eq(findings->parts[part].counts[finding], expected, "%s of %s: %zu instead of %zu",
               finding_row(finding)->name, names[part], findings->parts[part].counts[finding],
               expected);
}

/* Check that only these counts are above zero; the list ends with FINDINGS. */
static void assert_only(const elman_check *findings, size_t part, const elman_finding *found,
                        const size_t *counts) {
  for (elman_finding finding = 0; finding < FINDINGS; finding++) {
    size_t expected = 0;
    for (size_t i = 0; found[i] != FINDINGS; i++)
      if (found[i] == finding) expected = counts[i];
    assert_count(findings, part, finding, expected);
  }
}

Test(check, clean_corpus_has_no_findings) {
  const char *const contents[] = {"我爱你。\tI love you.\n他在睡觉。\tHe is asleep.\n",
                                  "她很忙。\tShe is busy.\n"};
  owned_findings *findings = findings_of(2, contents, 200);
  cr_assert(elman_check_clean(findings));
  for (size_t part = 0; part < 2; part++)
    assert_only(findings, part, (elman_finding[]){FINDINGS}, NULL);
  cr_assert_eq(findings->modes[ELMAN_SOURCE], ELMAN_TOKENS_CHARS);
  cr_assert_eq(findings->modes[ELMAN_TARGET], ELMAN_TOKENS_WORDS);
  cr_assert_eq(findings->example_count, 0);
}

Test(check, bad_lines_are_found) {
  const char *const contents[] = {"我\tI\n\xff\tx\nonly\n\tempty\n\n他\t \n你\tyou\n"};
  owned_findings *findings = findings_of(1, contents, 200);
  assert_only(findings, 0,
              (elman_finding[]){ELMAN_FINDING_NOT_UTF8, ELMAN_FINDING_LACKS_COLUMN,
                                ELMAN_FINDING_EMPTY, FINDINGS},
              (size_t[]){1, 1, 3});
  cr_assert_not(elman_check_clean(findings));
  cr_assert_eq(findings->example_count, 4, "at most two examples of empty lines");
  cr_assert_eq(findings->examples[0].at.line, 2);
  cr_assert_null(findings->examples[0].source);
  cr_assert(strstr(findings->examples[0].problem, "UTF-8") != NULL);
}

Test(check, duplicates_inside_a_part_are_found) {
  const char *const contents[] = {"我爱你\tI love you\n"
                                  "他\tHe\n"
                                  "我爱你\tI love you\n"    /* duplicate */
                                  "我爱你。\tI LOVE you!\n" /* near duplicate */
                                  "我爱你\tI do love you\n" /* different target */
                                  "是他\tHe\n"              /* different source */
                                  "我爱你\tI love you\n"};  /* duplicate */
  owned_findings *findings = findings_of(1, contents, 200);
  assert_only(findings, 0,
              (elman_finding[]){ELMAN_FINDING_DUPLICATE, ELMAN_FINDING_NEAR_DUPLICATE,
                                ELMAN_FINDING_OTHER_TARGET, ELMAN_FINDING_OTHER_SOURCE, FINDINGS},
              (size_t[]){2, 1, 1, 1});
  cr_assert(elman_check_clean(findings), "a repeated pair within a part is no leak");
  cr_assert_eq(findings->examples[1].at.line, 7);
  cr_assert_eq(findings->examples[1].other.line, 1);
}

Test(check, leaks_between_parts_are_found) {
  const char *const contents[] = {"一\tone\n二\ttwo\n三\tthree\n", "一\tone\n二\tTWO!\n四\tfour\n",
                                  "一\tuno\n四\tfour\n五\tThree.\n六\tsix\n"};
  owned_findings *findings = findings_of(3, contents, 200);
  cr_assert_eq(findings->parts[1].leaking, 2);
  cr_assert_eq(findings->parts[2].leaking, 3);
  assert_only(findings, 1,
              (elman_finding[]){ELMAN_FINDING_SAME_PAIR, ELMAN_FINDING_SAME_SOURCE,
                                ELMAN_FINDING_SAME_TARGET, ELMAN_FINDING_LIKE_PAIR,
                                ELMAN_FINDING_LIKE_SOURCE, ELMAN_FINDING_LIKE_TARGET, FINDINGS},
              (size_t[]){1, 2, 1, 2, 2, 2});
  assert_only(findings, 2,
              (elman_finding[]){ELMAN_FINDING_SAME_PAIR, ELMAN_FINDING_SAME_SOURCE,
                                ELMAN_FINDING_SAME_TARGET, ELMAN_FINDING_LIKE_PAIR,
                                ELMAN_FINDING_LIKE_SOURCE, ELMAN_FINDING_LIKE_TARGET, FINDINGS},
              (size_t[]){1, 2, 1, 1, 2, 2});
  /* 一 is in both earlier parts, 四 only in dev. */
  cr_assert_eq(findings->parts[2].shared[0][ELMAN_FINDING_SAME_SOURCE - FIRST_LEAK], 1);
  cr_assert_eq(findings->parts[2].shared[1][ELMAN_FINDING_SAME_SOURCE - FIRST_LEAK], 2);
  cr_assert_eq(findings->parts[2].shared[0][ELMAN_FINDING_LIKE_TARGET - FIRST_LEAK], 1);
  cr_assert_eq(findings->parts[2].shared[1][ELMAN_FINDING_LIKE_TARGET - FIRST_LEAK], 1);
  cr_assert_not(elman_check_clean(findings));
  /* A line is listed under its strictest leak only. */
  cr_assert_eq(findings->example_count, 5);
}

Test(check, wrong_scripts_and_lengths_are_found) {
  const char *const contents[] = {
      "我们今天去公园\tWe go to the park today\n"
      "他们昨天去学校\tThey went to school yesterday\n"
      "我叫Tom\tI am Tom\n"
      "Hello Tom\tHello Tom\n"       /* a copy */
      "Hello Tom\tHello, dear Tom\n" /* no Chinese characters (Han) */
      "你好\tHello 你好 everybody\n" /* Han on the English side */
      "She is at home\t她在家里\n"   /* swapped */
      "不是\tNo, this is far too long to be a translation of such a short sentence\n"
      "123\t123\n"};
  owned_findings *findings = findings_of(1, contents, 200);
  assert_only(findings, 0,
              (elman_finding[]){ELMAN_FINDING_MIXED_SCRIPTS, ELMAN_FINDING_SWAPPED,
                                ELMAN_FINDING_COPY, ELMAN_FINDING_OTHER_TARGET,
                                ELMAN_FINDING_LENGTH_RATIO, FINDINGS},
              (size_t[]){2, 1, 1, 1, 1});
}

/* Both sides of the corpus have equally many characters, so the usual ratio is 1. A line is an
 * outlier from 3 (n + 10) - 10 characters on, which is 32 for n = 4. */
Test(check, lengths_within_the_ratio_are_accepted) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
  const size_t lengths[][2] = {{4, 32}, {32, 4}, {4, 33}, {33, 4}, {5, 35}, {35, 5}};
  char content[512] = "";
  size_t used = 0;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    used += (size_t)snprintf(content + used, sizeof content - used, "%.*s\t%.*s\n",
                             (int)lengths[i][0], letters + i, (int)lengths[i][1], letters + i);
  const char *const contents[] = {content};
  owned_findings *findings = findings_of(1, contents, 200);
  assert_only(findings, 0, (elman_finding[]){ELMAN_FINDING_LENGTH_RATIO, FINDINGS}, (size_t[]){2});
  cr_assert_eq(findings->examples[0].at.line, 3);
  cr_assert_eq(findings->examples[1].at.line, 4);
}

Test(check, tokens_and_unknown_words_are_counted) {
  const char *const contents[] = {"我爱猫\tI love cats\n", "我爱狗\tI love cats and dogs\n"};
  owned_findings *findings = findings_of(2, contents, 4);
  cr_assert_eq(findings->vocabulary[ELMAN_SOURCE], 3);
  cr_assert_eq(findings->parts[0].tokens[ELMAN_TARGET], 3);
  cr_assert_eq(findings->parts[1].tokens[ELMAN_SOURCE], 3);
  cr_assert_eq(findings->parts[1].unknown[ELMAN_SOURCE], 1);
  cr_assert_eq(findings->parts[1].tokens[ELMAN_TARGET], 5);
  cr_assert_eq(findings->parts[1].unknown[ELMAN_TARGET], 2);
  assert_count(findings, 0, ELMAN_FINDING_TOO_LONG, 0);
  assert_count(findings, 1, ELMAN_FINDING_TOO_LONG, 1);
}

/* ---- findings in other languages ---- */

/* Check one corpus; compare the dominant scripts and the counts. The list ends with FINDINGS. */
static void assert_findings(const char *content, enum script source, enum script target,
                            const elman_finding *found, const size_t *counts) {
  const char *const contents[] = {content};
  owned_findings *findings = findings_of(1, contents, 200);
  cr_assert_eq(findings->scripts[ELMAN_SOURCE], source);
  cr_assert_eq(findings->scripts[ELMAN_TARGET], target);
  assert_only(findings, 0, found, counts);
  cr_assert(elman_check_clean(findings), "these findings do not change the exit code");
}

Test(check, japanese_side_accepts_kana_and_han) {
  assert_findings("駅はどこですか。\tГде вокзал?\n"
                  "これはペンです。\tЭто ручка.\n"
                  "大学生\tстудент\n"
                  "トムはテレビを見た。\tТом смотрел телевизор.\n"
                  "彼は先生です。\tОн учитель.\n"
                  "Он врач, я знаю.\t彼は医者です、知っている。\n" /* swapped */
                  "Where is the tea?\tГде чай, скажи мне?\n"       /* English */
                  "はい\tはい\n"                                   /* not translated */
                  "iPhone\tiPhone\n"                               /* a name */
                  "お茶はどこですか。\tГде お茶?\n",               /* mixed */
                  SCRIPT_JAPANESE, SCRIPT_CYRILLIC,
                  (elman_finding[]){ELMAN_FINDING_SWAPPED, ELMAN_FINDING_MIXED_SCRIPTS,
                                    ELMAN_FINDING_COPY, FINDINGS},
                  (size_t[]){1, 2, 1});
}

Test(check, chinese_side_rejects_kana_and_hangul) {
  assert_findings("车站在哪里？\t역이 어디에 있습니까?\n"
                  "他是老师。\t그는 선생님입니다.\n"
                  "我爱你。\t사랑해요.\n"
                  "你好吗？\t잘 지내요?\n"
                  "これはペンです。\t이것은 펜입니다.\n"
                  "我们走吧。\t가자, 大學으로.\n",
                  SCRIPT_HAN, SCRIPT_HANGUL,
                  (elman_finding[]){ELMAN_FINDING_MIXED_SCRIPTS, FINDINGS}, (size_t[]){1});
}

Test(check, copies_are_found) {
  assert_findings("Wo ist der Bahnhof?\tWhere is the station?\n"
                  "Ich liebe dich.\tI love you.\n"
                  "Das ist nicht übersetzt.\t Das ist nicht übersetzt. \n"
                  "nur in klein\tNur in Klein\n" /* tasks that change spelling */
                  "nur ein wort\tnure in wort\n"
                  "Tom!\tTom!\n" /* a name */
                  "12 : 30\t12 : 30\n",
                  SCRIPT_LATIN, SCRIPT_LATIN, (elman_finding[]){ELMAN_FINDING_COPY, FINDINGS},
                  (size_t[]){1});
}

Test(check, ids_are_found) {
  assert_findings("1277\tΚαλημέρα.\n1280\tΣ’ αγαπώ.\n1281\tΈφυγε.\n5\t5\n", SCRIPT_NONE,
                  SCRIPT_GREEK, (elman_finding[]){ELMAN_FINDING_ID, FINDINGS}, (size_t[]){4});
  assert_findings("s-0001\tदेखो\nnews.2\tचलो\ns-0003\tरुको\n", SCRIPT_LATIN, SCRIPT_DEVANAGARI,
                  (elman_finding[]){ELMAN_FINDING_ID, FINDINGS}, (size_t[]){3});
  assert_findings("Zimmer\troom\nHaus\thouse\nBaum\ttree\nja\tyes\n1984\tnineteen "
                  "eighty-four\n1984\t1984\nB2B\tB2B\n",
                  SCRIPT_LATIN, SCRIPT_LATIN,
                  (elman_finding[]){ELMAN_FINDING_ID, ELMAN_FINDING_OTHER_TARGET, FINDINGS},
                  (size_t[]){1, 1});
}

Test(check, constant_column_is_an_id) {
  owned_by(buffer_free) struct buffer content = {0};
  for (int i = 0; i < 12; i++) buffer_print(&content, "fra\tla phrase %c\n", 'a' + i);
  assert_findings(content.bytes, SCRIPT_LATIN, SCRIPT_LATIN,
                  (elman_finding[]){ELMAN_FINDING_ID, ELMAN_FINDING_OTHER_TARGET,
                                    ELMAN_FINDING_NEAR_DUPLICATE, FINDINGS},
                  (size_t[]){12, 11, 0});
}

Test(check, defects_of_texts_are_found) {
  assert_findings("Où est la gare&nbsp;?\tГде вокзал?\n"              /* markup */
                  "Je t'aime.\tЯ <b>люблю</b> тебя.\n"                /* markup */
                  "C&apos; est vrai.\tЭто правда.\n"                  /* markup */
                  "un aller @-@ retour\tтуда и обратно\n"             /* marks */
                  "Il boit du ca@@ fé.\tОн пьёт кофе.\n"              /* marks */
                  "Il a mangÃ©.\tОн поел.\n"                          /* encoding */
                  "Elle dort.\tРћРЅР° СЃРїРёС‚.\n"                    /* encoding */
                  "Elle lit.\tОна чит\uFFFDет.\n"                     /* encoding */
                  "Elle chante souvent.\t??? ???? ????\n"             /* encoding */
                  "\"Il a dit \"\"oui\"\".\"\tОн сказал «да».\n"      /* quoted */
                  "\"Oui, merci\"\tДа, спасибо\n"                     /* quoted */
                  "\uFEFFElle court.\tОна бежит.\n"                   /* invisible */
                  "Il nage.\tОн пла\u00ADвает.\n"                     /* invisible */
                  "« Oui », dit-il… à 5 €\t«Да», — сказал он… № 5\n", /* good */
                  SCRIPT_LATIN, SCRIPT_CYRILLIC,
                  (elman_finding[]){ELMAN_FINDING_MARKUP, ELMAN_FINDING_TOKEN_MARKS,
                                    ELMAN_FINDING_WRONG_ENCODING, ELMAN_FINDING_QUOTED,
                                    ELMAN_FINDING_INVISIBLE, FINDINGS},
                  (size_t[]){3, 2, 4, 2, 2});
}

/* Many pairs of which both sides are enclosed come from a spreadsheet; a few are quotations. */
Test(check, enclosed_fields_are_quoted_if_many_are) {
  owned_by(buffer_free) struct buffer content = {0};
  for (int i = 0; i < 12; i++)
    buffer_print(&content, i < 6 ? "\"Satz %c\"\t\"phrase %c\"\n" : "Satz %c\tphrase %c\n", 'a' + i,
                 'a' + i);
  const char *const contents[] = {content.bytes};
  elman_check *findings = findings_of(1, contents, 200);
  assert_count(findings, 0, ELMAN_FINDING_QUOTED, 6);
  elman_check_free(findings);
  buffer_clear(&content);
  for (int i = 0; i < 12; i++)
    buffer_print(&content, i < 2 ? "\"Satz %c\"\t\"phrase %c\"\n" : "Satz %c\tphrase %c\n", 'a' + i,
                 'a' + i);
  const char *const few[] = {content.bytes};
  findings = findings_of(1, few, 200);
  assert_count(findings, 0, ELMAN_FINDING_QUOTED, 0);
  elman_check_free(findings);
}

Test(check, invalid_options_are_rejected) {
  elman_check *findings;
  const elman_pairs_options two = {.files = names, .file_count = 2};
  elman_check_options options = {.max_length = 1, .max_ratio = 2};
  cr_assert_eq(elman_check_create(&findings, &options, NULL), ELMAN_INVALID_ARGUMENT);
  options.parts = &two;
  options.part_count = 1;
  cr_assert_eq(elman_check_create(&findings, &options, NULL), ELMAN_INVALID_ARGUMENT);
  elman_pairs_options one = {.files = names,
                             .file_count = 1,
                             .source_column = 1,
                             .target_column = 2,
                             .alignment_column = 3};
  options.parts = &one;
  cr_assert_eq(elman_check_create(&findings, &options, NULL), ELMAN_INVALID_ARGUMENT);
  one.alignment_column = 0;
  options.target_tokens = ELMAN_TOKENS_BPE;
  cr_assert_eq(elman_check_create(&findings, &options, NULL), ELMAN_INVALID_ARGUMENT);
  options.target_tokens = (elman_token_mode)99;
  cr_assert_eq(elman_check_create(&findings, &options, NULL), ELMAN_INVALID_ARGUMENT);
  cr_assert_null(findings);
}
