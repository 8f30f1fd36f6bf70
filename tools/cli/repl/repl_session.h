/* The state of an interactive session, and its commands, which start with a colon. An error in a
 * command is reported, and the session continues. */
#ifndef ELMAN_CLI_REPL_SESSION_H
#define ELMAN_CLI_REPL_SESSION_H

#include <stdbool.h>

#include "console/output.h"
#include "elman.h"
#include "input/model_input.h"
#include "input/search_options.h"

/* A model or an ensemble, with its translator. */
struct side {
  struct models models;
  char *path;                   /* the file named by :model or :load, or NULL; owned */
  elman_translator *translator; /* NULL if no models are open */
};

enum { HISTORY_COLUMNS = 5 };

/* The sentences translated in a session, with their settings, as the rows of a table that can be
 * saved. */
struct history {
  char **cells; /* array of `rows` rows with HISTORY_COLUMNS cells; owned */
  size_t rows;
};

struct session {
  struct side side;      /* the current models */
  struct side other;     /* the models before :load, used by :compare; not open at first */
  struct output *output; /* output for data */
  elman_translate_options options; /* all options except the ensemble, which belongs to a side */
  struct search_given given;       /* options that replace the search that a model stores */
  struct overrides overrides;      /* the list of overrides; `options` points to it */
  char *override_words;            /* text of the overrides; NULL = none; owned */
  elman_translation *last;         /* last translation with `side`; NULL before the first */
  char *sentence; /* last sentence, which another side may have translated; owned */
  bool show_attention;
  elman_alignment_units units; /* units of the attention that is shown and written */
  struct history history;
  bool over;
};

void session_close(struct session *session);

/* Use the search that the current model stores, for all that was not given. */
void session_adopt_search(struct session *session);

/* Open the models of a side and check that they support the session's options. Return an exit code;
 * print a message if it is not 0. */
int side_open(struct side *side, const struct session *session);
void side_close(struct side *side);

/* Format the name of a side, for example "a.safetensors" or "a.safetensors and 2 more". */
void side_name(char *name, size_t size, const struct side *side);

/* Return the options for translation with a side. */
elman_translate_options session_options(const struct session *session, const struct side *side);

/* Return whether `last`, the last translation or the last sentence, is not NULL. If it is, report
 * this for `command`. */
bool session_has(const void *last, const char *command);

/* Return the format in which `command` may write the file. If it may not write the file, report why
 * and return NULL: it may replace a file only if '!' follows its name, and never a model. The
 * message shows `example`, a use of the command. */
const char *session_output_format(const char *command, const char *example,
                                  const struct formats *formats, const char *path);

/* ---- lines ---- */

/* Skip the spaces at the start of a line, including the ideographic space. */
char *session_trim(char *line);

/* Terminate the first word of `text`. Return the rest without spaces at its start and end. */
char *session_split_word(char *text);

/* Convert full-width letters, which a Chinese keyboard may type, to ASCII. */
void session_narrow(char *text);

/* Return the length in bytes of the colon at the start of a line, which makes the line a command; 0
 * if the line does not start with a colon. The colon may be full-width. */
size_t session_colon(const char *line);

/* Commands are called by repl.c; `argument` is the text after the name, without spaces around it.
 */

/* ---- sentences, and details of the last one: repl_translate.c ---- */

/* Translate a line, show the result and store it as the last one. */
void session_translate(struct session *session, const char *line);

void session_force(struct session *session, char *argument);
void session_compare(struct session *session, char *argument);
void session_dump(struct session *session, char *argument);
void session_alternatives(struct session *session, char *argument);
void session_trace(struct session *session, char *argument);

/* ---- models and the history: repl_models.c ---- */

void session_change_model(struct session *session, char *argument);
void session_load(struct session *session, char *argument);
void session_save(struct session *session, char *argument);

/* Add the best translation of a sentence to the history. */
void history_add(struct session *session, const struct side *side,
                 const elman_translation *translation);

/* ---- settings: repl_settings.c ---- */

void session_set(struct session *session, char *argument);
const char *session_setting_name(size_t index); /* NULL past the last */
void session_set_override(struct session *session, char *argument);
void session_set_attention(struct session *session, char *argument);
void session_set_units(struct session *session, char *argument);

/* Return the units in which attention is shown. */
elman_alignment_units session_units(const struct session *session);

/* Return the settings that differ from the defaults, for example "beam=5 length-penalty=0.6". If
 * `forced` is true, "reference" follows. The caller frees the text. Return NULL if memory ran
 * out. */
char *session_settings(const struct session *session, bool forced);

#endif
