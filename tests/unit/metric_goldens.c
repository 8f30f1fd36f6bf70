/* Test: text. */
/* Compare BLEU, chrF2 and the bootstrap with the output of sacreBLEU; tests/reference/README.md
 * describes the golden files. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "owned.h"

#include "elman/version.h"
#include "metric/metric.h"

static const double TOLERANCE =
    1e-9; /* in the golden file's own units; 0.005 would be enough in practice */

enum { GOLDEN_CASES = 54, MAX_SETS = 4 };

struct golden {
  json_t *json;
  const char *name;
  const char **hypotheses;
  const char *const *sets[MAX_SETS];
  size_t count, set_count;
  elman_metric_options options;
};

static const char **texts_of(const json_t *array) {
  const char **texts = calloc(json_array_size(array) + 1, sizeof *texts);
  cr_assert_not_null(texts);
  for (size_t i = 0; i < json_array_size(array); i++)
    texts[i] = json_string_value(json_array_get(array, i));
  return texts;
}

static struct golden open_case(json_t *json) {
  struct golden golden = {.json = json, .name = json_string_value(json_object_get(json, "name"))};
  const json_t *hypotheses = json_object_get(json, "hypotheses");
  const json_t *references = json_object_get(json, "references");
  golden.hypotheses = texts_of(hypotheses);
  golden.count = json_array_size(hypotheses);
  golden.set_count = json_array_size(references);
  cr_assert_leq(golden.set_count, MAX_SETS);
  for (size_t r = 0; r < golden.set_count; r++) {
    cr_assert_eq(json_array_size(json_array_get(references, r)), golden.count);
    golden.sets[r] = texts_of(json_array_get(references, r));
  }
  golden.options.lowercase = json_is_true(json_object_get(json, "lowercase"));
  golden.options.bleu_tokens = json_string_value(json_object_get(json, "tokenize"));
  return golden;
}

static void close_case(struct golden *golden) {
  free(golden->hypotheses);
  for (size_t r = 0; r < golden->set_count; r++) free((void *)(uintptr_t)golden->sets[r]);
}

static void compare(const struct golden *golden, const char *key, const json_t *expected,
                    double value) {
  cr_assert(json_is_number(expected), "%s: no %s", golden->name, key);
  cr_assert(fabs(json_number_value(expected) - value) <= TOLERANCE,
            "%s: %s is %.12g, but sacreBLEU has %.12g", golden->name, key, value,
            json_number_value(expected));
}

/* Compare the signature except for the version, which is elman's. */
static void compare_signature(const struct golden *golden, const char *key, const char *signature) {
  const char *expected = json_string_value(json_object_get(golden->json, key));
  const size_t length = (size_t)(strstr(expected, "version:") - expected);
  cr_assert(strncmp(expected, signature, length) == 0, "%s: %s, but sacreBLEU has %s", golden->name,
            signature, expected);
  cr_assert_str_eq(signature + length, "version:elman-" ELMAN_VERSION);
}

static void check_case(json_t *json) {
  struct golden golden = open_case(json);
  elman_metric_scores scores;
  succeeds(elman_metrics(&scores, golden.hypotheses, golden.sets, golden.set_count, golden.count,
                         &golden.options, &why));
  compare(&golden, "bleu", json_object_get(json, "bleu"), scores.bleu);
  compare(&golden, "bp", json_object_get(json, "bp"), scores.brevity_penalty);
  compare(&golden, "sys_len", json_object_get(json, "sys_len"), (double)scores.hypothesis_length);
  compare(&golden, "ref_len", json_object_get(json, "ref_len"), (double)scores.reference_length);
  compare(&golden, "chrf2", json_object_get(json, "chrf2"), scores.chrf);
  for (size_t n = 0; n < BLEU_ORDERS; n++)
    compare(&golden, "precisions", json_array_get(json_object_get(json, "precisions"), n),
            scores.precisions[n]);
  compare_signature(&golden, "bleu_signature", scores.bleu_signature);
  compare_signature(&golden, "chrf_signature", scores.chrf_signature);
  close_case(&golden);
}

static json_t *load(const char *name) {
  char path[512];
  json_error_t error;
  snprintf(path, sizeof path, "%s/reference/%s", getenv("TEST_DATA"), name);
  json_t *root = json_load_file(path, 0, &error);
  cr_assert_not_null(root, "%s: %s", path, error.text);
  return root;
}

Test(metric_goldens, agree_with_sacrebleu) {
  json_t *root = load("sacrebleu.json");
  json_t *cases = json_object_get(root, "cases");
  cr_assert_eq(json_array_size(cases), GOLDEN_CASES);
  for (size_t i = 0; i < GOLDEN_CASES; i++) check_case(json_array_get(cases, i));
  json_decref(root);
}

/* ---- the bootstrap ---- */

static void compare_estimates(const struct golden *golden, const json_t *expected,
                              const elman_estimate *const estimates[2], const double scores[2],
                              double p_value) {
  compare(golden, "p-value", json_object_get(expected, "p_value"), p_value);
  for (size_t o = 0; o < 2; o++) {
    compare(golden, "score", json_array_get(json_object_get(expected, "scores"), o), scores[o]);
    compare(golden, "mean", json_array_get(json_object_get(expected, "means"), o),
            estimates[o]->mean);
    compare(golden, "interval", json_array_get(json_object_get(expected, "intervals"), o),
            estimates[o]->interval);
  }
}

static void check_bootstrap(const json_t *root, const json_t *json) {
  const char *const names[] = {"first", "second"};
  const json_t *references = json_object_get(root, "references");
  const size_t count = json_array_size(references);
  const char **const texts = texts_of(references);
  const char *const *const set = texts;
  const elman_metric_options options = {
      .bleu_tokens = "13a",
      .resamples = (size_t)json_integer_value(json_object_get(json, "resamples")),
      .seed = (uint64_t)json_integer_value(json_object_get(json, "seed"))};
  const struct golden golden = {.name = "bootstrap"};
  const char **const outputs[] = {texts_of(json_object_get(root, names[0])),
                                  texts_of(json_object_get(root, names[1]))};
  const char *const *const both[] = {outputs[0], outputs[1]};
  elman_compared found[2];
  elman_p_values p_values[4];
  for (size_t o = 0; o < 2; o++)
    cr_assert_eq(json_array_size(json_object_get(root, names[o])), count);
  succeeds(elman_metrics_compare(found, p_values, both, 2, &set, 1, count, &options, &why));
  compare_estimates(&golden, json_object_get(json, "bleu"),
                    (const elman_estimate *[]){&found[0].bleu, &found[1].bleu},
                    (double[]){found[0].scores.bleu, found[1].scores.bleu}, p_values[1].bleu);
  compare_estimates(&golden, json_object_get(json, "chrf"),
                    (const elman_estimate *[]){&found[0].chrf, &found[1].chrf},
                    (double[]){found[0].scores.chrf, found[1].scores.chrf}, p_values[1].chrf);
  free(outputs[0]);
  free(outputs[1]);
  free(texts);
}

Test(metric_goldens, bootstrap_agrees_with_sacrebleu) {
  json_t *root = load("bootstrap.json");
  const json_t *cases = json_object_get(root, "cases");
  cr_assert_eq(json_array_size(cases), 4);
  for (size_t i = 0; i < json_array_size(cases); i++)
    check_bootstrap(root, json_array_get(cases, i));
  json_decref(root);
}

/* ---- TER, the tokenizer intl, and scores of sentences ---- */

static void check_scores(json_t *json) {
  struct golden golden = open_case(json);
  elman_metric_scores scores;
  elman_sentence_metrics sentences[16];
  golden.options.ter = true;
  cr_assert_leq(golden.count, 16);
  succeeds(elman_metrics(&scores, golden.hypotheses, golden.sets, golden.set_count, golden.count,
                         &golden.options, &why));
  succeeds(elman_metrics_sentences(sentences, golden.hypotheses, golden.sets, golden.set_count,
                                   golden.count, &golden.options, &why));
  compare(&golden, "bleu", json_object_get(json, "bleu"), scores.bleu);
  compare(&golden, "ter", json_object_get(json, "ter"), scores.ter);
  compare_signature(&golden, "bleu_signature", scores.bleu_signature);
  compare_signature(&golden, "ter_signature", scores.ter_signature);
  for (size_t i = 0; i < golden.count; i++) {
    const json_t *expected = json_array_get(json_object_get(json, "sentences"), i);
    compare(&golden, "sentence BLEU", json_array_get(expected, 0), sentences[i].bleu);
    compare(&golden, "sentence chrF2", json_array_get(expected, 1), sentences[i].chrf);
    compare(&golden, "sentence TER", json_array_get(expected, 2), sentences[i].ter);
  }
  close_case(&golden);
}

Test(metric_goldens, ter_and_sentences_agree_with_sacrebleu) {
  json_t *root = load("scores.json");
  json_t *cases = json_object_get(root, "cases");
  cr_assert_geq(json_array_size(cases), 40);
  for (size_t i = 0; i < json_array_size(cases); i++) check_scores(json_array_get(cases, i));
  json_decref(root);
}
