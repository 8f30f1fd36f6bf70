#include <stdlib.h>

#include "api/call.h"
#include "base/lock.h"
#include "base/safe_file.h"

struct elman_file {
  struct safe_file inner;
};

elman_status elman_file_create(elman_file **file, const char *path, FILE **stream,
                               elman_error *error) {
  struct error problem = {0};
  *stream = NULL;
  *file = malloc(sizeof **file);
  enum status status = *file == NULL ? fail_no_memory(&problem)
                                     : safe_file_open(&(*file)->inner, path, NULL, &problem);
  if (status == STATUS_OK) {
    *stream = (*file)->inner.stream;
  } else {
    free(*file);
    *file = NULL;
  }
  return give(error, status, &problem);
}

elman_status elman_file_store(elman_file *file, elman_error *error) {
  struct error problem = {0};
  return give(error, safe_file_store(&file->inner, &problem), &problem);
}

elman_status elman_file_commit(elman_file *file, elman_error *error) {
  struct error problem = {0};
  const enum status status = safe_file_commit(&file->inner, &problem);
  free(file);
  return give(error, status, &problem);
}

void elman_file_discard(elman_file *file) {
  if (file == NULL) return;
  safe_file_abandon(&file->inner);
  free(file);
}

struct elman_lock {
  struct lock inner;
};

elman_status elman_lock_take(elman_lock **lock, const char *path, elman_error *error) {
  struct error problem = {0};
  *lock = malloc(sizeof **lock);
  const enum status status =
      *lock == NULL ? fail_no_memory(&problem) : lock_take(&(*lock)->inner, path, &problem);
  if (status != STATUS_OK) {
    free(*lock);
    *lock = NULL;
  }
  return give(error, status, &problem);
}

const char *elman_lock_problem(const elman_lock *lock) {
  return lock->inner.problem[0] == '\0' ? NULL : lock->inner.problem;
}

void elman_lock_release(elman_lock *lock) {
  if (lock == NULL) return;
  lock_release(&lock->inner);
  free(lock);
}
