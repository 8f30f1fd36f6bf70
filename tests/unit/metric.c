/* Test: text. */
/* The tokenizers of BLEU, lowercasing, and general properties of the scores. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "words_of.h"

#include "base/random.h"
#include "metric/metric.h"

/* ---- tokenizers: the expected tokens come from sacreBLEU ---- */

/* `expected` contains the tokens, separated by "|". */
static void assert_tokens(enum bleu_tokenizer tokenizer, const char *line, const char *expected) {
  owned_by(tokens_free) struct tokens tokens = {0};
  owned_by(bleu_passes_free) struct bleu_passes passes = {0};
  cr_assert_eq(bleu_tokenize(&tokens, &passes, text_of(line), tokenizer, NULL), ELMAN_OK);
  check_tokens(&tokens, line, expected);
}

Test(bleu_tokens, thirteen_a_matches_sacrebleu) {
  assert_tokens(BLEU_13A, "", "");
  assert_tokens(BLEU_13A, " \t\u3000\x1F ", "");
  assert_tokens(BLEU_13A, "Don't go, it's 3.5% or 1,000.", "Don't|go|,|it's|3.5|%|or|1,000|.");
  assert_tokens(BLEU_13A, "a..b ,, .5 5. x.5", "a|.|.|b|,|,|.|5|5|.|x|.|5");
  assert_tokens(BLEU_13A, "10-20 well-known 5-", "10|-|20|well-known|5|-");
  assert_tokens(BLEU_13A, "&quot;A&amp;B&quot; &lt;i&gt; &amp;lt; &amp;quot;",
                "\"|A|&|B|\"|<|i|>|<|&|quot|;");
  assert_tokens(BLEU_13A, "a<skipped>b <skip<skipped>ped>", "ab|<|skipped|>");
  assert_tokens(BLEU_13A, "end-\nless\nline", "endless|line");
  assert_tokens(BLEU_13A, "caf\u00E9. \u4F60\u597D\u3002", "caf\u00E9|.|\u4F60\u597D\u3002");
}

Test(bleu_tokens, intl_matches_sacrebleu) {
  assert_tokens(BLEU_INTL, "", "");
  assert_tokens(BLEU_INTL, "Don't go, it's 3.5% or 1,000.", "Don|'|t|go|,|it|'|s|3.5|%|or|1,000.");
  assert_tokens(BLEU_INTL, "«Où?» — €5…", "«|Où|?|»|—|€|5…");
  assert_tokens(BLEU_INTL, "नमस्ते। سلام؟ a..b", "नमस्ते|।|سلام|؟|a|.|.|b");
  assert_tokens(BLEU_INTL, "½+½ x²=y", "½|+|½|x²|=|y");
}

Test(bleu_tokens, zh_matches_sacrebleu) {
  assert_tokens(BLEU_ZH, "我爱NLP，3.5%。", "我|爱|NLP|，|3.5|%|。");
  assert_tokens(BLEU_ZH, "a“b”c—d½e",
                "a|“|b|”|c|—|d½e"); /* U+2001 to U+2A6D become separate tokens */
  assert_tokens(BLEU_ZH, "x\u9FBBy\u9FBCz\U00020000w", "x|\u9FBB|y\u9FBCz\U00020000w");
  assert_tokens(BLEU_ZH, " 5. ", "5."); /* no space after the line */
  assert_tokens(BLEU_ZH, "&quot;", "&|quot|;");
}

Test(bleu_tokens, char_and_none_match_sacrebleu) {
  assert_tokens(BLEU_CHAR, " ab\u3000我e\u0301 ", "a|b|我|e|\u0301");
  assert_tokens(BLEU_NONE, " a,b \x1C c.\u00A0d ", "a,b|c.|d");
}

static void assert_lowercase(const char *text, const char *expected) {
  owned_by(buffer_free) struct buffer lower = {0};
  lowercase(&lower, text_of(text));
  cr_assert_str_eq(lower.bytes, expected);
}

Test(lowercase, lowercase_uses_the_full_mapping) {
  assert_lowercase("", "");
  assert_lowercase("AbC 我 ÀÉ Ⓐ ǅ", "abc 我 àé ⓐ ǆ");
  assert_lowercase("İ", "i\u0307");
  assert_lowercase("ΟΔΟΣ ΣΑΣ Σ 'Σ", "οδος σας σ 'σ");
  /* Cased characters that are no letters, at both ends of their ranges. */
  assert_lowercase("ªΣ ºΣ ⅠΣ ⅿΣ ⒶΣ ⓩΣ \U0001F130Σ \U0001F189Σ",
                   "ªς ºς ⅰς ⅿς ⓐς ⓩς \U0001F130ς \U0001F189ς");
  assert_lowercase("⅟Σ ↀΣ ⒵Σ ⓪Σ 我Σ 1Σ", "⅟σ ↀσ ⒵σ ⓪σ 我σ 1σ");
  assert_lowercase("ΑΣ. ΑΣ.Α Α.Σ",
                   "ας. ασ.α α.ς"); /* full stops are skipped when looking for the end of a word */
}

/* ---- properties ---- */

enum { LINES = 60, LINE_LENGTH = 120 };

struct lines {
  char bytes[LINES][LINE_LENGTH];
  const char *texts[LINES];
};

/* Use words of a small alphabet, so that n-grams repeat; some lines are empty. */
static void fill(struct lines *lines, unsigned which) {
  static const char *const words[] = {"a ", "b ", "the ", "3.5", ", ", "我", "爱", "。", "X", "-"};
  for (size_t i = 0; i < LINES; i++) {
    const struct random_stream stream = {11, which, (uint32_t)i};
    const size_t length = (size_t)random_below(stream, 0, 20);
    lines->bytes[i][0] = '\0';
    for (size_t w = 1; w <= length; w++)
      strcat(lines->bytes[i], words[random_below(stream, w, sizeof words / sizeof words[0])]);
    lines->texts[i] = lines->bytes[i];
  }
}

static elman_metric_scores scores_of(const char *const *hypotheses, const char *const *const *sets,
                                     size_t set_count, enum bleu_tokenizer tokenizer) {
  const elman_metric_options options = {.bleu_tokens = elman_bleu_tokens_name(tokenizer)};
  elman_metric_scores scores;
  cr_assert_eq(elman_metrics(&scores, hypotheses, sets, set_count, LINES, &options, NULL),
               ELMAN_OK);
  return scores;
}

static void assert_same(elman_metric_scores a, elman_metric_scores b) {
  cr_assert_eq(a.bleu, b.bleu);
  cr_assert_eq(a.chrf, b.chrf);
  cr_assert_eq(a.hypothesis_length, b.hypothesis_length);
  cr_assert_eq(a.reference_length, b.reference_length);
}

Test(metric, identical_text_scores_100) {
  static struct lines lines;
  fill(&lines, 1);
  const char *const *const set = lines.texts;
  for (int tokenizer = BLEU_13A; tokenizer <= BLEU_NONE; tokenizer++) {
    const elman_metric_scores scores =
        scores_of(lines.texts, &set, 1, (enum bleu_tokenizer)tokenizer);
    cr_assert_float_eq(scores.bleu, 100, 1e-9);
    cr_assert_float_eq(scores.chrf, 100, 1e-9);
    cr_assert_eq(scores.brevity_penalty, 1);
  }
}

Test(metric, reference_order_and_repetition_do_not_matter) {
  static struct lines hypotheses, references, others;
  static const char *turned[LINES], *turned_references[LINES];
  fill(&hypotheses, 1);
  fill(&references, 2);
  fill(&others, 3);
  for (size_t i = 0; i < LINES; i++) {
    turned[i] = hypotheses.texts[(i + 17) % LINES];
    turned_references[i] = references.texts[(i + 17) % LINES];
  }
  const char *const *const once[] = {references.texts};
  const char *const *const moved[] = {turned_references};
  const char *const *const twice[] = {references.texts, references.texts};
  const char *const *const two[] = {references.texts, others.texts};
  const char *const *const swapped[] = {others.texts, references.texts};
  const elman_metric_scores scores = scores_of(hypotheses.texts, once, 1, BLEU_ZH);
  assert_same(scores, scores_of(turned, moved, 1, BLEU_ZH));
  assert_same(scores, scores_of(hypotheses.texts, twice, 2, BLEU_ZH));
  /* chrF takes the first of two references with equal scores, so their order may matter. */
  cr_assert_eq(scores_of(hypotheses.texts, two, 2, BLEU_ZH).bleu,
               scores_of(hypotheses.texts, swapped, 2, BLEU_ZH).bleu);
  cr_assert_geq(scores_of(hypotheses.texts, two, 2, BLEU_ZH).precisions[0], scores.precisions[0]);
}

Test(metric, nothing_in_common_scores_0) {
  const char *const hypothesis[] = {"x y z", ""};
  const char *const reference[] = {"", "a b"};
  const char *const *const set = reference;
  elman_metric_scores scores;
  succeeds(elman_metrics(&scores, hypothesis, &set, 1, 2, &(elman_metric_options){0}, &why));
  cr_assert_eq(scores.bleu, 0);
  cr_assert_eq(scores.chrf, 0);
}

Test(metric, bad_line_is_reported) {
  const char *const good[] = {"a", "b", "c"};
  const char *const bad[] = {"a", "b\xFF", "c"};
  const char *const *const sets[] = {good, bad};
  const elman_metric_options options = {0};
  elman_metric_scores scores;
  cr_assert_eq(elman_metrics(&scores, bad, sets, 1, 3, &options, &why), ELMAN_BAD_DATA);
  cr_assert_str_eq(why.where, "hypothesis, line 2");
  cr_assert_str_eq(why.message, "is not valid UTF-8 at byte 2 of the line");
  cr_assert_eq(elman_metrics(&scores, good, sets, 2, 3, &options, &why), ELMAN_BAD_DATA);
  cr_assert_str_eq(why.where, "reference 2, line 2");
}

Test(metric, too_long_line_is_rejected) {
  owned char *bytes = calloc(METRIC_MAX_BYTES + 2, 1);
  cr_assert_not_null(bytes);
  memset(bytes, 'a', METRIC_MAX_BYTES + 1);
  const char *const line = bytes, *const short_line = "a";
  const char *const *const set = &short_line;
  elman_metric_scores scores;
  fails(elman_metrics(&scores, &line, &set, 1, 1, &(elman_metric_options){0}, &why), ELMAN_BAD_DATA,
        "the limit for scoring is 16777216");
}

static void assert_fitting(const char *const *lines, size_t count, enum bleu_tokenizer expected) {
  const elman_metric_options options = elman_metric_options_default();
  elman_metric_scores scores;
  char wanted[32];
  snprintf(wanted, sizeof wanted, "|tok:%s|", elman_bleu_tokens_name(expected));
  cr_assert_eq(elman_metrics(&scores, lines, &lines, 1, count, &options, NULL), ELMAN_OK);
  cr_assert(strstr(scores.bleu_signature, wanted) != NULL, "%s", scores.bleu_signature);
}

Test(metric, tokenizer_is_chosen_by_the_text) {
  const char *const chinese[] = {"我爱学习 NLP", ""};
  const char *const english[] = {"I love 学习", ""};
  assert_fitting(chinese, 2, BLEU_ZH);
  assert_fitting(english, 2, BLEU_13A);
  const char *const half = "我 a", *const third = "我 a b", *const most = "我 爱 a";
  assert_fitting(&half, 1, BLEU_13A); /* half is not a majority */
  assert_fitting(&third, 1, BLEU_13A);
  assert_fitting(&most, 1, BLEU_ZH);
  /* A word of 13a would be a whole sentence. */
  const char *const japanese[] = {"日本語を勉強しています。", "猫が好きです。"};
  assert_fitting(japanese, 2, BLEU_CHAR);
  const char *const others[] = {"ฉันรักคุณ", "ຂ້ອຍຮັກເຈົ້າ", "ខ្ញុំស្រលាញ់អ្នក", "ချစ်တယ်", "བོད་སྐད།"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_fitting(&others[i], 1, BLEU_CHAR);
  const char *const korean = "나는 너를 사랑해", *const hindi = "मैं तुमसे प्यार करता हूँ";
  assert_fitting(&korean, 1, BLEU_13A);
  assert_fitting(&hindi, 1, BLEU_13A);
}

Test(metric, exact_translations_without_spaces_score_100) {
  const char *const lines[] = {"日本語を勉強しています。", "猫が好きです。"};
  const char *const *const set = lines;
  elman_metric_scores scores;
  cr_assert_eq(elman_metrics(&scores, lines, &set, 1, 2, NULL, NULL), ELMAN_OK);
  cr_assert_float_eq(scores.bleu, 100, 1e-9);
}

/* ---- bootstrap ---- */

struct comparison {
  elman_compared compared[2];
  elman_p_values p_values[4];
};

static struct comparison resample(const struct lines *a, const struct lines *b,
                                  const struct lines *reference, size_t resamples, uint64_t seed) {
  const char *const *const set = reference->texts;
  const char *const *const outputs[] = {a->texts, b->texts};
  const elman_metric_options options = {
      .bleu_tokens = "char", .resamples = resamples, .seed = seed};
  struct comparison result;
  succeeds(elman_metrics_compare(result.compared, result.p_values, outputs, 2, &set, 1, LINES,
                                 &options, &why));
  return result;
}

Test(bootstrap, bootstrap_has_its_properties) {
  static struct lines a, b, reference;
  fill(&a, 1);
  fill(&b, 2);
  fill(&reference, 3);
  const struct comparison first = resample(&a, &b, &reference, 200, 5);
  const struct comparison again = resample(&a, &b, &reference, 200, 5);
  cr_assert(memcmp(&first, &again, sizeof first) == 0, "equal seeds give different results");
  cr_assert_neq(resample(&a, &b, &reference, 200, 6).compared[0].bleu.mean,
                first.compared[0].bleu.mean);

  const struct comparison swapped = resample(&b, &a, &reference, 200, 5);
  cr_assert_eq(swapped.p_values[1].bleu, first.p_values[1].bleu);
  cr_assert_eq(swapped.p_values[1].chrf, first.p_values[1].chrf);
  cr_assert_eq(swapped.compared[0].chrf.mean, first.compared[1].chrf.mean);

  cr_assert_float_eq(first.compared[0].bleu.mean, first.compared[0].scores.bleu,
                     2 * first.compared[0].bleu.interval);
  cr_assert_gt(first.compared[0].bleu.interval, 0);
  cr_assert_eq(resample(&a, &b, &reference, 1, 5).compared[0].bleu.interval, 0);
}

Test(bootstrap, bootstrap_separates_good_from_bad) {
  static struct lines bad, good;
  fill(&good, 1);
  fill(&bad, 2);
  const struct comparison result = resample(&good, &bad, &good, 200, 1);
  cr_assert_float_eq(result.compared[0].bleu.mean, 100, 1e-9);
  cr_assert_float_eq(result.p_values[1].bleu, 1.0 / 201, 1e-12);
  cr_assert_float_eq(result.p_values[1].chrf, 1.0 / 201, 1e-12);
}
