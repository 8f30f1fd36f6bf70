#include "repl/repl_history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "console/output.h"
#include "repl/repl_session.h"

static const char *const columns[] = {"source", "translation", "log-probability", "model",
                                      "settings"};

enum { COLUMNS = sizeof columns / sizeof *columns };

/* ---- rows ---- */

static bool grow(struct history *history) {
  if (history->rows < history->capacity) return true;
  const size_t capacity = history->capacity == 0 ? 16 : 2 * history->capacity;
  char **cells = reallocarray(history->cells, capacity, COLUMNS * sizeof *cells);
  if (cells == NULL) return false;
  history->cells = cells;
  history->capacity = capacity;
  return true;
}

static void free_cells(char **cells) {
  for (size_t i = 0; i < COLUMNS; i++) free(cells[i]);
}

void history_add(struct session *session, const struct side *side,
                 const elman_translation *translation) {
  struct history *history = &session->history;
  char name[MESSAGE_SIZE], number[32];
  session_name_side(name, sizeof name, side);
  snprintf(number, sizeof number, "%.6g", translation->log_probability);
  char *settings = session_settings(session), *forced = NULL;
  if (settings != NULL && translation->forced &&
      asprintf(&forced, "%s%sreference", settings, settings[0] == '\0' ? "" : " ") < 0)
    forced = NULL;
  char *cells[COLUMNS] = {strdup(translation->source), strdup(translation->text), strdup(number),
                          strdup(name), translation->forced ? forced : settings};
  if (translation->forced) free(settings);
  bool whole = grow(history);
  for (size_t i = 0; i < COLUMNS; i++) whole = whole && cells[i] != NULL;
  if (whole) {
    memcpy(history->cells + history->rows++ * COLUMNS, cells, sizeof cells);
  } else {
    free_cells(cells);
    (void)report_no_memory();
  }
}

void history_free(struct history *history) {
  while (history->rows > 0) free_cells(history->cells + --history->rows * COLUMNS);
  free(history->cells);
  *history = (struct history){0};
}

/* ---- the file ---- */

static const char *format_suffix(size_t index) {
  static const char *const suffixes[] = {".tsv", ".html"};
  return index < sizeof suffixes / sizeof *suffixes ? suffixes[index] : NULL;
}

static const struct formats formats = {elman_table_format_name, format_suffix};

static int write_as(const char *path, const char *format, const struct history *history) {
  struct output output;
  elman_error error;
  const elman_table table = {"What elman translated", columns, COLUMNS,
                             (const char *const *)history->cells, history->rows};
  int code = output_open(&output, path);
  if (code != EX_OK) return code;
  if (elman_table_write(output.stream, &table, format, &error) == ELMAN_OK)
    return output_close(&output, EX_OK);
  code = report_error(&error);
  output_abandon(&output);
  return code;
}

void session_save(struct session *session, char *argument) {
  const char *format = NULL;
  const struct history *history = &session->history;
  if (argument[0] == '\0' || strcmp(argument, "-") == 0) {
    report(":save", "name a file, as in ':save session.tsv' or ':save session.html'");
  } else if (format_choose(&format, &formats, argument) != EX_OK) {
    return;
  } else if (format == NULL) {
    (void)report_suffix(argument, &formats);
  } else if (session_may_write(session, ":save", argument) &&
             write_as(argument, format, history) == EX_OK) {
    tell("%s is written, with %zu translation%s", argument, history->rows, plural(history->rows));
  }
}
