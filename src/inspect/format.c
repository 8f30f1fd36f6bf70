#include "inspect/format.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESS(name) &format_##name,
static const struct format *const formats[] = {FORMATS(ADDRESS)};

const struct format *format_at(size_t index) {
  return index < sizeof formats / sizeof *formats ? formats[index] : NULL;
}

const struct format *format_named(const char *name) {
  const struct format *format;
  for (size_t i = 0; (format = format_at(i)) != NULL; i++)
    if (strcmp(format->name, name) == 0) break;
  return format;
}

const struct format *format_of_path(const char *path) {
  const struct format *format;
  for (size_t i = 0; (format = format_at(i)) != NULL; i++) {
    const size_t length = strlen(path), suffix = strlen(format->suffix);
    if (length > suffix && strcmp(path + length - suffix, format->suffix) == 0) break;
  }
  return format;
}

elman_status writing_start(struct writing *writing, FILE *stream, const struct format *format,
                           const struct text_style *style, elman_error *error) {
  *writing = (struct writing){.format = format, .stream = stream};
  if (style != NULL) writing->style = *style;
  return format->begin == NULL ? ELMAN_OK : format->begin(writing, error);
}

elman_status writing_add(struct writing *writing, const struct record *record, elman_error *error) {
  const elman_status status = writing->format->write(writing, record, error);
  if (status == ELMAN_OK) writing->count++;
  return status;
}

elman_status writing_finish(struct writing *writing, elman_error *error) {
  return writing->format->end == NULL ? ELMAN_OK : writing->format->end(writing, error);
}

void writing_free(struct writing *writing) {
  if (writing->held != NULL) fclose(writing->held);
  free(writing->held_bytes);
  *writing = (struct writing){0};
}
