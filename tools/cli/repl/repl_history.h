/* What a session has translated, and how: rows of a table that can be saved. */
#ifndef ELMAN_CLI_REPL_HISTORY_H
#define ELMAN_CLI_REPL_HISTORY_H

#include <stddef.h>

struct session;
struct side;

/* Starts from all zero. */
struct history {
  char **cells; /* (rows,HISTORY_COLUMNS), owned */
  size_t rows, capacity;
};

struct elman_translation;

/* Adds a sentence: the best translation of it. */
void history_add(struct session *session, const struct side *side,
                 const struct elman_translation *translation);
void history_free(struct history *history);

/* The command :save. */
void session_save(struct session *session, char *argument);

#endif
