/* The library's hyperparameters as options and as results, and the presets. */
#ifndef ELMAN_CLI_HYPERPARAMETERS_H
#define ELMAN_CLI_HYPERPARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "console/json_output.h"
#include "elman.h"
#include "options/command_line.h"

/* Return the name of the preset at `index`, from 0; NULL past the last. A preset is a named set of
 * defaults. Other options on the command line override single defaults. */
const char *preset_name(size_t index);

/* Return the settings of the preset at `index`, in the format of `settings` in struct option. */
const char *preset_settings(size_t index);

/* Return an option row for the hyperparameter `name`, as model files name it. The row stores the
 * value at `field`. */
struct option hyperparameter_option(const char *name, void *field);

/* Append rows for the hyperparameters of these scopes. `table` is zeroed, except rows that it
 * already contains. `fields` is the struct that stores the values. Leave at least one zero row at
 * the end. */
void hyperparameter_options(struct option table[MAX_OPTIONS], unsigned scopes, void *fields);

/* Write each hyperparameter as a figure, except the row named `excluded` (NULL = none). */
void hyperparameters_write(struct json *json, unsigned scopes, const void *fields,
                           const char *excluded);

/* Selects lines of an option file. If `differing` is true, it selects the hyperparameters whose
 * values differ from those in `defaults`; otherwise it selects the others. */
struct config_choice {
  const void *defaults;
  bool differing;
};

/* Write lines "option = value" of an option file, with `start` before each line. Write values with
 * all digits needed to restore them exactly. */
void config_hyperparameters(FILE *stream, const char *start, unsigned scopes, const void *fields,
                            const struct config_choice *choice);

#endif
