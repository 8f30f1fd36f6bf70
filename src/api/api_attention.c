#include <stdlib.h>

#include "api/call.h"
#include "base/safe_file.h"
#include "inspect/escape.h"
#include "inspect/format.h"
#include "inspect/matrix.h"
#include "inspect/shown.h"
#include "inspect/summary.h"

/* ---- formats and writers ---- */

const char *elman_format_name(size_t index) {
  const struct format *format = format_at(index);
  return format == NULL ? NULL : format->name;
}

const char *elman_format_suffix(size_t index) {
  const struct format *format = format_at(index);
  return format == NULL ? NULL : format->suffix;
}

const char *elman_format_of_path(const char *path) {
  const struct format *format = format_of_path(path);
  return format == NULL ? NULL : format->name;
}

elman_status elman_attention_writer_create(elman_attention_writer **writer, FILE *stream,
                                           const char *format, const elman_text_style *style,
                                           elman_error *error) {
  const struct format *found = format_named(format);
  *writer = NULL;
  if (found == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "unknown format \"%s\"", format);
  elman_attention_writer *created = calloc(1, sizeof *created);
  if (created == NULL) return fail_no_memory(error);
  const elman_status status = writing_start(created, stream, found, style, error);
  if (status == ELMAN_OK)
    *writer = created;
  else
    elman_attention_writer_free(created);
  return status;
}

void elman_attention_writer_free(elman_attention_writer *writer) {
  if (writer == NULL) return;
  writing_free(writer);
  free(writer);
}

elman_status elman_attention_write(FILE *stream, const elman_translation *translation,
                                   const char *format, const elman_text_style *style,
                                   elman_error *error) {
  elman_attention_writer *writer;
  elman_status status = elman_attention_writer_create(&writer, stream, format, style, error);
  if (status == ELMAN_OK)
    status =
        elman_attention_writer_add(writer, translation, (elman_attention_place){1, 1, NULL}, error);
  if (status == ELMAN_OK) status = elman_attention_writer_finish(writer, error);
  elman_attention_writer_free(writer);
  return status;
}

elman_status elman_attention_save(const char *path, const elman_translation *translation,
                                  const char *format, elman_error *error) {
  struct safe_file file;
  elman_status status = safe_file_open(&file, path, NULL, error);
  if (status != ELMAN_OK) return status;
  status = elman_attention_write(file.stream, translation, format, NULL, error);
  return safe_file_end(&file, status, error);
}

void elman_translation_write_json(FILE *stream, const elman_translation *translation,
                                  unsigned parts, int digits) {
  struct json_writer json = {stream, digits, .comma = false};
  write_json_translation(&json, translation, parts);
}

void elman_trace_write_json(FILE *stream, const elman_gradient_trace *trace, bool hidden,
                            int digits) {
  struct json_writer json = {stream, digits, .comma = false};
  write_json_trace(&json, trace, hidden);
}

void elman_write_json_text(FILE *stream, const char *text) {
  write_json_text(stream, text, false);
}

void elman_write_json_number(FILE *stream, double number, int digits) {
  write_json_number(stream, number, digits);
}

/* ---- the summary ---- */

elman_status elman_attention_summary_create(elman_attention_summary **summary,
                                            const elman_text_style *style, elman_error *error) {
  *summary = NULL;
  elman_text_style complete;
  const elman_status status = text_style_complete(&complete, style, error);
  if (status != ELMAN_OK) return status;
  *summary = calloc(1, sizeof **summary);
  if (*summary == NULL) return fail_no_memory(error);
  (*summary)->style = complete;
  return ELMAN_OK;
}

elman_status elman_attention_summary_add(elman_attention_summary *summary,
                                         const elman_translation *translation,
                                         const char *alignment, elman_error *error) {
  return summary_add(summary, translation, text_of(alignment == NULL ? "" : alignment), error);
}

void elman_attention_summary_free(elman_attention_summary *summary) {
  free(summary);
}

/* ---- tables ---- */

/* ---- matrices ---- */

elman_status elman_matrix_read(elman_matrix **matrix, const char *path, elman_error *error) {
  *matrix = malloc(sizeof **matrix);
  if (*matrix == NULL) return fail_no_memory(error);
  const elman_status status = matrix_read(*matrix, path, error);
  if (status != ELMAN_OK) {
    free(*matrix);
    *matrix = NULL;
  }
  return status;
}

void elman_matrix_free(elman_matrix *matrix) {
  if (matrix == NULL) return;
  matrix_free(matrix);
  free(matrix);
}
