/* Evaluation through the public API. */
#include "api.h"

/* ---- evaluating ---- */

struct progress {
  size_t calls, stop_after, total;
};

static bool count_calls(void *context, size_t done, size_t total) {
  struct progress *progress = context;
  progress->calls++;
  progress->total = total;
  cr_assert_leq(done, total);
  return progress->calls != progress->stop_after;
}

Test(api, evaluation_that_cannot_be) {
  elman_model *model = small_model();
  elman_pairs *pairs = toy();
  elman_evaluate_options options = elman_evaluate_options_default();
  elman_scores scores = {.tokens = 77};
  elman_error error = {0};
  options.batch_size = 0;
  check_error(elman_evaluate(&scores, model, pairs, &options, &error), &error,
              ELMAN_INVALID_ARGUMENT, "the batch size must be at least 1", "");
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, NULL), ELMAN_INVALID_ARGUMENT);

  struct progress progress = {.stop_after = 2};
  options = elman_evaluate_options_default();
  options.progress = count_calls;
  options.context = &progress;
  check_error(elman_evaluate(&scores, model, pairs, &options, &error), &error, ELMAN_INTERRUPTED,
              "stopped", "");
  cr_assert_eq(progress.calls, 2, "nobody is asked again who wants to stop");
  cr_assert_eq(progress.total, 5);
  cr_assert_eq(scores.tokens, 77, "the scores stay as they were");
  elman_pairs_free(pairs);
  elman_model_free(model);
}

Test(api, scores_depend_on_neither_batches_nor_threads) {
  elman_model *model = small_model();
  elman_pairs *pairs = toy();
  struct progress progress = {0};
  elman_evaluate_options options = elman_evaluate_options_default();
  options.progress = count_calls;
  options.context = &progress;
  elman_scores scores, again;
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(progress.calls, 5);
  const size_t sizes[] = {1, 2, 5, 6, SIZE_MAX};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    for (options.threads = 1; options.threads <= 3; options.threads++) {
      options.batch_size = sizes[i];
      cr_assert_eq(elman_evaluate(&again, model, pairs, &options, NULL), ELMAN_OK);
      cr_assert_float_eq(again.loss, scores.loss, 1e-5);
      cr_assert_eq(again.tokens, scores.tokens);
      cr_assert_eq(again.exact_match, scores.exact_match);
    }
  }
  elman_pairs_free(pairs);
  elman_model_free(model);
}

Test(api, what_is_counted_in_an_evaluation) {
  FILE *file = fopen("pairs", "wb");
  fputs("我 爱 蝴蝶\tI love butterflies\n我\t", file);
  for (size_t i = 0; i < 5001; i++) fputs("I ", file);
  fputs("\n", file);
  for (size_t i = 0; i < 5001; i++) fputs("我 ", file);
  fputs("\tI\n", file);
  fclose(file);
  elman_model *model = small_model();
  elman_pairs *pairs = read_pairs("pairs");
  const elman_evaluate_options options = elman_evaluate_options_default();
  elman_scores scores;
  elman_error error = {0};
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, &error), ELMAN_OK, "%s",
               error.message);
  cr_assert_eq(scores.sentences, 1);
  cr_assert_eq(scores.left_out, 2);
  cr_assert_eq(scores.tokens, 4);
  cr_assert_eq(scores.unknown_source, 1);
  cr_assert_eq(scores.unknown_target, 1);
  cr_assert_eq(scores.exact_match, 0);
  cr_assert_eq(scores.aligned_words, 0);
  elman_pairs_free(pairs);
  elman_model_free(model);
}

Test(api, alignments_are_scored_and_checked) {
  static const char *const lines[] = {"我 爱 学习\tI love studying\t0-0 2-2 1-2\n",
                                      "我 爱 学习\tI love studying\t0-3\n",
                                      "我 爱 学习\tI love studying\t0_0\n"};
  static const char *const problems[] = {NULL, "names a word that is not there",
                                         "is not an alignment of the form i-j"};
  const char *name = "aligned";
  elman_model *model = small_model();
  elman_pairs_options pairs_options = elman_pairs_options_default();
  pairs_options.files = &name;
  pairs_options.file_count = 1;
  pairs_options.alignment_column = 3;
  for (size_t i = 0; i < 3; i++) {
    put(name, lines[i]);
    elman_pairs *pairs;
    cr_assert_eq(elman_pairs_read(&pairs, &pairs_options, NULL), ELMAN_OK);
    const elman_evaluate_options options = elman_evaluate_options_default();
    elman_scores scores;
    elman_error error = {0};
    const elman_status status = elman_evaluate(&scores, model, pairs, &options, &error);
    if (problems[i] != NULL) {
      check_error(status, &error, ELMAN_BAD_DATA, problems[i], "aligned:1");
    } else {
      cr_assert_eq(status, ELMAN_OK, "%s", error.message);
      cr_assert_eq(scores.aligned_words, 2);
      const double doubled = scores.alignment_agreement * 2;
      cr_assert(doubled == 0 || doubled == 1 || doubled == 2);
    }
    elman_pairs_free(pairs);
  }
  elman_model_free(model);
}
