/* Test: threads, wraps aligned_alloc. */
/* Evaluation through the public API. */
#include "api.h"
#include "processes.h"

TestSuite(api, .init = enter_folder, .fini = leave_folder);

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

Test(api, invalid_evaluations_are_rejected) {
  owned_model *model = small_model();
  owned_pairs *pairs = toy();
  elman_evaluate_options options = elman_evaluate_options_default();
  elman_scores scores = {.tokens = 77};
  options.batch_size = 0;
  check_error(elman_evaluate(&scores, model, pairs, &options, &why), ELMAN_INVALID_ARGUMENT,
              "the batch size must be at least 1", "");
  cr_assert_eq(elman_evaluate(&scores, model, pairs, &options, NULL), ELMAN_INVALID_ARGUMENT);

  struct progress progress = {.stop_after = 2};
  options = elman_evaluate_options_default();
  options.progress = count_calls;
  options.context = &progress;
  check_error(elman_evaluate(&scores, model, pairs, &options, &why), ELMAN_INTERRUPTED,
              "translation was stopped", "");
  cr_assert_eq(progress.calls, 2, "the callback is not called again after a stop");
  cr_assert_eq(progress.total, 5);
  cr_assert_eq(scores.tokens, 77, "an error leaves the scores unchanged");
}

Test(api, scores_do_not_depend_on_batches_or_threads) {
  owned_model *model = small_model();
  owned_pairs *pairs = toy();
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

/* ---- several processes ---- */

enum { PROCESSES = 3 };

struct together {
  const elman_model *model;
  const elman_pairs *pairs;
  elman_scores scores[PROCESSES];
  elman_status status[PROCESSES];
};

static void evaluate_one(const elman_group *group, void *context) {
  struct together *all = context;
  const size_t rank = group == NULL ? 0 : group->rank;
  elman_evaluate_options options = elman_evaluate_options_default();
  cr_assert_null(options.group);
  options.batch_size = 2;
  options.threads = 1 + rank;
  options.group = group;
  all->status[rank] = elman_evaluate(&all->scores[rank], all->model, all->pairs, &options, NULL);
}

Test(api, processes_share_an_evaluation) {
  owned_model *model = small_model();
  owned_pairs *pairs = toy();
  struct together alone = {.model = model, .pairs = pairs}, all = alone;
  evaluate_one(NULL, &alone);
  cr_assert_eq(alone.status[0], ELMAN_OK);
  cr_assert_eq(run_processes(1, evaluate_one, &all), 0, "a single process exchanges nothing");
  const size_t exchanges = run_processes(PROCESSES, evaluate_one, &all);
  for (size_t r = 0; r < PROCESSES; r++) {
    cr_assert_eq(all.status[r], ELMAN_OK);
    cr_assert_eq(memcmp(&all.scores[r], &alone.scores[0], sizeof alone.scores[0]), 0);
  }
  for (size_t n = 1; n <= exchanges; n++) {
    run_failing_processes(PROCESSES, n, evaluate_one, &all);
    for (size_t r = 0; r < PROCESSES; r++) cr_assert_eq(all.status[r], ELMAN_IO);
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

static _Thread_local bool without_memory;

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return without_memory ? NULL : __real_aligned_alloc(alignment, size);
}

static void evaluate_without_memory(const elman_group *group, void *context) {
  without_memory = group->rank == 1;
  evaluate_one(group, context);
}

/* On a machine with several processors, the first failed allocation is that of the threads. */
Test(api, out_of_memory_ends_evaluation_everywhere) {
  owned_model *model = small_model();
  owned_pairs *pairs = toy();
  struct together all = {.model = model, .pairs = pairs};
  run_processes(PROCESSES, evaluate_without_memory, &all);
  for (size_t r = 0; r < PROCESSES; r++) cr_assert_eq(all.status[r], ELMAN_NO_MEMORY);
}

/* A program's own state for its group callbacks. */
struct received {
  size_t numbers[PROCESSES][PROCESSES];
  elman_status status[PROCESSES][3];
};

static void broadcast_and_gather(const elman_group *group, void *context) {
  struct received *received = context;
  const size_t rank = group->rank, counts[] = {sizeof rank, sizeof rank, sizeof rank};
  size_t *numbers = received->numbers[rank];
  elman_status *status = received->status[rank];
  numbers[0] = 5 + rank;
  status[0] = elman_group_broadcast(group, numbers, sizeof *numbers, NULL);
  numbers[rank] = numbers[0] + rank;
  status[1] = elman_group_gather(group, numbers, counts, NULL);
  status[2] = elman_group_agree(group, rank == 1 ? ELMAN_NO_INPUT : ELMAN_OK, NULL);
}

Test(api, processes_exchange_values) {
  struct received received;
  run_processes(PROCESSES, broadcast_and_gather, &received);
  for (size_t r = 0; r < PROCESSES; r++) {
    cr_assert_eq(received.status[r][0], ELMAN_OK);
    cr_assert_eq(received.status[r][1], ELMAN_OK);
    cr_assert_eq(received.status[r][2], ELMAN_NO_INPUT);
    for (size_t i = 0; i < PROCESSES; i++) cr_assert_eq(received.numbers[r][i], 5 + i);
  }
}
