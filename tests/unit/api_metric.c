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
  cr_assert_null(elman_bleu_tokens_name(5));
}

Test(api_metric, invalid_arguments_are_rejected) {
  elman_metric_scores scores = {.bleu = 7};
  elman_comparison comparison;
  elman_metric_options options = elman_metric_options_default();
  const char *const *const sets[] = {english};
  cr_assert_eq(elman_metrics(&scores, english, sets, 0, 2, &options, &why), ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(elman_metrics(&scores, english, sets, 1, 0, &options, &why), ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(score(&scores, broken, english, options, &why), ELMAN_BAD_DATA);
  cr_assert_str_eq(why.where, "hypothesis, line 2");
  cr_assert_eq(score(&scores, english, broken, options, NULL), ELMAN_BAD_DATA);
  options.bleu_tokens = "intl";
  cr_assert_eq(score(&scores, english, english, options, &why), ELMAN_INVALID_ARGUMENT);
  options = elman_metric_options_default();
  options.resamples = 0;
  cr_assert_eq(elman_metrics_compare(&comparison, (const char *const *const[2]){english, english},
                                     sets, 1, 2, &options, &why),
               ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(scores.bleu, 7, "an error changed the output");
}

Test(api_metric, two_systems_are_compared) {
  elman_comparison comparison;
  const elman_metric_options options = elman_metric_options_default();
  const char *const *const sets[] = {english, chinese};
  succeeds(elman_metrics_compare(&comparison, (const char *const *const[2]){english, chinese}, sets,
                                 2, 2, &options, &why));
  cr_assert_str_eq(comparison.scores[0].bleu_signature, comparison.scores[1].bleu_signature);
  cr_assert_not_null(strstr(comparison.scores[0].chrf_signature, "nrefs:2|bs:1000|seed:1|"));
  cr_assert_eq(comparison.chrf[0].mean, 100);
  cr_assert_eq(comparison.chrf[1].interval, 0);
}
