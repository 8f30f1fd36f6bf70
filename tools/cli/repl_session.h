/* What an interactive session holds, and its commands that start with ':'. */
#ifndef ELMAN_CLI_REPL_SESSION_H
#define ELMAN_CLI_REPL_SESSION_H

#include <stdbool.h>

#include "elman.h"

struct session {
  elman_model *model;
  elman_translator *translator;
  elman_translate_options options;
  elman_translation *last; /* NULL before the first */
  bool show_attention;
  bool over;
};

/* Gives an exit code, after a message if that is not 0. */
int session_open(struct session *session, const char *model_path);
void session_close(struct session *session);

/* Runs a line that starts with ':'. What goes wrong is reported and the session goes on. */
void session_command(struct session *session, char *line);

#endif
