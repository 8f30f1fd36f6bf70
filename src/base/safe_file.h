/* Atomic replacement of files: a reader sees the whole old file or the whole new file. The new file
 * is written under a temporary name in the same directory, synced, closed and renamed; then the
 * directory is synced. This module also resolves output names and locks the outputs of long jobs.
 */
#ifndef ELMAN_BASE_SAFE_FILE_H
#define ELMAN_BASE_SAFE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/status.h"
#include "elman/file.h"

/* ---- resolving output names ---- */

/* The file or device to which an output name refers. Symbolic links are followed, because rename()
 * would replace the link and leave its target unchanged. Links that another user may have created
 * to mislead this process are refused. */
struct output_place {
  char *path;     /* owned; not a link */
  bool exists;    /* if false, `direct` is false and `descriptor` is -1 */
  bool direct;    /* a device, a pipe, or an open descriptor of this process */
  int descriptor; /* the descriptor if the name is one like /dev/stdout or /dev/fd/3; else -1 */
};

/* Resolve `path`. Follow a dangling link to the name it contains. After an error nothing is owned.
 * Errors are:
 *
 *   a directory
 *   a name or target that cannot be examined for a reason other than absence
 *   a link that belongs neither to the caller nor to the owner of its directory, if the directory
 *   is sticky and world-writable (such as /tmp) */
elman_status output_place_find(struct output_place *place, const char *path,
                               elman_error *error) CHECKED;

/* Open a device, a pipe or a log at this place, to write to it without a temporary file. If
 * `append`, write at the end of an existing file; otherwise truncate it. Create a missing file. Do
 * not follow a link created after output_place_find. Return a descriptor, or -1 with errno set. */
int output_place_open(const struct output_place *place, bool append);
void output_place_free(struct output_place *place);

/* Report that the file cannot be created. The message contains the text of the errno value
 * `number`. */
elman_status fail_to_create(elman_error *error, const char *path, int number);

/* Return the concatenation of `a` and `b`, which the caller frees; NULL if memory is exhausted. */
char *join(const char *a, const char *b);

/* ---- the file ---- */

/* A file being written. Do not move the struct in memory while the file is open. */
struct elman_file {
  FILE *stream;    /* write to this stream; it has no file descriptor */
  char *path;      /* the final name, with symbolic links resolved */
  char *folder;    /* the directory of `path` and `temporary` */
  char *temporary; /* NULL if the target is a device or a pipe, which is written directly */
  int descriptor;  /* locked, so that other processes detect that the writer is running */
  int problem;     /* errno of the first failed write, or 0 */
};

/* Open a new file that will replace `path`. From the start the new file has the permissions of the
 * file `like` if that file exists. If not, it has the permissions of the replaced file. If neither
 * file exists, it has the permissions that the umask allows. `like` may be NULL. After an error
 * nothing needs to be closed. */
elman_status safe_file_open(elman_file *file, const char *path, const char *like,
                            elman_error *error) CHECKED;

/* Rename the file to its final name and close it. After an error the temporary file is removed,
 * with one exception: if only the sync of the directory failed, the new file is in place, and the
 * message reports the failed sync. */
elman_status safe_file_commit(elman_file *file, elman_error *error) CHECKED;

/* Close and remove the temporary file; the old file stays unchanged. */
void safe_file_abandon(elman_file *file);

/* Commit the file if `written` is ELMAN_OK; otherwise abandon it and return `written`. */
elman_status safe_file_end(elman_file *file, elman_status written, elman_error *error) CHECKED;

#endif
