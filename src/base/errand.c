#include "base/errand.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct errand {
  errand_job *job; /* NULL = none is under way */
  void *context;
  size_t awaited;
  bool here; /* its giver does it */
  bool started, over;
  pthread_t thread;
  pthread_mutex_t mutex; /* of what stands above */
  pthread_cond_t changed;
};

elman_status errand_create(struct errand **out, elman_error *error) {
  struct errand *errand = malloc(sizeof *errand);
  *out = errand;
  if (errand == NULL) return fail_no_memory(error);
  *errand = (struct errand){0};
  pthread_mutex_init(&errand->mutex, NULL);
  pthread_cond_init(&errand->changed, NULL);
  return ELMAN_OK;
}

/* With the mutex, which it leaves while it does the job. */
static void do_job(struct errand *errand) {
  pthread_mutex_unlock(&errand->mutex);
  errand->job(errand->context);
  pthread_mutex_lock(&errand->mutex);
  errand->job = NULL;
  pthread_cond_broadcast(&errand->changed);
}

static bool is_ready(const struct errand *errand) {
  return errand->job != NULL && errand->awaited == 0;
}

static void *serve(void *argument) {
  struct errand *errand = argument;
  pthread_mutex_lock(&errand->mutex);
  while (!errand->over) {
    if (is_ready(errand) && !errand->here)
      do_job(errand);
    else
      pthread_cond_wait(&errand->changed, &errand->mutex);
  }
  pthread_mutex_unlock(&errand->mutex);
  return NULL;
}

static void start(struct errand *errand) {
  sigset_t all, before; /* signals are the giver's */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  errand->started = pthread_create(&errand->thread, NULL, serve, errand) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void errand_free(struct errand *errand) {
  if (errand == NULL) return;
  pthread_mutex_lock(&errand->mutex);
  errand->over = true;
  pthread_cond_broadcast(&errand->changed);
  pthread_mutex_unlock(&errand->mutex);
  if (errand->started) pthread_join(errand->thread, NULL);
  pthread_cond_destroy(&errand->changed);
  pthread_mutex_destroy(&errand->mutex);
  free(errand);
}

void errand_begin(struct errand *errand, size_t awaited, bool here, errand_job *job,
                  void *context) {
  pthread_mutex_lock(&errand->mutex);
  errand->job = job;
  errand->context = context;
  errand->awaited = awaited;
  if (!errand->started && !here) start(errand);
  errand->here = !errand->started || here;
  pthread_cond_broadcast(&errand->changed);
  pthread_mutex_unlock(&errand->mutex);
}

void errand_bring(struct errand *errand) {
  pthread_mutex_lock(&errand->mutex);
  if (--errand->awaited == 0) pthread_cond_broadcast(&errand->changed);
  pthread_mutex_unlock(&errand->mutex);
}

void errand_end(struct errand *errand) {
  pthread_mutex_lock(&errand->mutex);
  while (errand->job != NULL) {
    if (errand->here && is_ready(errand))
      do_job(errand);
    else
      pthread_cond_wait(&errand->changed, &errand->mutex);
  }
  pthread_mutex_unlock(&errand->mutex);
}
