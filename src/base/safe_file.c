#include "base/safe_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"

/* ---- resolving output names ---- */

enum { MAX_LINKS = 40 };

char *join(const char *a, const char *b) {
  char *joined;
  return asprintf(&joined, "%s%s", a, b) < 0 ? NULL : joined;
}

/* Return the directory that contains `path`, which the caller frees; NULL if memory is
 * exhausted. */
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  if (slash == NULL) return strdup(".");
  return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

elman_status fail_to_create(elman_error *error, const char *path, int number) {
  char reason[128];
  if (number == ENOMEM) return fail_no_memory(error);
  if (number == ENAMETOOLONG)
    return fail(error, ELMAN_CANNOT_CREATE, path,
                "the name is too long together with the suffix of a temporary file "
                "or lock; choose a shorter name");
  return fail(error, ELMAN_CANNOT_CREATE, path, "cannot create the file: %s",
              REASON(number, reason));
}

/* Apply the rule of Linux's fs.protected_symlinks, because not every system enables it. Return 0 if
 * the link may be followed, otherwise an errno value: EPERM if another user may have created the
 * link to mislead this process. */
static int check_link(const struct stat *link, const char *path) {
  struct stat folder;
  char *name = folder_of(path);
  if (name == NULL) return ENOMEM;
  const int problem = stat(name, &folder) == 0 ? 0 : errno;
  free(name);
  if (problem != 0) return problem;
  const bool shared = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  return shared && link->st_uid != geteuid() && link->st_uid != folder.st_uid ? EPERM : 0;
}

/* Return the target of the link at `path`, which the caller frees; NULL with errno set on error. */
static char *read_link(const char *path) {
  char link[PATH_MAX];
  const ssize_t length = readlink(path, link, sizeof link - 1);
  if (length < 0) return NULL;
  link[length] = '\0';
  const char *slash = strrchr(path, '/');
  char *target;
  if (link[0] == '/' || slash == NULL) return strdup(link);
  return asprintf(&target, "%.*s%s", (int)(slash - path + 1), path, link) < 0 ? NULL : target;
}

static void describe(struct output_place *place, const struct stat *info) {
  place->exists = true;
  place->direct = !S_ISREG(info->st_mode);
}

/* Return whether the link is in /proc/self/fd and therefore leads to an open file. That file has an
 * offset and may be open for appending. If the file has no name, the link reads, for example,
 * "pipe:[7]". */
static bool is_descriptor(struct output_place *place) {
  struct statfs system;
  struct stat named, open;
  const char *slash = strrchr(place->path, '/');
  char *end;
  if (slash == NULL || slash[1] < '0' || slash[1] > '9') return false;
  const long number = strtol(slash + 1, &end, 10);
  if (*end != '\0' || number > INT_MAX) return false;
  char *folder = folder_of(place->path);
  const bool in_proc =
      folder != NULL && statfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
  free(folder);
  if (!in_proc || stat(place->path, &named) != 0 || fstat((int)number, &open) != 0 ||
      named.st_dev != open.st_dev || named.st_ino != open.st_ino)
    return false;
  describe(place, &named);
  place->direct = true;
  place->descriptor = (int)number;
  return true;
}

/* Follow the symbolic links at place->path, and describe the file or device in `place`. Return 0 or
 * an errno value. */
static int find(struct output_place *place) {
  for (int links = 0; links <= MAX_LINKS; links++) {
    struct stat info;
    if (lstat(place->path, &info) != 0) return errno == ENOENT ? 0 : errno;
    if (S_ISDIR(info.st_mode)) return EISDIR;
    if (!S_ISLNK(info.st_mode)) {
      describe(place, &info);
      return 0;
    }
    const int problem = check_link(&info, place->path);
    if (problem != 0) return problem;
    if (is_descriptor(place)) return 0;
    char *target = read_link(place->path);
    if (target == NULL) return errno;
    free(place->path);
    place->path = target;
  }
  return ELOOP;
}

elman_status output_place_find(struct output_place *place, const char *path, elman_error *error) {
  if (path[0] == '\0')
    return fail(error, ELMAN_CANNOT_CREATE, NULL, "the name of the output file is empty");
  *place = (struct output_place){.path = strdup(path), .descriptor = -1};
  const int problem = place->path == NULL ? ENOMEM : find(place);
  if (problem == 0) return ELMAN_OK;
  output_place_free(place);
  if (problem == EISDIR)
    return fail(error, ELMAN_CANNOT_CREATE, path, "is a directory; name a file");
  if (problem == EPERM)
    return fail(error, ELMAN_CANNOT_CREATE, path,
                "is a symbolic link of another user in a world-writable directory; remove it "
                "or name another file");
  return fail_to_create(error, path, problem);
}

int output_place_open(const struct output_place *place, bool append) {
  const int flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
  if (!place->exists) return open(place->path, flags | O_CREAT | O_EXCL, 0666);
  if (place->descriptor >= 0) return fcntl(place->descriptor, F_DUPFD_CLOEXEC, 0);
  return open(place->path, flags);
}

void output_place_free(struct output_place *place) {
  free(place->path);
  *place = (struct output_place){0};
}

/* ---- the stream of a safe file ---- */

/* Write all bytes; continue after signals. Store the errno of a failure, because stdio loses it. */
static ssize_t write_all(void *cookie, const char *bytes, size_t size) {
  elman_file *file = cookie;
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

static void safe_file_close(elman_file *file) {
  free(file->path);
  free(file->folder);
  free(file->temporary);
  *file = (elman_file){.descriptor = -1};
}

/* ---- the temporary file ---- */

enum { NAME_ATTEMPTS = 100 };

/* Texts before and after the process ID in a temporary name. With shorter texts, a user's file such
 * as "report.2026-11.tmp" would have the form of a temporary name, and remove_abandoned would
 * delete it. */
static const char MIDDLE[] = ".elman-", END[] = ".tmp";

/* Remove a temporary file if its writer has ended. The kernel releases the writer's lock when the
 * process ends. A process ID cannot replace the lock, because other namespaces reuse IDs. While
 * this function has the lock, no writer can rename the file. */
static void remove_if_abandoned(const char *name) {
  const int descriptor = open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat info;
  if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) &&
      flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_named(descriptor, name))
    unlink(name);
  close(descriptor);
}

/* Advance *name past `text`. Return false if it does not start with `text`. */
static bool skip_text(const char **name, const char *text) {
  const size_t length = strlen(text);
  if (strncmp(*name, text, length) != 0) return false;
  *name += length;
  return true;
}

/* Advance *name past digits. Return false if there are none. */
static bool skip_digits(const char **name) {
  const size_t length = strspn(*name, "0123456789");
  *name += length;
  return length > 0;
}

/* Return whether `name` has the form of the temporary names that create_temporary makes for a file
 * `base` in the same directory. */
static bool is_temporary(const char *name, const char *base) {
  return skip_text(&name, base) && skip_text(&name, MIDDLE) && skip_digits(&name) &&
         skip_text(&name, "-") && skip_digits(&name) && strcmp(name, END) == 0;
}

/* Remove the temporary files that killed writers of the same target left behind. */
static void remove_abandoned(const elman_file *file) {
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

/* Lock a newly created file. Return false if another process removed the file as abandoned before
 * it was locked. Return true on a file system without locks, where no process removes files. Also
 * return true if the name cannot be examined. */
static bool claim(int descriptor, const char *name) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  errno = 0;
  return is_named(descriptor, name) || (errno != 0 && errno != ENOENT);
}

/* Copy owner, group and permissions from the replaced file, as far as this process may. If the
 * group cannot be copied, give the group of the new file only the permissions that others have. */
static void copy_status(int descriptor, const struct stat *like) {
  struct stat own;
  mode_t mode = like->st_mode & 0777;
  if (fstat(descriptor, &own) == 0 && fchown(descriptor, like->st_uid, like->st_gid) != 0 &&
      own.st_gid != like->st_gid && fchown(descriptor, (uid_t)-1, like->st_gid) != 0)
    mode &= ~(mode_t)070 | (mode & 07) << 3;
  /* Failing to set the permissions is not an error. */
  if (fchmod(descriptor, mode) != 0) errno = 0;
}

/* Create a new file beside `file->path`. If `like` is NULL, the umask determines its permissions.
 * Return 0 or an errno value. */
static int create_temporary(elman_file *file, const struct stat *like) {
  remove_abandoned(file);
  for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
    char suffix[48];
    snprintf(suffix, sizeof suffix, "%s%ld-%d%s", MIDDLE, (long)getpid(), attempt, END);
    free(file->temporary);
    file->temporary = join(file->path, suffix);
    if (file->temporary == NULL) return ENOMEM;
    /* The new file must never be readable by more users than the final file. */
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

/* ---- opening a safe file ---- */

/* Open file->descriptor. Return 0 or an errno value. */
static int open_place(elman_file *file, const struct output_place *place, const struct stat *like) {
  if (place->exists && place->direct) {
    file->descriptor = output_place_open(place, false);
    return file->descriptor < 0 ? errno : 0;
  }
  /* Do not replace a read-only file, although its directory would permit that. */
  if (place->exists && access(place->path, W_OK) != 0) return errno;
  return create_temporary(file, like);
}

static int open_stream(elman_file *file, const struct output_place *place,
                       const struct stat *like) {
  const int problem = open_place(file, place, like);
  if (problem != 0) return problem;
  file->stream = fopencookie(file, "wb", (cookie_io_functions_t){.write = write_all});
  if (file->stream != NULL) return 0;
  close(file->descriptor);
  if (file->temporary != NULL) unlink(file->temporary);
  return ENOMEM;
}

/* Get the status of an existing regular file. Return 0 or an errno value. */
static int find_status(struct stat *status, bool *found, const char *path) {
  struct stat info;
  if (path == NULL) return 0;
  if (stat(path, &info) != 0) return errno == ENOENT ? 0 : errno;
  if (!S_ISREG(info.st_mode)) return 0;
  *status = info;
  *found = true;
  return 0;
}

elman_status safe_file_open(elman_file *file, const char *path, const char *like,
                            elman_error *error) {
  struct output_place place;
  *file = (elman_file){.descriptor = -1};
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

/* Return 0 if the limits of the process and the free space that the file system reports allow
 * `size` bytes, otherwise an errno value. */
static int compare_room(int descriptor, uint64_t size) {
  struct rlimit limit;
  struct statvfs system;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      size > limit.rlim_cur)
    return EFBIG;
  if (fstatvfs(descriptor, &system) != 0 || system.f_frsize == 0) return 0;
  return size / system.f_frsize > system.f_bavail ? ENOSPC : 0;
}

/* Do not use posix_fallocate: on a file system that cannot allocate, such as a network file system,
 * it writes to every block. */
elman_status elman_file_reserve(elman_file *file, uint64_t size, elman_error *error) {
  char reason[128];
  int problem;
  if (file->temporary == NULL || size == 0 || size > INT64_MAX) return ELMAN_OK;
  do {
    problem = fallocate(file->descriptor, 0, 0, (off_t)size) == 0 ? 0 : errno;
  } while (problem == EINTR);
  if (problem == EOPNOTSUPP || problem == ENOSYS) problem = compare_room(file->descriptor, size);
  if (problem == 0) return ELMAN_OK;
  return fail(error, ELMAN_IO, file->path,
              "cannot write the file, which needs about %llu bytes: %s; make room, or name a file "
              "on another disk",
              (unsigned long long)size, REASON(problem, reason));
}

/* ---- committing and abandoning ---- */

/* A failed fsync is not repeated: the kernel may have dropped the data that it could not write. */
static int sync_descriptor(int descriptor) {
  int result;
  do {
    result = fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  /* EINVAL is no failure. A file system reports EINVAL if it cannot sync a directory. A device,
   * which needs no sync, also reports EINVAL. */
  return result == 0 || errno == EINVAL ? 0 : errno;
}

/* Sync the directory, so that the rename survives a crash. Return 0 or an errno value. */
static int sync_folder(const char *folder) {
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int problem = sync_descriptor(descriptor);
  close(descriptor);
  return problem;
}

/* Flush the stream; sync the temporary file if there is one. Return 0 or an errno value. */
static int store(elman_file *file) {
  if (fflush(file->stream) != 0 || ferror(file->stream))
    return file->problem != 0 ? file->problem : EIO;
  return file->temporary == NULL ? 0 : sync_descriptor(file->descriptor);
}

static elman_status fail_to_write(elman_error *error, const elman_file *file, int number) {
  char reason[128];
  return fail(error, ELMAN_IO, file->path, "cannot write the file: %s%s", REASON(number, reason),
              file->temporary == NULL ? "" : "; an existing file is unchanged");
}

elman_status elman_file_store(elman_file *file, elman_error *error) {
  const int problem = store(file);
  return problem == 0 ? ELMAN_OK : fail_to_write(error, file, problem);
}

elman_status safe_file_commit(elman_file *file, elman_error *error) {
  char reason[128];
  int problem = store(file);
  fclose(file->stream);
  /* Rename under the lock, so that no other writer removes the file as abandoned. */
  if (problem == 0 && file->temporary != NULL && rename(file->temporary, file->path) != 0)
    problem = errno;
  /* On a network file system close() reports only errors that fsync() has already reported. */
  if (close(file->descriptor) != 0 && file->temporary == NULL && problem == 0 && errno != EINTR)
    problem = errno;
  elman_status status = ELMAN_OK;
  if (problem != 0) {
    status = fail_to_write(error, file, problem);
    if (file->temporary != NULL) unlink(file->temporary);
  } else if (file->temporary != NULL) {
    problem = sync_folder(file->folder);
    if (problem != 0)
      status = fail(error, ELMAN_IO, file->path,
                    "is written, but a power failure could still delete it: %s",
                    REASON(problem, reason));
  }
  safe_file_close(file);
  return status;
}

void safe_file_abandon(elman_file *file) {
  if (file->stream == NULL) return;
  file->problem = ECANCELED; /* discard the bytes that the stream still buffers */
  fclose(file->stream);
  if (file->temporary != NULL) unlink(file->temporary);
  close(file->descriptor);
  safe_file_close(file);
}

elman_status safe_file_end(elman_file *file, elman_status written, elman_error *error) {
  if (written == ELMAN_OK) return safe_file_commit(file, error);
  safe_file_abandon(file);
  return written;
}

/* ---- the file of a lock ---- */

/* open() reports ELOOP for a symbolic link, which is no valid claim either. */
enum { LOCK_ATTEMPTS = 100, MAX_DIGITS = 20, NO_CLAIM = ELOOP };

/* Open or create the lock file, without following a link or blocking. Read access suffices to
 * lock the file of another user. */
static int open_file(const char *path) {
  const int flags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const int descriptor = open(path, O_RDWR | O_CREAT | flags, 0644);
  if (descriptor >= 0 || (errno != EACCES && errno != EROFS)) return descriptor;
  const int problem = errno, readable = open(path, O_RDONLY | flags);
  errno = problem;
  return readable;
}

/* Set *process to the process ID in the file, or to 0 if the file is empty. Return 0 or an errno
 * value. Return NO_CLAIM if this is not an ordinary file, or contains anything but a number and a
 * line feed. */
static int read_claim(long *process, int descriptor) {
  struct stat info;
  char text[MAX_DIGITS + 2];
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

/* Write the process ID, which the messages of other processes show. Do not write to a file that has
 * other names or another owner: its creator could make this process overwrite any file. */
static void write_claim(int descriptor) {
  struct stat info;
  char text[MAX_DIGITS + 2];
  if (fstat(descriptor, &info) != 0 || info.st_nlink != 1 || info.st_uid != geteuid()) return;
  const int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
  if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, text, (size_t)length, 0) != length)
    return; /* the lock works without the number */
}

/* ---- acquiring a lock ---- */

/* A claim to the output of a long job: a locked file OUTPUT.lock that contains the process ID. The
 * kernel releases the lock whenever the process ends; a lock file that remains has no effect. */
struct elman_lock {
  char *path;
  int descriptor;    /* -1 = nothing is claimed */
  char problem[256]; /* the reason why no claim was made: the file cannot be created, or the file
                        system has no locks. Empty if a claim was made, and for a device or a pipe,
                        which needs no claim */
};

/* Continue without a claim and store the reason. */
static elman_status without_lock(elman_lock *lock, int number) {
  char reason[128];
  snprintf(lock->problem, sizeof lock->problem, "%s", REASON(number, reason));
  return ELMAN_OK;
}

static elman_status fail_claimed(elman_error *error, const char *output, long process) {
  if (process == 0)
    return fail(
        error, ELMAN_CANNOT_CREATE, output,
        "another process is writing it; wait until that process ends, or name another file");
  return fail(error, ELMAN_CANNOT_CREATE, output,
              "process %ld is writing it; wait until that process ends, or name another file",
              process);
}

static elman_status fail_to_read(elman_error *error, const char *path, int number) {
  char reason[128];
  if (number == NO_CLAIM)
    return fail(error, ELMAN_CANNOT_CREATE, path,
                "is not a lock file of elman; remove it, or name another output");
  return fail(error, ELMAN_CANNOT_CREATE, path, "cannot read the lock: %s", REASON(number, reason));
}

/* Set *again if the file was removed while it was being locked. */
static elman_status try_to_acquire(elman_lock *lock, bool *again, const char *output,
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
    if (problem != EWOULDBLOCK && process == 0) unlink(lock->path); /* this call created the file */
    close(descriptor);
    return problem == EWOULDBLOCK ? fail_claimed(error, output, process)
                                  : without_lock(lock, problem);
  }
  /* The process that owned the file may have removed it before this process locked it. */
  *again = !is_named(descriptor, lock->path);
  if (*again) {
    close(descriptor);
    return ELMAN_OK;
  }
  write_claim(descriptor);
  lock->descriptor = descriptor;
  return ELMAN_OK;
}

elman_status elman_lock_acquire(elman_lock **lock, const char *path, elman_error *error) {
  struct output_place place;
  *lock = NULL;
  elman_status status = output_place_find(&place, path, error);
  if (status != ELMAN_OK) return status;
  elman_lock *made = calloc(1, sizeof *made);
  if (made == NULL) status = fail_no_memory(error);
  if (made != NULL) made->descriptor = -1;
  if (status == ELMAN_OK && (!place.exists || !place.direct)) {
    bool again = true;
    made->path = join(place.path, ".lock");
    if (made->path == NULL) status = fail_no_memory(error);
    for (int i = 0; status == ELMAN_OK && again && i < LOCK_ATTEMPTS; i++)
      status = try_to_acquire(made, &again, path, error);
    if (status == ELMAN_OK && again) status = fail_claimed(error, path, 0);
  }
  output_place_free(&place);
  if (status == ELMAN_OK)
    *lock = made;
  else
    elman_lock_release(made);
  return status;
}

const char *elman_lock_problem(const elman_lock *lock) {
  return lock->problem[0] == '\0' ? NULL : lock->problem;
}

void elman_lock_release(elman_lock *lock) {
  if (lock == NULL) return;
  /* Remove the file before unlocking it. A process that opened the file earlier then detects that
   * the file has no name. */
  if (lock->descriptor >= 0) {
    unlink(lock->path);
    close(lock->descriptor);
  }
  free(lock->path);
  free(lock);
}
