#include "base/output_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"

enum { MOST_LINKS = 40 };

char *join(const char *a, const char *b) {
  char *joined;
  return asprintf(&joined, "%s%s", a, b) < 0 ? NULL : joined;
}

char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  if (slash == NULL) return strdup(".");
  return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

elman_status fail_to_create(elman_error *error, const char *path, int number) {
  char reason[128];
  if (number == ENOMEM) return fail_no_memory(error);
  if (number == ENAMETOOLONG)
    return fail(
        error, ELMAN_CANNOT_CREATE, path,
        "the name is too long, or gets too long by what is added to it for a temporary file "
        "or a lock; choose a shorter one");
  return fail(error, ELMAN_CANNOT_CREATE, path, "cannot create the file: %s",
              REASON(number, reason));
}

/* The rule of Linux's fs.protected_symlinks, which is not set everywhere. 0, or why the link is not
 * followed as errno has it: EPERM if it may be planted. */
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

/* The target of the link at `path`, to be freed. NULL and errno. */
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

/* Whether the link is one of /proc/self/fd. What it leads to is open already: it has an offset, may
 * be meant to be appended to, and need not have a name, as "pipe:[7]". */
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

/* 0 or a reason as errno has it. */
static int find(struct output_place *place) {
  for (int links = 0; links <= MOST_LINKS; links++) {
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
                "is a symbolic link that another user has put where everybody may write; remove it "
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
