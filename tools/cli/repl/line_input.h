/* Lines typed at a terminal, with editing and history (readline) or without. The build compiles one
 * of the two. readline has global state, so there is at most one input. */
#ifndef ELMAN_CLI_LINE_INPUT_H
#define ELMAN_CLI_LINE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Words for tab completion. */
struct line_input_words {
  /* Return the command at `index`, from 0; NULL past the last. */
  const char *(*command)(size_t index);
  /* Return the number of bytes before the name that mark a word as a command; 0 if it is none. */
  size_t (*lead)(const char *word);
  /* Return the word at `index` that may follow the text `line`; NULL past the last. If there are
   * none, file names are completed. */
  const char *(*argument)(const char *line, size_t index);
};

/* Start reading, and load the history if it can be kept. `words` must outlive the input. */
void line_input_start(const struct line_input_words *words);
void line_input_end(void);

/* Read a line without its line end, to be freed; NULL at the end of the input. Ctrl-C clears the
 * line; interrupt_catch_sigint() must have been called. */
char *line_input_read(const char *prompt);

/* Add a line to the history. */
void line_input_add_history(const char *line);

#endif
