/* The queue of requests, and the threads that translate them. A thread takes sentences of many
 * requests at once, as one batch.
 *
 * The main thread submits jobs and collects them when they are done. Between the two calls a job
 * belongs to the queue. */
#ifndef ELMAN_CLI_JOBS_H
#define ELMAN_CLI_JOBS_H

#include "serve/job.h"
#include "serve/serve_settings.h"

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
