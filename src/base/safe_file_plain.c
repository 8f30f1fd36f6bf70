/* Files without links, locks, permissions and other processes: the files in memory of a WebAssembly
 * module. A file is written under a temporary name and renamed, as safe_file.c does, so that an
 * error leaves the old file unchanged. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/safe_file.h"

char *join(const char *a, const char *b) {
  const size_t length = strlen(a), added = strlen(b) + 1;
  char *joined = malloc(length + added);
  if (joined == NULL) return NULL;
  memcpy(joined, a, length);
  memcpy(joined + length, b, added);
  return joined;
}

elman_status fail_to_create(elman_error *error, const char *path, int number) {
  char reason[128];
  if (number == ENOMEM) return fail_no_memory(error);
  return fail(error, ELMAN_CANNOT_CREATE, path, "cannot create the file: %s",
              REASON(number, reason));
}

/* ---- places ---- */

elman_status output_place_find(struct output_place *place, const char *path, elman_error *error) {
  struct stat info;
  if (path[0] == '\0')
    return fail(error, ELMAN_CANNOT_CREATE, NULL, "the name of the output file is empty");
  *place = (struct output_place){.path = strdup(path), .descriptor = -1};
  if (place->path == NULL) return fail_no_memory(error);
  place->exists = stat(path, &info) == 0;
  return ELMAN_OK;
}

int output_place_open(const struct output_place *place, bool append) {
  return open(place->path, O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC), 0666);
}

void output_place_free(struct output_place *place) {
  free(place->path);
  *place = (struct output_place){0};
}

/* ---- files ---- */

static void forget(elman_file *file) {
  free(file->path);
  free(file->temporary);
  *file = (elman_file){.descriptor = -1};
}

elman_status safe_file_open(elman_file *file, const char *path, const char *like,
                            elman_error *error) {
  (void)like;
  *file = (elman_file){.descriptor = -1, .path = strdup(path), .temporary = join(path, ".tmp")};
  if (file->path != NULL && file->temporary != NULL) file->stream = fopen(file->temporary, "wb");
  if (file->stream != NULL) return ELMAN_OK;
  const int problem = file->path == NULL || file->temporary == NULL ? ENOMEM : errno;
  forget(file);
  return fail_to_create(error, path, problem);
}

elman_status elman_file_reserve(elman_file *file, uint64_t size, elman_error *error) {
  (void)file, (void)size, (void)error;
  return ELMAN_OK;
}

elman_status elman_file_store(elman_file *file, elman_error *error) {
  char reason[128];
  if (fflush(file->stream) == 0 && !ferror(file->stream)) return ELMAN_OK;
  return fail(error, ELMAN_IO, file->path, "cannot write the file: %s", REASON(errno, reason));
}

elman_status safe_file_commit(elman_file *file, elman_error *error) {
  char reason[128];
  elman_status status = elman_file_store(file, error);
  if (fclose(file->stream) != 0 && status == ELMAN_OK)
    status = fail(error, ELMAN_IO, file->path, "cannot write the file: %s", REASON(errno, reason));
  if (status == ELMAN_OK && rename(file->temporary, file->path) != 0)
    status = fail(error, ELMAN_IO, file->path, "cannot write the file: %s", REASON(errno, reason));
  if (status != ELMAN_OK) unlink(file->temporary);
  forget(file);
  return status;
}

void safe_file_abandon(elman_file *file) {
  if (file->stream == NULL) return;
  fclose(file->stream);
  unlink(file->temporary);
  forget(file);
}

elman_status safe_file_end(elman_file *file, elman_status written, elman_error *error) {
  if (written == ELMAN_OK) return safe_file_commit(file, error);
  safe_file_abandon(file);
  return written;
}

/* ---- locks: no other process writes these files ---- */

struct elman_lock {
  char nothing;
};

elman_status elman_lock_acquire(elman_lock **lock, const char *path, elman_error *error) {
  (void)path;
  *lock = calloc(1, sizeof **lock);
  return *lock == NULL ? fail_no_memory(error) : ELMAN_OK;
}

const char *elman_lock_problem(const elman_lock *lock) {
  (void)lock;
  return NULL;
}

void elman_lock_release(elman_lock *lock) {
  free(lock);
}
