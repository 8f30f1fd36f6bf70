#include <stdbool.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "options/option.h"
#include "repl/repl_session.h"

/* Full-width letters are narrowed in WORDS; the rest stays as it is: text, or the name of a file to
 * read, or of one to WRITE, which '!' after the command's name replaces. */
enum repl_argument { WORDS, TEXT, WRITE };

struct repl_command {
  const char *name, *argument, *help;
  enum repl_argument kind;
  void (*run)(struct session *session, char *argument);
  const char *(*word)(size_t index); /* words that the argument may be; NULL = others */
};

static void show_help(struct session *session, char *argument);

/* ---- the commands ---- */

static void quit(struct session *session, char *argument) {
  (void)argument;
  session->over = true;
}

/* ---- words that may be arguments, NULL past the last ---- */

static const char *switch_word(size_t index) {
  static const char *const words[] = {"on", "off"};
  return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static const char *override_word(size_t index) {
  static const char *const words[] = {"off", "uniform", "shuffle", "position="};
  return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static const char *units_word(size_t index) {
  return elman_alignment_units_name((elman_alignment_units)index);
}

/* ---- the table ---- */

/* A common start of several names means the first of them. */
static const struct repl_command commands[] = {
    {"help", "", "list the commands", WORDS, show_help, NULL},
    {"attention", "on|off", "show the attention under each translation", WORDS,
     session_set_attention, switch_word},
    {"alternatives", "[N [K]]", "the K likeliest tokens in the place of the last one's token N",
     WORDS, session_alternatives, NULL},
    {"reference", "TEXT", "force TEXT as the translation of the last sentence: its probability",
     TEXT, session_force, NULL},
    {"trace", "[TEXT]", "how far back learning of TEXT, or of the last translation, reaches", TEXT,
     session_trace, NULL},
    {"override", "WHAT|off", "change the attention, as 'elman attention --override' does", WORDS,
     session_set_override, override_word},
    {"set", "[NAME VALUE]", "change an option of the search, or list them", WORDS, session_set,
     session_setting_name},
    {"units", "WHAT", "show attention between words, tokens or subwords; auto: as fits", WORDS,
     session_set_units, units_word},
    {"dump", "FILE", "write the last attention; the suffix gives the format", WRITE, session_dump,
     NULL},
    {"save", "FILE", "write all translations of the session, as .tsv or .html", WRITE, session_save,
     NULL},
    {"model", "FILE", "use another model", TEXT, session_change_model, NULL},
    {"load", "FILE", "use another model beside the one so far, for ':compare'", TEXT, session_load,
     NULL},
    {"compare", "[TEXT]", "translate TEXT, or the last sentence, by both models", TEXT,
     session_compare, NULL},
    {"quit", "", "leave, as Ctrl-D does", WORDS, quit, NULL},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void show_help(struct session *session, char *argument) {
  (void)session;
  (void)argument;
  tell("A line is translated, unless it starts with ':'. The start of a command's name will do.");
  for (size_t i = 0; i < COMMANDS; i++)
    tell("  :%-12s %-12s %s", commands[i].name, commands[i].argument, commands[i].help);
  tell("A file that exists is replaced by ':dump! FILE' and ':save! FILE' only.");
  tell("Ctrl-C clears the line, Ctrl-D leaves.");
}

static void report_unknown(const char *name) {
  struct suggestion suggestion = {0};
  for (size_t i = 0; i < COMMANDS; i++) suggestion_offer(&suggestion, name, commands[i].name);
  if (suggestion.best != NULL)
    report(NULL, "unknown command ':%s'; did you mean ':%s'?", name, suggestion.best);
  else
    report(NULL, "unknown command ':%s'; ':help' lists the commands", name);
}

/* Removes the '!' at the end of the name; gives whether there was one. */
static bool remove_bang(char *name) {
  const size_t length = strlen(name);
  const bool found = length > 1 && name[length - 1] == '!';
  if (found) name[length - 1] = '\0';
  return found;
}

/* The first whose name starts so; NULL = none. */
static const struct repl_command *find_command(const char *name, size_t length) {
  for (size_t i = 0; i < COMMANDS && length > 0; i++)
    if (strncmp(commands[i].name, name, length) == 0) return &commands[i];
  return NULL;
}

const char *session_argument(const char *line, size_t index) {
  line += strspn(line, " \t");
  line += session_colon(line);
  const size_t length = strcspn(line, " \t"), blanks = strspn(line + length, " \t");
  const struct repl_command *command = find_command(line, length);
  if (command == NULL || command->word == NULL || line[length + blanks] != '\0') return NULL;
  return command->word(index);
}

const char *session_command_name(size_t index) {
  return index < COMMANDS ? commands[index].name : NULL;
}

void session_hint(const char *line) {
  static const char *const leaving[] = {"exit", "quit", "退出"};
  for (size_t i = 0; i < sizeof leaving / sizeof *leaving; i++)
    if (strcmp(line, leaving[i]) == 0)
      note("'%s' is taken as a sentence; ':quit' or Ctrl-D leaves", line);
  if (strcmp(line, "help") == 0)
    note("'%s' is taken as a sentence; ':help' lists the commands", line);
}

void session_command(struct session *session, char *command) {
  char *name = session_trim(command);
  char *argument = session_split_word(name);
  session_narrow(name);
  session->replaces = remove_bang(name);
  const struct repl_command *found = find_command(name, strlen(name));
  if (found == NULL) {
    report_unknown(name);
    return;
  }
  if (session->replaces && found->kind != WRITE) {
    report(NULL, "':%s' writes no file; leave out '!'", found->name);
    return;
  }
  if (found->kind == WORDS) session_narrow(argument);
  if (found->argument[0] == '\0' && argument[0] != '\0')
    report(NULL, "':%s' stands alone; leave out '%s'", found->name, argument);
  else
    found->run(session, argument);
}
