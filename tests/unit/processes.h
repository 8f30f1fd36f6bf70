/* A group of processes that are threads of one process and exchange data through shared memory. If
 * a process would wait forever, because another has left or expects a different number of bytes,
 * the exchange and the test fail. */
#ifndef ELMAN_TESTS_PROCESSES_H
#define ELMAN_TESTS_PROCESSES_H

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elman/group.h"

/* Every process runs this function, all at the same time. */
typedef void process_function(const elman_group *group, void *context);

enum { MAX_PROCESSES = 16 };

struct processes {
  size_t count, fails_at;
  process_function *run;
  void *context;
  struct process {
    struct processes *all;
    elman_group group;
    const elman_bytes *send; /* for each process, during an exchange */
    size_t exchanges;        /* exchanges begun so far */
    bool failed;             /* the last exchange failed: the process must not begin another one */
  } each[MAX_PROCESSES];
  pthread_mutex_t mutex; /* of the following fields */
  pthread_cond_t changed;
  size_t arrived, round;
  bool has_left;     /* a process has left */
  const char *wrong; /* a violation of the rules; NULL = none */
};

static inline elman_status process_fails(struct process *process, const char *wrong,
                                         elman_error *error) {
  struct processes *all = process->all;
  process->failed = true;
  pthread_mutex_lock(&all->mutex);
  if (wrong != NULL && all->wrong == NULL) all->wrong = wrong;
  pthread_mutex_unlock(&all->mutex);
  if (error == NULL) return ELMAN_IO;
  error->code = ELMAN_IO;
  snprintf(error->message, sizeof error->message, "the exchange failed");
  error->where[0] = '\0';
  return ELMAN_IO;
}

/* Wait until all processes are here; return false if one never comes. */
static inline bool processes_meet(struct processes *all) {
  pthread_mutex_lock(&all->mutex);
  const size_t round = all->round;
  if (++all->arrived == all->count) {
    all->arrived = 0;
    all->round++;
    pthread_cond_broadcast(&all->changed);
  }
  while (all->round == round && !all->has_left) pthread_cond_wait(&all->changed, &all->mutex);
  const bool met = all->round != round;
  pthread_mutex_unlock(&all->mutex);
  return met;
}

static inline elman_status processes_exchange(void *context, const elman_bytes *send,
                                              const elman_bytes *receive, elman_error *error) {
  struct process *process = context;
  struct processes *all = process->all;
  const size_t rank = process->group.rank;
  if (process->failed) return process_fails(process, "exchanges after an error", error);
  if (++process->exchanges == all->fails_at) return process_fails(process, NULL, error);
  process->send = send;
  if (!processes_meet(all)) return process_fails(process, "leaves while another waits", error);
  bool fit = true;
  for (size_t r = 0; r < all->count; r++) {
    const elman_bytes sent = all->each[r].send[rank];
    fit = fit && sent.count == receive[r].count;
    if (fit && sent.count > 0) memcpy(receive[r].data, sent.data, sent.count);
  }
  /* No process may change its bytes before all have read them. */
  if (!processes_meet(all)) return process_fails(process, "leaves while another waits", error);
  return fit ? ELMAN_OK : process_fails(process, "sends an unexpected number of bytes", error);
}

static inline void *process_run(void *argument) {
  struct process *process = argument;
  struct processes *all = process->all;
  all->run(&process->group, all->context);
  pthread_mutex_lock(&all->mutex);
  all->has_left = true;
  pthread_cond_broadcast(&all->changed);
  pthread_mutex_unlock(&all->mutex);
  return NULL;
}

/* Let exchange number `fails_at` of each process fail; 0 = none. Return how many exchanges each has
 * begun, so that a test can let every one of them fail. */
static inline size_t run_failing_processes(size_t count, size_t fails_at, process_function *run,
                                           void *context) {
  struct processes all = {.count = count,
                          .fails_at = fails_at,
                          .run = run,
                          .context = context,
                          .mutex = PTHREAD_MUTEX_INITIALIZER,
                          .changed = PTHREAD_COND_INITIALIZER};
  pthread_t threads[MAX_PROCESSES];
  cr_assert(count > 0 && count <= MAX_PROCESSES);
  for (size_t r = 0; r < count; r++) {
    all.each[r] = (struct process){
        .all = &all, .group = {r, count, processes_exchange, &all.each[r], false}, .failed = false};
  }
  for (size_t r = 0; r < count; r++)
    cr_assert_eq(pthread_create(&threads[r], NULL, process_run, &all.each[r]), 0);
  for (size_t r = 0; r < count; r++) cr_assert_eq(pthread_join(threads[r], NULL), 0);
  cr_assert(all.wrong == NULL, "of %zu processes one %s", count, all.wrong);
  for (size_t r = 1; r < count; r++)
    cr_assert_eq(all.each[r].exchanges, all.each[0].exchanges, "process %zu of %zu", r, count);
  return all.each[0].exchanges;
}

static inline size_t run_processes(size_t count, process_function *run, void *context) {
  return run_failing_processes(count, 0, run, context);
}

#endif
