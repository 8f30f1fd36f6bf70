/* The queue of requests, and the threads that translate them. A thread takes sentences of many
 * requests at once, as one batch.
 *
 * The main thread submits jobs and collects them when they are done. Between the two calls a job
 * belongs to the queue. */
#ifndef ELMAN_CLI_JOBS_H
#define ELMAN_CLI_JOBS_H

#include <stdatomic.h>

#include "serve/answers.h"
#include "serve/request.h"
#include "serve/serve_settings.h"

struct job {
  struct request request;
  void *owner;     /* for the main thread; NULL if the client has gone */
  double deadline; /* in seconds of now() */

  /* The outcome, valid when the job is done. */
  struct problem problem; /* status 0: `answer` is the answer */
  struct answer answer;

  /* The events of a job that streams. The lock of the queue protects them. */
  struct answer events;
  size_t read;   /* bytes of the events that the main thread has read */
  bool finished; /* no more events follow */

  /* For the queue. */
  struct job *next;
  struct answer *results; /* (count) */
  size_t taken, translated;
  atomic_size_t size; /* bytes of the results of /v1/translations */
  bool queued, failed;
  atomic_bool abandoned; /* nobody waits for the answer */
};

/* Counts since the start. */
struct job_counts {
  size_t waiting, running; /* sentences at present */
  size_t batches, sentences, tokens;
  double seconds; /* time of translation, summed over threads */
};

struct queue;

/* Start the threads. They write to `wake`, an eventfd, when a job is done or has new events. Return
 * NULL if this fails; errno is set. */
struct queue *queue_start(const struct serve_settings *settings, int wake);

/* End the threads after the jobs in the queue, and free the queue. */
void queue_end(struct queue *queue);

/* Set how many connections may still send a request. If there are none, a batch does not wait. */
void queue_expect(struct queue *queue, size_t connections);

/* Make a job for a parsed request and take ownership of the request. `timeout` is the time for the
 * translation in seconds, from now on. Return NULL if memory runs out; the request is then
 * unchanged. */
struct job *job_create(const struct request *request, double timeout);
void job_free(struct job *job);

/* Give the job to the threads. Return false if the queue is full. */
bool queue_submit(struct queue *queue, struct job *job);

/* Take the jobs that are done, as a list. */
struct job *queue_collect(struct queue *queue);

/* Fail the jobs in the queue whose time is over. */
void queue_expire(struct queue *queue);

/* Move up to `most` bytes of events to `into`. Return the number of bytes; 0 if there are none at
 * present. *finished is set if none will follow. */
size_t queue_read_events(struct queue *queue, struct job *job, char *into, size_t most,
                         bool *finished);

/* Let the threads drop the translators of models that a reload has replaced. */
void queue_forget_models(struct queue *queue);

struct job_counts queue_counts(struct queue *queue);

#endif
