#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "history_file.h"
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

struct line_input line_input_start(bool quiet) {
  rl_readline_name = "elman";
  /* The prompt is not data: standard output may be a file. */
  rl_outstream = stderr;
  rl_signal_event_hook = clear_line;
  /* Several sentences that are pasted are several lines. */
  rl_variable_bind("enable-bracketed-paste", "off");
  using_history();
  stifle_history(HISTORY_LINES);
  const struct line_input input = {history_file_open(quiet)};
  if (input.history != NULL) {
    history_truncate_file(input.history, HISTORY_LINES);
    read_history(input.history);
  }
  return input;
}

void line_input_end(struct line_input *input) {
  clear_history();
  free(input->history);
  input->history = NULL;
}

char *line_input_read(const char *prompt) {
  return readline(prompt);
}

void line_input_remember(const struct line_input *input, const char *line) {
  const HIST_ENTRY *last =
      history_length > 0 ? history_get(history_base + history_length - 1) : NULL;
  if (last != NULL && strcmp(last->line, line) == 0) return;
  add_history(line);
  /* At once, so that nothing is lost when the program ends by a signal. */
  if (input->history != NULL) append_history(1, input->history);
}
