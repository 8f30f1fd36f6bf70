/* elman repl */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "commands.h"
#include "interrupt.h"
#include "line_input.h"
#include "messages.h"
#include "options.h"
#include "output.h"
#include "repl_session.h"
#include "search_options.h"
#include "sentences.h"
#include "terminal.h"
#include "translate_lines.h"
#include "unknown_words.h"
#include "visible.h"

static const char PROMPT[] = "> ";

/* readline reads the locale from the environment, and without UTF-8 takes a Chinese character for
 * three keys. */
static void ensure_utf8(void) {
  if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return;
  setenv("LC_ALL", "C.UTF-8", 1);
  setlocale(LC_CTYPE, "");
}

static void show(const struct session *session, struct output *output) {
  struct unknown_words unknown = {0};
  const bool ranked = session->last->next != NULL;
  size_t rank = 0;
  for (const elman_translation *one = session->last; one != NULL; one = one->next) {
    if (ranked) fprintf(output->stream, "  %zu. ", ++rank);
    print_data(output->stream, one->text);
    if (ranked) fprintf(output->stream, " (%.3g)", one->score);
    putc('\n', output->stream);
  }
  if (session->show_attention) {
    elman_error error;
    const elman_text_style style = {.color = terminal_has_color(STDOUT_FILENO),
                                    .width = terminal_width(STDOUT_FILENO),
                                    .units = session->units};
    if (elman_attention_write(output->stream, session->last, "text", &style, &error) != ELMAN_OK)
      report_error(&error);
  }
  output_flush(output);
  unknown_words_add(&unknown, session->last);
  unknown_words_note(&unknown, session->models.open[0], ELMAN_SOURCE);
}

static void translate_line(struct session *session, const char *line, struct output *output) {
  elman_error error;
  elman_translation *translation;
  if (elman_translate(&translation, session->translator, line, strlen(line), &session->options,
                      &error) != ELMAN_OK) {
    report_error(&error);
    return;
  }
  elman_translation_free(session->last);
  session->last = translation;
  show(session, output);
}

static void converse(struct session *session, struct output *output) {
  while (!session->over && output->problem == 0) {
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
        translate_line(session, line, output);
      session_hint(command);
    }
    free(line);
  }
}

static void greet(const struct option_list *models) {
  char others[32] = "";
  if (models->count > 1) snprintf(others, sizeof others, " and %zu more", models->count - 1);
  note("elman %s with %s%s; :help lists the commands", elman_version(), models->words[0], others);
}

static int interactive(struct session *session) {
  struct output output;
  int code = session_open(session);
  if (code != EX_OK) return code;
  code = output_open(&output, NULL);
  if (code == EX_OK) {
    ensure_utf8();
    interrupt_catch_sigint();
    line_input_start(session_command_name, session_colon);
    greet(&session->models.paths);
    converse(session, &output);
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
  const struct option options[] = {MODELS_OPTION(session.models),
                                   SEARCH_OPTIONS(session.options),
                                   THREADS_OPTION(session.options.threads),
                                   QUIET_OPTION("no greeting, and unknown words are not named"),
                                   {0}};
  const struct rule rules[] = {{"TEXT", "", "unexpected '%s'; 'elman translate' takes text"}, {0}};
  const struct usage usage = {
      "repl", "[options]",
      "Translates what is typed, line by line; ':help' lists the commands of the session.\n"
      "Without a terminal it reads lines as 'elman translate' does.",
      options, rules};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = search_options_settle(&session.options, &usage, &operands);
  if (code != EX_OK) return code;
  struct translate_lines job = {.options = session.options,
                                .n_best = option_given(&usage, &operands, "n-best")};
  return isatty(STDIN_FILENO) ? interactive(&session) : batch(&job, &session.models);
}
