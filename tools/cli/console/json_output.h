/* Output of JSON and figures. A figure is a named value that is written as JSON for programs or as
 * a line for people. Control characters are escaped, because they could affect a terminal. Numbers
 * have nine digits, which is enough to restore a float exactly. */
#ifndef ELMAN_CLI_JSON_OUTPUT_H
#define ELMAN_CLI_JSON_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "elman.h"

enum { JSON_DIGITS = 9 };

struct json {
  FILE *stream;
  int labels;    /* 0 = JSON; otherwise the width of the labels of figures, and json_print prints
                    nothing */
  bool comma;    /* write a comma before the next value */
  bool own_line; /* start the next value on a new line */
};

/* Print the arguments according to `pattern`, which consists of brackets, keys and conversions:
 * "{epoch %zu loss %g best %d}\n". Conversions are %s for a text (NULL = null), %zu or PRIu64 for a
 * count, %g for a number, and %d for a flag. A line end before "{" starts the object on a new
 * line. */
void json_print(struct json *json, const char *pattern, ...) __attribute__((format(printf, 2, 3)));

/* Print text in output for people; print nothing in JSON. */
void people_print(struct json *json, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print one value. `key` is NULL for an element of an array. */
void json_text(struct json *json, const char *key, const char *text);
void json_count(struct json *json, const char *key, uint64_t count);
void json_number(struct json *json, const char *key, double number);
void json_flag(struct json *json, const char *key, bool flag);

/* Write members of a translation; `parts` are bits of elman_json_part, at least one. */
void json_translation(struct json *json, const elman_translation *translation, unsigned parts);

/* Write the warning of a translation as the member "warning": {"kind": …, "message": …}. A
 * translation without a warning has no such member. */
void json_warning(struct json *json, const elman_model *model,
                  const elman_translation *translation);

/* ---- figures: named values as results ---- */

/* A named value. Set exactly one of the pointers `text`, `flag`, `count`, `number`, `share`, `list`
 * and `real`; it selects the type. */
struct figure {
  const char *key;   /* key in JSON; NULL omits the figure there */
  const char *label; /* label for people; NULL omits the figure there. A row without key and label
                        ends the table */
  const char *text;
  const bool *flag;
  const size_t *count;
  const uint64_t *number;
  const double *share; /* fraction from 0 to 1, printed as a percentage */
  const double *list;  /* array of `listed` numbers */
  size_t listed;
  const double *real;
  int decimals;       /* digits after the decimal point, for `real` and `list` */
  const char *format; /* printf format for `real`; replaces `decimals` */
  int width;          /* column width in the table */
  const char *words;  /* text printed for people in place of the value; NULL = print the value */
  const char *unit;   /* unit printed after the value; NULL = none */
  bool quiet_zero;    /* omit a count or share of 0 in output for people */
};

/* Write the figures as members of the open JSON object, or as lines of label and value. */
void figures_write(struct json *json, const struct figure *figures);

/* Write a table of tensors. In JSON, each tensor is an object on its own line, which tensor_start
 * leaves open. For people, each tensor is a row, whose first column is the name, `width` wide. Only
 * figures with a label become columns. The titles are above the columns. */
void tensor_write_titles(struct json *json, int width, const struct figure *figures);
void tensor_start(struct json *json, int width, const char *name, size_t rows, size_t columns,
                  int dimensions);
void tensor_write_figures(struct json *json, const struct figure *figures);

/* Format `real` with `decimals` decimals. From one million on, use an exponent, because decimals
 * have no meaning there. Only the perplexity of an untrained model is that large. Return `into`. */
const char *real_text(char *into, size_t size, double real, int decimals);

#endif
