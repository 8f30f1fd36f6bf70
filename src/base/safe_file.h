/* Writing a file so that a reader sees the old one or the new one, never a part: temporary file in
 * the same directory, write, fsync, close, rename, fsync of the directory. */
#ifndef ELMAN_BASE_SAFE_FILE_H
#define ELMAN_BASE_SAFE_FILE_H

#include <stdio.h>

#include "base/status.h"

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

#endif
