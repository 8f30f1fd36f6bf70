/* A file of options: a line "name = value" or "name value" each, with the names that the command
 * line has behind its dashes. '#' at the start of a line or behind a blank begins a comment. */
#ifndef ELMAN_CLI_CONFIG_FILE_H
#define ELMAN_CLI_CONFIG_FILE_H

#include <stddef.h>

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

/* Takes a line apart, in place; `text` is neither empty nor starts with a blank. */
struct config_line config_line_split(char *text, size_t number);

/* "FILE:3", for messages. */
void config_line_name(char *name, size_t size, const struct config_file *config,
                      const struct config_line *line);

#endif
