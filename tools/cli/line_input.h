/* A line typed at a terminal: with editing and history by readline, or plain. One implementation is
 * built; readline keeps its state in the process, so there is one input at most. */
#ifndef ELMAN_CLI_LINE_INPUT_H
#define ELMAN_CLI_LINE_INPUT_H

#include <stdbool.h>

struct line_input {
  char *history; /* path of its file; NULL = none is kept */
};

/* Reads the history; `quiet`: without a message if it cannot be kept. */
struct line_input line_input_start(bool quiet);
void line_input_end(struct line_input *input);

/* The next line, without its end, to be freed; NULL at the end of the input. Ctrl-C clears the line
 * (interrupt_catch_sigint() must have been called). */
char *line_input_read(const char *prompt);

/* Adds to the history. */
void line_input_remember(const struct line_input *input, const char *line);

#endif
