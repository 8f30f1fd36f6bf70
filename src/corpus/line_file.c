#include "corpus/line_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

enum { WHERE_LENGTH = 512 };

static elman_status add_line(struct line_file *file, const char *name, char *start, size_t length,
                             elman_error *error) {
  if (length > 0 && start[length - 1] == '\r') length--;
  const size_t valid = text_valid_prefix((struct text){start, length});
  if (valid < length) {
    char where[WHERE_LENGTH];
    snprintf(where, sizeof where, "%s:%zu", name, file->count + 1);
    return fail(error, ELMAN_BAD_DATA, where, "is not valid UTF-8 at byte %zu of the line",
                valid + 1);
  }
  const elman_status status =
      array_grow(&file->lines, &file->capacity, file->count + 1, sizeof *file->lines, error);
  if (status != ELMAN_OK) return status;
  start[length] = '\0'; /* over the line's end, or the NUL behind the buffer */
  file->lines[file->count++] = start;
  return ELMAN_OK;
}

static elman_status split(struct line_file *file, const char *name, elman_error *error) {
  char *next = file->bytes.bytes, *end = next + file->bytes.length;
  const size_t mark = sizeof BYTE_ORDER_MARK - 1;
  if (file->bytes.length >= mark && memcmp(next, BYTE_ORDER_MARK, mark) == 0) next += mark;
  elman_status status = ELMAN_OK;
  while (next < end && status == ELMAN_OK) {
    const char *feed = memchr(next, '\n', (size_t)(end - next));
    const size_t length = (size_t)((feed == NULL ? end : feed) - next);
    status = add_line(file, name, next, length, error);
    next += length + (feed == NULL ? 0 : 1);
  }
  if (status == ELMAN_OK && file->count == 0)
    status = fail(error, ELMAN_BAD_DATA, name, "is empty; it should hold a sentence a line");
  return status;
}

elman_status line_file_read(struct line_file *file, const char *path, elman_error *error) {
  *file = (struct line_file){0};
  elman_status status = file_read(&file->bytes, path, SIZE_MAX / 4, error);
  if (status == ELMAN_OK) {
    buffer_append(&file->bytes, "", 0); /* an empty file has no memory yet */
    status = file->bytes.failed
                 ? fail_no_memory(error)
                 : split(file, strcmp(path, "-") == 0 ? "standard input" : path, error);
  }
  if (status != ELMAN_OK) line_file_free(file);
  return status;
}

void line_file_free(struct line_file *file) {
  buffer_free(&file->bytes);
  free(file->lines);
  *file = (struct line_file){0};
}
