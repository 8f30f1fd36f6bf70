/* JSON on a stream, value by value; the commas are set here. */
#ifndef ELMAN_CLI_JSON_OUTPUT_H
#define ELMAN_CLI_JSON_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
  FILE *stream;
  bool comma;    /* the next value has one before it in its object or array */
  bool own_line; /* the next value starts a line */
};

/* Each value has a key in an object, and NULL in an array and at the top. The brackets are "{" and
 * "}" or "[" and "]", with a line end in front where they start a line. */
void json_open(struct json *json, const char *key, const char *bracket);
void json_close(struct json *json, const char *bracket);

void json_text(struct json *json, const char *key, const char *text); /* NULL = null */
void json_count(struct json *json, const char *key, uint64_t count);
void json_number(struct json *json, const char *key, double number);
void json_flag(struct json *json, const char *key, bool flag);

void json_texts(struct json *json, const char *key, const char *const *texts, size_t count);
void json_numbers(struct json *json, const char *key, const double *numbers, size_t count);

/* The next value starts a line. */
void json_line(struct json *json);

/* Control characters that could steer a terminal are escaped. */
void write_json_string(FILE *stream, const char *text);

/* Nine digits, which give a float back exactly; null for what JSON has no number for. */
void write_json_number(FILE *stream, double number);

#endif
