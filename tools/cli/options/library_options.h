/* The rows of elman/options.h as options and as results. */
#ifndef ELMAN_CLI_LIBRARY_OPTIONS_H
#define ELMAN_CLI_LIBRARY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "console/json_output.h"
#include "elman.h"
#include "options/command_line.h"

/* Return an option for the library's row `name` of these scopes. It stores the value at `field`. */
struct option library_option(unsigned scopes, const char *name, void *field);

/* Append the library's rows of these scopes. `table` is zeroed, except rows that it
 * already contains. `fields` is the struct that stores the values. Leave at least one zero row at
 * the end. */
void library_options(struct option table[MAX_OPTIONS], unsigned scopes, void *fields);

/* Set given[row->index] for the library's rows that the command line or an option file gives.
 * Return `given`, for elman_options_check. */
const bool *library_options_given(bool given[ELMAN_MAX_OPTIONS], const struct usage *usage,
                                  const struct operands *operands);

/* Write each hyperparameter as a figure, except the row named `excluded` (NULL = none). */
void library_options_write(struct json *json, unsigned scopes, const void *fields,
                           const char *excluded);

/* Selects lines of an option file. If `differing` is true, it selects the hyperparameters whose
 * values differ from those in `defaults`; otherwise it selects the others. */
struct config_choice {
  const void *defaults;
  bool differing;
};

/* Write lines "option = value" of an option file, with `start` before each line. Write values with
 * all digits needed to restore them exactly. */
void library_options_config(FILE *stream, const char *start, unsigned scopes, const void *fields,
                            const struct config_choice *choice);

#endif
