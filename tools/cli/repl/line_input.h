/* Read lines typed at a terminal, with editing and history (readline) or without. The build
 * compiles one of the two variants. readline has global state, so only one input can be open. */
#ifndef ELMAN_CLI_LINE_INPUT_H
#define ELMAN_CLI_LINE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Words for tab completion. */
struct line_input_words {
  /* Return the command at `index`, from 0; NULL past the last. */
  const char *(*command)(size_t index);
  /* Return the number of bytes before the name that mark a word as a command; 0 if the word is not
   * a command. */
  size_t (*lead)(const char *word);
  /* Return the word at `index`, from 0, that may follow the text `line`; NULL past the last. If
   * there are no such words, file names are completed. */
  const char *(*argument)(const char *line, size_t index);
};

/* Start reading; load the history if it can be kept. `words` must outlive the input. */
void line_input_start(const struct line_input_words *words);
void line_input_end(void);

/* Read a line without its line end. The caller frees it. Return NULL at the end of the input.
 * Ctrl-C clears the line. The caller must have called interrupt_catch_sigint(). */
char *line_input_read(const char *prompt);

/* Add a line to the history. */
void line_input_add_history(const char *line);

#endif
