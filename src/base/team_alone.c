/* A team of one, for systems without threads. The calling thread runs every piece. */
#include <stdlib.h>

#include "base/team.h"

struct team {
  size_t members;
};

static struct team *in_use;

size_t processors_usable(void) {
  return 1;
}

elman_status team_create(struct team **team, size_t members, elman_error *error) {
  (void)members;
  *team = calloc(1, sizeof **team);
  return *team == NULL ? fail_no_memory(error) : ELMAN_OK;
}

void team_free(struct team *team) {
  free(team);
}

struct team *team_use(struct team *team) {
  struct team *before = in_use;
  in_use = team;
  return before;
}

size_t team_size(void) {
  return 1;
}

void team_run(team_job *job, const void *context, size_t count) {
  for (size_t i = 0; i < count; i++) job(context, i);
}

/* ---- locks ---- */

void team_lock(struct team_lock *lock) {
  (void)lock;
}

void team_unlock(struct team_lock *lock) {
  (void)lock;
}

/* ---- background tasks ---- */

struct background_task {
  background_function *job; /* NULL = no job is scheduled */
  void *context;
};

elman_status background_task_create(struct background_task **task, elman_error *error) {
  *task = calloc(1, sizeof **task);
  return *task == NULL ? fail_no_memory(error) : ELMAN_OK;
}

void background_task_free(struct background_task *task) {
  free(task);
}

void background_task_start(struct background_task *task, size_t awaited, bool here,
                           background_function *job, void *context) {
  (void)awaited, (void)here;
  *task = (struct background_task){job, context};
}

/* All signals precede background_task_finish, because no other thread can send them. */
void background_task_signal(struct background_task *task) {
  (void)task;
}

void background_task_finish(struct background_task *task) {
  if (task->job != NULL) task->job(task->context);
  task->job = NULL;
}
