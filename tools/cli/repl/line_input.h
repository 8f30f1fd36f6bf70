/* A line typed at a terminal: with editing and history by readline, or plain. One implementation is
 * built; readline keeps its state in the process, so there is one input at most. */
#ifndef ELMAN_CLI_LINE_INPUT_H
#define ELMAN_CLI_LINE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/* The words that the tabulator completes where there is editing. */
struct line_input_words {
  /* The commands, from index 0 up; NULL past the last. */
  const char *(*command)(size_t index);
  /* The bytes in front of its name that make a word a command, or 0. */
  size_t (*lead)(const char *word);
  /* The words that may follow a command, `line` being what stands in front of them; NULL past the
   * last. Where there is none it is the name of a file. */
  const char *(*argument)(const char *line, size_t index);
};

/* Reads the history; without it if it cannot be kept. `words` must outlive the input. */
void line_input_start(const struct line_input_words *words);
void line_input_end(void);

/* The next line, without its end, to be freed; NULL at the end of the input. Ctrl-C clears the line
 * (interrupt_catch_sigint() must have been called). */
char *line_input_read(const char *prompt);

/* Adds to the history. */
void line_input_remember(const char *line);

#endif
