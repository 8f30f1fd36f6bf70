#include "translate/translate_all.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/team.h"

/* ---- batches of similar length ---- */

/* Limits of a batch. MAX_POSITIONS limits rows times source positions. MAX_ROWS limits rows,
 * because each row has a row of logits. */
enum { MAX_POSITIONS = 1 << 16, MAX_ROWS = 512 };

/* Order sentences as in length_batches. Equal sentences keep the order of the array of all
 * sentences. */
static int by_kind_and_length(const void *left, const void *right) {
  const elman_sentence *a = *(const elman_sentence *const *)left;
  const elman_sentence *b = *(const elman_sentence *const *)right;
  if ((a->reference == NULL) != (b->reference == NULL)) return a->reference == NULL ? -1 : 1;
  if (a->length != b->length) return a->length > b->length ? -1 : 1;
  return (a > b) - (a < b);
}

static size_t largest_batch(size_t length, size_t batch_size, size_t width) {
  size_t rows = length == 0 ? MAX_POSITIONS : MAX_POSITIONS / length;
  if (rows > MAX_ROWS) rows = MAX_ROWS;
  const size_t sentences = rows / width;
  if (sentences == 0) return 1;
  return sentences < batch_size ? sentences : batch_size;
}

/* Cut sentences [start, end) of the order into batches. */
static void cut(struct length_batches *batches, size_t start, size_t end, size_t batch_size,
                size_t width) {
  while (start < end) {
    const size_t rest = end - start;
    const size_t size = largest_batch(batches->order[start]->length, batch_size, width);
    const size_t batches_left = (rest + size - 1) / size;
    start += (rest + batches_left - 1) /
             batches_left; /* makes sizes similar, so that threads finish together */
    batches->starts[++batches->count] = start;
  }
}

elman_status length_batches_create(struct length_batches *batches, const elman_sentence *sentences,
                                   size_t n, size_t batch_size, size_t width, elman_error *error) {
  size_t unforced = 0;
  *batches = (struct length_batches){.order = calloc(n + 1, sizeof *batches->order),
                                     .starts = calloc(n + 1, sizeof *batches->starts)};
  if (batches->order == NULL || batches->starts == NULL) {
    length_batches_free(batches);
    return fail_no_memory(error);
  }
  for (size_t i = 0; i < n; i++) {
    batches->order[i] = &sentences[i];
    unforced += sentences[i].reference == NULL;
  }
  qsort(batches->order, n, sizeof *batches->order, by_kind_and_length);
  cut(batches, 0, unforced, batch_size, width);
  cut(batches, unforced, n, batch_size, 1);
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
  struct length_batches batches;
  size_t own;            /* number of sentences of this process */
  struct team_lock lock; /* protects the following fields */
  size_t next;           /* next batch */
  size_t done;           /* sentences of this process that are done */
  elman_status status;
  elman_error error;
};

/* Report progress. Return whether to continue. */
static bool report_progress(const struct shared *shared) {
  const struct translate_job *job = shared->job;
  return job->progress == NULL ||
         job->progress(job->progress_context, shared->done * job->count / shared->own, job->count);
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

static void run_batch(struct shared *shared, struct translator *translator, size_t batch) {
  const struct translate_job *job = shared->job;
  const size_t *starts = shared->batches.starts;
  const elman_sentence *const *sentences = shared->batches.order + starts[batch];
  const size_t count = starts[batch + 1] - starts[batch];
  elman_error error = {0};
  elman_status status = translator_run(translator, sentences, count, job->options, &error);
  if (status != ELMAN_OK) (void)note(shared, status, &error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    const size_t number = (size_t)(sentences[i] - job->sentences);
    status = job->receive(job->context, number, translator, i, &error);
    if (!note(shared, status, &error)) return;
  }
}

static void run_worker(const void *context, size_t number) {
  struct shared *shared = *(struct shared *const *)context;
  const struct translate_job *job = shared->job;
  struct translator own, *translator = job->count == 1 && job->only != NULL ? job->only : &own;
  (void)number;
  translator_create(&own, job->model, job->screen);
  for (size_t batch; next_batch(shared, &batch);) run_batch(shared, translator, batch);
  translator_free(&own);
}

/* Run this process's batches with one worker per thread. The longest sentences come first, which
 * balances the load. A single worker may distribute its products over the threads. */
elman_status translate_all(const struct translate_job *job, elman_error *error) {
  struct shared shared = {.job = job, .lock = TEAM_LOCK_INITIALIZER}, *all = &shared;
  const elman_status status = length_batches_create(&shared.batches, job->sentences, job->count,
                                                    job->batch_size, job->options->beam, error);
  if (status != ELMAN_OK) return status;
  const size_t members = team_size(), P = group_size(job->group), rank = group_rank(job->group);
  const size_t *starts = shared.batches.starts;
  size_t batches = 0;
  for (size_t k = rank; k < shared.batches.count; k += P, batches++)
    shared.own += starts[k + 1] - starts[k];
  shared.next = rank;
  team_run(run_worker, &all, members < batches ? members : batches);
  length_batches_free(&shared.batches);
  return shared.status == ELMAN_OK ? ELMAN_OK : fail_again(error, &shared.error);
}
