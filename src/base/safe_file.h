/* Writing a file so that a reader sees the old one or the new one, never a part: temporary file in
 * the same directory, write, fsync, close, rename, fsync of the directory. Also where an output
 * lies, and a lock for outputs of long jobs. */
#ifndef ELMAN_BASE_SAFE_FILE_H
#define ELMAN_BASE_SAFE_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/status.h"

/* ---- where an output file lies ---- */

/* Symbolic links are followed, unless somebody may have planted them. rename() would replace a link
 * by a file and leave the file that it points to as it was. */
struct output_place {
  char *path;     /* owned; no link itself */
  bool exists;    /* then: */
  bool direct;    /* a device, a pipe, or what a descriptor of this process leads to */
  int descriptor; /* the latter, as /dev/stdout and /dev/fd/3 name it; else -1 */
};

/* A link that points nowhere yet is followed as far as it goes. Anything but absence that keeps the
 * name or the end of a link from being looked at is an error; so is a directory, and a link in a
 * folder that everybody may write to, where only owners may remove (as /tmp), if it is neither the
 * caller's nor that of the folder's owner. After an error nothing is owned. */
elman_status output_place_find(struct output_place *place, const char *path,
                               elman_error *error) CHECKED;

/* Opens what lies there itself, for what is written as it comes: a device, a pipe, a log. The end
 * of a file is where writing begins with `append`; without, what it held goes. A file that is not
 * there is made. A link that was put there since is not followed. A descriptor, or -1 and errno. */
int output_place_open(const struct output_place *place, bool append);
void output_place_free(struct output_place *place);

/* "cannot create the file", and why as errno has it. */
elman_status fail_to_create(elman_error *error, const char *path, int number);

/* a + b, to be freed; NULL when memory ran out. */
char *join(const char *a, const char *b);

/* ---- the file ---- */

/* Lies in one place while it is open. */
struct safe_file {
  FILE *stream;    /* write here; it has no descriptor of its own */
  char *path;      /* the final name, symbolic links resolved */
  char *folder;    /* where both lie */
  char *temporary; /* NULL when the target is a device or a pipe, which is written directly */
  int descriptor;  /* locked, so that others know that its writer lives */
  int problem;     /* why the first write failed, as errno has it; or 0 */
};

/* The new file has, from its first byte on, the permissions of the file `like` if that is there, or
 * else of the one it replaces, or else those that the umask leaves. `like` may be NULL. After an
 * error nothing needs to be closed. */
elman_status safe_file_open(struct safe_file *file, const char *path, const char *like,
                            elman_error *error) CHECKED;

/* Stores what was written so far. Then only putting it in place can fail. */
elman_status safe_file_store(struct safe_file *file, elman_error *error) CHECKED;

/* Puts the file in place, or removes every trace of it and says why; when only the directory could
 * not be synced, it is in place and the message says so. Either way it is closed. */
elman_status safe_file_commit(struct safe_file *file, elman_error *error) CHECKED;

/* Closes and removes the temporary file; the old file stays as it was. */
void safe_file_abandon(struct safe_file *file);

/* Commits the file if `written` is ELMAN_OK; otherwise abandons it and hands `written` on. */
elman_status safe_file_end(struct safe_file *file, elman_status written,
                           elman_error *error) CHECKED;

/* ---- the lock of an output ---- */

/* A claim to the output of a long job: a file beside it, with ".lock" after its name,
 * that is locked and holds the number of the process. The kernel ends the claim when the process
 * ends, however that comes about; a file that is left then claims nothing. */
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
