#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "attention/attention_job.h"
#include "console/messages.h"
#include "console/output.h"
#include "repl/repl_session.h"

/* ---- models ---- */

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
  if (side_open(side, session) == EX_OK) return true;
  print_info("the previous model stays loaded");
  return false;
}

/* Make `side` the current model. Drop the last translation, because this model did not produce it
 * and cannot examine it. */
static void begin_side(struct session *session, struct side side) {
  session->side = side;
  elman_translation_free(session->last);
  session->last = NULL;
  session_adopt_search(session);
  if (units_check(":units", session->units, &session->side.models) == EX_OK) return;
  session->units = ELMAN_UNITS_AUTO;
  print_info(":units is reset to auto");
}

void session_change_model(struct session *session, char *argument) {
  struct side side;
  if (!open_named(&side, session, ":model", argument)) return;
  side_close(&session->side);
  begin_side(session, side);
  print_info("loaded %s", side.path);
}

void session_load(struct session *session, char *argument) {
  struct side side;
  char name[MESSAGE_SIZE];
  if (!open_named(&side, session, ":load", argument)) return;
  side_close(&session->other);
  session->other = session->side;
  begin_side(session, side);
  side_name(name, sizeof name, &session->other);
  print_info("loaded %s; ':compare' compares it with %s", side.path, name);
}

/* ---- history ---- */

static const char *const columns[HISTORY_COLUMNS] = {"source", "translation", "log-probability",
                                                     "model", "settings"};

void history_add(struct session *session, const struct side *side,
                 const elman_translation *translation) {
  struct history *history = &session->history;
  char name[MESSAGE_SIZE], number[32];
  side_name(name, sizeof name, side);
  snprintf(number, sizeof number, "%.6g", translation->log_probability);
  char *row[HISTORY_COLUMNS] = {strdup(translation->source), strdup(translation->text),
                                strdup(number), strdup(name),
                                session_settings(session, translation->forced)};
  char **cells = reallocarray(history->cells, history->rows + 1, sizeof row);
  bool whole = cells != NULL;
  if (whole) history->cells = cells;
  for (size_t i = 0; i < HISTORY_COLUMNS; i++) whole = whole && row[i] != NULL;
  if (whole) {
    memcpy(cells + history->rows++ * HISTORY_COLUMNS, row, sizeof row);
    return;
  }
  for (size_t i = 0; i < HISTORY_COLUMNS; i++) free(row[i]);
  (void)report_no_memory();
}

static const char *format_suffix(size_t index) {
  static const char *const suffixes[] = {".tsv", ".html"};
  return index < sizeof suffixes / sizeof *suffixes ? suffixes[index] : NULL;
}

static const struct formats formats = {elman_table_format_name, format_suffix};

static int write_as(const char *path, const char *format, const struct history *history) {
  struct output output;
  elman_error error;
  const elman_table table = {"Translations of this session", columns, HISTORY_COLUMNS,
                             (const char *const *)history->cells, history->rows};
  int code = output_open(&output, path);
  if (code != EX_OK) return code;
  if (elman_table_write(output.stream, &table, format, &error) != ELMAN_OK)
    code = report_error(&error);
  return output_finish(&output, code, code == EX_OK);
}

void session_save(struct session *session, char *argument) {
  const struct history *history = &session->history;
  const char *format = session_output_format(":save", "':save session.tsv' or ':save session.html'",
                                             &formats, argument);
  if (format != NULL && write_as(argument, format, history) == EX_OK)
    print_info("wrote %s with %zu translation%s", argument, history->rows, plural(history->rows));
}
