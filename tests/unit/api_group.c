/* Test: threads. */
/* Training with several processes, which are threads in this test. Any number of processes must
 * produce a byte-identical model, and all processes must end alike. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elman.h"
#include "folder.h"
#include "owned_public.h"
#include "processes.h"
#include "toy.h"

TestSuite(api_group, .init = enter_folder, .fini = leave_folder);

enum { PAIRS = 46, MOST = 5 };

/* Write synthetic sentences of many lengths, each with an alignment of its last words. Different
 * values of `first` give different files. */
static void write_pairs(const char *name, size_t count, size_t first) {
  FILE *file = fopen(name, "wb");
  for (size_t i = first; i < first + count; i++) {
    for (size_t k = 0; k <= i % 7; k++)
      fprintf(file, "%sw%zu", k == 0 ? "" : " ", i * (k + 3) % 13);
    fputc('\t', file);
    for (size_t k = 0; k <= i % 5; k++)
      fprintf(file, "%su%zu", k == 0 ? "" : " ", i * (k + 5) % 11);
    fprintf(file, "\t%zu-%zu\n", i % 7, i % 5);
  }
  fclose(file);
}

/* ---- one training run ---- */

struct training {
  elman_model_options model;
  elman_train_options options;
  const char *dev;    /* file name, or NULL */
  const char *pairs;  /* file name */
  size_t stops_after; /* number of reports; 0 disables */
  size_t differs_in;  /* this process has other pairs, unless it is 0 */
  size_t step;        /* updates per call of elman_training_advance; 0 = elman_train */
  /* results */
  elman_status status[MOST];
  elman_error error[MOST];
  size_t reports, validations, saves;
  double losses;
};

static struct training training_of(size_t shards) {
  struct training training = {.model = elman_model_options_default(),
                              .options = elman_train_options_default(),
                              .pairs = "pairs"};
  training.model.embedding_size = 6;
  training.model.hidden_size = 8;
  training.model.source_tokens = training.model.target_tokens = ELMAN_TOKENS_SPACE;
  training.options.epochs = 3;
  training.options.batch_size = 8;
  training.options.learning_rate = 0.01;
  training.options.dropout = 0.2;
  training.options.threads = 1;
  training.options.shards = shards;
  return training;
}

static bool on_report(void *context, const elman_train_report *report) {
  struct training *training = context;
  training->losses += report->update_loss * report->gradient_norm;
  return ++training->reports != training->stops_after;
}

static bool on_validation(void *context, const elman_validation *validation) {
  struct training *training = context;
  training->validations++;
  training->losses += validation->loss + validation->bleu;
  return true;
}

static void on_saved(void *context, const elman_error *problem) {
  struct training *training = context;
  training->saves += problem == NULL;
}

static const char *model_name(size_t rank) {
  static _Thread_local char name[32];
  snprintf(name, sizeof name, "model.%zu", rank);
  return name;
}

/* Train like elman_train, in steps. */
static elman_status train_in_steps(elman_model *model, const elman_pairs *pairs, size_t step,
                                   const elman_train_options *options, elman_error *error) {
  elman_training *training;
  elman_error problem = {0};
  bool finished = false;
  elman_status status = elman_training_create(&training, model, pairs, options, error);
  if (status != ELMAN_OK) return status;
  while (status == ELMAN_OK && !finished)
    status = elman_training_advance(training, step, &finished, error);
  const elman_status end = elman_training_finish(training, &problem);
  elman_training_free(training);
  if (status != ELMAN_OK || end == ELMAN_OK) return status;
  *error = problem;
  return end;
}

/* Only process 0 gets callbacks; a call in another process would change the counts. */
static void train(const elman_group *group, void *context) {
  struct training *training = context;
  const size_t rank = group == NULL ? 0 : group->rank;
  elman_train_options options = training->options;
  const bool guided = options.guide_weight > 0;
  elman_pairs *pairs = read_aligned_pairs(training->pairs, guided ? 3 : 0), *dev = NULL,
              *own = pairs;
  owned_model *model;
  if (rank > 0 && rank == training->differs_in) own = read_aligned_pairs("others", guided ? 3 : 0);
  if (training->dev != NULL) dev = read_aligned_pairs(training->dev, guided ? 3 : 0);
  options.dev = dev;
  options.group = group;
  options.context = training;
  options.report = on_report;
  options.validated = on_validation;
  if (options.checkpoint != NULL) options.checkpoint_written = on_saved;
  cr_assert_eq(elman_model_create(&model, pairs, &training->model, &options, NULL), ELMAN_OK);
  elman_error *error = &training->error[rank];
  training->status[rank] = training->step > 0
                               ? train_in_steps(model, own, training->step, &options, error)
                               : elman_train(model, own, &options, error);
  cr_assert_eq(elman_model_save(model, model_name(rank), NULL), ELMAN_OK);
  if (own != pairs) elman_pairs_free(own);
  elman_pairs_free(pairs);
  elman_pairs_free(dev);
}

static struct training run(struct training training, size_t processes) {
  training.reports = training.validations = training.saves = 0;
  training.losses = 0;
  if (processes == 0)
    train(NULL, &training);
  else
    run_processes(processes, train, &training);
  return training;
}

/* ---- comparisons ---- */

static void check_all_equal(const struct training *training, size_t processes, const char *expected,
                            size_t length) {
  for (size_t r = 0; r < processes; r++) {
    size_t n;
    owned char *bytes = get_bytes(model_name(r), &n);
    cr_assert_eq(training->status[r], ELMAN_OK, "%s", training->error[r].message);
    cr_assert(n == length && memcmp(bytes, expected, n) == 0, "process %zu of %zu", r, processes);
  }
}

/* Train with one process, then with 1, 2, ... processes, and compare. */
static void check_any_number(struct training training) {
  size_t length;
  const struct training alone = run(training, 0);
  cr_assert_eq(alone.status[0], ELMAN_OK, "%s", alone.error[0].message);
  owned char *expected = get_bytes(model_name(0), &length);
  const size_t most = training.options.shards < MOST ? training.options.shards : MOST;
  for (size_t P = 1; P <= most; P++) {
    const struct training together = run(training, P);
    check_all_equal(&together, P, expected, length);
    cr_assert_eq(together.reports, alone.reports);
    cr_assert_eq(together.validations, alone.validations);
    cr_assert(together.losses == alone.losses);
  }
}

static void write_files(void) {
  write_pairs("pairs", PAIRS, 0);
  write_pairs("others", PAIRS, 1);
  write_pairs("dev", 9, 20);
}

Test(api_group, processes_do_not_change_the_model) {
  static const size_t counts[] = {1, 2, 3, 4, 7, 13};
  write_files();
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    check_any_number(training_of(counts[i]));
}

Test(api_group, processes_do_not_change_models_with_all_options) {
  write_files();
  struct training training = training_of(4);
  training.dev = "dev";
  training.options.average = 0.9;
  training.options.attention_dropout = 0.1;
  training.options.label_smoothing = 0.1;
  training.options.threads = 2;
  training.options.validate_every = 4;
  check_any_number(training);
  training.model.bidirectional = true;
  training.model.attentional_layer = training.model.input_feeding = true;
  training.model.tie_embeddings = true;
  training.model.layers = 2;
  training.model.attention = "multihead";
  training.options.patience = 1;
  training.options.epochs = 12;
  check_any_number(training);
}

/* Every process splits all sentences of a batch again and computes the resulting batches. */
Test(api_group, processes_do_not_change_models_with_bpe_dropout) {
  write_files();
  struct training training = training_of(4);
  training.model.source_tokens = training.model.target_tokens = ELMAN_TOKENS_BPE;
  training.model.subwords = 12;
  training.options.subword_dropout = 0.3;
  training.dev = "dev";
  check_any_number(training);
  training.options.batch_tokens = 40;
  check_any_number(training);
}

/* Every process makes the pairs of all epochs. */
Test(api_group, processes_do_not_change_models_with_augmentation) {
  write_files();
  struct training training = training_of(4);
  training.options.merge = training.options.copy_noise = training.options.typos = 0.4;
  training.options.upper_case = training.options.title_case = 0.3;
  training.dev = "dev";
  check_any_number(training);
  training.model.source_tokens = training.model.target_tokens = ELMAN_TOKENS_BPE;
  training.model.subwords = 12;
  training.options.subword_dropout = 0.3;
  training.options.batch_tokens = 60;
  check_any_number(training);
}

Test(api_group, processes_do_not_change_guided_models) {
  write_files();
  struct training training = training_of(4);
  training.options.guide_weight = 0.5;
  training.dev = "dev";
  check_any_number(training);
}

Test(api_group, steps_do_not_change_the_model) {
  write_files();
  struct training training = training_of(4);
  size_t length;
  training.dev = "dev";
  training.options.average = 0.9;
  training.options.validate_every = 4;
  const struct training alone = run(training, 0);
  owned char *expected = get_bytes(model_name(0), &length);
  for (training.step = 1; training.step <= 7; training.step += 3) {
    for (size_t P = 0; P <= 3; P++) {
      const struct training together = run(training, P);
      check_all_equal(&together, P == 0 ? 1 : P, expected, length);
      cr_assert_eq(together.reports, alone.reports);
      cr_assert_eq(together.validations, alone.validations);
    }
  }
}

/* Threads learn shards in parallel if each has one; otherwise they divide the matrix products. */
Test(api_group, threads_do_not_change_the_model) {
  write_files();
  struct training training = training_of(7);
  size_t length;
  run(training, 0);
  owned char *expected = get_bytes(model_name(0), &length);
  for (size_t threads = 2; threads <= 9; threads++) {
    training.options.threads = threads;
    for (size_t P = 1; P <= 3; P++) {
      const struct training together = run(training, P);
      check_all_equal(&together, P, expected, length);
    }
  }
}

/* ---- stopping and resuming ---- */

Test(api_group, training_resumes_with_other_process_counts) {
  static const size_t before[] = {0, 2, 4, 3}, after[] = {3, 1, 2, 4};
  write_files();
  struct training training = training_of(4);
  training.dev = "dev";
  training.options.average = 0.9;
  size_t length;
  run(training, 0);
  owned char *expected = get_bytes(model_name(0), &length);
  training.options.checkpoint = "checkpoint";
  training.options.resume = true;
  for (size_t i = 0; i < 4; i++) {
    training.stops_after = 5 + i;
    const struct training stopped = run(training, before[i]);
    for (size_t r = 0; r < (before[i] == 0 ? 1 : before[i]); r++) {
      cr_assert_eq(stopped.status[r], ELMAN_INTERRUPTED, "%s", stopped.error[r].message);
      cr_assert_str_eq(stopped.error[r].message, "training was stopped");
    }
    cr_assert_eq(stopped.reports, training.stops_after);
    cr_assert_eq(stopped.saves, 1);
    training.stops_after = 0;
    const struct training ended = run(training, after[i]);
    check_all_equal(&ended, after[i], expected, length);
    cr_assert_eq(remove("checkpoint"), 0);
  }
}

/* ---- errors ---- */

static void check_errors(const struct training *training, size_t processes, elman_status status,
                         const char *const *parts, size_t part_count) {
  for (size_t r = 0; r < processes; r++) {
    cr_assert_eq(training->status[r], status, "process %zu: %s", r, training->error[r].message);
    for (size_t i = 0; i < part_count; i++)
      cr_assert_not_null(strstr(training->error[r].message, parts[i]), "\"%s\" lacks \"%s\"",
                         training->error[r].message, parts[i]);
  }
}

Test(api_group, more_processes_than_shards_are_rejected) {
  write_files();
  const struct training training = run(training_of(2), 3);
  check_errors(&training, 3, ELMAN_INVALID_ARGUMENT,
               (const char *const[]){"3 processes", "there are 2", "`shards`"}, 3);
}

Test(api_group, different_corpus_in_one_process_is_rejected) {
  write_files();
  struct training training = training_of(4);
  training.differs_in = 2;
  training = run(training, 3);
  check_errors(&training, 3, ELMAN_INVALID_ARGUMENT,
               (const char *const[]){"process 2", "corpus", "process 0"}, 3);
}

Test(api_group, unwritable_checkpoint_ends_all_processes) {
  write_files();
  struct training training = training_of(3);
  training.options.checkpoint = "no such folder/checkpoint";
  training.options.save_every = 1e-9;
  training.stops_after = 4;
  training = run(training, 3);
  check_errors(&training, 3, ELMAN_INTERRUPTED, (const char *const[]){"stopped"}, 1);
  cr_assert_eq(training.saves, 0);
}

/* A stop in process 0 ends the step in all processes, with its last update too. */
Test(api_group, stopped_steps_end_in_all_processes) {
  write_files();
  struct training training = training_of(3);
  training.options.epochs = 1;
  training.step = 2;
  const size_t updates = run(training, 3).reports;
  for (training.stops_after = 1; training.stops_after <= updates; training.stops_after++) {
    const struct training stopped = run(training, 3);
    check_errors(&stopped, 3, ELMAN_INTERRUPTED, (const char *const[]){"stopped"}, 1);
    cr_assert_eq(stopped.reports, training.stops_after);
  }
}

/* If an exchange fails at any point, all processes end. */
Test(api_group, failed_exchange_ends_all_processes) {
  write_files();
  struct training training = training_of(4);
  training.dev = "dev";
  training.options.epochs = 1;
  for (training.step = 0; training.step < 4; training.step += 2) {
    const size_t exchanges = run_processes(3, train, &training);
    for (size_t i = 1; i <= exchanges; i += 1 + i / 16) {
      cr_assert_eq(run_failing_processes(3, i, train, &training), i);
      check_errors(&training, 3, ELMAN_IO, (const char *const[]){"exchange"}, 1);
    }
  }
}

/* The checkpoint contains what process 0 has learned so far and what remains to be done. A
 * validation that failed runs before the next update. */
Test(api_group, training_resumes_after_failed_exchange) {
  enum { PROCESSES = 2 };
  write_files();
  struct training training = training_of(4);
  training.dev = "dev";
  training.options.epochs = 1;
  training.options.average = 0.9;
  training.options.validate_every = 2;
  size_t length, failed_validations = 0;
  const struct training alone = run(training, 0);
  owned char *expected = get_bytes(model_name(0), &length);
  training.options.checkpoint = "checkpoint";
  const size_t exchanges = run_processes(PROCESSES, train, &training);
  /* The last exchange comes after training. */
  for (size_t i = 1; i < exchanges; i += 1 + i / 16) {
    training.reports = training.validations = training.saves = 0;
    training.options.resume = false;
    run_failing_processes(PROCESSES, i, train, &training);
    check_errors(&training, PROCESSES, ELMAN_IO, (const char *const[]){"exchange"}, 1);
    cr_assert_leq(training.saves, 1);
    training.options.resume = training.saves == 1;
    const struct training ended = run(training, 0);
    check_all_equal(&ended, 1, expected, length);
    cr_assert_eq(training.reports + ended.reports, alone.reports, "exchange %zu", i);
    cr_assert_eq(training.validations + ended.validations, alone.validations, "exchange %zu", i);
    failed_validations += training.reports > 0 && training.reports % 2 == 0 &&
                          training.validations < training.reports / training.options.validate_every;
    if (training.saves == 1) cr_assert_eq(remove("checkpoint"), 0);
  }
  cr_assert_gt(failed_validations, 0);
}

/* ---- bytes sent ---- */

/* A group that counts the bytes a process sends to the others. */
struct counter {
  const elman_group *group;
  size_t bytes;
};

static elman_status count_and_exchange(void *context, const elman_bytes *send,
                                       const elman_bytes *receive, elman_error *error) {
  struct counter *counter = context;
  const elman_group *group = counter->group;
  for (size_t r = 0; r < group->size; r++)
    if (r != group->rank) counter->bytes += send[r].count;
  return group->exchange(group->context, send, receive, error);
}

struct counted {
  struct training training;
  size_t bytes[MOST];
};

static void train_counted(const elman_group *group, void *context) {
  struct counted *counted = context;
  struct counter counter = {.group = group};
  const elman_group counting = {group->rank, group->size, count_and_exchange, &counter, false};
  train(&counting, &counted->training);
  counted->bytes[group->rank] = counter.bytes;
}

/* Train on one sentence repeated many times, so that every update has the same words. */
static struct counted count_bytes(struct training training, size_t processes, size_t updates) {
  FILE *file = fopen("same", "wb");
  for (size_t i = 0; i < updates * training.options.batch_size; i++)
    fputs("a b c\td e f g h i j k l m n o p\n", file);
  fclose(file);
  struct counted counted = {.training = training};
  counted.training.pairs = "same";
  run_processes(processes, train_counted, &counted);
  cr_assert_eq(counted.training.status[0], ELMAN_OK, "%s", counted.training.error[0].message);
  return counted;
}

static size_t share_of(size_t count, size_t r, size_t P) {
  return count * (r + 1) / P - count * r / P;
}

/* docs/cluster.md, (93). */
Test(api_group, bytes_sent_match_the_documentation) {
  enum { N = 7, RESULT = 24, STATUS = sizeof(elman_status) };
  struct training training = training_of(N);
  training.options.epochs = 1;
  /* All rows, and the sixteen words of the target, fill whole cache lines, so a block has no
   * gaps. */
  training.model.embedding_size = training.model.hidden_size = 16;
  for (size_t P = 2; P <= MOST; P++) {
    const struct counted two = count_bytes(training, P, 2), three = count_bytes(training, P, 3);
    owned_model *model;
    cr_assert_eq(elman_model_load(&model, model_name(0), NULL), ELMAN_OK);
    /* <unk> of both sides and </s> do not occur in any batch. */
    const elman_model_info info = elman_model_get_info(model);
    const size_t n = info.parameters - 3 * training.model.embedding_size;
    const size_t output = info.target_vocabulary * (2 * training.model.hidden_size + 1);
    /* Subtrees of ((0, (1, 2)), ((3, 4), (5, 6))) between the cuts for P processes: */
    static const size_t parts[MOST + 1][MOST] = {
        [2] = {1, 1}, [3] = {2, 2, 2}, [4] = {1, 1, 1, 1}, [5] = {1, 1, 2, 1, 1}};
    static const size_t firsts[MOST + 1][MOST + 1] = {
        [2] = {0, 3, 7}, [3] = {0, 2, 4, 7}, [4] = {0, 1, 3, 5, 7}, [5] = {0, 1, 2, 4, 5, 7}};
    for (size_t r = 0; r < P; r++) {
      const size_t slice = share_of(output, r, P) + share_of(n - output, r, P);
      const size_t shards = firsts[P][r + 1] - firsts[P][r];
      const size_t expected = sizeof(float) * (parts[P][r] * (n - slice) + (P - 1) * slice) +
                              (P - 1) * (RESULT * shards + STATUS);
      cr_assert_eq(three.bytes[r] - two.bytes[r], expected, "process %zu of %zu: %zu, not %zu", r,
                   P, three.bytes[r] - two.bytes[r], expected);
    }
  }
}

/* ---- processes must have equal work ---- */

struct comparison {
  const char *pairs[MOST]; /* file names */
  uint64_t seeds[MOST];    /* model seeds */
  elman_status status[MOST];
  elman_error error[MOST];
};

static void compare(const elman_group *group, void *context) {
  struct comparison *comparison = context;
  const size_t r = group->rank;
  owned_pairs *pairs = read_pairs(comparison->pairs[r]), *same = read_pairs("pairs");
  struct training training = training_of(1);
  elman_evaluate_options options = elman_evaluate_options_default();
  owned_model *model;
  elman_scores scores;
  training.options.seed = comparison->seeds[r];
  options.group = group;
  options.threads = 1;
  cr_assert_eq(elman_model_create(&model, same, &training.model, &training.options, NULL),
               ELMAN_OK);
  comparison->status[r] = elman_evaluate(&scores, model, pairs, &options, &comparison->error[r]);
  const elman_status same_model = elman_group_same_model(group, model, NULL, NULL);
  cr_assert_eq(same_model == ELMAN_OK, comparison->seeds[0] == comparison->seeds[1]);
}

static void check_comparison(struct comparison comparison, const char *problem) {
  run_processes(2, compare, &comparison);
  for (size_t r = 0; r < 2; r++) {
    cr_assert_eq(comparison.status[r], problem == NULL ? ELMAN_OK : ELMAN_INVALID_ARGUMENT);
    if (problem != NULL)
      cr_assert_not_null(strstr(comparison.error[r].message, problem), "%s",
                         comparison.error[r].message);
  }
}

Test(api_group, evaluation_needs_equal_models_and_pairs) {
  write_files();
  check_comparison((struct comparison){.pairs = {"pairs", "pairs"}, .seeds = {1, 1}}, NULL);
  check_comparison((struct comparison){.pairs = {"pairs", "pairs"}, .seeds = {1, 2}},
                   "process 1: the model");
  check_comparison((struct comparison){.pairs = {"pairs", "others"}, .seeds = {1, 1}},
                   "process 1: the pairs");
}

/* The model and options that two processes translate with. */
struct equipment {
  const char *words; /* pairs that the vocabularies are built from */
  elman_model_options model;
  elman_translate_options options;
};

struct equipment_pair {
  struct equipment each[2];
  elman_status status[2];
};

static void compare_equipment(const elman_group *group, void *context) {
  struct equipment_pair *pair = context;
  const struct equipment *own = &pair->each[group->rank];
  owned_pairs *pairs = read_pairs(own->words);
  owned_model *model;
  cr_assert_eq(elman_model_create(&model, pairs, &own->model, NULL, NULL), ELMAN_OK);
  pair->status[group->rank] = elman_group_same_model(group, model, &own->options, NULL);
}

static void check_equipment(struct equipment one, struct equipment other, elman_status expected,
                            const char *what) {
  struct equipment_pair pair = {.each = {one, other}};
  run_processes(2, compare_equipment, &pair);
  cr_assert_eq(pair.status[0], expected, "%s", what);
  cr_assert_eq(pair.status[1], expected, "%s", what);
}

static struct equipment equipment_of(const char *attention) {
  struct equipment equipment = {"pairs", training_of(1).model, elman_translate_options_default()};
  equipment.model.attention = attention;
  return equipment;
}

/* Change the value of a row. */
static void change_row(elman_translate_options *options, const elman_option *row) {
  void *field = (char *)options + row->offset;
  switch (row->value) {
  case ELMAN_VALUE_FLAG:
    *(bool *)field = !*(bool *)field;
    break;
  case ELMAN_VALUE_REAL:
    *(double *)field += 1e-12;
    break;
  case ELMAN_VALUE_ENUM:
    *(unsigned *)field = row->choice(1)[0] != '\0' ? 1 : 2;
    break;
  default:
    ++*(size_t *)field;
  }
}

/* Test every field that a translation depends on. */
Test(api_group, different_translation_options_are_rejected) {
  const elman_override cell = {ELMAN_OVERRIDE_CELL, 1, 2, 0.5};
  elman_override other_cell;
  struct equipment base = equipment_of("dot"), other;
  write_files();
  base.options.overrides = &cell;
  base.options.override_count = 1;
  check_equipment(base, base, ELMAN_OK, "nothing");
  for (const elman_option *row = NULL;
       (row = elman_option_next(row, ELMAN_SCOPES_TRANSLATE)) != NULL;) {
    const bool may_differ = row->scope == ELMAN_SCOPE_MACHINE;
    other = base;
    change_row(&other.options, row);
    check_equipment(base, other, may_differ ? ELMAN_OK : ELMAN_INVALID_ARGUMENT, row->name);
  }
#define CHECK_OPTION(change)                                                                       \
  other = base;                                                                                    \
  other_cell = cell;                                                                               \
  other.options.change;                                                                            \
  check_equipment(base, other, ELMAN_INVALID_ARGUMENT, #change)
  CHECK_OPTION(without_scores = true);
  CHECK_OPTION(override_count = 0);
  CHECK_OPTION(overrides = &other_cell; other_cell.kind = ELMAN_OVERRIDE_POSITION);
  CHECK_OPTION(overrides = &other_cell; other_cell.row++);
  CHECK_OPTION(overrides = &other_cell; other_cell.column++);
  CHECK_OPTION(overrides = &other_cell; other_cell.weight += 1e-12);
#undef CHECK_OPTION
}

static void write_letters(const char *name, const char *letters) {
  FILE *file = fopen(name, "wb");
  for (size_t i = 0; i < 3; i++)
    fprintf(file, "%c%c%c\t%c %c\n", letters[0], letters[0], letters[1], letters[2], letters[3]);
  fclose(file);
}

/* The weights and all shapes are equal in these cases. */
Test(api_group, different_models_are_rejected) {
  write_letters("pairs", "abcd");
  write_letters("other source", "xbcd");
  write_letters("other target", "abcx");
  struct equipment base = equipment_of("dot"), other = equipment_of("scaled");
  check_equipment(base, base, ELMAN_OK, "nothing");
  check_equipment(base, other, ELMAN_INVALID_ARGUMENT, "attention");
#define CHECK_FIELD(change)                                                                        \
  other = base;                                                                                    \
  other.change;                                                                                    \
  check_equipment(base, other, ELMAN_INVALID_ARGUMENT, #change)
  CHECK_FIELD(words = "other source");
  CHECK_FIELD(words = "other target");
  CHECK_FIELD(model.source_tokens = ELMAN_TOKENS_WORDS);
  CHECK_FIELD(model.target_tokens = ELMAN_TOKENS_WORDS);
  CHECK_FIELD(model.normalization = ELMAN_NFC);
  base = equipment_of("local");
  CHECK_FIELD(model.attention_window++);
  base = equipment_of("dot");
  base.model.layers = 2;
  CHECK_FIELD(model.residual = true);
#undef CHECK_FIELD
}
