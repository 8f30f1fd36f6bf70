#include "translate/translate_all.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/team.h"

/* ---- batches of similar length ---- */

/* Limits of a batch. MAX_POSITIONS limits rows times source positions. MAX_ROWS limits rows,
 * because each row has a row of logits. */
enum { MAX_POSITIONS = 1 << 16, MAX_ROWS = 512 };

struct numbered {
  size_t length, number;
};

static int longest_first(const void *left, const void *right) {
  const struct numbered *a = left, *b = right;
  if (a->length != b->length) return a->length > b->length ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static size_t largest_batch(size_t length, size_t batch_size, size_t width) {
  size_t rows = length == 0 ? MAX_POSITIONS : MAX_POSITIONS / length;
  if (rows > MAX_ROWS) rows = MAX_ROWS;
  const size_t sentences = rows / width;
  if (sentences == 0) return 1;
  return sentences < batch_size ? sentences : batch_size;
}

static void cut(struct length_batches *batches, const struct numbered *sorted, size_t n,
                size_t batch_size, size_t width) {
  for (size_t i = 0; i < n; i++) batches->order[i] = sorted[i].number;
  for (size_t start = 0; start < n;) {
    const size_t rest = n - start;
    const size_t size = largest_batch(sorted[start].length, batch_size, width);
    const size_t batches_left = (rest + size - 1) / size;
    start += (rest + batches_left - 1) /
             batches_left; /* makes sizes similar, so that threads finish together */
    batches->starts[++batches->count] = start;
  }
}

elman_status length_batches_create(struct length_batches *batches, const size_t *lengths, size_t n,
                                   size_t batch_size, size_t width, elman_error *error) {
  *batches = (struct length_batches){0};
  if (n >= SIZE_MAX / sizeof(struct numbered)) return fail_no_memory(error);
  struct numbered *sorted = calloc(n + 1, sizeof *sorted);
  batches->order = calloc(n + 1, sizeof *batches->order);
  batches->starts = calloc(n + 1, sizeof *batches->starts);
  if (sorted == NULL || batches->order == NULL || batches->starts == NULL) {
    free(sorted);
    length_batches_free(batches);
    return fail_no_memory(error);
  }
  for (size_t i = 0; i < n; i++) sorted[i] = (struct numbered){lengths[i], i};
  qsort(sorted, n, sizeof *sorted, longest_first);
  cut(batches, sorted, n, batch_size, width);
  free(sorted);
  return ELMAN_OK;
}

void length_batches_free(struct length_batches *batches) {
  free(batches->order);
  free(batches->starts);
  *batches = (struct length_batches){0};
}

/* ---- threads and processes ---- */

/* Data shared by all threads. */
struct shared {
  const struct translate_job *job;
  const size_t *numbers; /* numbers of the sentences of the current kind: forced or free */
  struct length_batches batches;
  size_t before, count, own; /* numbers of sentences: of the previous kind, of this kind, and of
                                this kind in this process */
  struct team_lock lock;     /* protects the following fields */
  size_t next;               /* next batch */
  size_t done;               /* sentences of this process that are done */
  elman_status status;
  elman_error error;
};

/* Data private to a thread. */
struct worker {
  struct translator translator;
  elman_sentence *sentences; /* the sentences of one batch */
};

/* Report progress. Return whether to continue. */
static bool report_progress(const struct shared *shared) {
  const struct translate_job *job = shared->job;
  return job->progress == NULL ||
         job->progress(job->progress_context,
                       shared->before + shared->done * shared->count / shared->own, job->count);
}

/* Record that a sentence is done, or the first error. Return whether to continue. */
static bool note(struct shared *shared, elman_status status, const elman_error *error) {
  team_lock(&shared->lock);
  if (shared->status == ELMAN_OK && status != ELMAN_OK) {
    shared->status = status;
    shared->error = *error;
  }
  shared->done++;
  if (shared->status == ELMAN_OK && !report_progress(shared))
    shared->status = fail(&shared->error, ELMAN_INTERRUPTED, NULL, "translation was stopped");
  const bool going = shared->status == ELMAN_OK;
  team_unlock(&shared->lock);
  return going;
}

static bool next_batch(struct shared *shared, size_t *batch) {
  team_lock(&shared->lock);
  *batch = shared->next;
  shared->next += group_size(shared->job->group);
  const bool going = shared->status == ELMAN_OK && *batch < shared->batches.count;
  team_unlock(&shared->lock);
  return going;
}

static void run_batch(struct shared *shared, struct worker *worker, size_t batch) {
  const struct translate_job *job = shared->job;
  const size_t start = shared->batches.starts[batch];
  const size_t count = shared->batches.starts[batch + 1] - start;
  const size_t *order = shared->batches.order + start;
  elman_error error = {0};
  for (size_t i = 0; i < count; i++)
    worker->sentences[i] = job->sentences[shared->numbers[order[i]]];
  elman_status status =
      translator_run(&worker->translator, worker->sentences, count, job->options, &error);
  if (status != ELMAN_OK) (void)note(shared, status, &error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    status = job->receive(job->context, shared->numbers[order[i]], &worker->translator, i, &error);
    if (!note(shared, status, &error)) return;
  }
}

static void run_worker(const void *context, size_t number) {
  struct shared *shared = *(struct shared *const *)context;
  const struct translate_job *job = shared->job;
  const size_t most = job->batch_size < job->count ? job->batch_size : job->count;
  struct worker worker = {.sentences = calloc(most, sizeof *worker.sentences)};
  elman_error error = {0};
  (void)number;
  translator_create(&worker.translator, job->model, job->screen);
  if (worker.sentences == NULL) (void)note(shared, fail_no_memory(&error), &error);
  for (size_t batch; next_batch(shared, &batch);) run_batch(shared, &worker, batch);
  translator_free(&worker.translator);
  free(worker.sentences);
}

/* Run this process's batches with one worker per thread. The longest sentences come first, which
 * balances the load. A single worker may distribute its products over the threads. */
static void run_batches(struct shared *shared) {
  const size_t members = team_size(), P = group_size(shared->job->group);
  const size_t rank = group_rank(shared->job->group), *starts = shared->batches.starts;
  size_t batches = 0;
  for (size_t k = rank; k < shared->batches.count; k += P, batches++)
    shared->own += starts[k + 1] - starts[k];
  shared->next = rank;
  team_run(run_worker, &shared, members < batches ? members : batches);
}

/* Translate the sentences that have a reference, or those that have none. The two kinds never share
 * a batch, because forced decoding needs no beam. */
static elman_status run_kind(const struct translate_job *job, size_t *numbers, size_t *lengths,
                             bool forced, size_t *done, elman_error *error) {
  struct shared shared = {
      .job = job, .numbers = numbers, .before = *done, .lock = TEAM_LOCK_INITIALIZER};
  size_t n = 0;
  for (size_t i = 0; i < job->count; i++) {
    if ((job->sentences[i].reference != NULL) != forced) continue;
    numbers[n] = i;
    lengths[n++] = job->sentences[i].length;
  }
  if (n == 0) return ELMAN_OK;
  shared.count = n;
  *done += n;
  const elman_status status = length_batches_create(&shared.batches, lengths, n, job->batch_size,
                                                    forced ? 1 : job->options->beam, error);
  if (status != ELMAN_OK) return status;
  run_batches(&shared);
  length_batches_free(&shared.batches);
  return shared.status == ELMAN_OK ? ELMAN_OK : fail_again(error, &shared.error);
}

elman_status translate_all(const struct translate_job *job, elman_error *error) {
  size_t *numbers = calloc(job->count + 1, sizeof *numbers);
  size_t *lengths = calloc(job->count + 1, sizeof *lengths);
  size_t done = 0;
  elman_status status = ELMAN_OK;
  if (numbers == NULL || lengths == NULL) status = fail_no_memory(error);
  if (status == ELMAN_OK) status = run_kind(job, numbers, lengths, false, &done, error);
  if (status == ELMAN_OK) status = run_kind(job, numbers, lengths, true, &done, error);
  free(numbers);
  free(lengths);
  return status;
}
