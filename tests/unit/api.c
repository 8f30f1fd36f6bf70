/* Test: threads. */
/* The library as a whole, from pairs to translations: names, defaults and unreadable input. */
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api.h"
#include "process_threads.h"

TestSuite(api, .init = enter_folder, .fini = leave_folder);

/* ---- names and defaults ---- */

Test(api, version) {
  int major, minor, patch, end = 0;
  cr_assert_eq(sscanf(elman_version(), "%d.%d.%d%n", &major, &minor, &patch, &end), 3);
  cr_assert_eq(elman_version()[end], '\0');
}

Test(api, names) {
  cr_assert_null(elman_token_mode_name((elman_token_mode)6));
  cr_assert_null(elman_token_mode_name((elman_token_mode)UINT32_MAX));
  cr_assert_str_eq(elman_attention_name(0), "dot");
  cr_assert_str_eq(elman_attention_name(1), "scaled");
  size_t mechanisms = 0;
  while (elman_attention_name(mechanisms) != NULL) mechanisms++;
  cr_assert_geq(mechanisms, 10);
  cr_assert_null(elman_attention_name((size_t)1 << 32));
  cr_assert_null(elman_attention_name(SIZE_MAX));
}

Test(api, defaults) {
  const elman_pairs_options pairs = elman_pairs_options_default();
  cr_assert_eq(pairs.source_column, 1);
  cr_assert_eq(pairs.target_column, 2);
  cr_assert_eq(pairs.alignment_column, 0);
  cr_assert_not(pairs.strict);
  cr_assert_null(pairs.skipped);
  const elman_train_options train = elman_train_options_default();
  cr_assert_eq(train.epochs, ELMAN_EPOCHS_AUTO);
  cr_assert_null(train.report);
  const elman_translate_options translating = elman_translate_options_default();
  const elman_evaluate_options evaluating = elman_evaluate_options_default();
  cr_assert_eq(evaluating.batch_size, 32);
  cr_assert_eq(evaluating.threads, 0);
  cr_assert_null(evaluating.progress);
  /* Evaluation and translation have equal search defaults. */
  cr_assert_eq(evaluating.translate.beam, translating.beam);
  cr_assert_eq(evaluating.translate.length_penalty, translating.length_penalty);
  cr_assert_eq(evaluating.translate.max_ratio, translating.max_ratio);
  cr_assert_eq(evaluating.translate.seed, translating.seed);
}

Test(api, free_accepts_null) {
  elman_pairs_free(NULL);
  elman_model_free(NULL);
  elman_translator_free(NULL);
  elman_translation_free(NULL);
}

Test(api, options_may_be_null) {
  elman_pairs *none, *pairs = toy();
  check_error(elman_pairs_read(&none, NULL, &why), ELMAN_INVALID_ARGUMENT, "no file", "");
  elman_check *check;
  check_error(elman_check_create(&check, NULL, &why), ELMAN_INVALID_ARGUMENT, "", "");
  elman_split *split;
  if (elman_split_create(&split, pairs, NULL, &why) == ELMAN_OK) elman_split_free(split);

  owned_model *model = create(pairs, NULL), *small = small_model();
  cr_assert_eq(elman_model_get_info(model).hidden_size, 128);
  succeeds(elman_train(small, pairs, NULL, &why));
  elman_scores scores;
  succeeds(elman_evaluate(&scores, small, pairs, NULL, &why));
  cr_assert_eq(scores.sentences, 5);
  elman_pairs_free(pairs);

  const char *const text[] = {"one two three four"};
  const char *const *const references[] = {text};
  elman_metric_scores metric;
  cr_assert_eq(elman_metrics(&metric, text, references, 1, 1, NULL, &why), ELMAN_OK);
  cr_assert_float_eq(metric.bleu, 100, 1e-9);
  elman_compared compared[2];
  elman_p_values p_values[4];
  succeeds(elman_metrics_compare(compared, p_values, (const char *const *const[2]){text, text}, 2,
                                 references, 1, 1, NULL, &why));
}

/* ---- from pairs to translations ---- */

static void whole_cycle(void) {
  owned_pairs *pairs = toy();
  cr_assert_eq(elman_pairs_count(pairs), 5);
  cr_assert_eq(elman_pairs_skipped(pairs), 0);
  const elman_model_options model_options = elman_model_options_default();
  owned_model *model = create(pairs, &model_options), *loaded;
  struct seen seen = {0};
  elman_train_options train_options = elman_train_options_default();
  train_options.epochs = 30;
  train_options.batch_size = 2;
  train_options.threads = 2;
  train_options.report = keep_report;
  train_options.context = &seen;
  succeeds(elman_train(model, pairs, &train_options, &why));
  cr_assert_eq(seen.updates, 90);
  cr_assert_eq(seen.last.epoch, 30);
  cr_assert_eq(seen.last.epochs, 30);
  cr_assert_eq(seen.last.update, 3);
  cr_assert_eq(seen.last.updates, 3);
  cr_assert_eq(seen.last.tokens, 25);
  cr_assert_eq(seen.last.left_out, 0);
  cr_assert_lt(seen.last.loss, 0.5);

  succeeds(elman_model_save(model, MODEL, &why));
  succeeds(elman_model_load(&loaded, MODEL, &why));
  owned_translator *before = translator_of(model), *after = translator_of(loaded);
  owned_translation *a = translate(before, "我 爱 学习", NULL);
  owned_translation *b = translate(after, "我爱学习", NULL); /* segmented by the vocabulary */
  cr_assert_str_eq(a->text, "I love studying");
  cr_assert_str_eq(b->text, a->text);
  cr_assert_eq(a->log_probability, b->log_probability);
  cr_assert_eq(a->source_count, 3);
  cr_assert_eq(a->target_count, 4);
  cr_assert_str_eq(a->source_tokens[2], "学习");
  cr_assert_str_eq(a->target_tokens[0], "I");
  cr_assert_str_eq(a->target_tokens[3], "</s>");
  cr_assert_str_eq(elman_model_get_token(model, ELMAN_SOURCE, a->source_ids[2], NULL, NULL),
                   "学习");
  cr_assert_str_eq(elman_model_get_token(model, ELMAN_TARGET, a->target_ids[1], NULL, NULL),
                   "love");
  cr_assert_eq(elman_model_get_boundary(model, ELMAN_TARGET, a->target_ids[1]),
               ELMAN_BOUNDARY_DEFAULT);
  cr_assert(a->source_known[0] && a->source_known[1] && a->source_known[2]);
  cr_assert_arr_eq(a->attention, b->attention, 12 * sizeof *a->attention);
  check_translation(a);

  succeeds(elman_attention_save("a.json", a, "json", NULL, &why));
  elman_evaluate_options evaluate_options = elman_evaluate_options_default();
  evaluate_options.threads = 2;
  elman_scores scores;
  succeeds(elman_evaluate(&scores, loaded, pairs, &evaluate_options, &why));
  cr_assert_eq(scores.tokens, 25);
  cr_assert_eq(scores.sentences, 5);
  cr_assert_float_eq(scores.perplexity, exp(scores.loss), 1e-12);
  cr_assert_lt(scores.loss, 0.5);
}

Test(api, from_pairs_to_translation) {
  whole_cycle();
}

static void check_silent(const char *name) {
  struct stat info;
  cr_assert_eq(stat(name, &info), 0);
  cr_assert_eq(info.st_size, 0, "the library wrote to %s", name);
}

/* The processor's rounding and denormal modes. */
static unsigned floating_point_mode(void) {
  fenv_t all;
  cr_assert_eq(fegetenv(&all), 0);
#if defined(__x86_64__)
  return all.__mxcsr & 0xFFC0; /* without the exception flags */
#elif defined(__aarch64__)
  return all.__fpcr;
#else
  return 0;
#endif
}

Test(api, library_prints_nothing_and_keeps_process_state) {
  setlocale(LC_ALL, "C.UTF-8");
  setlocale(LC_NUMERIC, "C");
  owned char *locale = strdup(setlocale(LC_ALL, NULL));
  const int signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ, SIGHUP};
  struct sigaction before[5], after;
  for (size_t i = 0; i < 5; i++) sigaction(signals[i], NULL, &before[i]);
  const unsigned mode = floating_point_mode();
  const int threads = threads_of_process();
  cr_assert_not_null(freopen("stdout", "w", stdout));
  const int old_stderr = dup(STDERR_FILENO);
  cr_assert_not_null(freopen("stderr", "w", stderr));
  whole_cycle();
  fflush(NULL);
  dup2(old_stderr, STDERR_FILENO);
  check_silent("stdout");
  check_silent("stderr");
  cr_assert_leq(threads_of_process(), threads); /* OpenBLAS may have started threads before */
  cr_assert_str_eq(setlocale(LC_ALL, NULL), locale);
  for (size_t i = 0; i < 5; i++) {
    sigaction(signals[i], NULL, &after);
    cr_assert_eq(after.sa_handler, before[i].sa_handler);
  }
  cr_assert_eq(floating_point_mode(), mode);
}

/* Only the whole start shows that a line with NUL is no exception, and that no LF follows a CR. */
Test(api, the_start_of_a_file_shows_its_kind) {
  cr_assert_eq(elman_file_check_text("", 0, true, &why), ELMAN_OK);
  cr_assert_eq(elman_file_check_text("a\nb\rc", 5, true, &why), ELMAN_OK);
  cr_assert_eq(elman_file_check_text("a\rb", 3, false, &why), ELMAN_OK);
  cr_assert_eq(elman_file_check_text("a\rb", 3, true, &why), ELMAN_BAD_DATA);
  cr_assert_eq(elman_file_check_text("a\0b\n", 4, false, &why), ELMAN_OK);
  cr_assert_eq(elman_file_check_text("a\0b\n", 4, true, &why), ELMAN_BAD_DATA);
  cr_assert_str_eq(why.message, "is a binary file, not UTF-8 text");
  cr_assert_eq(elman_file_check_text("%PDF-1.7", 8, false, &why), ELMAN_BAD_DATA);
  cr_assert_str_eq(why.message, "is a PDF document; save its text as UTF-8 text");
  cr_assert_eq(elman_file_check_text("%PDF", 4, false, NULL), ELMAN_OK);
}
