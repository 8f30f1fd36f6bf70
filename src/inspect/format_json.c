/* One JSON object a line (JSON Lines). */
#include <jansson.h>
#include <stdlib.h>

#include "inspect/format.h"

static json_t *strings(const char *const *tokens, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++) {
    if (json_array_append_new(array, json_string(tokens[i])) != 0) {
      json_decref(array);
      return NULL;
    }
  }
  return array;
}

static json_t *matrix(const real *values, size_t rows, size_t columns) {
  json_t *array = json_array();
  int result = 0;
  for (size_t i = 0; i < rows; i++) {
    json_t *row = json_array();
    for (size_t j = 0; j < columns; j++)
      result |= json_array_append_new(row, json_real((double)values[i * columns + j]));
    result |= json_array_append_new(array, row);
  }
  if (result == 0) return array;
  json_decref(array);
  return NULL;
}

enum status format_write_json(FILE *stream, const struct translation *translation,
                              const struct text_style *style, struct error *error) {
  (void)style;
  const size_t S = translation->source_count, T = translation->target_count;
  json_t *object = json_pack("{s:o, s:o, s:o, s:s, s:f}", "source_tokens",
                             strings(translation->source_tokens, S), "target_tokens",
                             strings(translation->target_tokens, T), "attention",
                             matrix(translation->attention, T, S), "translation", translation->text,
                             "log_probability", translation->log_probability);
  char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(9));
  json_decref(object);
  if (text == NULL) return fail_no_memory(error);
  fprintf(stream, "%s\n", text);
  free(text);
  return STATUS_OK;
}
