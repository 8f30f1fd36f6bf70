/* The library's table of hyperparameters as options and as results, and the presets. */
#ifndef ELMAN_CLI_HYPERPARAMETERS_H
#define ELMAN_CLI_HYPERPARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "console/json_output.h"
#include "elman.h"
#include "options/command_line.h"

/* Return the name of the preset at `index`, from 0; NULL past the last. A preset is a set of
 * defaults with one name; options given with it override single ones. */
const char *preset_name(size_t index);

/* Return the settings of a preset in the form of `settings` in struct option. */
const char *preset_settings(size_t index);

/* Return a row of an option table for the hyperparameter with this name in files; its value is
 * stored at `field`. */
struct option hyperparameter_option(const char *name, void *field);

/* Append the rows of these scopes to a zeroed table that may have rows already; `fields` is the
 * struct of options that contains their values. At least one zero row is left. */
void hyperparameter_options(struct option table[MAX_OPTIONS], unsigned scopes, void *fields);

/* Write each hyperparameter as a figure, except the row named `excluded` (NULL = none). */
void hyperparameters_write(struct json *json, unsigned scopes, const void *fields,
                           const char *excluded);

/* Which lines to write to an option file: rows whose value differs from that at `defaults`, or the
 * others. */
struct config_choice {
  const void *defaults;
  bool differing;
};

/* Write lines "option = value" of an option file, each after `start`. Values are exact. */
void config_hyperparameters(FILE *stream, const char *start, unsigned scopes, const void *fields,
                            const struct config_choice *choice);

#endif
