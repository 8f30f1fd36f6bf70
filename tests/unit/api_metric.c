/* The metrics through the public interface: arguments, defaults, errors. */
#include <criterion/criterion.h>
#include <string.h>

#include "elman.h"
#include "outcome.h"

static const char *const english[] = {"I love cats.", "It rains."};
static const char *const chinese[] = {"我爱猫。", "下雨了。"};
static const char *const broken[] = {"fine", "b\xFF"};

static elman_status score(elman_metric_scores *scores, const char *const *hypotheses,
                          const char *const *reference, elman_metric_options options,
                          elman_error *error) {
  return elman_metrics(scores, hypotheses, &reference, 1, 2, &options, error);
}

Test(api_metric, tokenizer_follows_the_references) {
  elman_metric_scores scores;
  elman_metric_options options = elman_metric_options_default();
  cr_assert_eq(score(&scores, chinese, chinese, options, NULL), ELMAN_OK);
  cr_assert_not_null(strstr(scores.bleu_signature, "|tok:zh|"));
  cr_assert_eq(scores.reference_length, 8);
  cr_assert_float_eq(scores.bleu, 100, 1e-9);
  cr_assert_str_eq(elman_bleu_tokens_name(0), "auto");
  for (size_t i = 1; elman_bleu_tokens_name(i) != NULL; i++) {
    options.bleu_tokens = elman_bleu_tokens_name(i);
    cr_assert_eq(score(&scores, english, english, options, NULL), ELMAN_OK);
    cr_assert_not_null(strstr(scores.bleu_signature, options.bleu_tokens));
  }
  cr_assert_null(elman_bleu_tokens_name(6));
}

Test(api_metric, invalid_arguments_are_rejected) {
  elman_metric_scores scores = {.bleu = 7};
  elman_compared compared[2];
  elman_p_values p_values[4];
  elman_metric_options options = elman_metric_options_default();
  const char *const *const sets[] = {english};
  const char *const *const equal[] = {english, english};
  cr_assert_eq(elman_metrics(&scores, english, sets, 0, 2, &options, &why), ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(elman_metrics(&scores, english, sets, 1, 0, &options, &why), ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(score(&scores, broken, english, options, &why), ELMAN_BAD_DATA);
  cr_assert_str_eq(why.where, "hypothesis, line 2");
  cr_assert_eq(score(&scores, english, broken, options, NULL), ELMAN_BAD_DATA);
  options.bleu_tokens = "spm";
  cr_assert_eq(score(&scores, english, english, options, &why), ELMAN_INVALID_ARGUMENT);
  options = elman_metric_options_default();
  options.resamples = 0;
  fails(elman_metrics_compare(compared, p_values, equal, 2, sets, 1, 2, &options, &why),
        ELMAN_INVALID_ARGUMENT, "the number of resamples must be at least 1, not 0");
  fails(elman_metrics_compare(compared, p_values, equal, 1, sets, 1, 2, NULL, &why),
        ELMAN_INVALID_ARGUMENT, "must be from 2 to 64, not 1");
  fails(elman_metrics_compare(compared, p_values, equal, 65, sets, 1, 2, NULL, &why),
        ELMAN_INVALID_ARGUMENT, "must be from 2 to 64, not 65");
  cr_assert_eq(scores.bleu, 7, "an error changed the output");
}

Test(api_metric, systems_are_compared) {
  elman_compared compared[3];
  elman_p_values p_values[9];
  elman_metric_options options = elman_metric_options_default();
  const char *const *const sets[] = {english, chinese};
  const char *const *const outputs[] = {english, chinese, english};
  options.ter = true;
  succeeds(elman_metrics_compare(compared, p_values, outputs, 3, sets, 2, 2, &options, &why));
  cr_assert_str_eq(compared[0].scores.bleu_signature, compared[1].scores.bleu_signature);
  cr_assert_not_null(strstr(compared[0].scores.chrf_signature, "nrefs:2|bs:1000|seed:1|"));
  cr_assert_not_null(strstr(compared[0].scores.ter_signature, "nrefs:2|bs:1000|seed:1|case:lc|"));
  cr_assert_eq(compared[0].chrf.mean, 100);
  cr_assert_eq(compared[0].ter.mean, 0);
  cr_assert_eq(compared[1].chrf.interval, 0);
  for (size_t a = 0; a < 3; a++)
    for (size_t b = 0; b < 3; b++) {
      cr_assert_eq(p_values[3 * a + b].bleu, p_values[3 * b + a].bleu);
      cr_assert(a != b || p_values[3 * a + b].chrf == 1);
    }
  cr_assert(p_values[2].bleu == 1 && p_values[2].chrf == 1 && p_values[2].ter == 1);
  cr_assert_eq(p_values[1].chrf, p_values[5].chrf, "equal outputs have different p-values");
}

Test(api_metric, sentences_are_scored) {
  elman_sentence_metrics scores[2];
  elman_metric_options options = elman_metric_options_default();
  const char *const *const sets[] = {english};
  const char *const outputs[] = {"I love cats.", "rains"};
  options.ter = true;
  succeeds(elman_metrics_sentences(scores, outputs, sets, 1, 2, &options, &why));
  cr_assert_float_eq(scores[0].bleu, 100, 1e-9);
  cr_assert_eq(scores[0].ter, 0);
  cr_assert_gt(scores[1].bleu, 0); /* although it has one word */
  cr_assert_float_eq(scores[1].ter, 100, 1e-9);
  options.ter = false;
  succeeds(elman_metrics_sentences(scores, outputs, sets, 1, 2, &options, &why));
  cr_assert_eq(scores[1].ter, 0);
  fails(elman_metrics_sentences(scores, broken, sets, 1, 2, &options, &why), ELMAN_BAD_DATA,
        "UTF-8");
}
