/* elman repl */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "input/search_options.h"
#include "input/sentences.h"
#include "options/command_line.h"
#include "repl/line_input.h"
#include "repl/repl_session.h"
#include "translate/lines.h"

static const char PROMPT[] = "> ";

/* readline reads the locale from the environment, and without UTF-8 reads a Chinese character as
 * three keys. */
static void ensure_utf8(void) {
  if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return;
  setenv("LC_ALL", "C.UTF-8", 1);
  setlocale(LC_CTYPE, "");
}

static void converse(struct session *session) {
  while (!session->over && session->output->problem == 0) {
    interrupt_clear();
    char *line = line_input_read(PROMPT);
    if (line == NULL) {
      fputc('\n', stderr);
      return;
    }
    char *command = session_trim(line);
    if (*command != '\0') {
      line_input_remember(line);
      if (session_colon(command) > 0)
        session_command(session, command + session_colon(command));
      else
        session_translate(session, line);
      session_hint(command);
    }
    free(line);
  }
}

static void greet(const struct side *side) {
  char name[MESSAGE_SIZE];
  side_name(name, sizeof name, side);
  note("elman %s with %s; :help lists the commands", elman_version(), name);
}

static const struct line_input_words words = {session_command_name, session_colon,
                                              session_argument};

static int interactive(struct session *session) {
  struct output output;
  session->output = &output;
  int code = session_open(session);
  if (code != EX_OK) return code;
  code = output_open(&output, NULL);
  if (code == EX_OK) {
    ensure_utf8();
    interrupt_catch_sigint();
    line_input_start(&words);
    greet(&session->side);
    converse(session);
    line_input_end();
    code = output_close(&output, EX_OK);
  }
  session_close(session);
  return code;
}

/* Lines from a pipe or a file: no prompt and no commands, for text may start with ':' too. */
static int batch(struct translate_lines *job, struct models *models) {
  struct sentences sentences = {.max_line = job->options.max_bytes};
  int code = sentences_open(&sentences, NULL, &(struct operands){0});
  if (code != EX_OK) return code;
  code = translate_lines(job, models, &sentences, NULL);
  sentences_close(&sentences);
  return code;
}

int repl_command(int argc, char **argv) {
  struct session session = {.options = elman_translate_options_default()};
  const struct option options[] = {MODELS_OPTION(session.side.models),
                                   SEARCH_OPTIONS(session.options),
                                   THREADS_OPTION(session.options.threads),
                                   QUIET_OPTION("no greeting, and unknown words are not named"),
                                   {0}};
  const struct rule rules[] = {{"TEXT", "", "unexpected '%s'; 'elman translate' takes text"}, {0}};
  const struct usage usage = {
      "repl",
      "[options]",
      "Translates what is typed, line by line; ':help' lists the commands of the session.\n"
      "Without a terminal it reads lines as 'elman translate' does.",
      options,
      rules,
      .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = search_options_complete(&session.options, &usage, &operands, isatty(STDIN_FILENO) == 1);
  if (code != EX_OK) return code;
  struct translate_lines job = {.options = session.options,
                                .n_best = option_given(&usage, &operands, "n-best")};
  return isatty(STDIN_FILENO) ? interactive(&session) : batch(&job, &session.side.models);
}
