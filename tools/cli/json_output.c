#include "json_output.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "visible.h"

void write_json_string(FILE *stream, const char *text) {
  size_t size;
  putc('"', stream);
  for (size_t left = strlen(text); left > 0; left -= size, text += size) {
    const long control = control_at(text, left, &size);
    if (control >= 0) {
      fprintf(stream, "\\u%04lx", (unsigned long)control);
      continue;
    }
    if (*text == '"' || *text == '\\') putc('\\', stream);
    putc(*text, stream);
    size = 1;
  }
  putc('"', stream);
}

void write_json_number(FILE *stream, double number) {
  if (isfinite(number))
    fprintf(stream, "%.9g", number);
  else
    fputs("null", stream);
}

static void start_value(struct json *json, const char *key) {
  if (json->comma) putc(',', json->stream);
  if (json->own_line) fputs("\n  ", json->stream);
  if (key != NULL) fprintf(json->stream, "\"%s\":", key);
  json->comma = true;
  json->own_line = false;
}

void json_open(struct json *json, const char *key, const char *bracket) {
  start_value(json, key);
  fputs(bracket, json->stream);
  json->comma = false;
}

void json_close(struct json *json, const char *bracket) {
  fputs(bracket, json->stream);
  json->comma = true;
}

void json_text(struct json *json, const char *key, const char *text) {
  start_value(json, key);
  if (text == NULL)
    fputs("null", json->stream);
  else
    write_json_string(json->stream, text);
}

void json_count(struct json *json, const char *key, uint64_t count) {
  start_value(json, key);
  fprintf(json->stream, "%" PRIu64, count);
}

void json_number(struct json *json, const char *key, double number) {
  start_value(json, key);
  write_json_number(json->stream, number);
}

void json_flag(struct json *json, const char *key, bool flag) {
  start_value(json, key);
  fputs(flag ? "true" : "false", json->stream);
}

void json_texts(struct json *json, const char *key, const char *const *texts, size_t count) {
  json_open(json, key, "[");
  for (size_t i = 0; i < count; i++) json_text(json, NULL, texts[i]);
  json_close(json, "]");
}

void json_numbers(struct json *json, const char *key, const double *numbers, size_t count) {
  json_open(json, key, "[");
  for (size_t i = 0; i < count; i++) json_number(json, NULL, numbers[i]);
  json_close(json, "]");
}

void json_line(struct json *json) {
  json->own_line = true;
}
