/* Test: threads. */
/* Any number of processes with any number of threads computes the results of a single process. */
#include "translate/evaluate.h"

#include <float.h>

#include "aligned.h"
#include "owned_values.h"
#include "processes.h"
#include "threads.h"
#include "translate/translate_all.h"

enum { PROCESSES = 5, CALLS = ALIGNED_PAIRS + ALIGNED_LINKED };

static elman_pairs *pairs;
static struct model *model;

static void set_up(void) {
  enter_folder();
  pairs = aligned_pairs();
  model = model_of_pairs(pairs);
  learn(model, pairs, 30);
}

static void tear_down(void) {
  model_free(model);
  elman_pairs_free(pairs);
  leave_folder();
}

TestSuite(evaluate, .init = set_up, .fini = tear_down);

/* ---- scores ---- */

/* The progress that each process reports. */
struct progress {
  size_t starts, calls;           /* before the first translation, and after each one */
  size_t stop_before, stop_after; /* numbers of them; 0 disables */
  size_t done, total;
  bool back;
};

static bool note_progress(void *context, size_t done, size_t total) {
  struct progress *progress = context;
  if (done == 0) return ++progress->starts != progress->stop_before;
  progress->calls++;
  if (total == progress->total && done < progress->done) progress->back = true;
  progress->done = done;
  progress->total = total;
  return progress->calls != progress->stop_after;
}

struct task {
  const elman_pairs *pairs;
  elman_evaluate_options options;
  size_t threads; /* per process */
  elman_scores scores[PROCESSES];
  elman_status status[PROCESSES];
  elman_error errors[PROCESSES];
  struct progress progress[PROCESSES];
};

static struct task task_of(size_t batch_size, size_t beam) {
  struct task task = {.pairs = pairs, .options = elman_evaluate_options_default(), .threads = 1};
  task.options.batch_size = batch_size;
  task.options.translate.beam = beam;
  task.options.progress = note_progress;
  return task;
}

static void run_one(const elman_group *group, void *context) {
  struct task *task = context;
  const size_t rank = group_rank(group);
  elman_evaluate_options options = task->options;
  options.group = group;
  options.context = &task->progress[rank];
  use_threads(task->threads);
  task->status[rank] =
      evaluate(&task->scores[rank], model, task->pairs, NULL, &options, &task->errors[rank]);
  use_threads(1);
}

static elman_scores scores_alone(const struct task *task) {
  struct task alone = *task;
  alone.threads = 1;
  run_one(NULL, &alone);
  cr_assert_eq(alone.status[0], ELMAN_OK, "%s", alone.errors[0].message);
  cr_assert_eq(alone.progress[0].calls, alone.options.progress == NULL ? 0 : CALLS);
  return alone.scores[0];
}

static void check_same(size_t P, const struct task *before, const elman_scores *expected) {
  struct task task = *before;
  size_t calls = 0;
  run_processes(P, run_one, &task);
  for (size_t r = 0; r < P; r++) {
    const struct progress *progress = &task.progress[r];
    cr_assert_eq(task.status[r], ELMAN_OK, "%s", task.errors[r].message);
    cr_assert_eq(memcmp(&task.scores[r], expected, sizeof *expected), 0,
                 "process %zu of %zu, %zu threads: loss %.17g and %.17g, BLEU %g and %g", r, P,
                 task.threads, task.scores[r].loss, expected->loss, task.scores[r].metrics.bleu,
                 expected->metrics.bleu);
    calls += progress->calls;
    cr_assert(!progress->back && progress->done == progress->total, "process %zu of %zu", r, P);
  }
  cr_assert_eq(calls, CALLS, "each sentence is translated by one process");
}

/* There are fewer batches of 61 and 100 sentences than processes. */
Test(evaluate, scores_do_not_depend_on_processes) {
  static const size_t counts[] = {1, 2, 3, 5}, sizes[] = {1, 7, 16, 61, 100}, beams[] = {1, 5};
  for (size_t b = 0; b < 2; b++) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      struct task task = task_of(sizes[s], beams[b]);
      const elman_scores expected = scores_alone(&task);
      cr_assert(expected.exact_match > 0.1 && expected.exact_match < 0.95, "%g",
                expected.exact_match);
      cr_assert(expected.metrics.bleu > 1 && expected.metrics.bleu < 99);
      cr_assert(expected.aligned_words > 100 && expected.alignment_agreement > 0.1 &&
                expected.alignment_agreement < 0.99);
      for (size_t i = 0; i < 4; i++) {
        for (task.threads = 1; task.threads <= 3; task.threads += 2)
          check_same(counts[i], &task, &expected);
      }
    }
  }
}

Test(evaluate, one_pair_is_enough_for_many_processes) {
  put_bytes("one", "a b\tA B\t0-0", 11);
  struct task task = task_of(32, 1);
  owned_pairs *one = pairs_in("one", 3);
  task.pairs = one;
  struct task alone = task;
  run_one(NULL, &alone);
  run_processes(PROCESSES, run_one, &task);
  for (size_t r = 0; r < PROCESSES; r++) {
    cr_assert_eq(task.status[r], ELMAN_OK);
    cr_assert_eq(memcmp(&task.scores[r], &alone.scores[0], sizeof alone.scores[0]), 0);
    cr_assert_eq(task.progress[r].calls, r == 0 ? 2 : 0);
  }
}

/* ---- translations ---- */

struct translations {
  struct translate_job job;
  size_t threads;
  char *texts[PROCESSES][ALIGNED_PAIRS]; /* index: process, sentence; NULL = another process
                                            translates the sentence */
  elman_status status[PROCESSES];
  struct progress progress[PROCESSES];
};

struct own {
  struct translations *all;
  size_t rank;
};

static elman_status keep_text(void *context, size_t number, struct translator *translator, size_t i,
                              elman_error *error) {
  const struct own *own = context;
  struct text text;
  const elman_status status = translator_text(&text, translator, i, error);
  char **to = &own->all->texts[own->rank][number];
  cr_assert_null(*to, "sentence %zu twice", number);
  *to = strdup(text.bytes);
  return status;
}

static void translate_own(const elman_group *group, void *context) {
  struct own own = {context, group_rank(group)};
  struct translate_job job = own.all->job;
  job.group = group;
  job.context = &own;
  job.progress = note_progress;
  job.progress_context = &own.all->progress[own.rank];
  use_threads(own.all->threads);
  own.all->status[own.rank] = translate_all(&job, NULL);
  use_threads(1);
}

static void free_texts(struct translations *all, size_t P) {
  for (size_t r = 0; r < P; r++) {
    for (size_t i = 0; i < ALIGNED_PAIRS; i++) free(all->texts[r][i]);
  }
}

static void check_translations(size_t P, const struct translations *alone) {
  struct translations all = {.job = alone->job, .threads = 1 + P % 3};
  run_processes(P, translate_own, &all);
  for (size_t i = 0; i < ALIGNED_PAIRS; i++) {
    size_t found = 0;
    for (size_t r = 0; r < P; r++) {
      if (all.texts[r][i] == NULL) continue;
      cr_assert_str_eq(all.texts[r][i], alone->texts[0][i]);
      found++;
    }
    cr_assert_eq(found, 1, "sentence %zu has %zu of %zu processes", i, found, P);
  }
  for (size_t r = 0; r < P; r++) cr_assert(all.status[r] == ELMAN_OK && !all.progress[r].back);
  cr_assert_eq(all.progress[0].done, ALIGNED_PAIRS);
  free_texts(&all, P);
}

/* Some sentences are forced and some are not. */
Test(evaluate, each_sentence_is_translated_once) {
  elman_sentence sentences[ALIGNED_PAIRS];
  for (size_t i = 0; i < ALIGNED_PAIRS; i++) {
    const struct pair pair = pairs_get(pairs, i);
    sentences[i] = (elman_sentence){.text = pair.source.bytes,
                                    .length = pair.source.length,
                                    .reference = i % 4 == 0 ? pair.target.bytes : NULL,
                                    .reference_length = pair.target.length};
  }
  for (size_t beam = 1; beam <= 5; beam += 4) {
    elman_translate_options options = elman_translate_options_default();
    options.beam = beam;
    struct translations alone = {.job = {.model = model,
                                         .sentences = sentences,
                                         .count = ALIGNED_PAIRS,
                                         .batch_size = 5,
                                         .options = &options,
                                         .receive = keep_text},
                                 .threads = 1};
    translate_own(NULL, &alone);
    cr_assert_eq(alone.status[0], ELMAN_OK);
    for (size_t P = 1; P <= PROCESSES; P++) check_translations(P, &alone);
    free_texts(&alone, 1);
  }
}

/* ---- errors ---- */

static void check_all_fail(const struct task *task, size_t P, elman_status status,
                           const char *message, const char *where) {
  for (size_t r = 0; r < P; r++) {
    cr_assert_eq(task->status[r], status, "process %zu of %zu: %d", r, P, task->status[r]);
    cr_assert_eq(task->errors[r].code, status);
    cr_assert_str_eq(task->errors[r].message, message);
    cr_assert_str_eq(task->errors[r].where, where);
    cr_assert_eq(task->scores[r].tokens, 77, "an error leaves the scores unchanged");
  }
}

static struct task failing_task(size_t P) {
  struct task task = task_of(5, 1);
  for (size_t r = 0; r < P; r++) task.scores[r].tokens = 77;
  return task;
}

/* Stop at the first sentence, at the last, and at one in the second of the two jobs. */
Test(evaluate, stopping_one_process_stops_all) {
  for (size_t P = 1; P <= PROCESSES; P += 2) {
    for (size_t stopped = 0; stopped < P; stopped++) {
      const size_t calls[] = {1, 4, ALIGNED_PAIRS / P + 3};
      for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct task task = failing_task(P);
        task.options.batch_size = 1;
        task.progress[stopped].stop_after = calls[i];
        task.threads = 1 + i % 2;
        run_processes(P, run_one, &task);
        char message[64] = "translation was stopped";
        if (stopped > 0)
          snprintf(message, sizeof message, "process %zu: translation was stopped", stopped);
        check_all_fail(&task, P, ELMAN_INTERRUPTED, message, "");
        cr_assert_eq(task.progress[stopped].calls, calls[i], "the callback is not called again");
      }
    }
  }
}

Test(evaluate, stops_while_the_loss_is_computed) {
  for (size_t stopped = 0; stopped < 2; stopped++) {
    struct task task = failing_task(2);
    task.progress[stopped].stop_before = 2;
    run_processes(2, run_one, &task);
    check_all_fail(&task, 2, ELMAN_INTERRUPTED,
                   stopped == 0 ? "evaluation was stopped" : "process 1: evaluation was stopped",
                   "");
    cr_assert_eq(task.progress[stopped].starts, 2, "the callback is not called again");
    cr_assert_eq(task.progress[0].calls + task.progress[1].calls, 0);
  }
}

/* The process that forces a reference finds its link to a missing word. */
Test(evaluate, all_processes_report_a_bad_pair) {
  for (size_t wrong = 0; wrong < 12; wrong++) {
    FILE *file = fopen("wrong", "wb");
    for (size_t i = 0; i < 12; i++) fprintf(file, "a b c\tA B C\t0-%d\n", i == wrong ? 3 : 2);
    fclose(file);
    struct task task = failing_task(PROCESSES);
    owned_pairs *wrong_pairs = pairs_in("wrong", 3);
    task.pairs = wrong_pairs;
    task.options.batch_size = 2;
    run_processes(PROCESSES, run_one, &task);
    char where[32], message[512];
    snprintf(where, sizeof where, "wrong:%zu", wrong + 1);
    const char *problem = "alignment 0-3 is out of range: i-j counts from 0, and "
                          "the sides have 3 and 3 words";
    const size_t owner = wrong / 2 % PROCESSES;
    if (owner == 0)
      snprintf(message, sizeof message, "%s", problem);
    else
      snprintf(message, sizeof message, "process %zu: %s", owner, problem);
    check_all_fail(&task, PROCESSES, ELMAN_BAD_DATA, message, where);
  }
}

Test(evaluate, all_processes_report_an_overflow) {
  for (size_t i = 0; i < model->table.block; i++)
    model->block[i] = (real)(sizeof(real) == sizeof(float) ? FLT_MAX : DBL_MAX);
  struct task task = failing_task(3);
  run_processes(3, run_one, &task);
  for (size_t r = 0; r < 3; r++) {
    cr_assert_eq(task.status[r], ELMAN_BAD_DATA);
    cr_assert_str_eq(task.errors[r].message, task.errors[0].message);
    cr_assert_eq(task.progress[r].calls, 0, "before anything is translated");
  }
}

Test(evaluate, failed_exchange_ends_all_processes) {
  struct task task = failing_task(3);
  const size_t exchanges = run_processes(3, run_one, &task);
  cr_assert_gt(exchanges, 4);
  for (size_t n = 1; n <= exchanges; n++) {
    task = failing_task(3);
    run_failing_processes(3, n, run_one, &task);
    check_all_fail(&task, 3, ELMAN_IO, "the exchange failed", "");
  }
}
