/* JSON on a stream, and figures, which are JSON for programs or lines for people. Control
 * characters that could steer a terminal are escaped; numbers have nine digits, which give a float
 * back exactly.
 */
#ifndef ELMAN_CLI_JSON_OUTPUT_H
#define ELMAN_CLI_JSON_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
  FILE *stream;
  int labels;    /* 0 = JSON; else figures are lines for people, whose labels have this width, and
                    json_print does nothing */
  bool comma;    /* the next value has one before it in its object or array */
  bool own_line; /* the next value starts a line */
};

/* Values after a pattern of brackets, keys and %: "{epoch %zu loss %g best %d}\n". A value is a
 * text for %s (NULL = null), a count for %zu or PRIu64, a number for %g and a flag for %d. A line
 * end in front of "{" gives that object a line of its own. */
void json_print(struct json *json, const char *pattern, ...) __attribute__((format(printf, 2, 3)));

/* The contrary: text for people, and nothing in JSON. */
void people_print(struct json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One value, whose key is NULL in an array. */
void json_text(struct json *json, const char *key, const char *text);
void json_count(struct json *json, const char *key, uint64_t count);
void json_number(struct json *json, const char *key, double number);
void json_flag(struct json *json, const char *key, bool flag);

void json_texts(struct json *json, const char *key, const char *const *texts, size_t count);
void json_numbers(struct json *json, const char *key, const double *numbers, size_t count);
void json_flags(struct json *json, const char *key, const bool *flags, size_t count);

/* ---- figures: named values as results ---- */

/* One of the pointers says which kind of value it is. */
struct figure {
  const char *key;   /* in JSON; NULL = for people only */
  const char *label; /* for people; NULL = for programs only. The table ends where both are NULL */
  const char *text;
  const bool *flag;
  const size_t *count;
  const uint64_t *number;
  const double *share; /* 0 to 1, shown in per cent */
  const double *list;  /* (listed) */
  size_t listed;
  const double *real;
  int decimals;       /* of `real` and `list` */
  const char *format; /* of `real`, in place of decimals */
  int width;          /* of a column */
  const char *words;  /* for people in place of the value, or NULL */
  const char *unit;   /* after the value, or NULL */
  bool quiet_zero;    /* 0 of a count or share is for programs only */
};

/* Members of the object that is open, or lines "label   value". */
void figures_write(struct json *json, const struct figure *figures);

/* A row of a table of tensors, with figures that have a label: an object in a line of its own,
 * which stays open, or columns, of which the name is the first and `width` wide. Titles stand above
 * the columns. */
void tensor_write_titles(struct json *json, int width, const struct figure *figures);
void tensor_start(struct json *json, int width, const char *name, size_t rows, size_t columns,
                  int dimensions);
void tensor_write_figures(struct json *json, const struct figure *figures);

/* With these decimals; of millions, which only the perplexity of a model that has learnt nothing
 * is, the digits say no more. Returns `into`. */
const char *real_text(char *into, size_t size, double real, int decimals);

#endif
