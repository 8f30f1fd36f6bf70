/* A line typed at a terminal: with editing and history by readline, or plain. One implementation is
 * built; readline keeps its state in the process, so there is one input at most. */
#ifndef ELMAN_CLI_LINE_INPUT_H
#define ELMAN_CLI_LINE_INPUT_H

/* Reads the history. `history` is the path of its file, or NULL to keep none. */
void line_input_start(const char *history);

/* The next line, without its end, to be freed; NULL at the end of the input. Ctrl-C clears the line
 * (interrupt_catch_sigint() must have been called). */
char *line_input_read(const char *prompt);

/* Adds to the history; `history` as above. */
void line_input_remember(const char *line, const char *history);

#endif
