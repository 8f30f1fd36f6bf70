/* JSON on a stream. Control characters that could steer a terminal are escaped; numbers have nine
 * digits, which give a float back exactly. */
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

/* Values after a pattern of brackets, keys and %: "{epoch %zu loss %g best %d}\n". A value is a
 * text for %s (NULL = null), a count for %zu or PRIu64, a number for %g and a flag for %d. A line
 * end in front of "{" gives that object a line of its own. */
void json_print(struct json *json, const char *pattern, ...) __attribute__((format(printf, 2, 3)));

/* One value, whose key is NULL in an array. */
void json_text(struct json *json, const char *key, const char *text);
void json_count(struct json *json, const char *key, uint64_t count);
void json_number(struct json *json, const char *key, double number);
void json_flag(struct json *json, const char *key, bool flag);

void json_texts(struct json *json, const char *key, const char *const *texts, size_t count);
void json_numbers(struct json *json, const char *key, const double *numbers, size_t count);
void json_flags(struct json *json, const char *key, const bool *flags, size_t count);

/* The member "shape" of a tensor. */
void json_shape(struct json *json, size_t rows, size_t columns, int dimensions);

/* ---- figures: named numbers as results, for people and for programs ---- */

/* One of the pointers says which kind of number it is. */
struct figure {
  const char *key;   /* in JSON; NULL ends the table */
  const char *label; /* for people, up to 20 columns */
  const size_t *count;
  const double *share; /* 0 to 1, shown in per cent */
  const double *real;
  int decimals;     /* of `real` */
  const char *unit; /* after it, or NULL */
  bool quiet_zero;  /* 0 is for programs only */
};

/* Members of the object that is open, or lines "label   value", with the value in column 22. */
void figures_write(struct json *json, bool as_json, const struct figure *figures);

/* With these decimals; of millions, which only the perplexity of a model that has learnt nothing
 * is, the digits say no more. Returns `into`. */
const char *real_text(char *into, size_t size, double real, int decimals);

#endif
