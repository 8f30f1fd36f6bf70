/* The command line, by a table of options. */
#ifndef ELMAN_CLI_COMMAND_LINE_H
#define ELMAN_CLI_COMMAND_LINE_H

#include <stddef.h>

#include "options/option.h"

/* Options and operands may be mixed; after "--" all is operands. --config FILE, which every command
 * has whose table has no such row, reads options from a file; what stands on the command line
 * replaces what stands there. False when there is nothing left to do, with *code the
 * exit code: help was asked for, or command line or file are wrong. */
bool options_parse(const struct usage *usage, int argc, char **argv, struct operands *operands,
                   int *code);

/* Makes --help call `show` with the table in place of printing it; NULL ends that. */
void options_help_by(int (*show)(const struct usage *usage, const bool preset[MAX_OPTIONS]));

/* ---- a file of options ---- */

/* A line "name = value" or "name value" each, with the names that the command line has after its
 * dashes. '#' at the start of a line or after a blank begins a comment. */
enum { CONFIG_LINES = 512, CONFIG_BYTES = 1 << 16 };

struct config_line {
  const char *name, *value; /* NULL: the name stands alone */
  size_t number;            /* of the line, from 1 */
};

struct config_file {
  const char *path; /* the caller's */
  struct config_line lines[CONFIG_LINES];
  size_t count;
  char text[CONFIG_BYTES]; /* what the lines point into */
  size_t used;
};

/* Starts from all zero. Gives an exit code, after a message if that is not 0. */
int config_file_read(struct config_file *config, const char *path);

/* Splits a line in place; `text` is neither empty nor starts with a blank. */
struct config_line config_line_split(char *text, size_t number);

#endif
