#include "serve/jobs.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "console/messages.h"

/* MOST_BATCH sentences are translated at once; a larger batch is not faster. MOST_TURN sentences of
 * one job come first; then it is the turn of other jobs. */
enum { MOST_BATCH = 64, MOST_TURN = 16 };

/* While a client is this far behind, it gets no more partial translations. */
static const size_t MOST_EVENTS = (size_t)1 << 18;

/* The translators of a thread for one model. */
struct tool {
  struct served_model *model;      /* held */
  elman_translator *narrow, *wide; /* with one thread, and with all of them; NULL until used */
};

struct worker {
  struct queue *queue;
  pthread_t thread;
  struct tool tools[MAX_SERVED];
  size_t tool_count;
  size_t reloads; /* reloads whose old models the thread has dropped */
  struct outcome *outcome;
};

struct queue {
  const struct serve_settings *settings;
  int wake;
  atomic_size_t expected;
  pthread_mutex_t mutex; /* protects all that follows */
  pthread_cond_t arrival;
  struct job *first, **last; /* jobs with sentences that no thread has taken */
  struct job *done, **last_done;
  size_t busy, started;
  size_t reloads;
  bool ending;
  struct job_counts counts;
  struct worker workers[];
};

/* Sentences of jobs with the same model and search. */
struct batch {
  struct job *jobs[MOST_BATCH];
  size_t pieces[MOST_BATCH];
  size_t count;
  bool alone; /* no other thread translates, so this one may use all cores */
  double deadline;
};

/* ---- the main thread ---- */

static void wake_main(const struct queue *queue) {
  const uint64_t one = 1;
  while (write(queue->wake, &one, sizeof one) < 0 && errno == EINTR) continue;
}

size_t queue_read_events(struct queue *queue, struct job *job, char *into, size_t most,
                         bool *finished) {
  pthread_mutex_lock(&queue->mutex);
  const size_t size = job_read_events(job, into, most, finished);
  pthread_mutex_unlock(&queue->mutex);
  return size;
}

/* ---- the queue, under its lock ---- */

static void append(struct queue *queue, struct job *job) {
  job->next = NULL;
  *queue->last = job;
  queue->last = &job->next;
}

static void remove_after(struct queue *queue, struct job **place) {
  struct job *job = *place;
  *place = job->next;
  if (queue->last == &job->next) queue->last = place;
  job->next = NULL;
}

/* Pass a job to the main thread. All its sentences are translated, or it has failed and no thread
 * works on it. */
static void hand_over(struct queue *queue, struct job *job) {
  if (job->request.stream) {
    if (job->problem.status != 0) {
      const struct answer failure = answer_problem(&job->problem);
      if (failure.text != NULL) job_add_event(job, "error", failure.text, failure.size - 1);
      free(failure.text);
    }
    job_add_event(job, "done", "{}", 2);
    job->finished = true;
  }
  job->next = NULL;
  *queue->last_done = job;
  queue->last_done = &job->next;
  wake_main(queue);
}

/* Count the sentences of a job that will not be taken. */
static void drop_rest(struct queue *queue, struct job *job) {
  const size_t rest = job->request.count - job->taken;
  queue->counts.waiting -= rest;
  job->translated += rest;
  job->taken = job->request.count;
}

static const char too_late[] = "the time for the request is over; try again later";

/* Remove jobs whose time is over or whose client has gone. */
static void expire(struct queue *queue) {
  const double time = now();
  for (struct job **place = &queue->first; *place != NULL;) {
    struct job *job = *place;
    if (time < job->deadline && !atomic_load(&job->abandoned) && !job->failed) {
      place = &job->next;
      continue;
    }
    remove_after(queue, place);
    job_fail(job, JOB_UNAVAILABLE, too_late);
    drop_rest(queue, job);
    if (job->translated == job->request.count) hand_over(queue, job);
  }
}

void queue_expire(struct queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  expire(queue);
  pthread_mutex_unlock(&queue->mutex);
}

bool queue_submit(struct queue *queue, struct job *job) {
  pthread_mutex_lock(&queue->mutex);
  struct job_counts *counts = &queue->counts;
  const size_t count = job->request.count;
  /* A single request may be larger than the queue. */
  const bool fits = counts->waiting + counts->running == 0 ||
                    counts->waiting + counts->running + count <= queue->settings->max_queue;
  if (fits) {
    append(queue, job);
    counts->waiting += count;
    pthread_cond_signal(&queue->arrival);
  }
  pthread_mutex_unlock(&queue->mutex);
  return fits;
}

struct job *queue_collect(struct queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  struct job *done = queue->done;
  queue->done = NULL;
  queue->last_done = &queue->done;
  pthread_mutex_unlock(&queue->mutex);
  return done;
}

void queue_expect(struct queue *queue, size_t connections) {
  atomic_store(&queue->expected, connections);
}

struct job_counts queue_counts(struct queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  const struct job_counts counts = queue->counts;
  pthread_mutex_unlock(&queue->mutex);
  return counts;
}

/* ---- batches, under the lock ---- */

/* Return how many sentences a thread takes: its share if other threads are idle. */
static size_t share_of(const struct queue *queue) {
  const size_t idle = queue->started - queue->busy;
  const size_t share = (queue->counts.waiting + idle - 1) / idle;
  return share < MOST_BATCH ? share : MOST_BATCH;
}

/* Take up to `most` sentences that fit together, MOST_TURN of a job at a time. A job with more
 * sentences moves to the end. Its turn comes again if no other job waits. */
static void take(struct batch *batch, struct queue *queue, size_t most) {
  struct job *first = queue->first, *again = NULL; /* the first job that moves to the end */
  bool skipped = false;
  batch->count = 0;
  batch->deadline = 0;
  for (struct job **place = &queue->first; *place != NULL && batch->count < most;) {
    struct job *job = *place;
    if (job == again && skipped) break;
    if (first != job && !requests_fit(&first->request, &job->request)) {
      skipped = true;
      place = &job->next;
      continue;
    }
    for (size_t n = 0; n < MOST_TURN && batch->count < most && job->taken < job->request.count;
         n++) {
      batch->jobs[batch->count] = job;
      batch->pieces[batch->count++] = job->taken++;
    }
    if (job->deadline > batch->deadline) batch->deadline = job->deadline;
    remove_after(queue, place);
    if (job->taken == job->request.count) continue;
    append(queue, job);
    if (again == NULL) again = job;
  }
  queue->counts.waiting -= batch->count;
  queue->counts.running += batch->count;
}

static void add_milliseconds(struct timespec *time, size_t milliseconds) {
  time->tv_sec += (time_t)(milliseconds / 1000);
  time->tv_nsec += (long)(milliseconds % 1000) * 1000000;
  if (time->tv_nsec < 1000000000) return;
  time->tv_sec++;
  time->tv_nsec -= 1000000000;
}

/* Wait for sentences or a reload. Then wait a little for more sentences, unless none can come or
 * the batch is full. Return false if the thread must end. */
static bool await_sentences(const struct worker *worker) {
  struct queue *queue = worker->queue;
  struct timespec until;
  while (queue->first == NULL && !queue->ending && worker->reloads == queue->reloads)
    pthread_cond_wait(&queue->arrival, &queue->mutex);
  clock_gettime(CLOCK_MONOTONIC, &until);
  add_milliseconds(&until, queue->settings->batch_wait);
  while (queue->first != NULL && !queue->ending && queue->counts.waiting < MOST_BATCH &&
         atomic_load(&queue->expected) > 0)
    if (pthread_cond_timedwait(&queue->arrival, &queue->mutex, &until) != 0) break;
  return queue->first != NULL || !queue->ending;
}

/* ---- translation, without the lock ---- */

static void free_tool(struct tool *tool) {
  elman_translator_free(tool->narrow);
  elman_translator_free(tool->wide);
  served_model_release(tool->model);
}

static void forget_models(struct worker *worker) {
  size_t kept = 0;
  for (size_t i = 0; i < worker->tool_count; i++) {
    if (atomic_load(&worker->tools[i].model->retired))
      free_tool(&worker->tools[i]);
    else
      worker->tools[kept++] = worker->tools[i];
  }
  worker->tool_count = kept;
}

static elman_status find_translator(elman_translator **translator, struct worker *worker,
                                    struct served_model *model, bool wide, elman_error *error) {
  size_t i = 0;
  while (i < worker->tool_count && worker->tools[i].model != model) i++;
  if (i == worker->tool_count) {
    if (i == MAX_SERVED) free_tool(&worker->tools[i = --worker->tool_count]);
    worker->tools[i] = (struct tool){.model = served_model_hold(model)};
    worker->tool_count++;
  }
  elman_translator **found = wide ? &worker->tools[i].wide : &worker->tools[i].narrow;
  const elman_status status =
      *found == NULL ? elman_translator_create(found, model->model, error) : ELMAN_OK;
  *translator = *found;
  return status;
}

struct watch {
  struct queue *queue;
  const struct batch *batch;
};

static bool is_wanted(const struct batch *batch) {
  for (size_t i = 0; i < batch->count; i++)
    if (!atomic_load(&batch->jobs[i]->abandoned)) return now() < batch->deadline;
  return false;
}

/* Stop a batch that nobody waits for; pass the tokens of a job that streams. */
static bool watch_batch(void *context, const elman_partial *partial) {
  const struct watch *watch = context;
  const struct batch *batch = watch->batch;
  struct job *job = batch->jobs[0];
  if (!is_wanted(batch)) return false;
  if (!job->request.stream) return true;
  const struct answer answer = answer_partial(&job->request, (size_t)partial->number - 1, partial);
  if (answer.text == NULL) return true;
  pthread_mutex_lock(&watch->queue->mutex);
  if (job_unread_events(job) < MOST_EVENTS) job_add_event(job, "token", answer.text, answer.size);
  pthread_mutex_unlock(&watch->queue->mutex);
  free(answer.text);
  wake_main(watch->queue);
  return true;
}

/* The translations of a batch. */
struct outcome {
  elman_translation *translations[MOST_BATCH];
  elman_error errors[MOST_BATCH];
  elman_status status;
  elman_error error;
  struct answer results[MOST_BATCH];
  size_t tokens;
  double seconds;
};

static void translate(struct outcome *outcome, struct worker *worker, const struct batch *batch) {
  const struct request *request = &batch->jobs[0]->request;
  elman_translator *translator;
  elman_sentence sentences[MOST_BATCH];
  struct watch watch = {worker->queue, batch};
  elman_translate_options options = request->search;
  const double begun = now();
  options.threads = batch->alone ? worker->queue->settings->threads : 1;
  options.partial = watch_batch;
  options.partial_context = &watch;
  for (size_t i = 0; i < batch->count; i++)
    sentences[i] = batch->jobs[i]->request.pieces[batch->pieces[i]].sentence;
  outcome->status =
      find_translator(&translator, worker, request->model, batch->alone, &outcome->error);
  if (outcome->status == ELMAN_OK)
    outcome->status = elman_translate_batch(outcome->translations, outcome->errors, translator,
                                            sentences, batch->count, &options, &outcome->error);
  else
    memset(outcome->translations, 0, sizeof outcome->translations);
  outcome->tokens = 0;
  for (size_t i = 0; i < batch->count; i++) {
    const elman_translation *translation = outcome->translations[i];
    const bool good = outcome->status == ELMAN_OK || outcome->status == ELMAN_BAD_DATA;
    if (translation != NULL) outcome->tokens += translation->target_count;
    outcome->results[i] =
        good ? job_result(batch->jobs[i], batch->pieces[i], translation, &outcome->errors[i])
             : (struct answer){0};
  }
  outcome->seconds = now() - begun;
}

/* ---- outcomes, under the lock ---- */

/* Record the result of a piece. A text of /translate that cannot be translated fails its request;
 * /v1/translations tells the reason in its place. */
static void record(struct job *job, size_t piece, struct outcome *outcome, size_t i) {
  const bool whole = outcome->status != ELMAN_OK && outcome->status != ELMAN_BAD_DATA;
  job->results[piece] = outcome->results[i];
  job_note_cells(job, outcome->translations[i]);
  if (whole && outcome->status == ELMAN_INTERRUPTED)
    job_fail(job, JOB_UNAVAILABLE, too_late);
  else if (whole)
    job_fail(job, outcome->status == ELMAN_INVALID_ARGUMENT ? JOB_UNFIT : JOB_UNAVAILABLE,
             outcome->error.message);
  else if (outcome->results[i].text == NULL)
    job_fail(job, JOB_UNAVAILABLE, "out of memory; try again later");
  else if (outcome->translations[i] == NULL && job->request.kind == REQUEST_TRANSLATE)
    job_fail(job, JOB_UNFIT, outcome->errors[i].message);
  if (job->request.stream && !job->failed)
    job_add_event(job, "result", outcome->results[i].text, outcome->results[i].size);
}

/* Return the jobs of the batch that are done as a list. No other thread works on them. */
static struct job *deliver(struct queue *queue, const struct batch *batch,
                           struct outcome *outcome) {
  struct job *complete = NULL;
  for (size_t i = 0; i < batch->count; i++) {
    struct job *job = batch->jobs[i];
    record(job, batch->pieces[i], outcome, i);
    if (++job->translated < job->request.count) continue;
    job->next = complete;
    complete = job;
  }
  struct job_counts *counts = &queue->counts;
  counts->running -= batch->count;
  counts->sentences += batch->count;
  counts->batches++;
  counts->tokens += outcome->tokens;
  counts->seconds += outcome->seconds;
  return complete;
}

static void run_batch(struct worker *worker, const struct batch *batch, struct outcome *outcome) {
  struct queue *queue = worker->queue;
  translate(outcome, worker, batch);
  pthread_mutex_lock(&queue->mutex);
  struct job *complete = deliver(queue, batch, outcome);
  pthread_mutex_unlock(&queue->mutex);
  for (struct job *job = complete; job != NULL; job = job->next) job_finish(job);
  for (size_t i = 0; i < batch->count; i++) elman_translation_free(outcome->translations[i]);
  pthread_mutex_lock(&queue->mutex);
  for (struct job *job = complete, *next; job != NULL; job = next) {
    next = job->next;
    hand_over(queue, job);
  }
  pthread_mutex_unlock(&queue->mutex);
}

/* Translate a batch, which may have been the last one of a replaced model. The lock is held before
 * and after, but not meanwhile. */
static void serve_batch(struct worker *worker) {
  struct queue *queue = worker->queue;
  struct batch batch;
  take(&batch, queue, share_of(queue));
  queue->busy++;
  batch.alone = queue->busy == 1 && queue->first == NULL;
  if (queue->first != NULL) pthread_cond_signal(&queue->arrival);
  pthread_mutex_unlock(&queue->mutex);
  run_batch(worker, &batch, worker->outcome);
  forget_models(worker);
  pthread_mutex_lock(&queue->mutex);
  queue->busy--;
}

static void *run_worker(void *argument) {
  struct worker *worker = argument;
  struct queue *queue = worker->queue;
  pthread_mutex_lock(&queue->mutex);
  while (await_sentences(worker)) {
    if (worker->reloads != queue->reloads) {
      worker->reloads = queue->reloads;
      pthread_mutex_unlock(&queue->mutex);
      forget_models(worker);
      pthread_mutex_lock(&queue->mutex);
    }
    expire(queue);
    if (queue->first != NULL) serve_batch(worker);
  }
  pthread_mutex_unlock(&queue->mutex);
  while (worker->tool_count > 0) free_tool(&worker->tools[--worker->tool_count]);
  return NULL;
}

void queue_forget_models(struct queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  queue->reloads++;
  pthread_cond_broadcast(&queue->arrival);
  pthread_mutex_unlock(&queue->mutex);
}

/* ---- start and end ---- */

static bool start_conditions(struct queue *queue) {
  pthread_condattr_t attributes;
  if (pthread_condattr_init(&attributes) != 0) return false;
  bool good = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(&queue->arrival, &attributes) == 0;
  pthread_condattr_destroy(&attributes);
  if (!good) return false;
  good = pthread_mutex_init(&queue->mutex, NULL) == 0;
  if (!good) pthread_cond_destroy(&queue->arrival);
  return good;
}

/* Start the threads. Work with fewer if the system cannot start all of them, but with at least
 * one. */
static bool start_workers(struct queue *queue) {
  for (size_t i = 0; i < queue->settings->threads; i++) {
    struct worker *worker = &queue->workers[i];
    worker->queue = queue;
    worker->outcome = calloc(1, sizeof *worker->outcome);
    const int problem = worker->outcome == NULL
                            ? ENOMEM
                            : pthread_create(&worker->thread, NULL, run_worker, worker);
    if (problem != 0) {
      free(worker->outcome);
      errno = problem;
      return i > 0;
    }
    pthread_mutex_lock(&queue->mutex);
    queue->started++;
    pthread_mutex_unlock(&queue->mutex);
  }
  return true;
}

struct queue *queue_start(const struct serve_settings *settings, int wake) {
  struct queue *queue = calloc(1, sizeof *queue + settings->threads * sizeof *queue->workers);
  if (queue == NULL) return NULL;
  queue->settings = settings;
  queue->wake = wake;
  queue->last = &queue->first;
  queue->last_done = &queue->done;
  atomic_init(&queue->expected, 0);
  if (!start_conditions(queue)) {
    free(queue);
    return NULL;
  }
  if (start_workers(queue)) return queue;
  const int problem = errno;
  queue_end(queue);
  errno = problem;
  return NULL;
}

void queue_end(struct queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  queue->ending = true;
  const size_t started = queue->started;
  pthread_cond_broadcast(&queue->arrival);
  pthread_mutex_unlock(&queue->mutex);
  for (size_t i = 0; i < started; i++) {
    pthread_join(queue->workers[i].thread, NULL);
    free(queue->workers[i].outcome);
  }
  for (struct job *job = queue_collect(queue), *next; job != NULL; job = next) {
    next = job->next;
    job_free(job);
  }
  pthread_cond_destroy(&queue->arrival);
  pthread_mutex_destroy(&queue->mutex);
  free(queue);
}
