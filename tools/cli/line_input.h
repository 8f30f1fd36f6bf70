/* A line typed at a terminal: with editing and history by readline, or plain. One implementation is
 * built; readline keeps its state in the process, so there is one input at most. */
#ifndef ELMAN_CLI_LINE_INPUT_H
#define ELMAN_CLI_LINE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Names from index 0 up, NULL past the last. */
typedef const char *line_input_names(size_t index);
/* The bytes in front of a name that make it a command, or 0. */
typedef size_t line_input_lead(const char *word);

/* Reads the history; without it if it cannot be kept. Where there is editing, the
 * tabulator completes a command at the start of the line, and behind it the name of a file. */
void line_input_start(line_input_names *names, line_input_lead *lead);
void line_input_end(void);

/* The next line, without its end, to be freed; NULL at the end of the input. Ctrl-C clears the line
 * (interrupt_catch_sigint() must have been called). */
char *line_input_read(const char *prompt);

/* Adds to the history. */
void line_input_remember(const char *line);

#endif
