#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "interrupt.h"
#include "line_input.h"

enum { HISTORY_LINES = 1000 };

/* readline calls this when a signal came while it was waiting for a key. */
static int clear_line(void) {
  if (interrupt_signal() == 0) return 0;
  interrupt_clear();
  rl_replace_line("", 0);
  rl_crlf();
  rl_on_new_line();
  rl_redisplay();
  return 0;
}

void line_input_start(const char *history) {
  rl_readline_name = "elman";
  /* The prompt is not data: standard output may be a file. */
  rl_outstream = stderr;
  rl_signal_event_hook = clear_line;
  /* Several sentences that are pasted are several lines. */
  rl_variable_bind("enable-bracketed-paste", "off");
  using_history();
  stifle_history(HISTORY_LINES);
  if (history == NULL) return;
  history_truncate_file(history, HISTORY_LINES);
  read_history(history);
}

char *line_input_read(const char *prompt) {
  return readline(prompt);
}

void line_input_remember(const char *line, const char *history) {
  const HIST_ENTRY *last =
      history_length > 0 ? history_get(history_base + history_length - 1) : NULL;
  if (last != NULL && strcmp(last->line, line) == 0) return;
  add_history(line);
  /* At once, so that nothing is lost when the program ends by a signal. */
  if (history != NULL) append_history(1, history);
}
