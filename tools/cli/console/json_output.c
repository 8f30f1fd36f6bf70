#include "console/json_output.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "console/messages.h"
#include "elman.h"

/* ---- values ---- */

static void start_value(struct json *json, const char *key) {
  if (json->comma) putc(',', json->stream);
  if (json->own_line) fputs("\n  ", json->stream);
  if (key != NULL) fprintf(json->stream, "\"%s\":", key);
  json->comma = true;
  json->own_line = false;
}

void json_text(struct json *json, const char *key, const char *text) {
  start_value(json, key);
  if (text == NULL)
    fputs("null", json->stream);
  else
    elman_write_json_text(json->stream, text);
}

void json_count(struct json *json, const char *key, uint64_t count) {
  start_value(json, key);
  fprintf(json->stream, "%" PRIu64, count);
}

void json_number(struct json *json, const char *key, double number) {
  start_value(json, key);
  elman_write_json_number(json->stream, number, JSON_DIGITS);
}

void json_flag(struct json *json, const char *key, bool flag) {
  start_value(json, key);
  fputs(flag ? "true" : "false", json->stream);
}

static void print_bracket(struct json *json, const char *key, char bracket) {
  const bool opens = bracket == '{' || bracket == '[';
  if (opens) start_value(json, key);
  putc(bracket, json->stream);
  json->comma = !opens;
}

static void print_argument(struct json *json, const char *key, char kind, va_list *arguments) {
  if (kind == 's')
    json_text(json, key, va_arg(*arguments, const char *));
  else if (kind == 'g')
    json_number(json, key, va_arg(*arguments, double));
  else if (kind == 'd')
    json_flag(json, key, va_arg(*arguments, int) != 0);
  else if (kind == 'z')
    json_count(json, key, va_arg(*arguments, size_t));
  else
    json_count(json, key, va_arg(*arguments, uint64_t));
}

void json_print(struct json *json, const char *pattern, ...) {
  va_list arguments;
  char key[32] = "";
  if (json->labels > 0) return;
  va_start(arguments, pattern);
  for (const char *at = pattern; *at != '\0'; at++) {
    const char *named = key[0] == '\0' ? NULL : key;
    if (islower((unsigned char)*at)) {
      const size_t length = strcspn(at, " ");
      snprintf(key, sizeof key, "%.*s", (int)length, at);
      at += length - 1;
      continue;
    }
    if (*at == '%') {
      print_argument(json, named, *++at, &arguments);
      at += strspn(at, "zl"); /* skip to the last letter of the conversion */
    } else if (*at == '\n' && at[1] == '{') {
      json->own_line = true;
    } else if (*at == '\n') {
      putc('\n', json->stream);
    } else if (*at != ' ') {
      print_bracket(json, named, *at);
    }
    if (*at != ' ') key[0] = '\0';
  }
  va_end(arguments);
}

void people_print(struct json *json, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (json->labels > 0) vfprintf(json->stream, format, arguments);
  va_end(arguments);
}

void json_translation(struct json *json, const elman_translation *translation, unsigned parts) {
  if (json->comma) putc(',', json->stream);
  elman_translation_write_json(json->stream, translation, parts, JSON_DIGITS);
  json->comma = true;
}

void json_warning(struct json *json, const elman_model *model,
                  const elman_translation *translation) {
  const elman_warning warning = elman_translation_warning(model, translation);
  if (warning.kind != ELMAN_WARNING_NONE)
    json_print(json, "warning {kind %s message %s}", elman_warning_kind_name(warning.kind),
               warning.message);
}

static void json_numbers(struct json *json, const char *key, const double *numbers, size_t count) {
  print_bracket(json, key, '[');
  for (size_t i = 0; i < count; i++) json_number(json, NULL, numbers[i]);
  print_bracket(json, key, ']');
}

/* ---- figures ---- */

const char *real_text(char *into, size_t size, double real, int decimals) {
  snprintf(into, size, real < 1e6 ? "%.*f" : "%.*e", decimals, real);
  return into;
}

enum { NUMBER_SIZE = 64 };

static const char *number_text(char into[NUMBER_SIZE], const struct figure *figure) {
  if (figure->words != NULL) return figure->words;
  if (figure->flag != NULL) return *figure->flag ? "yes" : "no";
  if (figure->count != NULL)
    snprintf(into, NUMBER_SIZE, "%zu", *figure->count);
  else if (figure->number != NULL)
    snprintf(into, NUMBER_SIZE, "%" PRIu64, *figure->number);
  else if (figure->share != NULL)
    snprintf(into, NUMBER_SIZE, "%.2f %%", 100 * *figure->share);
  else if (figure->format != NULL)
    snprintf(into, NUMBER_SIZE, figure->format, *figure->real);
  else
    real_text(into, NUMBER_SIZE, *figure->real, figure->decimals);
  return into;
}

static void write_line(FILE *stream, int labels, const struct figure *figure) {
  char text[NUMBER_SIZE];
  fprintf(stream, "%-*s ", labels, figure->label);
  for (size_t i = 0; i < figure->listed; i++)
    fprintf(stream, i == 0 ? "%s" : " / %s",
            real_text(text, sizeof text, figure->list[i], figure->decimals));
  if (figure->text != NULL && figure->words == NULL)
    print_visible(stream, figure->text);
  else if (figure->list == NULL)
    fputs(number_text(text, figure), stream);
  fprintf(stream, "%s\n", figure->unit == NULL ? "" : figure->unit);
}

static void write_member(struct json *json, const struct figure *figure) {
  if (figure->text != NULL)
    json_text(json, figure->key, figure->text);
  else if (figure->flag != NULL)
    json_flag(json, figure->key, *figure->flag);
  else if (figure->count != NULL)
    json_count(json, figure->key, *figure->count);
  else if (figure->number != NULL)
    json_count(json, figure->key, *figure->number);
  else if (figure->list != NULL)
    json_numbers(json, figure->key, figure->list, figure->listed);
  else
    json_number(json, figure->key, figure->share != NULL ? *figure->share : *figure->real);
}

static bool is_zero(const struct figure *figure) {
  return figure->count != NULL ? *figure->count == 0 : *figure->share == 0;
}

static bool is_last(const struct figure *figure) {
  return figure->key == NULL && figure->label == NULL;
}

void figures_write(struct json *json, const struct figure *figures) {
  for (const struct figure *figure = figures; !is_last(figure); figure++) {
    if (json->labels == 0) {
      if (figure->key != NULL) write_member(json, figure);
    } else if (figure->label != NULL && !(figure->quiet_zero && is_zero(figure))) {
      write_line(json->stream, json->labels, figure);
    }
  }
}

/* ---- tensors ---- */

void tensor_write_titles(struct json *json, int width, const struct figure *figures) {
  people_print(json, "%-*s %13s", width, "tensor", "shape");
  for (const struct figure *figure = figures; !is_last(figure); figure++)
    if (figure->label != NULL) people_print(json, " %*s", figure->width, figure->label);
  people_print(json, "\n");
}

void tensor_start(struct json *json, int width, const char *name, size_t rows, size_t columns,
                  int dimensions) {
  char shape[48];
  snprintf(shape, sizeof shape, dimensions == 1 ? "%zu" : "%zu x %zu", rows, columns);
  people_print(json, "%-*s %13s", width, name, shape);
  json_print(json, "\n{name %s", name);
  json_print(json, dimensions == 1 ? "shape [%zu]" : "shape [%zu %zu]", rows, columns);
}

void tensor_write_figures(struct json *json, const struct figure *figures) {
  char text[NUMBER_SIZE];
  if (json->labels == 0) figures_write(json, figures);
  for (const struct figure *figure = figures; !is_last(figure); figure++)
    if (figure->label != NULL) people_print(json, " %*s", figure->width, number_text(text, figure));
}
