/* Test: text. */
/* Findings that need a whole corpus: the language of a side, shifted sides, and the doubts before
 * training. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "pairs_of.h"

#include "corpus/check.h"
#include "corpus/shift.h"

/* ---- corpora ---- */

enum { PARTS_OF_SPEECH = 4, CHOICES = 6, PAIRS = 240 };

/* The words of two sentences that translate each other, in the order subject, verb, object, end. */
static const char *const german[PARTS_OF_SPEECH][CHOICES] = {
    {"Mein Bruder", "Die alte Lehrerin", "Tom", "Unser Nachbar aus Köln", "Sie", "Anna Schmidt"},
    {"kauft", "sucht seit gestern", "vergisst", "liebt", "verkauft morgen", "hat"},
    {"ein Buch", "das rote Auto", "zwei Äpfel", "den langen Brief aus Paris", "Tee", "%d Karten"},
    {".", ".", ".", " im Garten.", "!", "?"}};
static const char *const french[PARTS_OF_SPEECH][CHOICES] = {
    {"Mon frère", "La vieille institutrice", "Tom", "Notre voisin de Cologne", "Elle",
     "Anna Schmidt"},
    {"achète", "cherche depuis hier", "oublie", "aime", "vendra demain", "a"},
    {"un livre", "la voiture rouge", "deux pommes", "la longue lettre de Paris", "du thé",
     "%d billets"},
    {".", ".", ".", " dans le jardin.", " !", " ?"}};
static const char *const thai[PARTS_OF_SPEECH][CHOICES] = {
    {"พี่ชายของฉัน", "ครูแก่", "ทอม", "เพื่อนบ้านของเราจากโคโลญ", "เธอ", "แอนนา ชมิดท์"},
    {"ซื้อ", "กำลังหาตั้งแต่เมื่อวาน", "ลืม", "รัก", "จะขายพรุ่งนี้", "มี"},
    {"หนังสือ", "รถสีแดง", "แอปเปิลสองลูก", "จดหมายยาวจากปารีส", "ชา", "ตั๋ว %d ใบ"},
    {"", "", "", "ในสวน", "!", "ไหม?"}};

typedef const char *const language[PARTS_OF_SPEECH][CHOICES];

/* Return sentence number `index` in a language; the same index gives a translation. */
static const char *sentence(language words, size_t index) {
  static char texts[4][400];
  static size_t used = 0;
  char *text = texts[used++ % 4], form[300];
  uint32_t state = (uint32_t)index * 2654435761U + 12345;
  size_t at[PARTS_OF_SPEECH];
  for (int part = 0; part < PARTS_OF_SPEECH; part++) {
    state = state * 1664525U + 1013904223U;
    at[part] = (state >> 16) % CHOICES;
  }
  snprintf(form, sizeof form, "%s %s %s%s", words[0][at[0]], words[1][at[1]], words[2][at[2]],
           words[3][at[3]]);
  char *number = strstr(form, "%d");
  if (number == NULL) return strcpy(text, form);
  *number = '\0';
  snprintf(text, sizeof texts[0], "%s%zu%s", form, index % 90 + 3, number + 2);
  return text;
}

TestSuite(doubts, .init = enter_folder, .fini = leave_folder);

static FILE *open_file(const char *name) {
  FILE *file = fopen(name, "wb");
  cr_assert_not_null(file);
  return file;
}

/* Write pairs [first, first + count), whose target is `lines_on` sentences later from pair `at`
 * on. */
static void write_pairs(const char *name, language source, language target, size_t first,
                        size_t count, size_t at, size_t lines_on) {
  FILE *file = open_file(name);
  for (size_t i = 0; i < count; i++)
    fprintf(file, "%s\t%s\n", sentence(source, first + i),
            sentence(target, first + i + (i >= at ? lines_on : 0)));
  cr_assert_eq(fclose(file), 0);
}

static elman_check *check_files(size_t parts) {
  static const char *const names[] = {"train", "dev"};
  elman_pairs_options part_options[2];
  for (size_t i = 0; i < parts; i++)
    part_options[i] = (elman_pairs_options){
        .files = &names[i], .file_count = 1, .source_column = 1, .target_column = 2};
  const elman_check_options options = {.parts = part_options,
                                       .part_count = parts,
                                       .source_tokens = ELMAN_TOKENS_AUTO,
                                       .target_tokens = ELMAN_TOKENS_AUTO,
                                       .max_length = 200,
                                       .max_ratio = 3,
                                       .examples = 3};
  elman_check *findings;
  succeeds(elman_check_create(&findings, &options, &why));
  return findings;
}

static size_t count_of(const elman_check *findings, size_t part, elman_finding finding) {
  return findings->parts[part].counts[finding];
}

/* ---- languages with the same script ---- */

Test(doubts, swapped_and_untranslated_lines_are_found_by_their_words) {
  FILE *file = open_file("train");
  for (size_t i = 0; i < PAIRS; i++) {
    const bool swapped = i % 80 == 7, untranslated = i % 80 == 40;
    fprintf(file, "%s\t%s\n", sentence(swapped ? french : german, i),
            sentence(swapped        ? german
                     : untranslated ? german
                                    : french,
                     untranslated ? i + 1 : i));
  }
  cr_assert_eq(fclose(file), 0);
  owned_findings *findings = check_files(1);
  cr_assert_eq(count_of(findings, 0, ELMAN_FINDING_SWAPPED), 3);
  cr_assert_eq(count_of(findings, 0, ELMAN_FINDING_WRONG_LANGUAGE), 3);
  cr_assert_eq(count_of(findings, 0, ELMAN_FINDING_MIXED_SCRIPTS), 0);
  for (size_t i = 0; i < findings->example_count; i++)
    if (findings->examples[i].finding == ELMAN_FINDING_SWAPPED)
      cr_assert_eq(findings->examples[i].at.line % 80, 8);
}

/* Two files with opposite directions: most lines of the shorter one are found, and no others. */
Test(doubts, nearly_half_of_the_lines_may_be_swapped) {
  FILE *file = open_file("train");
  for (size_t i = 0; i < PAIRS; i++) {
    const bool swapped = i >= PAIRS * 55 / 100;
    fprintf(file, "%s\t%s\n", sentence(swapped ? french : german, i),
            sentence(swapped ? german : french, i));
  }
  cr_assert_eq(fclose(file), 0);
  owned_findings *findings = check_files(1);
  const size_t count = count_of(findings, 0, ELMAN_FINDING_SWAPPED);
  cr_assert(count >= PAIRS * 43 / 100 && count <= PAIRS * 45 / 100, "%zu", count);
  for (size_t i = 0; i < findings->example_count; i++)
    if (findings->examples[i].finding == ELMAN_FINDING_SWAPPED)
      cr_assert_geq(findings->examples[i].at.line, PAIRS * 55 / 100 + 1);
}

/* Paraphrases in one language have no direction. */
Test(doubts, paraphrases_are_not_swapped) {
  FILE *file = open_file("train");
  for (size_t i = 0; i < PAIRS; i++)
    fprintf(file, "%s\t%s %s\n", sentence(german, i), i % 3 == 0 ? "Ja." : "Nein.",
            sentence(german, i * 7 + 5));
  cr_assert_eq(fclose(file), 0);
  owned_findings *findings = check_files(1);
  cr_assert_eq(count_of(findings, 0, ELMAN_FINDING_SWAPPED), 0);
  cr_assert_eq(count_of(findings, 0, ELMAN_FINDING_WRONG_LANGUAGE), 0);
}

Test(doubts, swapped_dev_set_is_found) {
  write_pairs("train", german, french, 0, PAIRS, PAIRS, 0);
  write_pairs("dev", french, german, PAIRS, 50, PAIRS, 0);
  owned_findings *findings = check_files(2);
  cr_assert_eq(count_of(findings, 0, ELMAN_FINDING_SWAPPED), 0);
  cr_assert_geq(count_of(findings, 1, ELMAN_FINDING_SWAPPED), 48);
}

/* ---- shifted sides ---- */

/* Check the file `train`; return the number of shifted lines, and the first one in *line. */
static size_t shifted_lines(size_t *line, size_t *fitting) {
  elman_check *findings = check_files(1);
  const size_t count = count_of(findings, 0, ELMAN_FINDING_SHIFTED);
  *line = *fitting = 0;
  for (size_t i = findings->example_count; i-- > 0;) {
    if (findings->examples[i].finding != ELMAN_FINDING_SHIFTED) continue;
    *line = findings->examples[i].at.line;
    *fitting = findings->examples[i].other.line;
  }
  elman_check_free(findings);
  return count;
}

static void assert_near(size_t value, size_t expected) {
  cr_assert(value + 8 >= expected && value <= expected + 8, "%zu instead of %zu", value, expected);
}

Test(doubts, shift_is_found_with_its_first_line) {
  size_t line, fitting;
  for (size_t lines_on = 1; lines_on <= 3; lines_on++) {
    write_pairs("train", german, french, 0, PAIRS, 100, lines_on);
    assert_near(shifted_lines(&line, &fitting), 140);
    assert_near(line, 101);
    cr_assert_eq(fitting, line - lines_on);
  }
  write_pairs("train", thai, german, 0, PAIRS, 100, 1);
  assert_near(shifted_lines(&line, &fitting), 140);
  assert_near(line, 101);
  write_pairs("train", german, thai, 0, PAIRS, 0, 1);
  assert_near(shifted_lines(&line, &fitting), PAIRS);
  assert_near(line, 2);
}

static int compare_lines(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted pairs have similar neighbors. */
Test(doubts, corpora_without_shift_have_none) {
  static language *const languages[] = {&german, &french, &thai};
  char *lines[PAIRS];
  size_t line, fitting;
  for (size_t i = 0; i < 9; i++) {
    for (size_t count = 5; count <= PAIRS; count += 47) {
      for (size_t n = 0; n < count; n++) {
        const size_t at = n + 1000 * i;
        cr_assert_geq(asprintf(&lines[n], "%s\t%s\n", sentence(*languages[i / 3], at),
                               sentence(*languages[i % 3], at)),
                      0);
      }
      if (i % 2 == 0) qsort(lines, count, sizeof *lines, compare_lines);
      FILE *file = open_file("train");
      for (size_t n = 0; n < count; n++) {
        fputs(lines[n], file);
        free(lines[n]);
      }
      cr_assert_eq(fclose(file), 0);
      cr_assert_eq(shifted_lines(&line, &fitting), 0, "%zu lines, languages %zu", count, i);
    }
  }
}

/* ---- doubts before training ---- */

struct reported {
  size_t count;
  elman_finding finding; /* the last one */
  double share;
  char place[64];
};

static void note_doubt(void *context, elman_finding finding, double share, const char *place) {
  struct reported *reported = context;
  reported->count++;
  reported->finding = finding;
  reported->share = share;
  snprintf(reported->place, sizeof reported->place, "%s", place);
}

static struct reported doubts_about(const char *name, const char *training) {
  struct reported reported = {0};
  owned_pairs *pairs = pairs_in(name, 0), *typical = pairs_in(training, 0);
  cr_assert_eq(elman_pairs_doubts(pairs, typical, note_doubt, &reported, &why), ELMAN_OK);
  return reported;
}

static void assert_doubt(struct reported reported, elman_finding finding, double least,
                         const char *place) {
  cr_assert_eq(reported.count, 1, "%zu doubts", reported.count);
  cr_assert_eq(reported.finding, finding);
  cr_assert(reported.share >= least && reported.share <= 1, "%g", reported.share);
  cr_assert_str_eq(reported.place, place);
}

Test(doubts, good_pairs_raise_none) {
  write_pairs("train", german, french, 0, PAIRS, PAIRS, 0);
  write_pairs("dev", german, french, PAIRS, 20, PAIRS, 0);
  cr_assert_eq(doubts_about("train", "train").count, 0);
  cr_assert_eq(doubts_about("dev", "train").count, 0);
}

Test(doubts, swapped_dev_pairs_raise_one) {
  write_pairs("train", german, french, 0, PAIRS, PAIRS, 0);
  write_pairs("dev", french, german, PAIRS, 20, PAIRS, 0);
  assert_doubt(doubts_about("dev", "train"), ELMAN_FINDING_SWAPPED, 0.9, "dev:1");
  write_pairs("train", thai, french, 0, PAIRS, PAIRS, 0);
  write_pairs("dev", french, thai, PAIRS, 20, PAIRS, 0);
  assert_doubt(doubts_about("dev", "train"), ELMAN_FINDING_SWAPPED, 1, "dev:1");
}

Test(doubts, copies_ids_and_shifts_raise_one) {
  write_pairs("train", german, german, 0, PAIRS, PAIRS, 0);
  assert_doubt(doubts_about("train", "train"), ELMAN_FINDING_COPY, 0.9, "train:1");
  write_pairs("train", german, french, 0, 5000, 4800, 1);
  cr_assert_eq(doubts_about("train", "train").finding, ELMAN_FINDING_SHIFTED);
  FILE *file = open_file("train");
  for (size_t i = 0; i < 30; i++) fprintf(file, "%zu\t%s\n", 4000 + 7 * i, sentence(thai, i));
  cr_assert_eq(fclose(file), 0);
  assert_doubt(doubts_about("train", "train"), ELMAN_FINDING_ID, 1, "train:1");
}
