#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "console/messages.h"
#include "repl/line_input.h"

enum { HISTORY_LINES = 1000 };

/* ---- history file ---- */

/* Return $XDG_STATE_HOME/elman/history, or the default below $HOME; NULL if neither variable is
 * set. Ignore a relative XDG_STATE_HOME. The caller frees the path. */
static char *history_path(void) {
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  char *path = NULL;
  int length = -1;
  if (state != NULL && state[0] == '/')
    length = asprintf(&path, "%s/elman/history", state);
  else if (home != NULL && home[0] == '/')
    length = asprintf(&path, "%s/.local/state/elman/history", home);
  return length < 0 ? NULL : path;
}

/* Create the missing parent directories of `path`. */
static bool make_directories(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    const bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
    *slash = '/';
    if (!made) return false;
  }
  return true;
}

static bool make_private_file(const char *path) {
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  const bool private = fchmod(descriptor, 0600) == 0;
  close(descriptor);
  return private;
}

/* Create the history file, readable only by its owner. Return its path, which the caller frees. If
 * the file cannot be created, print a message and return NULL. */
static char *open_history(void) {
  char *path = history_path();
  if (path == NULL) return NULL;
  if (make_directories(path) && make_private_file(path)) return path;
  note("%s: cannot keep the history: %m", path);
  free(path);
  return NULL;
}

/* ---- typing ---- */

/* Clear the line. readline calls this function when a signal comes while it waits for a key. */
static int clear_line(void) {
  if (interrupt_signal() == 0) return 0;
  interrupt_clear();
  rl_replace_line("", 0);
  rl_crlf();
  rl_on_new_line();
  rl_redisplay();
  return 0;
}

static char *history; /* path of the history file; NULL = no history is kept */

/* Words for tab completion. They are global because readline passes no context to its callbacks. */
static const struct line_input_words *words;
static char *before; /* the text before the word that is being completed */

static const char *argument(size_t index) {
  return words->argument(before, index);
}

/* The candidates, and the number of bytes at the start of a word that precede the candidate. */
static const char *(*candidate)(size_t index);
static size_t lead;

/* Return the next match, with the first `lead` bytes of `word` before it. The caller frees it. A
 * `state` of 0 starts a new search. */
static char *next_match(const char *word, int state) {
  static size_t index;
  if (state == 0) index = 0;
  for (const char *name; (name = candidate(index)) != NULL;) {
    index++;
    if (strncmp(name, word + lead, strlen(word + lead)) != 0) continue;
    char *match;
    return asprintf(&match, "%.*s%s", (int)lead, word, name) < 0 ? NULL : match;
  }
  return NULL;
}

static char **complete(const char *word, int start, int end) {
  (void)end;
  const size_t first = strspn(rl_line_buffer, " \t");
  const bool is_command = words->lead(rl_line_buffer + first) > 0;
  const bool is_name = is_command && first == (size_t)start;
  before = is_command && !is_name ? strndup(rl_line_buffer, (size_t)start) : NULL;
  const bool has_arguments = before != NULL && argument(0) != NULL;
  /* Do not complete file names within a sentence. */
  rl_attempted_completion_over = is_name || !is_command || has_arguments;
  lead = is_name ? words->lead(word) : 0;
  candidate = is_name ? words->command : argument;
  char **matches = is_name || has_arguments ? rl_completion_matches(word, next_match) : NULL;
  free(before);
  before = NULL;
  return matches;
}

/* Complete a command. Insert the tab into a sentence: pasted text contains tabs between words. */
static int complete_or_insert(int count, int key) {
  const char *line = rl_line_buffer + strspn(rl_line_buffer, " \t");
  return words->lead(line) > 0 ? rl_complete(count, key) : rl_insert(count, key);
}

void line_input_start(const struct line_input_words *of_program) {
  words = of_program;
  rl_attempted_completion_function = complete;
  rl_bind_key_in_map('\t', complete_or_insert, emacs_standard_keymap);
  rl_bind_key_in_map('\t', complete_or_insert, vi_insertion_keymap);
  rl_readline_name = "elman";
  /* Write to standard error: standard output is for data and may be a file. */
  rl_outstream = stderr;
  rl_signal_event_hook = clear_line;
  /* Treat several pasted sentences as several lines. */
  rl_variable_bind("enable-bracketed-paste", "off");
  using_history();
  stifle_history(HISTORY_LINES);
  history = open_history();
  if (history == NULL) return;
  history_truncate_file(history, HISTORY_LINES);
  read_history(history);
}

void line_input_end(void) {
  clear_history();
  free(history);
  history = NULL;
}

char *line_input_read(const char *prompt) {
  return readline(prompt);
}

void line_input_add_history(const char *line) {
  const HIST_ENTRY *last =
      history_length > 0 ? history_get(history_base + history_length - 1) : NULL;
  if (last != NULL && strcmp(last->line, line) == 0) return;
  add_history(line);
  /* Append the line at once, so that a signal that ends the program loses nothing. */
  if (history != NULL) append_history(1, history);
}
