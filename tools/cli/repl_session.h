/* The state of an interactive session, and its commands that start with a colon. */
#ifndef ELMAN_CLI_REPL_SESSION_H
#define ELMAN_CLI_REPL_SESSION_H

#include <stdbool.h>

#include "elman.h"
#include "model_input.h"

struct session {
  struct models models;
  elman_translator *translator;
  elman_translate_options options;
  elman_translation *last; /* NULL before the first */
  bool show_attention;
  elman_alignment_units units; /* of the attention that is shown and written */
  bool over;
};

/* Opens the models that session->models names. Gives an exit code, after a message if that is not
 * 0; nothing is open then. */
int session_open(struct session *session);
void session_close(struct session *session);

/* A line without the blanks at its start, the ideographic space included. */
char *session_trim(char *line);

/* The bytes of the colon that makes a line a command, as a Chinese keyboard may type it too; 0 if
 * the line starts with none. */
size_t session_colon(const char *line);

/* Tells how to leave or get help, if the line looks as if somebody wanted that. */
void session_hint(const char *line);

/* Runs what follows the colon. What goes wrong is reported and the session goes on. */
void session_command(struct session *session, char *command);

/* The names of the commands, from index 0 up; NULL past the last. */
const char *session_command_name(size_t index);

#endif
