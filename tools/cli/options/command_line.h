/* Parse the command line according to a table of options. */
#ifndef ELMAN_CLI_COMMAND_LINE_H
#define ELMAN_CLI_COMMAND_LINE_H

#include <stddef.h>

#include "options/option.h"

/* Parse the command line. Options and operands may be mixed; all words after "--" are operands.
 * --config FILE reads options from a file; options on the command line override them. Every command
 * has --config, unless its own table has a row of this name.
 *
 * Return false if the command must not run: help was printed, or the command line or the option
 * file is invalid. Set *code to the exit code in that case. */
bool options_parse(const struct usage *usage, int argc, char **argv, struct operands *operands,
                   int *code);

/* Make --help call `show` with the command's table instead of printing help. If `show` is NULL,
 * --help prints help again. */
void options_help_by(int (*show)(const struct usage *usage, const bool preset[MAX_OPTIONS]));

/* Make the message about an unknown option call `search`, which returns the command that has an
 * option of this name, or NULL. */
void options_search_by(const char *(*search)(const char *name));

/* ---- option files ---- */

/* A line of an option file is "name = value" or "name value". Names are those of the command line,
 * without dashes. A '#' at the start of a line or after a space starts a comment. */
enum { CONFIG_LINES = 512, CONFIG_BYTES = 1 << 16 };

struct config_line {
  const char *name, *value; /* `value` is NULL if the line contains only a name */
  size_t number;            /* line number, from 1 */
};

struct config_file {
  const char *path; /* path of the file, owned by the caller */
  struct config_line lines[CONFIG_LINES];
  size_t count;
  char text[CONFIG_BYTES]; /* text of all lines */
  size_t used;
};

/* Read an option file into `config`, which must be all zero. Return an exit code; print a message
 * if it is not 0. */
int config_file_read(struct config_file *config, const char *path);

/* Split a line in place; `text` is not empty and does not start with a space. */
struct config_line config_line_split(char *text, size_t number);

#endif
