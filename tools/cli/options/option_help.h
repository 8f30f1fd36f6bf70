/* The table of options as --help shows it. */
#ifndef ELMAN_CLI_OPTION_HELP_H
#define ELMAN_CLI_OPTION_HELP_H

#include "options/usage.h"

/* Prints usage, description and options with their defaults; preset[i]: the default of row i is
 * that of a preset. Gives an exit code. */
int options_help(const struct usage *usage, const bool preset[MOST_OPTIONS]);

/* What --help does from here on with the table in place of printing it, until it is NULL again. */
void options_help_by(int (*show)(const struct usage *usage, const bool preset[MOST_OPTIONS]));

#endif
