/* JSON on a stream, and figures: named values that are written as JSON for programs or as lines for
 * people. Control characters that could affect a terminal are escaped. Numbers have nine digits,
 * which is enough to restore a float exactly. */
#ifndef ELMAN_CLI_JSON_OUTPUT_H
#define ELMAN_CLI_JSON_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
  FILE *stream;
  int labels;    /* 0 = JSON; otherwise figures are lines with labels of this width, and json_print
                    prints nothing */
  bool comma;    /* another value comes before the next one in its object or array */
  bool own_line; /* the next value starts on a new line */
};

/* Print values in a pattern of brackets, keys and conversions: "{epoch %zu loss %g best %d}\n". %s
 * takes a text (NULL = null), %zu or PRIu64 a count, %g a number and %d a flag. A line end before
 * "{" starts that object on a new line. */
void json_print(struct json *json, const char *pattern, ...) __attribute__((format(printf, 2, 3)));

/* Print text for people; print nothing in JSON. */
void people_print(struct json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print one value; `key` is NULL in an array. */
void json_text(struct json *json, const char *key, const char *text);
void json_count(struct json *json, const char *key, uint64_t count);
void json_number(struct json *json, const char *key, double number);
void json_flag(struct json *json, const char *key, bool flag);

void json_texts(struct json *json, const char *key, const char *const *texts, size_t count);
void json_numbers(struct json *json, const char *key, const double *numbers, size_t count);
void json_flags(struct json *json, const char *key, const bool *flags, size_t count);

/* ---- figures: named values as results ---- */

/* Exactly one of the pointers is set and selects the kind of value. */
struct figure {
  const char *key; /* in JSON; NULL = only for people */
  const char
      *label; /* for people; NULL = only for programs. Both are NULL at the end of the table */
  const char *text;
  const bool *flag;
  const size_t *count;
  const uint64_t *number;
  const double *share; /* fraction from 0 to 1, printed as a percentage */
  const double *list;  /* (listed) */
  size_t listed;
  const double *real;
  int decimals;       /* digits after the point, for `real` and `list` */
  const char *format; /* for `real`, instead of `decimals` */
  int width;          /* of a column of the table */
  const char *words;  /* printed for people instead of the value, or NULL */
  const char *unit;   /* after the value, or NULL */
  bool quiet_zero;    /* people do not see this count or share if it is 0 */
};

/* Write members of the open object, or lines "label   value". */
void figures_write(struct json *json, const struct figure *figures);

/* A row of a table of tensors: in JSON an object on a line of its own, which stays open; for people
 * columns, the first of which is the name, `width` wide. Only figures with a label become columns.
 * The titles are printed above them. */
void tensor_write_titles(struct json *json, int width, const struct figure *figures);
void tensor_start(struct json *json, int width, const char *name, size_t rows, size_t columns,
                  int dimensions);
void tensor_write_figures(struct json *json, const struct figure *figures);

/* Format `real` with this number of decimals, or with an exponent from a million on, where decimals
 * have no meaning. Only the perplexity of an untrained model is that large. Return `into`. */
const char *real_text(char *into, size_t size, double real, int decimals);

#endif
