#include "serve/jobs.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "console/messages.h"

/* MOST_BATCH sentences are translated at once; a larger batch is not faster. First take MOST_TURN
 * sentences of one job, then sentences of other jobs. The cost of several sentences is at most
 * MOST_COST, which bounds the memory of a batch to about 64 MB of attention weights. */
enum { MOST_BATCH = 64, MOST_TURN = 16, MOST_COST = 1 << 24 };

/* A batch that takes longer than PATIENCE seconds pauses for brief sentences that wait. Their cost
 * is at most the cost of the batch divided by BRIEF. After a pause, the batch continues for at
 * least PAUSE seconds, and at least for the time of the pause, so that the batch ends, too. */
static const double PATIENCE = 0.1, PAUSE = 0.02;
enum { BRIEF = 8 };

/* The maximum cost of a job that counts as brief when it enters the queue: a few short sentences.
 */
enum { BRIEF_COST = 1 << 20 };

/* While a client has more unread bytes of events than this, it gets no partial translations. */
static const size_t MOST_EVENTS = (size_t)1 << 18;

/* The translators of a thread for one model. */
struct tool {
  struct served_model *model; /* held */
  elman_translator *narrow,
      *wide; /* translators with one thread and with all threads; NULL until used */
};

/* A thread can begin a batch while another one pauses. Each has its own translators. */
enum { LONG_BATCH, BRIEF_BATCH, LEVELS };

struct level {
  struct tool tools[MAX_SERVED];
  size_t tool_count;
  struct outcome *outcome;
};

struct service_worker {
  struct queue *queue;
  pthread_t thread;
  struct level levels[LEVELS];
  size_t reloads;     /* reloads whose old models the thread has dropped */
  double pause_after; /* time from which the long batch may pause */
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
  struct service_worker workers[];
};

/* Sentences of jobs with the same model and search. */
struct service_batch {
  struct job *jobs[MOST_BATCH];
  size_t pieces[MOST_BATCH];
  size_t count, cost, sentences;
  bool alone; /* no other thread translates, so this one may use all cores */
  double deadline;
};

/* ---- the main thread ---- */

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
  wake_by(queue->wake);
}

/* Count the sentences of a job that will not be taken. */
static void drop_rest(struct queue *queue, struct job *job) {
  queue->counts.waiting -= job->waiting;
  job->waiting = 0;
  job->translated += job->request.count - job->taken;
  job->taken = job->request.count;
}

static const char too_late[] = "the request reached its time limit; try again later";

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
    job_fail(job, UNAVAILABLE, too_late);
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
  const size_t count = job->waiting, before = counts->waiting + counts->running;
  const size_t room = queue->settings->max_queue;
  /* A request that is alone may be larger than the queue. Brief requests have room of their own, so
   * that long requests of another client do not keep them out. */
  const bool fits = before == 0 || before + count <= room ||
                    (job->cost <= BRIEF_COST && before + count <= room + room / 4);
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

/* Return whether the batch has room for a piece. A piece with many sentences may be alone in it. */
static bool has_room(const struct service_batch *batch, const struct piece *piece, size_t most,
                     size_t most_cost) {
  return batch->count == 0 ||
         (batch->sentences + piece->sentences <= most && batch->cost + piece->cost <= most_cost);
}

/* Take a turn of a job: pieces for which the batch has room. Return their number. */
static size_t take_turn(struct service_batch *batch, struct job *job, size_t most,
                        size_t most_cost) {
  size_t n = 0, sentences = 0;
  while (sentences < MOST_TURN && batch->sentences < most && job->taken < job->request.count) {
    const struct piece *piece = &job->request.pieces[job->taken];
    if (!has_room(batch, piece, most, most_cost)) break;
    batch->cost += piece->cost;
    batch->sentences += piece->sentences;
    job->cost -= piece->cost;
    job->waiting -= piece->sentences;
    sentences += piece->sentences;
    batch->jobs[batch->count] = job;
    batch->pieces[batch->count++] = job->taken++;
    n++;
  }
  return n;
}

/* Take up to `most` sentences that fit to those of the job `first`, MOST_TURN of a job at a time.
 * The cost of several sentences is at most `most_cost`, and the cost of each job at most
 * `most_job`. A job with more sentences moves to the end. Its turn comes again if no other job
 * waits. */
static void take(struct service_batch *batch, struct queue *queue, const struct job *first,
                 size_t most, size_t most_cost, size_t most_job) {
  struct job *again = NULL; /* the first job that moves to the end */
  bool skipped = false;
  batch->count = batch->cost = batch->sentences = 0;
  batch->deadline = 0;
  for (struct job **place = &queue->first; *place != NULL && batch->sentences < most;) {
    struct job *job = *place;
    const bool fits =
        job == first || (job->cost <= most_job && requests_fit(&first->request, &job->request));
    if (job == again && skipped) break;
    if (!fits || take_turn(batch, job, most, most_cost) == 0) {
      skipped = true;
      place = &job->next;
      continue;
    }
    if (job->deadline > batch->deadline) batch->deadline = job->deadline;
    remove_after(queue, place);
    if (job->taken == job->request.count) continue;
    append(queue, job);
    if (again == NULL) again = job;
  }
  queue->counts.waiting -= batch->sentences;
  queue->counts.running += batch->sentences;
}

/* Return the job with the least cost, if it is at most `most`; else NULL. */
static const struct job *cheapest(const struct queue *queue, size_t most) {
  const struct job *found = NULL;
  for (const struct job *job = queue->first; job != NULL; job = job->next)
    if (job->cost <= most && (found == NULL || job->cost < found->cost)) found = job;
  return found;
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
static bool await_sentences(const struct service_worker *worker) {
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

/* Free the translators of the models that a reload has replaced. No batch uses them. */
static void forget_models(struct service_worker *worker) {
  for (struct level *level = worker->levels; level < worker->levels + LEVELS; level++) {
    size_t kept = 0;
    for (size_t i = 0; i < level->tool_count; i++) {
      if (atomic_load(&level->tools[i].model->retired))
        free_tool(&level->tools[i]);
      else
        level->tools[kept++] = level->tools[i];
    }
    level->tool_count = kept;
  }
}

static elman_status find_translator(elman_translator **translator, struct level *level,
                                    struct served_model *model, bool wide, elman_error *error) {
  size_t i = 0;
  while (i < level->tool_count && level->tools[i].model != model) i++;
  if (i == level->tool_count) {
    if (i == MAX_SERVED) free_tool(&level->tools[i = --level->tool_count]);
    level->tools[i] = (struct tool){.model = served_model_hold(model)};
    level->tool_count++;
  }
  elman_translator **found = wide ? &level->tools[i].wide : &level->tools[i].narrow;
  const elman_status status =
      *found == NULL ? elman_translator_create(found, model->model, error) : ELMAN_OK;
  *translator = *found;
  return status;
}

struct watch {
  struct service_worker *worker;
  const struct service_batch *batch;
  bool may_pause;
  double paused; /* seconds */
};

static bool is_wanted(const struct service_batch *batch) {
  for (size_t i = 0; i < batch->count; i++)
    if (!atomic_load(&batch->jobs[i]->abandoned)) return now() < batch->deadline;
  return false;
}

static void run_batch(struct service_worker *worker, struct level *level,
                      const struct service_batch *batch);

/* Translate brief sentences that wait, while a long batch pauses. */
static void pause_for_others(struct watch *watch) {
  struct service_worker *worker = watch->worker;
  struct queue *queue = worker->queue;
  struct service_batch brief = {.count = 0};
  const double begun = now();
  if (!watch->may_pause || begun < worker->pause_after) return;
  pthread_mutex_lock(&queue->mutex);
  const size_t most = watch->batch->cost / BRIEF;
  const struct job *first = cheapest(queue, most);
  if (first != NULL) take(&brief, queue, first, MOST_BATCH, most, most);
  pthread_mutex_unlock(&queue->mutex);
  if (brief.count == 0) return;
  run_batch(worker, &worker->levels[BRIEF_BATCH], &brief);
  const double end = now();
  watch->paused += end - begun;
  worker->pause_after = end + (end - begun > PAUSE ? end - begun : PAUSE);
}

static void pass_partial(struct queue *queue, struct job *job, const elman_partial *partial) {
  const struct answer answer = answer_partial(&job->request, (size_t)partial->number - 1, partial);
  if (answer.text == NULL) return;
  pthread_mutex_lock(&queue->mutex);
  if (job_unread_events(job) < MOST_EVENTS) job_add_event(job, "token", answer.text, answer.size);
  pthread_mutex_unlock(&queue->mutex);
  free(answer.text);
  wake_by(queue->wake);
}

/* Stop a batch that nobody waits for; pass the tokens of a job that streams. */
static bool watch_batch(void *context, const elman_partial *partial) {
  struct watch *watch = context;
  struct job *job = watch->batch->jobs[0];
  if (!is_wanted(watch->batch)) return false;
  pause_for_others(watch);
  if (job->request.stream && partial->count > 0) pass_partial(watch->worker->queue, job, partial);
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
  /* The sentences that can be translated. */
  size_t places[MOST_BATCH]; /* their places in the batch */
  elman_sentence sentences[MOST_BATCH];
  elman_encoding *prefixes[MOST_BATCH];
  elman_translation *found[MOST_BATCH];
  elman_error found_errors[MOST_BATCH];
};

/* Split a prefix that is text. Return NULL after an error. */
static elman_encoding *split_prefix(const struct job *job, size_t number, elman_error *error) {
  const struct piece *piece = &job->request.pieces[number];
  elman_encoding *encoding;
  struct problem problem;
  elman_status status = elman_encode(&encoding, job->request.model->model, ELMAN_TARGET,
                                     piece->prefix, piece->prefix_length, error);
  if (status == ELMAN_OK &&
      !check_prefix(&job->request, number, encoding->ids, encoding->count, &problem)) {
    *error = (elman_error){.code = ELMAN_BAD_DATA};
    snprintf(error->message, sizeof error->message, "%.500s", problem.message);
    status = ELMAN_BAD_DATA;
  }
  if (status == ELMAN_OK) return encoding;
  elman_encoding_free(encoding);
  return NULL;
}

/* Collect the sentences that can be translated. Return their number. An error that is not the fault
 * of a prefix becomes the status of the batch. */
static size_t prepare(struct outcome *outcome, struct watch *watch) {
  const struct service_batch *batch = watch->batch;
  size_t count = 0;
  outcome->status = ELMAN_OK;
  for (size_t i = 0; i < batch->count; i++) {
    const struct piece *piece = &batch->jobs[i]->request.pieces[batch->pieces[i]];
    elman_sentence sentence = piece->sentence;
    elman_encoding *prefix = NULL;
    outcome->translations[i] = NULL;
    outcome->errors[i] = (elman_error){.code = ELMAN_OK};
    if (piece->prefix != NULL) {
      prefix = split_prefix(batch->jobs[i], batch->pieces[i], &outcome->errors[i]);
      pause_for_others(watch);
      if (prefix == NULL && outcome->errors[i].code != ELMAN_BAD_DATA) {
        outcome->error = outcome->errors[i];
        outcome->status = outcome->error.code;
      }
      if (prefix == NULL) continue;
      sentence.prefix = prefix->ids;
      sentence.prefix_count = prefix->count;
    }
    outcome->places[count] = i;
    outcome->prefixes[count] = prefix;
    outcome->sentences[count++] = sentence;
  }
  return count;
}

static void translate(struct outcome *outcome, struct level *level, struct watch *watch) {
  const struct service_batch *batch = watch->batch;
  const struct request *request = &batch->jobs[0]->request;
  elman_translator *translator;
  elman_translate_options options = request->search;
  const double begun = now();
  options.threads = batch->alone ? watch->worker->queue->settings->threads : 1;
  options.partial = watch_batch;
  options.partial_context = watch;
  const size_t count = prepare(outcome, watch);
  if (outcome->status == ELMAN_OK)
    outcome->status =
        find_translator(&translator, level, request->model, batch->alone, &outcome->error);
  if (outcome->status == ELMAN_OK)
    outcome->status = elman_translate_batch(outcome->found, outcome->found_errors, translator,
                                            outcome->sentences, count, &options, &outcome->error);
  else
    memset(outcome->found, 0, sizeof outcome->found);
  const bool good = outcome->status == ELMAN_OK || outcome->status == ELMAN_BAD_DATA;
  for (size_t i = 0; i < count; i++) {
    outcome->translations[outcome->places[i]] = outcome->found[i];
    if (good) outcome->errors[outcome->places[i]] = outcome->found_errors[i];
    elman_encoding_free(outcome->prefixes[i]);
  }
  outcome->tokens = 0;
  for (size_t i = 0; i < batch->count; i++) {
    const elman_translation *translation = outcome->translations[i];
    if (translation != NULL) outcome->tokens += translation->target_count;
    outcome->results[i] =
        good ? job_result(batch->jobs[i], batch->pieces[i], translation, &outcome->errors[i])
             : (struct answer){0};
    pause_for_others(watch);
  }
  outcome->seconds = now() - begun - watch->paused;
}

/* ---- outcomes, under the lock ---- */

/* Fail a job because of one of its texts. */
static void fail_at(struct job *job, size_t piece, const char *reason) {
  char name[PIECE_NAME], message[sizeof job->problem.message];
  piece_name(name, &job->request, piece);
  snprintf(message, sizeof message, "%s%.*s", name, (int)(sizeof message - sizeof name), reason);
  job_fail(job, BAD_REQUEST, message);
}

/* Record the result of a piece. A text of /translate that cannot be translated fails its request;
 * /v1/translations returns the reason in its place. */
static void record(struct job *job, size_t piece, struct outcome *outcome, size_t i) {
  const bool whole = outcome->status != ELMAN_OK && outcome->status != ELMAN_BAD_DATA;
  job->results[piece] = outcome->results[i];
  elman_override_reach_add(&job->reach, &job->request.search, outcome->translations[i]);
  if (whole && outcome->status == ELMAN_INTERRUPTED)
    job_fail(job, UNAVAILABLE, too_late);
  else if (whole)
    job_fail(job, outcome->status == ELMAN_INVALID_ARGUMENT ? BAD_REQUEST : UNAVAILABLE,
             outcome->error.message);
  else if (outcome->results[i].text == NULL)
    job_fail(job, UNAVAILABLE, "out of memory; try again later");
  else if (outcome->translations[i] == NULL && job->request.kind == REQUEST_TRANSLATE)
    fail_at(job, piece, outcome->errors[i].message);
  if (job->request.stream && !job->failed)
    job_add_event(job, "result", outcome->results[i].text, outcome->results[i].size);
}

/* Return a list of the jobs of the batch that are done. No other thread works on them. */
static struct job *deliver(struct queue *queue, const struct service_batch *batch,
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
  counts->running -= batch->sentences;
  counts->sentences += batch->sentences;
  counts->batches++;
  counts->tokens += outcome->tokens;
  counts->seconds += outcome->seconds;
  return complete;
}

/* Translate a batch, without the lock. */
static void run_batch(struct service_worker *worker, struct level *level,
                      const struct service_batch *batch) {
  struct queue *queue = worker->queue;
  struct outcome *outcome = level->outcome;
  /* Threads of a batch that uses all cores call watch_batch, but other workers are idle then. */
  struct watch watch = {worker, batch,
                        .may_pause = level == &worker->levels[LONG_BATCH] &&
                                     (!batch->alone || queue->settings->threads == 1)};
  if (watch.may_pause) worker->pause_after = now() + PATIENCE;
  translate(outcome, level, &watch);
  pthread_mutex_lock(&queue->mutex);
  struct job *complete = deliver(queue, batch, outcome);
  pthread_mutex_unlock(&queue->mutex);
  for (size_t i = 0; i < batch->count; i++) elman_translation_free(outcome->translations[i]);
  for (struct job *job = complete, *next; job != NULL; job = next) {
    next = job->next;
    job_finish(job);
    pthread_mutex_lock(&queue->mutex);
    hand_over(queue, job);
    pthread_mutex_unlock(&queue->mutex);
    pause_for_others(&watch);
  }
}

/* Translate a batch, which may have been the last one of a replaced model. The lock is held before
 * and after, but not meanwhile. */
static void serve_batch(struct service_worker *worker) {
  struct queue *queue = worker->queue;
  struct service_batch batch;
  take(&batch, queue, queue->first, share_of(queue), MOST_COST, SIZE_MAX);
  queue->busy++;
  batch.alone = queue->busy == 1 && queue->first == NULL;
  if (queue->first != NULL) pthread_cond_signal(&queue->arrival);
  pthread_mutex_unlock(&queue->mutex);
  run_batch(worker, &worker->levels[LONG_BATCH], &batch);
  forget_models(worker);
  pthread_mutex_lock(&queue->mutex);
  queue->busy--;
}

static void *run_worker(void *argument) {
  struct service_worker *worker = argument;
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
  for (struct level *level = worker->levels; level < worker->levels + LEVELS; level++)
    while (level->tool_count > 0) free_tool(&level->tools[--level->tool_count]);
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

static void free_outcomes(struct service_worker *worker) {
  for (size_t k = 0; k < LEVELS; k++) free(worker->levels[k].outcome);
}

/* Start the threads. Work with fewer if the system cannot start all of them, but with at least
 * one. */
static bool start_workers(struct queue *queue) {
  for (size_t i = 0; i < queue->settings->threads; i++) {
    struct service_worker *worker = &queue->workers[i];
    worker->queue = queue;
    bool good = true;
    for (size_t k = 0; k < LEVELS; k++) {
      worker->levels[k].outcome = calloc(1, sizeof(struct outcome));
      good = good && worker->levels[k].outcome != NULL;
    }
    const int problem = good ? pthread_create(&worker->thread, NULL, run_worker, worker) : ENOMEM;
    if (problem != 0) {
      free_outcomes(worker);
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
    free_outcomes(&queue->workers[i]);
  }
  for (struct job *job = queue_collect(queue), *next; job != NULL; job = next) {
    next = job->next;
    job_free(job);
  }
  pthread_cond_destroy(&queue->arrival);
  pthread_mutex_destroy(&queue->mutex);
  free(queue);
}
