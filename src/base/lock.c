#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output_place.h"

/* NO_CLAIM is what open() has for a link, which is none either. */
enum { ATTEMPTS = 100, MOST_DIGITS = 20, NO_CLAIM = ELOOP };

/* ---- the file ---- */

/* Not through a link, and without waiting. To lock another user's file, reading it is enough. */
static int open_file(const char *path) {
  const int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const int descriptor = open(path, O_RDWR | O_CREAT | flags, 0644);
  if (descriptor >= 0 || (errno != EACCES && errno != EROFS)) return descriptor;
  const int problem = errno, readable = open(path, O_RDONLY | flags);
  errno = problem;
  return readable;
}

/* *process is the number in the file, or 0. 0 or a reason; NO_CLAIM: the file is not what a claim
 * may be, which is ordinary, and empty or a number and a line's end. */
static int read_claim(long *process, int descriptor) {
  struct stat info;
  char text[MOST_DIGITS + 2];
  ssize_t length;
  *process = 0;
  if (fstat(descriptor, &info) != 0) return errno;
  if (!S_ISREG(info.st_mode)) return NO_CLAIM;
  do {
    length = pread(descriptor, text, sizeof text, 0);
  } while (length < 0 && errno == EINTR);
  if (length < 0) return errno;
  if (length == 0) return 0;
  if (length < 2 || length == sizeof text || text[length - 1] != '\n') return NO_CLAIM;
  for (ssize_t i = 0; i < length - 1; i++)
    if (text[i] < '0' || text[i] > '9') return NO_CLAIM;
  *process = strtol(text, NULL, 10);
  return 0;
}

/* So that others can say who has it. Not into a file that has other names or another owner: who put
 * it there could have chosen whose bytes are lost. */
static void write_claim(int descriptor) {
  struct stat info;
  char text[MOST_DIGITS + 2];
  if (fstat(descriptor, &info) != 0 || info.st_nlink != 1 || info.st_uid != geteuid()) return;
  const int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
  if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, text, (size_t)length, 0) != length)
    return; /* the lock holds without */
}

/* ---- acquiring it ---- */

/* Goes on without a claim, and remembers why. */
static elman_status without_lock(struct lock *lock, int number) {
  char reason[128];
  snprintf(lock->problem, sizeof lock->problem, "%s", REASON(number, reason));
  return ELMAN_OK;
}

static elman_status fail_claimed(elman_error *error, const char *output, long process) {
  if (process == 0)
    return fail(error, ELMAN_CANNOT_CREATE, output,
                "another process is at work on it; wait until it has ended, or name another file");
  return fail(error, ELMAN_CANNOT_CREATE, output,
              "process %ld is at work on it; wait until it has ended, or name another file",
              process);
}

static elman_status fail_to_read(elman_error *error, const char *path, int number) {
  char reason[128];
  if (number == NO_CLAIM)
    return fail(error, ELMAN_CANNOT_CREATE, path,
                "is not a lock of this program; remove it, or name another output");
  return fail(error, ELMAN_CANNOT_CREATE, path, "cannot read the lock: %s", REASON(number, reason));
}

/* *again is set when the file was removed meanwhile. */
static elman_status try_to_acquire(struct lock *lock, bool *again, const char *output,
                                   elman_error *error) {
  long process;
  *again = false;
  const int descriptor = open_file(lock->path);
  if (descriptor < 0 && errno == ENAMETOOLONG) return fail_to_create(error, output, ENAMETOOLONG);
  if (descriptor < 0)
    return errno == NO_CLAIM ? fail_to_read(error, lock->path, NO_CLAIM)
                             : without_lock(lock, errno);
  const int unread = read_claim(&process, descriptor);
  if (unread != 0) {
    close(descriptor);
    return fail_to_read(error, lock->path, unread);
  }
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int problem = errno;
    if (problem != EWOULDBLOCK && process == 0) unlink(lock->path); /* it was made for nothing */
    close(descriptor);
    return problem == EWOULDBLOCK ? fail_claimed(error, output, process)
                                  : without_lock(lock, problem);
  }
  /* The file of one that has ended may have been removed before it was locked. */
  *again = !is_named(descriptor, lock->path);
  if (*again) {
    close(descriptor);
    return ELMAN_OK;
  }
  write_claim(descriptor);
  lock->descriptor = descriptor;
  return ELMAN_OK;
}

elman_status lock_acquire(struct lock *lock, const char *output, elman_error *error) {
  struct output_place place;
  *lock = (struct lock){.descriptor = -1};
  elman_status status = output_place_find(&place, output, error);
  if (status != ELMAN_OK) return status;
  if (!place.exists || !place.direct) {
    bool again = true;
    lock->path = join(place.path, ".lock");
    if (lock->path == NULL) status = fail_no_memory(error);
    for (int i = 0; status == ELMAN_OK && again && i < ATTEMPTS; i++)
      status = try_to_acquire(lock, &again, output, error);
    if (status == ELMAN_OK && again) status = fail_claimed(error, output, 0);
  }
  output_place_free(&place);
  if (status != ELMAN_OK) lock_release(lock);
  return status;
}

void lock_release(struct lock *lock) {
  /* Removed while it is locked: who opened it before finds that it has no name any more. */
  if (lock->descriptor >= 0) {
    unlink(lock->path);
    close(lock->descriptor);
  }
  free(lock->path);
  *lock = (struct lock){.descriptor = -1};
}
