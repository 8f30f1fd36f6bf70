/* elman repl */
#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "attention/attention_job.h"
#include "commands.h"
#include "console/messages.h"
#include "console/output.h"
#include "input/search_options.h"
#include "input/sentences.h"
#include "options/command_line.h"
#include "repl/line_input.h"
#include "repl/repl_session.h"
#include "translate/lines.h"

/* ---- the commands of the session ---- */

/* Kinds of arguments. WORDS: convert full-width letters to ASCII. TEXT: a sentence or the name of a
 * file to read, unchanged. WRITE: the name of a file to write, unchanged; a '!' after the command's
 * name allows overwriting the file. */
enum repl_argument { WORDS, TEXT, WRITE };

struct repl_command {
  const char *name, *argument, *help;
  enum repl_argument kind;
  void (*run)(struct session *session, char *argument);
  const char *(*word)(size_t index); /* returns words for completion of the argument; NULL = none */
};

static void show_help(struct session *session, char *argument);

static void quit(struct session *session, char *argument) {
  (void)argument;
  session->over = true;
}

/* Return the word at `index` for completion of an argument; NULL past the last. */

static const char *switch_word(size_t index) {
  static const char *const words[] = {"on", "off"};
  return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static const char *override_word(size_t index) {
  static const char *const words[] = {"off", "uniform", "shuffle", "position="};
  return index < sizeof words / sizeof *words ? words[index] : NULL;
}

/* If several names start with an abbreviation, it means the first of them. */
static const struct repl_command session_commands[] = {
    {"help", "", "list the commands", WORDS, show_help, NULL},
    {"attention", "[on|off]", "show the attention under each translation", WORDS,
     session_set_attention, switch_word},
    {"alternatives", "[N [K]]",
     "list the K most likely tokens at position N of the last translation", WORDS,
     session_alternatives, NULL},
    {"reference", "TEXT", "score TEXT as the translation of the last sentence", TEXT, session_force,
     NULL},
    {"trace", "[TEXT]", "print gradient norms for TEXT, or for the last translation", TEXT,
     session_trace, NULL},
    {"override", "[WHAT|off]", "change the attention, as 'elman attention --override' does", WORDS,
     session_set_override, override_word},
    {"set", "[NAME VALUE]", "change a search option, or list all", WORDS, session_set,
     session_setting_name},
    {"units", "[WHAT]", "show attention between words, tokens or subwords; auto chooses", WORDS,
     session_set_units, units_choice},
    {"dump", "FILE", "write the last attention matrix; the suffix selects the format", WRITE,
     session_dump, NULL},
    {"save", "FILE", "write all translations of the session to a .tsv or .html file", WRITE,
     session_save, NULL},
    {"model", "FILE", "use another model", TEXT, session_change_model, NULL},
    {"load", "FILE", "use another model, and keep the current one for ':compare'", TEXT,
     session_load, NULL},
    {"compare", "[TEXT]", "translate TEXT, or the last sentence, with both models", TEXT,
     session_compare, NULL},
    {"quit", "", "quit (also Ctrl-D)", WORDS, quit, NULL},
};
enum { COMMANDS = sizeof session_commands / sizeof session_commands[0] };

static void show_help(struct session *session, char *argument) {
  (void)session;
  (void)argument;
  print_info(
      "Each line is translated, unless it starts with ':'. Command names can be abbreviated.");
  for (size_t i = 0; i < COMMANDS; i++)
    print_info("  :%-12s %-12s %s", session_commands[i].name, session_commands[i].argument,
               session_commands[i].help);
  print_info("To overwrite an existing file, use ':dump! FILE' or ':save! FILE'.");
  print_info("Ctrl-C clears the line; Ctrl-D quits.");
}

static void report_unknown(const char *name) {
  elman_suggestion suggestion = {0};
  for (size_t i = 0; i < COMMANDS; i++)
    elman_suggestion_offer(&suggestion, name, session_commands[i].name);
  if (suggestion.best != NULL)
    report(NULL, "unknown command ':%s'; did you mean ':%s'?", name, suggestion.best);
  else
    report(NULL, "unknown command ':%s'; ':help' lists the commands", name);
}

/* Return the first command whose name starts with `name`; NULL = none. */
static const struct repl_command *find_command(const char *name, size_t length) {
  for (size_t i = 0; i < COMMANDS && length > 0; i++)
    if (strncmp(session_commands[i].name, name, length) == 0) return &session_commands[i];
  return NULL;
}

/* Return the word at `index`, from 0, that may follow `line`. Return NULL past the last, or if
 * `line` is not a command without an argument. */
static const char *argument_word(const char *line, size_t index) {
  line += strspn(line, " \t");
  line += session_colon(line);
  const size_t length = strcspn(line, " \t"), blanks = strspn(line + length, " \t");
  const struct repl_command *command = find_command(line, length);
  if (command == NULL || command->word == NULL || line[length + blanks] != '\0') return NULL;
  return command->word(index);
}

/* Return the name of the command at `index`; NULL past the last. */
static const char *command_name(size_t index) {
  return index < COMMANDS ? session_commands[index].name : NULL;
}

/* Print a hint for a line that looks like an attempt to quit or to get help. */
static void hint(const char *line) {
  if (strcmp(line, "exit") == 0 || strcmp(line, "quit") == 0 || strcmp(line, "退出") == 0)
    note("'%s' was treated as a sentence; ':quit' or Ctrl-D quits", line);
  if (strcmp(line, "help") == 0)
    note("'%s' was treated as a sentence; ':help' lists the commands", line);
}

/* Run the command after the colon. */
static void run_command(struct session *session, char *command) {
  char *name = session_trim(command);
  char *argument = session_split_word(name);
  session_narrow(name);
  const size_t length = strlen(name);
  output_force = length > 1 && name[length - 1] == '!';
  if (output_force) name[length - 1] = '\0';
  const struct repl_command *found = find_command(name, strlen(name));
  if (found == NULL) {
    report_unknown(name);
    return;
  }
  if (output_force && found->kind != WRITE) {
    report(NULL, "':%s' writes no file; remove '!'", found->name);
    return;
  }
  if (found->kind == WORDS) session_narrow(argument);
  if (found->argument[0] == '\0' && argument[0] != '\0')
    report(NULL, "':%s' takes no argument; remove '%s'", found->name, argument);
  else
    found->run(session, argument);
}

/* ---- the session ---- */

static const char PROMPT[] = "> ";

static void run_session(struct session *session) {
  while (!session->over && session->output->problem == 0) {
    interrupt_clear();
    char *line = line_input_read(PROMPT);
    if (line == NULL) {
      fputc('\n', stderr);
      return;
    }
    char *command = session_trim(line);
    if (*command != '\0') {
      line_input_add_history(line);
      if (session_colon(command) > 0)
        run_command(session, command + session_colon(command));
      else
        session_translate(session, line);
      hint(command);
    }
    free(line);
  }
}

static const struct line_input_words words = {command_name, session_colon, argument_word};

static int interactive(struct session *session) {
  struct output output;
  session->output = &output;
  int code = side_open(&session->side, session);
  if (code != EX_OK) return code;
  session_adopt_search(session);
  code = output_open(&output, NULL);
  if (code == EX_OK) {
    /* Set a UTF-8 locale if the environment has none. readline takes the locale from the
     * environment; without UTF-8, it reads a Chinese character as three keys. */
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0 && setenv("LC_ALL", "C.UTF-8", 1) == 0)
      setlocale(LC_CTYPE, "");
    interrupt_catch_sigint();
    line_input_start(&words);
    char name[MESSAGE_SIZE];
    side_name(name, sizeof name, &session->side);
    note("elman %s with %s; :help lists the commands", elman_version(), name);
    run_session(session);
    line_input_end();
    code = output_close(&output, EX_OK);
  }
  session_close(session);
  return code;
}

/* Translate lines from a pipe or a file. Print no prompt and accept no commands, because text may
 * also start with ':'. */
static int batch(struct translate_lines *job, struct models *models) {
  struct sentence_input sentences = {.max_line = job->options.max_bytes};
  int code = sentences_open(&sentences, NULL, &(struct operands){0});
  if (code != EX_OK) return code;
  code = translate_lines(job, models, &sentences, NULL);
  sentences_close(&sentences);
  return code;
}

int repl_command(int argc, char **argv) {
  struct session session = {.options = elman_translate_options_default()};
  struct option options[MAX_OPTIONS] = {MODELS_OPTION(session.side.models),
                                        MAX_BYTES_OPTION(session.options),
                                        QUIET_OPTION("no greeting and no notes on unknown words")};
  library_options(options, SEARCH_SCOPES | ELMAN_SCOPE_TEXT, &session.options);
  const struct rule rules[] = {
      {"TEXT", "", "unexpected '%s'; use 'elman translate' to translate TEXT"}, {0}};
  const struct usage usage = {
      "repl",
      "[options]",
      "Translates each typed line; ':help' lists the commands of the session. If standard\n"
      "input is not a terminal, translates its lines as 'elman translate' does.",
      options,
      rules,
      .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  char example[EXAMPLE_PATH], opposite[EXAMPLE_PATH];
  if (!option_given(&usage, &operands, "model") && access(DEFAULT_MODEL, F_OK) != 0 &&
      example_model_find(example, EXAMPLE_MODEL)) {
    note("there is no %s here; using %s, which translates everyday Chinese into English",
         DEFAULT_MODEL, example);
    if (example_model_find(opposite, EXAMPLE_OPPOSITE))
      note("for English into Chinese: elman repl -m %s", opposite);
    session.side.models.paths.words[0] = example;
  }
  code = search_options_complete(&session.options, &session.given, &usage, &operands,
                                 isatty(STDIN_FILENO) == 1);
  if (code != EX_OK) return code;
  if (isatty(STDIN_FILENO)) return interactive(&session);
  session.side.models.given = session.given;
  struct translate_lines job = {.options = session.options,
                                .n_best = option_given(&usage, &operands, "n-best")};
  return batch(&job, &session.side.models);
}
