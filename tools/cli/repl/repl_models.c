#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "attention/attention_job.h"
#include "console/messages.h"
#include "repl/repl_session.h"

/* ---- sides ---- */

static void close_side(struct side *side) {
  elman_translator_free(side->translator);
  models_close(&side->models);
  free(side->path);
  *side = (struct side){0};
}

/* Of the models that it names. */
static int open_side(struct side *side, const struct session *session) {
  elman_translate_options options = session->options; /* what the models must go with */
  elman_error error;
  int code = models_open(&side->models, &options);
  if (code == EX_OK &&
      elman_translator_create(&side->translator, side->models.open[0], &error) != ELMAN_OK)
    code = report_error(&error);
  if (code != EX_OK) close_side(side);
  return code;
}

void session_name_side(char *name, size_t size, const struct side *side) {
  const struct option_list *paths = &side->models.paths;
  if (paths->count > 1)
    snprintf(name, size, "%s and %zu more", paths->words[0], paths->count - 1);
  else
    snprintf(name, size, "%s", paths->words[0]);
}

/* ---- the session ---- */

int session_open(struct session *session) {
  return open_side(&session->side, session);
}

void session_close(struct session *session) {
  elman_translation_free(session->last);
  close_side(&session->side);
  close_side(&session->other);
  history_free(&session->history);
  free(session->sentence);
  free(session->override_words);
  session->last = NULL;
  session->sentence = session->override_words = NULL;
}

/* ---- the commands ---- */

static bool open_named(struct side *side, const struct session *session, const char *command,
                       const char *path) {
  if (path[0] == '\0') {
    report(command, "name a file, as in '%s %s'", command, DEFAULT_MODEL);
    return false;
  }
  *side = (struct side){.path = strdup(path)};
  if (side->path == NULL) {
    (void)report_no_memory();
    return false;
  }
  side->models.paths = (struct option_list){{side->path}, 1};
  if (open_side(side, session) == EX_OK) return true;
  tell("the model is the same as before");
  return false;
}

/* What was translated by another model cannot be looked into with this one. */
static void begin_side(struct session *session, struct side side) {
  session->side = side;
  elman_translation_free(session->last);
  session->last = NULL;
  if (units_check(":units", session->units, &session->side.models) == EX_OK) return;
  session->units = ELMAN_UNITS_AUTO;
  tell("the units are auto again");
}

void session_change_model(struct session *session, char *argument) {
  struct side side;
  if (!open_named(&side, session, ":model", argument)) return;
  close_side(&session->side);
  begin_side(session, side);
  tell("%s is loaded", side.path);
}

void session_load(struct session *session, char *argument) {
  struct side side;
  char name[MESSAGE_SIZE];
  if (!open_named(&side, session, ":load", argument)) return;
  close_side(&session->other);
  session->other = session->side;
  begin_side(session, side);
  session_name_side(name, sizeof name, &session->other);
  tell("%s is loaded; ':compare' sets it beside %s", side.path, name);
}
