/* A claim to an output that takes long: a file beside it, with ".lock" after its name, that is
 * locked and holds the number of the process. The kernel ends the claim when the process ends,
 * however that comes about; a file that is left then claims nothing. */
#ifndef ELMAN_BASE_LOCK_H
#define ELMAN_BASE_LOCK_H

#include "base/status.h"

struct lock {
  char *path;
  int descriptor;    /* -1 = nothing is claimed */
  char problem[256]; /* why not: the file cannot be created, or the file system has no locks. Empty
                        otherwise, and for a device or a pipe, which needs no claim */
};

/* ELMAN_CANNOT_CREATE, with the process that has it, when the output is claimed; and when the file
 * beside it holds something else than a claim. After an error nothing needs to be released. */
elman_status lock_acquire(struct lock *lock, const char *output, elman_error *error) CHECKED;

/* Removes the file. */
void lock_release(struct lock *lock);

#endif
