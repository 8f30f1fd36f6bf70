#include "base/safe_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output_place.h"

enum { NAME_ATTEMPTS = 100 };

/* ---- the stream ---- */

/* All of it, also across signals. Keeps the reason of a failure, which a stream does not. */
static ssize_t write_all(void *cookie, const char *bytes, size_t size) {
  struct safe_file *file = cookie;
  for (size_t done = 0; file->problem == 0 && done < size;) {
    const ssize_t written = write(file->descriptor, bytes + done, size - done);
    if (written >= 0)
      done += (size_t)written;
    else if (errno != EINTR)
      file->problem = errno;
  }
  errno = file->problem;
  return file->problem == 0 ? (ssize_t)size : 0;
}

static void safe_file_close(struct safe_file *file) {
  free(file->path);
  free(file->folder);
  free(file->temporary);
  *file = (struct safe_file){.descriptor = -1};
}

/* ---- the temporary file ---- */

/* Whoever gets the lock on a temporary file knows that its writer is gone: the kernel gives it back
 * when a process ends, while a process's number says nothing in another namespace. Under the lock
 * no writer can give the file another name. */
static void remove_if_abandoned(const char *name) {
  const int descriptor = open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat info;
  if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) &&
      flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_named(descriptor, name))
    unlink(name);
  close(descriptor);
}

/* Whether `name` is that of a temporary file, as create_temporary makes it, of a file that is
 * called `base` in the same folder. */
static bool is_temporary(const char *name, const char *base) {
  const size_t length = strlen(base);
  long process;
  int attempt, end = 0;
  return strncmp(name, base, length) == 0 &&
         sscanf(name + length, ".%ld-%d.tmp%n", &process, &attempt, &end) == 2 && end > 0 &&
         name[length + (size_t)end] == '\0';
}

/* Removes what writers of the same file left behind that were killed. */
static void remove_abandoned(const struct safe_file *file) {
  const char *slash = strrchr(file->path, '/'), *base = slash == NULL ? file->path : slash + 1;
  DIR *folder = opendir(file->folder);
  if (folder == NULL) return;
  const struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) {
    if (!is_temporary(entry->d_name, base)) continue;
    char *name = join(file->path, entry->d_name + strlen(base));
    if (name != NULL) remove_if_abandoned(name);
    free(name);
  }
  closedir(folder);
}

/* Locks a file that was just created. False if somebody took it for abandoned in between. A file
 * system without locks removes nothing either, and a name that cannot be looked at is not gone. */
static bool claim(int descriptor, const char *name) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  errno = 0;
  return is_named(descriptor, name) || (errno != 0 && errno != ENOENT);
}

/* Owner, group and permissions of a file as of the one that it replaces, as far as this process
 * may. A group that has to be another one gets no more than everybody. */
static void copy_status(int descriptor, const struct stat *like) {
  struct stat own;
  mode_t mode = like->st_mode & 0777;
  if (fstat(descriptor, &own) == 0 && fchown(descriptor, like->st_uid, like->st_gid) != 0 &&
      own.st_gid != like->st_gid && fchown(descriptor, (uid_t)-1, like->st_gid) != 0)
    mode &= ~(mode_t)070 | (mode & 07) << 3;
  /* The file is written even where its permissions cannot be set. */
  if (fchmod(descriptor, mode) != 0) errno = 0;
}

/* A new file beside `file->path`; `like` NULL = what the umask leaves. 0 or a reason. */
static int create_temporary(struct safe_file *file, const struct stat *like) {
  remove_abandoned(file);
  for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
    char suffix[48];
    snprintf(suffix, sizeof suffix, ".%ld-%d.tmp", (long)getpid(), attempt);
    free(file->temporary);
    file->temporary = join(file->path, suffix);
    if (file->temporary == NULL) return ENOMEM;
    /* Never open to more readers than it will be in the end. */
    file->descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                            like == NULL ? 0666 : like->st_mode & 0600);
    if (file->descriptor >= 0 && claim(file->descriptor, file->temporary)) {
      if (like != NULL) copy_status(file->descriptor, like);
      return 0;
    }
    if (file->descriptor >= 0)
      close(file->descriptor);
    else if (errno != EEXIST)
      return errno;
  }
  return EEXIST;
}

/* ---- opening ---- */

/* Opens file->descriptor. 0 or a reason. */
static int open_place(struct safe_file *file, const struct output_place *place,
                      const struct stat *like) {
  if (place->exists && place->direct) {
    file->descriptor = output_place_open(place, false);
    return file->descriptor < 0 ? errno : 0;
  }
  /* A file that forbids writing is not replaced, although its directory would allow it. */
  if (place->exists && access(place->path, W_OK) != 0) return errno;
  return create_temporary(file, like);
}

static int open_stream(struct safe_file *file, const struct output_place *place,
                       const struct stat *like) {
  const int problem = open_place(file, place, like);
  if (problem != 0) return problem;
  file->stream = fopencookie(file, "wb", (cookie_io_functions_t){.write = write_all});
  if (file->stream != NULL) return 0;
  close(file->descriptor);
  if (file->temporary != NULL) unlink(file->temporary);
  return ENOMEM;
}

/* The file exists and is an ordinary one. Gives 0 or a reason. */
static int find_status(struct stat *status, bool *found, const char *path) {
  struct stat info;
  if (path == NULL) return 0;
  if (stat(path, &info) != 0) return errno == ENOENT ? 0 : errno;
  if (!S_ISREG(info.st_mode)) return 0;
  *status = info;
  *found = true;
  return 0;
}

elman_status safe_file_open(struct safe_file *file, const char *path, const char *like,
                            elman_error *error) {
  struct output_place place;
  *file = (struct safe_file){.descriptor = -1};
  elman_status status = output_place_find(&place, path, error);
  if (status != ELMAN_OK) return status;
  file->path = place.path;
  file->folder = folder_of(place.path);
  struct stat info;
  bool found = false;
  int problem = file->folder == NULL ? ENOMEM : find_status(&info, &found, place.path);
  if (problem == 0) problem = find_status(&info, &found, like);
  if (problem == 0) problem = open_stream(file, &place, found ? &info : NULL);
  if (problem == 0) return ELMAN_OK;
  safe_file_close(file);
  return fail_to_create(error, path, problem);
}

/* ---- ending ---- */

/* A failed fsync is never repeated: the kernel may have dropped what it could not write. */
static int sync_descriptor(int descriptor) {
  int result;
  do {
    result = fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  /* Some file systems cannot sync a directory, and no device needs it; they say so with EINVAL. */
  return result == 0 || errno == EINVAL ? 0 : errno;
}

/* Without this a crash after the rename could bring the old directory entry back. 0 or a reason. */
static int sync_folder(const char *folder) {
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int problem = sync_descriptor(descriptor);
  close(descriptor);
  return problem;
}

/* 0 or a reason. */
static int store(struct safe_file *file) {
  if (fflush(file->stream) != 0 || ferror(file->stream))
    return file->problem != 0 ? file->problem : EIO;
  return file->temporary == NULL ? 0 : sync_descriptor(file->descriptor);
}

static elman_status fail_to_write(elman_error *error, const struct safe_file *file, int number) {
  char reason[128];
  return fail(error, ELMAN_IO, file->path, "cannot write the file: %s%s", REASON(number, reason),
              file->temporary == NULL ? "" : "; what was there before is unchanged");
}

elman_status safe_file_store(struct safe_file *file, elman_error *error) {
  const int problem = store(file);
  return problem == 0 ? ELMAN_OK : fail_to_write(error, file, problem);
}

elman_status safe_file_commit(struct safe_file *file, elman_error *error) {
  char reason[128];
  int problem = store(file);
  fclose(file->stream);
  /* The name changes while the lock still shows that somebody is at work. */
  if (problem == 0 && file->temporary != NULL && rename(file->temporary, file->path) != 0)
    problem = errno;
  /* Of a network file system close() reports nothing that fsync() has not. */
  if (close(file->descriptor) != 0 && file->temporary == NULL && problem == 0 && errno != EINTR)
    problem = errno;
  elman_status status = ELMAN_OK;
  if (problem != 0) {
    status = fail_to_write(error, file, problem);
    if (file->temporary != NULL) unlink(file->temporary);
  } else if (file->temporary != NULL) {
    problem = sync_folder(file->folder);
    if (problem != 0)
      status = fail(error, ELMAN_IO, file->path, "written, but not yet safe from a power cut: %s",
                    REASON(problem, reason));
  }
  safe_file_close(file);
  return status;
}

void safe_file_abandon(struct safe_file *file) {
  if (file->stream == NULL) return;
  file->problem = ECANCELED; /* what is still in the stream's memory goes nowhere */
  fclose(file->stream);
  if (file->temporary != NULL) unlink(file->temporary);
  close(file->descriptor);
  safe_file_close(file);
}

elman_status safe_file_end(struct safe_file *file, elman_status written, elman_error *error) {
  if (written == ELMAN_OK) return safe_file_commit(file, error);
  safe_file_abandon(file);
  return written;
}
