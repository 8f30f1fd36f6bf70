#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "base/file.h"
#include "base/file_kind.h"
#include "base/safe_file.h"

bool elman_file_is_direct(const char *path) {
  struct output_place place;
  if (output_place_find(&place, path, NULL) != ELMAN_OK) return false;
  const bool direct = place.exists && place.direct;
  output_place_free(&place);
  return direct;
}

elman_status elman_file_resolve(char *resolved, size_t size, const char *path, elman_error *error) {
  struct output_place place;
  elman_status status = output_place_find(&place, path, error);
  if (status != ELMAN_OK) return status;
  if (strlen(place.path) < size)
    strcpy(resolved, place.path);
  else
    status = fail_to_create(error, path, ENAMETOOLONG);
  output_place_free(&place);
  return status;
}

elman_status elman_file_open_direct(int *descriptor, const char *path, bool append,
                                    elman_error *error) {
  struct output_place place;
  *descriptor = -1;
  elman_status status = output_place_find(&place, path, error);
  if (status != ELMAN_OK) return status;
  *descriptor = output_place_open(&place, append);
  if (*descriptor < 0) status = fail_to_create(error, path, errno);
  output_place_free(&place);
  return status;
}

elman_status elman_file_create(elman_file **file, const char *path, FILE **stream,
                               elman_error *error) {
  *stream = NULL;
  *file = malloc(sizeof **file);
  elman_status status =
      *file == NULL ? fail_no_memory(error) : safe_file_open(*file, path, NULL, error);
  if (status == ELMAN_OK) {
    *stream = (*file)->stream;
  } else {
    free(*file);
    *file = NULL;
  }
  return status;
}

elman_status elman_file_commit(elman_file *file, elman_error *error) {
  const elman_status status = safe_file_commit(file, error);
  free(file);
  return status;
}

void elman_file_discard(elman_file *file) {
  if (file == NULL) return;
  safe_file_abandon(file);
  free(file);
}

elman_status elman_file_check_text(const char *start, size_t length, bool complete,
                                   elman_error *error) {
  const char *problem = file_is_not_text((struct text){start, length}, complete);
  return problem == NULL ? ELMAN_OK : fail(error, ELMAN_BAD_DATA, NULL, "%s", problem);
}
