/* Test: threads. */
/* Evaluation through the public API. */
#include "api.h"

TestSuite(api, .init = enter_folder, .fini = leave_folder);

/* ---- evaluating ---- */

Test(api, invalid_evaluations_are_rejected) {
  owned_model *model = small_model();
  owned_pairs *pairs = toy();
  elman_evaluate_options options = elman_evaluate_options_default();
  elman_scores scores = {.tokens = 77};
  options.batch_size = 0;
  check_error(elman_evaluate(&scores, model, pairs, &options, &why), ELMAN_INVALID_ARGUMENT,
              "the batch size must be at least 1", "");
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, NULL), ELMAN_INVALID_ARGUMENT);
  options = elman_evaluate_options_default();
  options.translate.beam = 0;
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, NULL), ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(scores.tokens, 77, "an error leaves the scores unchanged");
}

Test(api, evaluation_ignores_the_number_of_best_translations) {
  owned_model *model = small_model();
  owned_pairs *pairs = toy();
  elman_evaluate_options options = elman_evaluate_options_default();
  elman_scores scores, same;
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, &why), ELMAN_OK);
  options.translate.n_best = 5;
  succeeds(elman_evaluate(&same, model, pairs, &options, &why));
  cr_assert_eq(same.metrics.chrf, scores.metrics.chrf);
}

Test(api, evaluation_counts_pairs_and_tokens) {
  FILE *file = fopen("pairs", "wb");
  fputs("我 爱 蝴蝶\tI love butterflies\n我\t", file);
  for (size_t i = 0; i < 5001; i++) fputs("I ", file);
  fputs("\n", file);
  for (size_t i = 0; i < 5001; i++) fputs("我 ", file);
  fputs("\tI\n", file);
  fclose(file);
  owned_model *model = small_model();
  owned_pairs *pairs = read_pairs("pairs");
  const elman_evaluate_options options = elman_evaluate_options_default();
  elman_scores scores;
  succeeds(elman_evaluate(&scores, model, pairs, &options, &why));
  cr_assert_eq(scores.sentences, 1);
  cr_assert_eq(scores.left_out, 2);
  cr_assert_eq(scores.tokens, 4);
  cr_assert_eq(scores.unknown_source, 1);
  cr_assert_eq(scores.unknown_target, 1);
  cr_assert_eq(scores.exact_match, 0);
  cr_assert_eq(scores.aligned_words, 0);
}

Test(api, alignments_are_scored_and_checked) {
  static const char *const lines[] = {"我 爱 学习\tI love studying\t0-0 2-2 1-2\n",
                                      "我 爱 学习\tI love studying\t0-3\n",
                                      "我 爱 学习\tI love studying\t0_0\n"};
  static const char *const problems[] = {NULL, "is out of range",
                                         "is not an alignment of the form i-j"};
  owned_model *model = small_model();
  for (size_t i = 0; i < 3; i++) {
    put("aligned", lines[i]);
    owned_pairs *pairs = read_aligned_pairs("aligned", 3);
    const elman_evaluate_options options = elman_evaluate_options_default();
    elman_scores scores;
    const elman_status status = elman_evaluate(&scores, model, pairs, &options, &why);
    if (problems[i] != NULL) {
      check_error(status, ELMAN_BAD_DATA, problems[i], "aligned:1");
    } else {
      cr_assert_eq(status, ELMAN_OK, "%s", why.message);
      cr_assert_eq(scores.aligned_words, 2);
      const double doubled = scores.alignment_agreement * 2;
      cr_assert(doubled == 0 || doubled == 1 || doubled == 2);
    }
  }
}

/* Each trial is an evaluation with that search; the best one is stored. */
Test(api, the_search_is_tuned) {
  owned_model *model = small_model();
  owned_pairs *pairs = toy();
  elman_search_trial trials[ELMAN_SEARCH_TRIALS];
  train_epochs(model, pairs, 20);
  cr_assert_eq(elman_tune_search(trials, model, pairs, NULL, NULL), ELMAN_OK);
  size_t best = 0;
  for (size_t i = 0; i < ELMAN_SEARCH_TRIALS; i++) {
    elman_evaluate_options options = elman_evaluate_options_default();
    elman_scores scores;
    options.translate.beam = trials[i].search.beam;
    options.translate.length_penalty = trials[i].search.length_penalty;
    cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, NULL), ELMAN_OK);
    cr_assert_eq(trials[i].bleu, scores.metrics.bleu);
    cr_assert_eq(trials[i].chrf, scores.metrics.chrf);
    if (trials[i].bleu > trials[best].bleu) best = i;
  }
  const elman_search stored = elman_model_get_info(model).search;
  cr_assert_eq(stored.beam, trials[best].search.beam);
  cr_assert_eq(stored.length_penalty, trials[best].search.length_penalty);
  cr_assert_eq(trials[0].search.beam, 1);
  cr_assert_eq(trials[ELMAN_SEARCH_TRIALS - 1].search.beam, 10);

  /* An error leaves the stored search. */
  elman_evaluate_options wrong = elman_evaluate_options_default();
  wrong.batch_size = 0;
  cr_assert_eq(elman_tune_search(trials, model, pairs, &wrong, NULL), ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(elman_model_get_info(model).search.beam, stored.beam);
}
