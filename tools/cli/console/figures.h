/* Named numbers as results, for people and for programs. */
#ifndef ELMAN_CLI_FIGURES_H
#define ELMAN_CLI_FIGURES_H

#include "console/json_output.h"

/* One of the pointers says which kind of number it is. */
struct figure {
  const char *key;   /* in JSON; NULL ends the table */
  const char *label; /* for people, up to 20 columns */
  const size_t *count;
  const double *share; /* 0 to 1, shown in per cent */
  const double *real;
  int decimals;     /* of `real` */
  const char *unit; /* behind it, or NULL */
  bool quiet_zero;  /* 0 is for programs only */
};

/* Members of the object that is open, or lines "label   value", with the value in column 22. */
void figures_write(struct json *json, bool as_json, const struct figure *figures);

/* With these decimals; of millions, which only the perplexity of a model that has learnt nothing
 * is, the digits say no more. Returns `into`. */
const char *real_text(char *into, size_t size, double real, int decimals);

#endif
