#include "serve/reader.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct reader {
  const struct serve_settings *settings;
  int wake;
  pthread_t thread;
  pthread_mutex_t mutex; /* protects all that follows */
  pthread_cond_t arrival;
  struct job *first; /* jobs to read, by size of the body */
  struct job *done, **last_done;
  bool ending;
};

static void *run(void *argument) {
  struct reader *reader = argument;
  pthread_mutex_lock(&reader->mutex);
  for (;;) {
    while (reader->first == NULL && !reader->ending)
      pthread_cond_wait(&reader->arrival, &reader->mutex);
    if (reader->ending) break;
    struct job *job = reader->first;
    reader->first = job->next;
    pthread_mutex_unlock(&reader->mutex);
    job_read(job, reader->settings);
    pthread_mutex_lock(&reader->mutex);
    job->next = NULL;
    *reader->last_done = job;
    reader->last_done = &job->next;
    wake_by(reader->wake);
  }
  pthread_mutex_unlock(&reader->mutex);
  return NULL;
}

struct reader *reader_start(const struct serve_settings *settings, int wake) {
  struct reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return NULL;
  reader->settings = settings;
  reader->wake = wake;
  reader->last_done = &reader->done;
  int problem = pthread_mutex_init(&reader->mutex, NULL);
  if (problem == 0) problem = pthread_cond_init(&reader->arrival, NULL);
  if (problem == 0) problem = pthread_create(&reader->thread, NULL, run, reader);
  if (problem == 0) return reader;
  free(reader);
  errno = problem;
  return NULL;
}

static void free_jobs(struct job *job) {
  for (struct job *next; job != NULL; job = next) {
    next = job->next;
    job_free(job);
  }
}

void reader_end(struct reader *reader) {
  if (reader == NULL) return;
  pthread_mutex_lock(&reader->mutex);
  reader->ending = true;
  pthread_cond_signal(&reader->arrival);
  pthread_mutex_unlock(&reader->mutex);
  pthread_join(reader->thread, NULL);
  free_jobs(reader->first);
  free_jobs(reader->done);
  pthread_cond_destroy(&reader->arrival);
  pthread_mutex_destroy(&reader->mutex);
  free(reader);
}

void reader_submit(struct reader *reader, struct job *job) {
  pthread_mutex_lock(&reader->mutex);
  struct job **place = &reader->first;
  while (*place != NULL && (*place)->body.size <= job->body.size) place = &(*place)->next;
  job->next = *place;
  *place = job;
  pthread_cond_signal(&reader->arrival);
  pthread_mutex_unlock(&reader->mutex);
}

struct job *reader_collect(struct reader *reader) {
  pthread_mutex_lock(&reader->mutex);
  struct job *done = reader->done;
  reader->done = NULL;
  reader->last_done = &reader->done;
  pthread_mutex_unlock(&reader->mutex);
  return done;
}
