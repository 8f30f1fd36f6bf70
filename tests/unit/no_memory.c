/* Test: float, wraps malloc, wraps calloc, wraps realloc, wraps aligned_alloc. */
/* Each single allocation fails in turn. The result must then be unchanged, or the status must be
 * ELMAN_NO_MEMORY: no partial result is returned, and no intact file is reported as damaged. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "aligned.h"
#include "base/group.h"
#include "base/json.h"
#include "metric/bleu.h"
#include "model/model_file.h"
#include "processes.h"
#include "train/checkpoint.h"
#include "translate/evaluate.h"

/* ---- failing allocations, with the linker's --wrap ---- */

/* In this thread: allocations before the one that fails; -1 = none fails. */
static _Thread_local long allowed = -1;
static _Thread_local bool has_failed;

static bool fails_now(void) {
  if (allowed < 0) return false;
  const bool fails = allowed-- == 0;
  has_failed = has_failed || fails;
  return fails;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size) {
  return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  return fails_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
  return fails_now() ? NULL : __real_realloc(memory, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails_now() ? NULL : __real_aligned_alloc(alignment, size);
}

/* Call `attempt` with each single allocation failing, until a call needs fewer allocations and
 * succeeds. `attempt` checks its own result, and allocates nothing before it calls `whole`. */
static void each_allocation_fails(void (*attempt)(void)) {
  enum { MOST = 100000 };
  for (long k = 0; k < MOST; k++) {
    allowed = k;
    has_failed = false;
    attempt();
    allowed = -1;
    if (!has_failed) {
      cr_assert_gt(k, 0, "nothing was allocated, so nothing was tested");
      return;
    }
  }
  cr_assert_fail("there is no end of allocations");
}

/* Return true if the status is that of a complete result; other statuses have been checked. */
static bool whole(elman_status status) {
  allowed = -1;
  if (status == ELMAN_OK) return true;
  cr_assert(has_failed, "status %d although nothing failed", status);
  cr_assert_eq(status, ELMAN_NO_MEMORY, "memory ran out, and the status is %d", status);
  return false;
}

/* ---- the tokenizers of BLEU ---- */

static enum bleu_tokenizer tokenizer;

/* Longer than the first size of a buffer; the passes make it longer still. */
static const char line[] = "\"One, two; three: 4.5% of 6-7!\" &quot;x&amp;y&quot; (a) [b] {c} <d> "
                           "我，你。 end. One, two; three: 4.5% of 6-7! (a) [b] {c} <d> , , , .";

static void tokenize_line(void) {
  static char expected[4096];
  static size_t expected_count;
  struct tokens tokens = {0};
  struct bleu_passes passes = {0};
  if (expected_count == 0) {
    const long kept = allowed;
    allowed = -1;
    cr_assert_eq(bleu_tokenize(&tokens, &passes, text_of(line), tokenizer, NULL), ELMAN_OK);
    memcpy(expected, tokens.bytes.bytes, tokens.bytes.length + 1);
    expected_count = tokens.count;
    tokens_free(&tokens);
    bleu_passes_free(&passes);
    allowed = kept;
  }
  if (whole(bleu_tokenize(&tokens, &passes, text_of(line), tokenizer, NULL))) {
    cr_assert_eq(tokens.count, expected_count, "tokens were lost without an error");
    cr_assert_str_eq(tokens.bytes.bytes, expected);
  }
  tokens_free(&tokens);
  bleu_passes_free(&passes);
}

Test(no_memory, tokenizer_13a_reports_no_memory) {
  tokenizer = BLEU_13A;
  each_allocation_fails(tokenize_line);
}

Test(no_memory, tokenizer_zh_reports_no_memory) {
  tokenizer = BLEU_ZH;
  each_allocation_fails(tokenize_line);
}

Test(no_memory, tokenizer_char_reports_no_memory) {
  tokenizer = BLEU_CHAR;
  each_allocation_fails(tokenize_line);
}

/* ---- JSON, and files that contain it ---- */

static void fail_in_the_library_too(void) {
  json_set_alloc_funcs(__wrap_malloc, free);
}

static void read_value(void) {
  static const char text[] =
      "{\"a\":[1,2.5,true,null,\"a string that is longer than sixteen bytes\",123456789012345678],"
      "\"\\u00e9\\ud83d\\ude00, and so on and on, escapes and all, for more than 64 bytes\":{}}";
  json_t *value;
  if (whole(read_json(&value, text_of(text), NULL))) {
    json_t *expected = json_loads(text, 0, NULL);
    cr_assert(json_equal(value, expected));
    json_decref(expected);
  }
  json_decref(value);
}

Test(no_memory, json_reader_reports_no_memory, .init = fail_in_the_library_too) {
  each_allocation_fails(read_value);
}

static json_t *written;

static void write_value(void) {
  static const char expected[] =
      "{\"a name that is longer than sixteen bytes, and then some\":[1,2.5,true],"
      "\"another one, without which a reader would not know what the value is\":\"\\u0001\"}";
  char *text = write_json(written, JSON_COMPACT | JSON_SORT_KEYS);
  if (whole(text == NULL ? ELMAN_NO_MEMORY : ELMAN_OK)) cr_assert_str_eq(text, expected);
  free(text);
}

Test(no_memory, json_writer_reports_no_memory, .init = fail_in_the_library_too) {
  written = json_pack(
      "{s:[i,f,b], s:s}", "a name that is longer than sixteen bytes, and then some", 1, 2.5, 1,
      "another one, without which a reader would not know what the value is", "\001");
  each_allocation_fails(write_value);
  json_decref(written);
}

static const char *data(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/reference/%s", getenv("TEST_DATA"), name);
  return path;
}

static const char *model_path;

static void load_model(void) {
  struct model *model;
  if (whole(model_load(&model, model_path, NULL))) cr_assert_gt(model->table.count, 0);
  model_free(model);
}

Test(no_memory, model_file_reports_no_memory, .init = fail_in_the_library_too) {
  static const char *const names[] = {"model-dot.safetensors", "model-tied.safetensors"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    model_path = data(names[i]);
    each_allocation_fails(load_model);
  }
}

static struct trainer trainer;
static elman_train_options options;
static elman_status expected_status;

static void load_checkpoint(void) {
  elman_error error = {.message = ""};
  bool found;
  const elman_status status = checkpoint_load(&trainer, &found, &error);
  allowed = -1;
  cr_assert_null(strstr(error.message, "delete it"), "an intact file is reported as damaged: %s",
                 error.message);
  if (status == expected_status) {
    cr_assert(found);
    cr_assert_eq(trainer.state.update, 7);
  } else {
    cr_assert(!whole(status));
  }
}

static void save_checkpoint(void) {
  if (whole(checkpoint_save(&trainer, NULL))) cr_assert_eq(each_entry(NULL), 1);
}

Test(no_memory, checkpoint_reports_no_memory, .init = fail_in_the_library_too) {
  struct model *model;
  blas_set_up();
  cr_assert_eq(model_load(&model, data("model-dot.safetensors"), NULL), ELMAN_OK);
  enter_folder();
  options = (elman_train_options){
      .batch_size = 4, .shards = 1, .learning_rate = 0.001, .checkpoint = "checkpoint"};
  cr_assert_eq(trainer_create(&trainer, model, &options, NULL), ELMAN_OK);
  trainer.state.update = 7;
  trainer.state.epoch_loss = 1.25;
  each_allocation_fails(save_checkpoint);
  each_allocation_fails(load_checkpoint);
  trainer.corpus.ids = 1; /* another corpus: the status reports it, or that memory ran out */
  expected_status = ELMAN_INVALID_ARGUMENT;
  each_allocation_fails(load_checkpoint);
  leave_folder();
  trainer_free(&trainer);
  model_free(model);
}

/* ---- one of several processes ---- */

enum { PROCESSES = 3 };

static elman_pairs *pairs;
static struct model *model;
static elman_scores scores_alone;

static void set_up_processes(void) {
  static const char few[] =
      "a b\tA B\t0-0 1-1\nb\tB\t0-0\nc a b\tC A B\t\nc\tC\t0-0\nb b\tB B\t1-0\n";
  enter_folder();
  put_bytes("few", few, strlen(few));
  pairs = pairs_in("few", 3);
  model = model_of_pairs(pairs);
}

static void tear_down_processes(void) {
  model_free(model);
  elman_pairs_free(pairs);
  leave_folder();
}

/* Work of which one process has too little memory. */
struct trial {
  size_t failing; /* failing process */
  long allowed;
  bool has_failed;
  struct model *models[PROCESSES];
  elman_scores scores[PROCESSES];
  elman_status status[PROCESSES];
  elman_error errors[PROCESSES];
};

/* Run the work together; no process waits forever, and all return equal statuses and errors. Return
 * whether all have a complete result. */
static bool run_trial(struct trial *trial, process_function *work) {
  trial->allowed = allowed;
  allowed = -1;
  run_processes(PROCESSES, work, trial);
  has_failed = trial->has_failed;
  for (size_t r = 0; r < PROCESSES; r++) {
    cr_assert_eq(trial->status[r], trial->status[0], "%s; %s", trial->errors[r].message,
                 trial->errors[0].message);
    if (trial->status[r] != ELMAN_OK)
      cr_assert_str_eq(trial->errors[r].message, trial->errors[0].message);
  }
  return whole(trial->status[0]);
}

static void evaluate_one(const elman_group *group, void *context) {
  struct trial *all = context;
  const size_t rank = group_rank(group);
  elman_evaluate_options own = elman_evaluate_options_default();
  own.group = group;
  own.batch_size = 2;
  if (rank == all->failing) allowed = all->allowed;
  all->status[rank] = evaluate(&all->scores[rank], model, pairs, NULL, &own, &all->errors[rank]);
  if (rank == all->failing) all->has_failed = has_failed;
}

static size_t failing_process;

static void evaluate_together(void) {
  struct trial all = {.failing = failing_process};
  if (!run_trial(&all, evaluate_one)) return;
  for (size_t r = 0; r < PROCESSES; r++)
    cr_assert_eq(memcmp(&all.scores[r], &scores_alone, sizeof scores_alone), 0);
}

Test(no_memory, evaluation_by_processes_reports_no_memory) {
  set_up_processes();
  struct trial alone = {.allowed = -1};
  evaluate_one(NULL, &alone);
  cr_assert_eq(alone.status[0], ELMAN_OK);
  scores_alone = alone.scores[0];
  for (failing_process = 0; failing_process < PROCESSES; failing_process++)
    each_allocation_fails(evaluate_together);
  tear_down_processes();
}

static struct corpus corpus;

static void train_one(const elman_group *group, void *context) {
  struct trial *all = context;
  const size_t rank = group_rank(group);
  const elman_train_options own = {.epochs = 2,
                                   .batch_size = 4,
                                   .shards = PROCESSES,
                                   .learning_rate = 0.01,
                                   .average = 0.9,
                                   .dev = (const elman_pairs *)pairs,
                                   .seed = 1,
                                   .group = group};
  if (rank == all->failing) allowed = all->allowed;
  all->status[rank] = trainer_run(all->models[rank], &corpus, &own, &all->errors[rank]);
  if (rank == all->failing) all->has_failed = has_failed;
  allowed = -1;
}

static void train_together(void) {
  const size_t size = model->table.block * sizeof *model->block;
  struct trial all = {.failing = failing_process};
  const long kept = allowed;
  allowed = -1;
  for (size_t r = 0; r < PROCESSES; r++) all.models[r] = model_of_pairs(pairs);
  allowed = kept;
  const bool is_whole = run_trial(&all, train_one);
  for (size_t r = 0; r < PROCESSES; r++) {
    if (is_whole) cr_assert_eq(memcmp(all.models[r]->block, model->block, size), 0);
    model_free(all.models[r]);
  }
}

Test(no_memory, training_by_processes_reports_no_memory, .init = fail_in_the_library_too) {
  set_up_processes();
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  cr_assert_eq(corpus_encode(&corpus, pairs, &source, &target,
                             &(struct encoding_options){.max_length = 50}, NULL),
               ELMAN_OK);
  struct trial alone = {.allowed = -1, .models = {model}};
  train_one(NULL, &alone);
  cr_assert_eq(alone.status[0], ELMAN_OK);
  for (failing_process = 0; failing_process < PROCESSES; failing_process++)
    each_allocation_fails(train_together);
  corpus_free(&corpus);
  tear_down_processes();
}
