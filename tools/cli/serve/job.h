/* A job: a request on its way through the reader and the queue, its results and its events. The
 * functions take no lock. */
#ifndef ELMAN_CLI_JOB_H
#define ELMAN_CLI_JOB_H

#include <stdatomic.h>
#include <stdint.h>

#include "serve/answers.h"
#include "serve/request.h"

/* The bytes of a request. */
struct body {
  enum request_kind kind;
  enum body_type type;
  char *bytes; /* owned */
  size_t size;
};

struct job {
  struct body body;
  struct model_set models; /* the models when the body arrived, held until it is read */
  struct request request;  /* the request, after the body is read */
  void *owner;     /* the exchange, for the main thread; NULL if the client has disconnected */
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
  size_t cost, waiting; /* cost and number of sentences of the pieces that no thread has taken */
  elman_override_reach reach;
  atomic_size_t size; /* bytes of the results of /v1/translations */
  bool queued, failed;
  atomic_bool abandoned; /* nobody waits for the answer */
};

/* Make a job for a body and take ownership of its bytes. `timeout` is the time for the translation
 * in seconds, from now on. Return NULL if memory runs out; the bytes are then unchanged. */
struct job *job_create(const struct body *body, const struct model_set *models, double timeout);
void job_free(struct job *job);

/* Read the body and free it. If the request is refused, the problem of the job is set. */
void job_read(struct job *job, const struct serve_settings *settings);

/* Fail a job that is not done. The results of sentences that a thread is translating are discarded.
 */
void job_fail(struct job *job, unsigned status, const char *message);

/* Append an event. An event is lost if memory runs out; the last one ends the stream anyway. */
void job_add_event(struct job *job, const char *name, const char *data, size_t size);
size_t job_unread_events(const struct job *job);

/* Move up to `most` bytes of events to `into` and return their number. *finished is set if no
 * events follow. */
size_t job_read_events(struct job *job, char *into, size_t most, bool *finished);

/* Make the result of a piece, or an error if the answer to the request would become too large.
 * `translation` is NULL if the error explains why there is none. */
struct answer job_result(struct job *job, size_t piece, const elman_translation *translation,
                         const elman_error *error);

/* Make the answer of a job whose sentences are all translated. */
void job_finish(struct job *job);

/* Wake the main thread by its eventfd. */
void wake_by(int descriptor);

#endif
