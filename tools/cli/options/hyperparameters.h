/* The table of hyperparameters as options and as results, and presets of them. */
#ifndef ELMAN_CLI_HYPERPARAMETERS_H
#define ELMAN_CLI_HYPERPARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "console/json_output.h"
#include "elman.h"
#include "options/command_line.h"

/* Presets: settings that go together, chosen by one word. Options given beside it change single
 * ones. From index 0 up; NULL past the last. */
const char *preset_name(size_t index);

/* The settings of a preset, in the form of `settings` in struct option. */
const char *preset_settings(size_t index);

/* A row of an option table: the hyperparameter that has this name in files, kept at `field`. */
struct option hyperparameter_option(const char *name, void *field);

/* Adds the rows of these scopes after those that a zeroed table has; `fields` is the options'
 * struct that they belong to. One zero row is left. */
void hyperparameter_options(struct option table[MAX_OPTIONS], unsigned scopes, void *fields);

/* Each as a figure, without the row of the name `left_out` (NULL = none). */
void hyperparameters_write(struct json *json, unsigned scopes, const void *fields,
                           const char *left_out);

/* Which lines of a file of options: those of rows whose value differs from that at `defaults`, or
 * the others. */
struct config_choice {
  const void *defaults;
  bool differing;
};

/* Lines "option = value" of a file of options, with `start` in front of each. Values are exact. */
void config_hyperparameters(FILE *stream, const char *start, unsigned scopes, const void *fields,
                            const struct config_choice *choice);

#endif
