/* Test: threads. */
/* Training through the public API. */
#include "api.h"

TestSuite(api, .init = enter_folder, .fini = leave_folder);

/* ---- training ---- */

/* Return the bytes of a model's file; release them with free(). */
static char *bytes_of(const elman_model *model, size_t *length) {
  cr_assert_eq(elman_model_save(model, "bytes", NULL), ELMAN_OK);
  return get_bytes("bytes", length);
}

static bool same_models(const elman_model *a, const elman_model *b) {
  size_t length_a, length_b;
  owned char *bytes_a = bytes_of(a, &length_a), *bytes_b = bytes_of(b, &length_b);
  return length_a == length_b && memcmp(bytes_a, bytes_b, length_a) == 0;
}

static void check_not_trained(elman_train_options options, elman_status expected,
                              const char *message) {
  owned_pairs *pairs = toy();
  owned_model *model = small_model(), *untouched = small_model();
  check_error(elman_train(model, pairs, &options, &why), expected, message, "");
  cr_assert_eq(elman_train(model, pairs, &options, NULL), expected);
  cr_assert(same_models(model, untouched));
}

Test(api, invalid_training_is_rejected) {
  elman_train_options options = elman_train_options_default();
  options.batch_size = 0;
  check_not_trained(options, ELMAN_INVALID_ARGUMENT, "batch_size must be a whole number from 1 to");
  options = elman_train_options_default();
  options.max_length = 2;
  check_not_trained(options, ELMAN_BAD_DATA, "no pair is left to train on");
}

/* At any learning rate, the trained model can be saved and loaded. */
Test(api, absurd_learning_rates_leave_a_usable_model) {
  owned_pairs *pairs = toy();
  for (double rate = 1; rate < 1e31; rate *= 1e3) {
    owned_model *model = small_model(), *loaded;
    elman_train_options options = elman_train_options_default();
    options.learning_rate = rate;
    options.epochs = 20;
    const elman_status status = elman_train(model, pairs, &options, &why);
    cr_assert(status == ELMAN_OK || status == ELMAN_INVALID_ARGUMENT);
    cr_assert_eq(elman_model_save(model, MODEL, NULL), ELMAN_OK);
    cr_assert_eq(elman_model_load(&loaded, MODEL, &why), ELMAN_OK, "rate %g: %s", rate,
                 why.message);
  }
}

Test(api, too_long_pairs_are_skipped) {
  owned_pairs *pairs = toy();
  owned_model *model = small_model();
  struct seen seen = {0};
  elman_train_options options = elman_train_options_default();
  options.epochs = 1;
  options.max_length = 4;
  options.report = keep_report;
  options.context = &seen;
  cr_assert_eq(elman_train(model, pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(seen.last.left_out, 2); /* 她 是 我 的 老师, The weather is nice today */
  cr_assert_eq(seen.last.tokens, 14);
  options.max_length = 0;
  cr_assert_eq(elman_train(model, pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(seen.last.left_out, 0);
}

/* The sanitizers would report a leak. */
Test(api, training_can_free_the_pairs) {
  for (int bad = 0; bad < 2; bad++) {
    elman_pairs *kept = toy(), *freed = toy();
    owned_model *one = small_model(), *other = small_model();
    struct seen seen[2] = {{0}, {0}};
    elman_train_options options = elman_train_options_default();
    options.epochs = 1;
    options.batch_size = bad ? 0 : 2;
    options.report = keep_report;
    options.context = &seen[0];
    const elman_status status = elman_train(one, kept, &options, NULL);
    options.context = &seen[1];
    cr_assert_eq(elman_train_and_free_pairs(other, &freed, &options, NULL), status);
    cr_assert_eq(status, bad ? ELMAN_INVALID_ARGUMENT : ELMAN_OK);
    cr_assert_null(freed);
    cr_assert_eq(seen[0].last.loss, seen[1].last.loss);
    elman_pairs_free(kept);
  }
}

Test(api, no_epoch_keeps_the_initial_model) {
  owned_pairs *pairs = toy();
  owned_model *model = small_model(), *untouched = small_model();
  train_epochs(model, pairs, 0);
  cr_assert(same_models(model, untouched));
}

/* ---- training in steps ---- */

/* The files of a training run: its model and its checkpoint. */
struct result {
  char *model, *checkpoint; /* owned; checkpoint NULL = none */
  size_t model_length, checkpoint_length;
};

static struct result result_of(const elman_model *model) {
  struct result result = {0};
  elman_checkpoint_state state;
  cr_assert_eq(elman_checkpoint_get_state(&state, "checkpoint", NULL), ELMAN_OK);
  result.model = bytes_of(model, &result.model_length);
  if (state != ELMAN_CHECKPOINT_NONE) {
    result.checkpoint = get_bytes("checkpoint", &result.checkpoint_length);
    cr_assert_eq(remove("checkpoint"), 0);
  }
  return result;
}

static void check_same_result(const struct result *a, const struct result *b, const char *what) {
  cr_assert_eq(a->model_length, b->model_length, "%s", what);
  cr_assert_eq(memcmp(a->model, b->model, a->model_length), 0, "%s: other model", what);
  cr_assert_eq(a->checkpoint_length, b->checkpoint_length, "%s", what);
  if (a->checkpoint != NULL)
    cr_assert_eq(memcmp(a->checkpoint, b->checkpoint, a->checkpoint_length), 0,
                 "%s: other checkpoint", what);
}

static void free_result(struct result *result) {
  free(result->model);
  free(result->checkpoint);
}

/* A task of three updates per epoch, in which most words occur in few batches. */
struct task {
  elman_pairs *pairs, *dev;
  elman_model_options model;
  elman_train_options options;
};

static struct task task_of(size_t epochs) {
  struct task task = {.model = elman_model_options_default(),
                      .options = elman_train_options_default()};
  put("train", "a b c\tA B C\na d\tA D\ne f g h\tE F G H\nb e i\tB E I\nk l\tK L\nm a\tM A\n"
               "n o p\tN O P\nq\tQ\n");
  put("dev", "a b\tA B\nq\tQ\nn o\tN O\n");
  task.pairs = read_pairs("train");
  task.dev = read_pairs("dev");
  task.model.hidden_size = task.model.embedding_size = 8;
  task.model.attention = "scaled";
  task.options.epochs = epochs;
  task.options.batch_size = 3;
  task.options.learning_rate = 0.02;
  task.options.threads = 2;
  task.options.checkpoint = "checkpoint";
  return task;
}

static void free_task(struct task *task) {
  elman_pairs_free(task->pairs);
  elman_pairs_free(task->dev);
}

static elman_training *begin(elman_model *model, const struct task *task) {
  elman_training *training;
  succeeds(elman_training_create(&training, model, task->pairs, &task->options, &why));
  return training;
}

/* Do all that a program can do with a half-trained model. The translator exists since the start of
 * training, and works like a new one. */
static void use_model(elman_model *model, elman_translator *translator, const elman_pairs *pairs) {
  static const char *const texts[] = {"a b n", "e f g h", "q"};
  elman_scores scores, again;
  owned_model *loaded;
  cr_assert_eq(elman_model_save(model, "half", NULL), ELMAN_OK);
  cr_assert_eq(elman_model_load(&loaded, "half", NULL), ELMAN_OK);
  cr_assert_eq(elman_evaluate(&scores, model, pairs, NULL, NULL), ELMAN_OK);
  cr_assert_eq(elman_evaluate(&again, loaded, pairs, NULL, NULL), ELMAN_OK);
  cr_assert_eq(scores.loss, again.loss);
  owned_translator *other = translator_of(loaded);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    owned_translation *translation = translate(translator, texts[i], NULL);
    owned_translation *expected = translate(other, texts[i], NULL);
    cr_assert_str_eq(translation->text, expected->text);
    cr_assert_eq(translation->log_probability, expected->log_probability);
  }
  cr_assert_eq(elman_model_set_search(model, (elman_search){3, 1}, NULL), ELMAN_OK);
}

/* Train to the end, `updates` updates at a time, and use the model in between. */
static void train_in_steps(elman_model *model, const struct task *task, size_t updates) {
  owned_training *training = begin(model, task);
  owned_translator *translator = translator_of(model);
  bool finished = false;
  while (!finished) {
    succeeds(elman_training_advance(training, updates, &finished, &why));
    cr_assert_eq(elman_model_get_info(model).search.beam, 0);
    use_model(model, translator, task->dev);
  }
  finished = false;
  cr_assert_eq(elman_training_advance(training, 1, &finished, &why), ELMAN_OK);
  cr_assert(finished);
  succeeds(elman_training_finish(training, &why));
}

static struct result whole_result(const struct task *task, elman_status expected) {
  owned_model *model = create(task->pairs, &task->model);
  cr_assert_eq(elman_train(model, task->pairs, &task->options, &why), expected, "%s", why.message);
  return result_of(model);
}

static void check_steps(const struct task *task, const char *what) {
  owned_by(free_result) struct result whole = whole_result(task, ELMAN_OK);
  const size_t steps[] = {1, 3, 4, 1000};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    owned_model *model = create(task->pairs, &task->model);
    train_in_steps(model, task, steps[i]);
    owned_by(free_result) struct result result = result_of(model);
    check_same_result(&whole, &result, what);
  }
}

/* The model that is used in between has a stored search; the final one has none. */
Test(api, steps_train_the_same_model, .timeout = 300) {
  owned_by(free_task) struct task task = task_of(7);
  struct task other = task;
  check_steps(&task, "plain");
  other.options.average = 0.9;
  other.options.dropout = 0.2;
  check_steps(&other, "average, dropout");
  other.options.dev = task.dev;
  other.options.validate_every = 4;
  other.options.save_every = 1e-9;
  check_steps(&other, "dev");
  other.options.patience = 1;
  other.options.epochs = 50;
  check_steps(&other, "patience");
  other = task;
  other.model.source_tokens = other.model.target_tokens = ELMAN_TOKENS_BPE;
  other.model.subwords = 4;
  other.options.subword_dropout = 0.3;
  other.options.batch_tokens = 12;
  other.options.shards = 2;
  other.options.dev = task.dev;
  check_steps(&other, "subword dropout, shards");
  other.options.merge = other.options.copy_noise = other.options.drop_marks = 0.5;
  other.options.batch_tokens = 40;
  check_steps(&other, "augmentation");
  other = task;
  other.options.epochs = 0;
  check_steps(&other, "no epoch");
}

/* Train for more updates than are recorded, with two embeddings most rows of which are unused. */
Test(api, many_steps_train_the_same_model, .timeout = 300) {
  owned_by(free_task) struct task task = task_of(200);
  owned_by(free_result) struct result whole = whole_result(&task, ELMAN_OK);
  owned_model *model = create(task.pairs, &task.model);
  owned_training *training = begin(model, &task);
  bool finished = false;
  for (size_t updates = 1; !finished; updates++)
    cr_assert_eq(elman_training_advance(training, updates, &finished, NULL), ELMAN_OK);
  cr_assert_eq(elman_training_finish(training, NULL), ELMAN_OK);
  owned_by(free_result) struct result result = result_of(model);
  check_same_result(&whole, &result, "many steps");
}

/* Before the end, finishing equals a stop by a callback, and another run can resume. */
static void check_early_end(const struct task *task, size_t updates, const struct result *whole) {
  struct seen seen = {.stop_after = updates};
  struct task stopped = *task, resumed = *task;
  stopped.options.report = keep_report;
  stopped.options.context = &seen;
  resumed.options.resume = true;
  owned_by(free_result) struct result expected = whole_result(&stopped, ELMAN_INTERRUPTED);
  owned_model *model = create(task->pairs, &task->model);
  owned_training *training = begin(model, task);
  bool finished;
  cr_assert_eq(elman_training_advance(training, updates, &finished, NULL), ELMAN_OK);
  cr_assert_not(finished);
  owned_by(free_result) struct result paused = result_of(model);
  cr_assert_null(paused.checkpoint);
  cr_assert_eq(elman_model_get_info(model).history.updates, updates);
  cr_assert_eq(elman_training_finish(training, NULL), ELMAN_OK);
  size_t length;
  owned char *bytes = get_bytes("checkpoint", &length);
  owned_by(free_result) struct result result = result_of(model);
  check_same_result(&expected, &result, "finished early");
  if (task->options.dev == NULL) {
    paused.checkpoint = expected.checkpoint;
    paused.checkpoint_length = expected.checkpoint_length;
    check_same_result(&expected, &paused, "paused");
    paused.checkpoint = NULL;
  }
  put_bytes("checkpoint", bytes, length);
  owned_by(free_result) struct result end = whole_result(&resumed, ELMAN_OK);
  check_same_result(whole, &end, "resumed");
}

Test(api, steps_can_end_anywhere, .timeout = 300) {
  enum { EPOCHS = 3, UPDATES = 3 * EPOCHS };
  owned_by(free_task) struct task task = task_of(EPOCHS);
  for (size_t validated = 0; validated < 2; validated++) {
    task.options.dev = validated ? task.dev : NULL;
    task.options.validate_every = validated ? 2 : 0;
    owned_by(free_result) struct result whole = whole_result(&task, ELMAN_OK);
    for (size_t updates = 1; updates < UPDATES; updates++) check_early_end(&task, updates, &whole);
  }
}

/* Save the state and the model after `updates` updates. The run must continue as if nothing had
 * been saved, and another run must resume from the saved state, with a new model or with the saved
 * one. */
static void check_saved(const struct task *task, size_t updates, const struct result *whole) {
  struct task resumed = *task;
  owned_model *model = create(task->pairs, &task->model), *half;
  owned_model *other = create(task->pairs, &task->model);
  owned_training *training = begin(model, task);
  bool finished = false;
  size_t length;
  cr_assert_eq(elman_training_advance(training, updates, &finished, NULL), ELMAN_OK);
  succeeds(elman_training_save(training, &why));
  owned char *bytes = get_bytes("checkpoint", &length);
  cr_assert_eq(elman_model_save(model, "half", NULL), ELMAN_OK);
  while (!finished) cr_assert_eq(elman_training_advance(training, 1, &finished, NULL), ELMAN_OK);
  cr_assert_eq(elman_training_finish(training, NULL), ELMAN_OK);
  owned_by(free_result) struct result result = result_of(model);
  check_same_result(whole, &result, "saved");
  succeeds(elman_model_load(&half, "half", &why));
  resumed.options.resume = true;
  for (size_t i = 0; i < 2; i++) {
    elman_model *const start = i == 0 ? other : half;
    put_bytes("checkpoint", bytes, length);
    succeeds(elman_train(start, task->pairs, &resumed.options, &why));
    owned_by(free_result) struct result end = result_of(start);
    check_same_result(whole, &end, i == 0 ? "new model" : "saved model");
  }
}

Test(api, saved_steps_resume, .timeout = 300) {
  enum { EPOCHS = 3, UPDATES = 3 * EPOCHS };
  owned_by(free_task) struct task task = task_of(EPOCHS);
  task.options.average = 0.9;
  for (size_t validated = 0; validated < 2; validated++) {
    task.options.dev = validated ? task.dev : NULL;
    task.options.validate_every = validated ? 2 : 0;
    owned_by(free_result) struct result whole = whole_result(&task, ELMAN_OK);
    for (size_t updates = 1; updates <= UPDATES; updates++) check_saved(&task, updates, &whole);
  }
}

/* Large enough for several threads, which are kept between the steps. */
Test(api, threads_do_not_change_steps, .timeout = 300) {
  owned_by(free_task) struct task task = task_of(2);
  elman_pairs_free(task.pairs);
  task.pairs = read_pairs(data_file("daily.test.zh-en.tsv"));
  task.model.hidden_size = task.model.embedding_size = 128;
  task.options.batch_size = 32;
  task.options.threads = 1;
  owned_by(free_result) struct result whole = whole_result(&task, ELMAN_OK);
  for (task.options.threads = 1; task.options.threads <= 3; task.options.threads++) {
    owned_model *model = create(task.pairs, &task.model);
    train_in_steps(model, &task, 2);
    owned_by(free_result) struct result result = result_of(model);
    check_same_result(&whole, &result, "threads");
  }
}

/* A callback pauses the training. The pairs are not used after the creation, and neither is the
 * struct of options. */
Test(api, stopped_steps_continue, .timeout = 300) {
  owned_by(free_task) struct task task = task_of(4);
  owned_by(free_result) struct result whole = whole_result(&task, ELMAN_OK);
  owned_model *model = create(task.pairs, &task.model);
  struct seen seen = {0};
  task.options.report = keep_report;
  task.options.context = &seen;
  owned_training *training = begin(model, &task);
  elman_pairs_free(task.pairs);
  task.pairs = NULL;
  memset(&task.options, 0, sizeof task.options);
  bool finished = false;
  for (size_t updates = 1; updates <= 12; updates++) {
    seen.stop_after = updates;
    check_error(elman_training_advance(training, 5, &finished, &why), ELMAN_INTERRUPTED, "stopped",
                "");
    cr_assert_eq(seen.updates, updates);
    cr_assert_not(finished);
  }
  seen.stop_after = 0;
  cr_assert_eq(elman_training_advance(training, 1, &finished, NULL), ELMAN_OK);
  cr_assert(finished);
  cr_assert_eq(seen.updates, 12);
  cr_assert_eq(elman_training_finish(training, NULL), ELMAN_OK);
  owned_by(free_result) struct result result = result_of(model);
  check_same_result(&whole, &result, "stopped");
}

/* The model keeps its last update; there is no checkpoint. */
Test(api, training_can_be_freed_at_any_time) {
  owned_by(free_task) struct task task = task_of(4);
  struct seen seen = {.stop_after = 5};
  struct task stopped = task;
  stopped.options.report = keep_report;
  stopped.options.context = &seen;
  owned_model *model = create(task.pairs, &task.model), *same = create(task.pairs, &task.model);
  elman_training_free(NULL);
  elman_training_free(begin(model, &task));
  cr_assert(same_models(model, same));
  cr_assert_eq(elman_train(same, task.pairs, &stopped.options, NULL), ELMAN_INTERRUPTED);
  cr_assert_eq(remove("checkpoint"), 0);
  task.options.dev = task.dev; /* the best model is lost */
  elman_training *training = begin(model, &task);
  bool finished;
  cr_assert_eq(elman_training_advance(training, 5, &finished, NULL), ELMAN_OK);
  elman_training_free(training);
  elman_checkpoint_state state;
  cr_assert_eq(elman_checkpoint_get_state(&state, "checkpoint", NULL), ELMAN_OK);
  cr_assert_eq(state, ELMAN_CHECKPOINT_NONE);
  cr_assert(same_models(model, same));
}

static void check_refused(elman_training *training, const char *message) {
  bool finished = true;
  check_error(elman_training_advance(training, 1, &finished, &why), ELMAN_INVALID_ARGUMENT, message,
              "");
  cr_assert_not(finished);
}

Test(api, wrong_steps_are_refused) {
  owned_by(free_task) struct task task = task_of(2);
  struct task bad = task;
  owned_model *model = create(task.pairs, &task.model), *same = create(task.pairs, &task.model);
  elman_training *training = (elman_training *)&task;
  bool finished = true;
  bad.options.batch_size = 0;
  check_error(elman_training_create(&training, model, task.pairs, &bad.options, &why),
              ELMAN_INVALID_ARGUMENT, "batch_size", "");
  cr_assert_null(training);
  bad = task;
  bad.options.batch_tokens = 2;
  cr_assert_eq(elman_training_create(&training, model, task.pairs, &bad.options, NULL),
               ELMAN_INVALID_ARGUMENT);
  cr_assert_null(training);
  cr_assert(same_models(model, same));

  training = begin(model, &task);
  check_error(elman_training_advance(training, 0, &finished, &why), ELMAN_INVALID_ARGUMENT,
              "at least 1", "");
  cr_assert_not(finished);
  cr_assert(same_models(model, same));
  cr_assert_eq(elman_training_advance(training, 4, &finished, NULL), ELMAN_OK);
  cr_assert_eq(elman_training_finish(training, NULL), ELMAN_OK);
  check_refused(training, "has ended");
  check_error(elman_training_finish(training, &why), ELMAN_INVALID_ARGUMENT, "has ended", "");
  check_error(elman_training_save(training, &why), ELMAN_INVALID_ARGUMENT, "has ended", "");
  cr_assert_eq(elman_model_get_info(model).history.updates, 4);
  elman_training_free(training);

  training = begin(model, &task);
  task.options.checkpoint = NULL;
  cr_assert_eq(elman_train(model, task.pairs, &task.options, NULL), ELMAN_OK);
  check_refused(training, "another training run");
  check_error(elman_training_finish(training, &why), ELMAN_INVALID_ARGUMENT, "another training run",
              "");
  check_error(elman_training_save(training, &why), ELMAN_INVALID_ARGUMENT, "another training run",
              "");
  cr_assert_eq(elman_model_get_info(model).history.updates, 10);
  elman_training_free(training);
  training = begin(model, &task);
  check_error(elman_training_save(training, &why), ELMAN_INVALID_ARGUMENT, "no checkpoint file",
              "");
  elman_training_free(training);
}

/* The snapshot of the second epoch cannot be written. The best model remains, as after elman_train,
 * and the checkpoint. */
Test(api, failed_steps_lose_nothing) {
  owned_by(free_task) struct task task = task_of(5);
  task.options.dev = task.dev;
  task.options.keep_last = 1;
  task.options.output = "kept";
  put("kept.update6", "not a model, so it is not deleted");
  owned_by(free_result) struct result expected = whole_result(&task, ELMAN_CANNOT_CREATE);
  cr_assert_not_null(expected.checkpoint);
  owned_model *model = create(task.pairs, &task.model);
  owned_training *training = begin(model, &task);
  bool finished;
  succeeds(elman_training_advance(training, 5, &finished, &why));
  check_error(elman_training_advance(training, 9, &finished, &why), ELMAN_CANNOT_CREATE, "",
              "kept.update6");
  cr_assert_eq(elman_model_get_info(model).history.updates, 6);
  cr_assert_not(finished);
  check_refused(training, "an error has ended");
  cr_assert_eq(elman_training_finish(training, NULL), ELMAN_OK);
  check_refused(training, "has ended");
  owned_by(free_result) struct result result = result_of(model);
  check_same_result(&expected, &result, "failed");
}

Test(api, finish_reports_a_failed_checkpoint) {
  owned_by(free_task) struct task task = task_of(1);
  task.options.checkpoint = "no such folder/checkpoint";
  owned_model *model = create(task.pairs, &task.model);
  owned_training *training = begin(model, &task);
  bool finished;
  cr_assert_eq(elman_training_advance(training, 9, &finished, NULL), ELMAN_OK);
  cr_assert(finished);
  cr_assert_eq(elman_training_finish(training, &why), ELMAN_CANNOT_CREATE);
  cr_assert_str_eq(why.where, task.options.checkpoint);
  cr_assert_eq(elman_model_get_info(model).history.updates, 3);
}
