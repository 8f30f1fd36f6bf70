#include "serve/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "console/messages.h"

/* ---- beginning and end ---- */

struct job *job_create(const struct body *body, const struct model_set *models, double timeout) {
  struct job *job = calloc(1, sizeof *job);
  if (job == NULL) return NULL;
  job->body = *body;
  job->models = *models;
  for (size_t i = 0; i < models->count; i++) (void)served_model_hold(models->models[i]);
  job->deadline = now() + timeout;
  atomic_init(&job->abandoned, false);
  atomic_init(&job->size, 0);
  return job;
}

static void free_body(struct job *job) {
  free(job->body.bytes);
  job->body.bytes = NULL;
  for (size_t i = 0; i < job->models.count; i++) served_model_release(job->models.models[i]);
  job->models.count = 0;
}

void job_read(struct job *job, const struct serve_settings *settings) {
  const struct body *body = &job->body;
  struct request *request = &job->request;
  if (request_parse(request, body->kind, body->type, body->bytes, body->size, &job->models,
                    settings, &job->problem)) {
    if (request->search.override_count > 0) request->search.overrides = request->overrides;
    job->results = calloc(request->count + 1, sizeof *job->results);
    if (job->results == NULL) (void)refuse_memory(&job->problem);
    for (size_t i = 0; i < request->count; i++) job->cost += request->pieces[i].cost;
    job->waiting = request->all;
  }
  free_body(job);
}

static void free_results(struct job *job) {
  for (size_t i = 0; i < job->request.count && job->results != NULL; i++)
    free(job->results[i].text);
  free(job->results);
  job->results = NULL;
}

void job_free(struct job *job) {
  if (job == NULL) return;
  free_results(job);
  free_body(job);
  request_free(&job->request);
  free(job->answer.text);
  free(job->events.text);
  free(job);
}

void job_fail(struct job *job, unsigned status, const char *message) {
  if (!job->failed) (void)refuse(&job->problem, status, "%s", message);
  job->failed = true;
}

/* ---- events ---- */

void job_add_event(struct job *job, const char *name, const char *data, size_t size) {
  const size_t most = size + 64;
  char *text = realloc(job->events.text, job->events.size + most);
  if (text == NULL) return;
  job->events.text = text;
  job->events.size += (size_t)snprintf(text + job->events.size, most, "event: %s\ndata: %.*s\n\n",
                                       name, (int)size, data);
}

size_t job_unread_events(const struct job *job) {
  return job->events.size - job->read;
}

size_t job_read_events(struct job *job, char *into, size_t most, bool *finished) {
  struct answer *events = &job->events;
  const size_t unread = job_unread_events(job), size = unread < most ? unread : most;
  if (size > 0) memcpy(into, events->text + job->read, size);
  job->read += size;
  /* Move what remains only if it is less than what is dropped, so that each byte moves once. */
  if (job->read > events->size - job->read) {
    memmove(events->text, events->text + job->read, events->size - job->read);
    events->size -= job->read;
    job->read = 0;
  }
  *finished = job->finished && job_unread_events(job) == 0;
  return size;
}

/* ---- results ---- */

struct answer job_result(struct job *job, size_t piece, const elman_translation *translation,
                         const elman_error *error) {
  const struct request *request = &job->request;
  if (translation == NULL) {
    char message[sizeof error->where + sizeof error->message + 2];
    const bool placed = error->where[0] != '\0'; /* "reference" */
    snprintf(message, sizeof message, "%s%s%s", error->where, placed ? ": " : "", error->message);
    return answer_failure(piece, message);
  }
  if (request->kind == REQUEST_TRANSLATE) return answer_texts(request->model->model, translation);
  if (atomic_load(&job->size) > MAX_ANSWER)
    return answer_failure(piece,
                          "the answer to the request is too large; send fewer texts at once");
  const struct answer result = answer_translations(request, piece, translation);
  (void)atomic_fetch_add(&job->size, result.size);
  return result;
}

void job_finish(struct job *job) {
  elman_error error;
  if (elman_override_reach_check(&job->reach, &job->request.search, &error) != ELMAN_OK)
    job_fail(job, BAD_REQUEST, error.message);
  if (!job->failed && !job->request.stream) {
    job->answer = answer_request(&job->request, job->results);
    if (job->answer.text == NULL) job_fail(job, UNAVAILABLE, "out of memory; try again later");
  }
  free_results(job);
}

void wake_by(int descriptor) {
  const uint64_t one = 1;
  while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) continue;
}
