/* Test: text, threads, wraps pthread_create. */
/* A job that runs once, in the background, when everything it waits for has arrived. */
#include "base/team.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "moment.h"

struct task {
  struct background_task *background_task;
  atomic_size_t brought, done, brought_before;
  pthread_t who;
};

static void note(void *context) {
  struct task *task = context;
  task->who = pthread_self();
  task->brought_before = atomic_load(&task->brought);
  atomic_fetch_add(&task->done, 1);
}

static void send_signals(struct task *task, size_t times) {
  for (size_t i = 0; i < times; i++) {
    atomic_fetch_add(&task->brought, 1);
    background_task_signal(task->background_task);
  }
}

enum { THREADS = 3, EACH = 2, RUNS = 300 };

static void *signal_each(void *context) {
  send_signals(context, EACH);
  return NULL;
}

static void check_runs(bool here, bool has_thread) {
  struct task task = {0};
  cr_assert_eq(background_task_create(&task.background_task, NULL), ELMAN_OK);
  for (size_t run = 0; run < RUNS; run++) {
    pthread_t threads[THREADS];
    const size_t others = run % (THREADS + 1), own = run % 5;
    atomic_store(&task.brought, 0);
    background_task_start(task.background_task, others * EACH + own, here, note, &task);
    for (size_t i = 0; i < others; i++)
      cr_assert_eq(pthread_create(&threads[i], NULL, signal_each, &task), 0);
    send_signals(&task, own);
    background_task_finish(task.background_task);
    cr_assert_eq(atomic_load(&task.done), run + 1);
    cr_assert_eq(task.brought_before, others * EACH + own,
                 "it began before its input was complete");
    cr_assert_eq(pthread_equal(task.who, pthread_self()) != 0, here || !has_thread);
    for (size_t i = 0; i < others; i++) cr_assert_eq(pthread_join(threads[i], NULL), 0);
  }
  background_task_free(task.background_task);
}

Test(background_task, runs_once_when_input_is_complete) {
  check_runs(false, true);
}

Test(background_task, runs_in_the_caller_on_request) {
  check_runs(true, true);
}

Test(background_task, runs_while_the_caller_continues) {
  struct task task = {0};
  cr_assert_eq(background_task_create(&task.background_task, NULL), ELMAN_OK);
  for (size_t run = 1; run <= 20; run++) {
    background_task_start(task.background_task, 1, false, note, &task);
    background_task_signal(task.background_task);
    cr_assert(comes_to(&task.done, run), "it waits for the caller");
    background_task_finish(task.background_task);
  }
  background_task_free(task.background_task);
}

Test(background_task, may_end_without_a_job) {
  struct background_task *background_task;
  cr_assert_eq(background_task_create(&background_task, NULL), ELMAN_OK);
  background_task_free(background_task);
  background_task_free(NULL);
}

static bool fails_to_start;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* Makes creating the task's thread fail on request. */
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument) {
  if (fails_to_start && run != signal_each) return EAGAIN;
  return __real_pthread_create(id, attributes, run, argument);
}

Test(background_task, works_if_no_thread_starts) {
  fails_to_start = true;
  check_runs(false, false);
  fails_to_start = false;
}
