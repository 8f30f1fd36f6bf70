#include "corpus/line_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elman/pairs.h"

elman_status lines_open(struct lines *lines, struct buffer *bytes, const char *path,
                        const struct text_limits *limits, elman_error *error) {
  static const char mark[] = "\xEF\xBB\xBF";
  const elman_status status = file_read_text(bytes, path, limits, error);
  if (status != ELMAN_OK) return status;
  buffer_append(bytes, "", 0); /* an empty file has no memory yet */
  if (bytes->failed) return fail_no_memory(error);
  *lines = (struct lines){.name = file_name(path), .rest = buffer_text(bytes)};
  if (strncmp(bytes->bytes, mark, strlen(mark)) == 0) text_drop(&lines->rest, strlen(mark));
  return ELMAN_OK;
}

bool lines_next(struct text *line, struct lines *lines) {
  if (lines->rest.length == 0) return false;
  *line = text_cut(&lines->rest, '\n');
  lines->number++;
  if (line->length > 0 && line->bytes[line->length - 1] == '\r') line->length--;
  return true;
}

bool line_is_not_utf8(char problem[LINE_PROBLEM], struct text line) {
  const size_t valid = text_valid_prefix(line);
  if (valid == line.length) return false;
  snprintf(problem, LINE_PROBLEM, "is not valid UTF-8 at byte %zu of the line", valid + 1);
  return true;
}

elman_status fail_at_line(elman_error *error, const struct lines *lines, const char *problem) {
  char where[512];
  snprintf(where, sizeof where, "%s:%zu", lines->name, lines->number);
  return fail(error, ELMAN_BAD_DATA, where, "%s", problem);
}

/* Writes a NUL over the line's end. */
static const char *terminate(struct text line) {
  char *bytes = (char *)(uintptr_t)line.bytes; /* which lines_open has read */
  bytes[line.length] = '\0';
  return bytes;
}

elman_status line_file_read(struct line_file *file, const char *path, elman_error *error) {
  struct lines lines = {0};
  struct text line;
  char problem[LINE_PROBLEM];
  *file = (struct line_file){0};
  const struct text_limits limits = {ELMAN_DEFAULT_MAX_LINE, ELMAN_DEFAULT_MAX_UNPACKED};
  elman_status status = lines_open(&lines, &file->bytes, path, &limits, error);
  while (status == ELMAN_OK && lines_next(&line, &lines)) {
    status = line_is_not_utf8(problem, line)
                 ? fail_at_line(error, &lines, problem)
                 : array_grow(&file->lines, &file->capacity, file->count + 1, sizeof *file->lines,
                              error);
    if (status == ELMAN_OK) file->lines[file->count++] = terminate(line);
  }
  if (status == ELMAN_OK && file->count == 0)
    status = fail(error, ELMAN_BAD_DATA, lines.name, "is empty; it should hold a sentence a line");
  if (status != ELMAN_OK) line_file_free(file);
  return status;
}

void line_file_free(struct line_file *file) {
  buffer_free(&file->bytes);
  free(file->lines);
  *file = (struct line_file){0};
}
