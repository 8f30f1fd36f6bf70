/* The state of an interactive session, and what its commands, which start with a colon, do with it.
 * What goes wrong in one is reported, and the session goes on. */
#ifndef ELMAN_CLI_REPL_SESSION_H
#define ELMAN_CLI_REPL_SESSION_H

#include <stdbool.h>

#include "console/output.h"
#include "elman.h"
#include "input/model_input.h"
#include "input/search_options.h"

/* Models that translate together, and what they do it with. */
struct side {
  struct models models;
  char *path;                   /* owned: of a model that a command named, or NULL */
  elman_translator *translator; /* NULL: none are open */
};

enum { HISTORY_COLUMNS = 5 };

/* The sentences that a session has translated, and how: rows of a table that can be saved. */
struct history {
  char **cells; /* (rows,HISTORY_COLUMNS), owned */
  size_t rows, capacity;
};

struct session {
  struct side side;      /* what translates */
  struct side other;     /* what did before :load, to be compared with; not open at first */
  struct output *output; /* for data */
  elman_translate_options options; /* but for the ensemble, which is a side's */
  struct overrides overrides;      /* their list alone; the options point to it */
  char *override_words;            /* owned: how they were asked for; NULL = none */
  elman_translation *last;         /* by `side`; NULL before the first */
  char *sentence;                  /* owned: what was translated last, maybe by another side */
  bool show_attention;
  elman_alignment_units units; /* of the attention that is shown and written */
  struct history history;
  bool replaces; /* '!' followed the name of the command that runs */
  bool over;
};

/* Opens the models that session->side names. Gives an exit code, after a message if that is not 0;
 * nothing is open then. */
int session_open(struct session *session);
void session_close(struct session *session);

/* The same for a side, whose models must go with the session's options. */
int side_open(struct side *side, const struct session *session);
void side_close(struct side *side);

/* "a.safetensors", "a.safetensors and 2 more" */
void side_name(char *name, size_t size, const struct side *side);

/* The options that a side translates with. */
elman_translate_options session_options(const struct session *session, const struct side *side);

/* Whether there is a last translation, or a last sentence; if not, `command` reports it. */
bool session_has_last(const struct session *session, const char *command);
bool session_has_sentence(const struct session *session, const char *command);

/* Whether `command`, as it was typed, may write the file: not where there is one, unless '!'
 * followed its name. Reports why not. */
bool session_may_write(const struct session *session, const char *command, const char *path);

/* ---- lines ---- */

/* A line without the blanks at its start, the ideographic space included. */
char *session_trim(char *line);

/* Ends the first word of `text`; gives the rest without the blanks around it. */
char *session_split_word(char *text);

/* Narrows letters that a Chinese keyboard typed at full width. */
void session_narrow(char *text);

/* The bytes of the colon that makes a line a command, as a Chinese keyboard may type it too; 0 if
 * the line starts with none. */
size_t session_colon(const char *line);

/* ---- commands, which repl.c calls. `argument` is what follows the name, without blanks around it
 * ---- */

/* ---- sentences, and a look into the last one: repl_translate.c ---- */

/* Translates a line, shows the result and keeps it. */
void session_translate(struct session *session, const char *line);

void session_force(struct session *session, char *argument);
void session_compare(struct session *session, char *argument);
void session_dump(struct session *session, char *argument);
void session_alternatives(struct session *session, char *argument);
void session_trace(struct session *session, char *argument);

/* ---- models, and what they translated: repl_models.c ---- */

void session_change_model(struct session *session, char *argument);
void session_load(struct session *session, char *argument);
void session_save(struct session *session, char *argument);

/* Adds the best translation of a sentence. */
void history_add(struct session *session, const struct side *side,
                 const elman_translation *translation);

/* ---- settings: repl_settings.c ---- */

void session_set(struct session *session, char *argument);
const char *session_setting_name(size_t index); /* NULL past the last */
void session_set_override(struct session *session, char *argument);
void session_set_attention(struct session *session, char *argument);
void session_set_units(struct session *session, char *argument);

/* How its attention is to be shown. */
elman_alignment_units session_units(const struct session *session);

/* "beam=5 length-penalty=0.6": what is not as by default; to be freed, NULL = no memory. */
char *session_settings(const struct session *session);

#endif
