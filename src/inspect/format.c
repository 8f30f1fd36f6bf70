#include "inspect/format.h"

#include <stdlib.h>
#include <string.h>

static const struct format formats[] = {
    {"text", ".txt", NULL, format_write_text, format_end_text},
    {"json", ".json", NULL, format_write_json, NULL},
    {"tsv", ".tsv", NULL, format_write_tsv, NULL},
    {"npy", ".npy", NULL, format_write_npy, NULL},
    {"svg", ".svg", format_begin_svg, format_write_svg, format_end_svg},
    {"html", ".html", format_begin_html, format_write_html, format_end_html},
    {"pharaoh", ".pharaoh", NULL, format_write_pharaoh, NULL},
    {"softalignments", ".ali", NULL, format_write_softalignments, NULL},
};

const struct format *format_at(size_t index) {
  return index < sizeof formats / sizeof *formats ? &formats[index] : NULL;
}

const struct format *format_named(const char *name) {
  for (size_t i = 0; format_at(i) != NULL; i++) {
    if (strcmp(formats[i].name, name) == 0) return &formats[i];
  }
  return NULL;
}

const struct format *format_of_path(const char *path) {
  const size_t length = strlen(path);
  for (size_t i = 0; format_at(i) != NULL; i++) {
    const size_t suffix = strlen(formats[i].suffix);
    if (length > suffix && strcmp(path + length - suffix, formats[i].suffix) == 0)
      return &formats[i];
  }
  return NULL;
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
