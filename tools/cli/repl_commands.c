#include <stdbool.h>
#include <string.h>
#include <sysexits.h>

#include "attention_files.h"
#include "messages.h"
#include "repl_session.h"
#include "suggestion.h"

struct repl_command {
  const char *name, *argument, *help;
  void (*run)(struct session *session, const char *argument);
};

static void show_help(struct session *session, const char *argument);

#define FILE_ARGUMENT "FILE"

/* ---- lines ---- */

static const char IDEOGRAPHIC_SPACE[] = "\u3000", FULL_WIDTH_COLON[] = "\uff1a";

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

/* The bytes of the blank at the start of `text`, or 0. */
static size_t blank_at(const char *text) {
  if (*text == ' ' || *text == '\t') return 1;
  return starts_with(text, IDEOGRAPHIC_SPACE) ? strlen(IDEOGRAPHIC_SPACE) : 0;
}

char *session_trim(char *line) {
  for (size_t blank; (blank = blank_at(line)) > 0;) line += blank;
  return line;
}

size_t session_colon(const char *line) {
  if (*line == ':') return 1;
  return starts_with(line, FULL_WIDTH_COLON) ? strlen(FULL_WIDTH_COLON) : 0;
}

/* A Chinese keyboard may type letters at full width. */
static void narrow(char *text) {
  char *into = text;
  while (*text != '\0') {
    const unsigned char *bytes = (const unsigned char *)text;
    /* U+FF01 to U+FF5E are "!" to "~" */
    if (bytes[0] == 0xef && (bytes[1] == 0xbc || bytes[1] == 0xbd) && bytes[2] != '\0') {
      *into++ = (char)(bytes[2] - 0x80 + (bytes[1] == 0xbc ? 0x20 : 0x60));
      text += 3;
    } else {
      *into++ = *text++;
    }
  }
  *into = '\0';
}

/* Ends the first word of `text`; gives the rest without the blanks around it. */
static char *split_word(char *text) {
  char *end = text;
  while (*end != '\0' && blank_at(end) == 0) end++;
  char *rest = session_trim(end);
  *end = '\0';
  char *last = rest; /* behind what is not blank */
  for (char *at = rest; *at != '\0';) {
    const size_t blank = blank_at(at);
    at += blank > 0 ? blank : 1;
    if (blank == 0) last = at;
  }
  *last = '\0';
  return rest;
}

/* ---- the commands ---- */

int session_open(struct session *session) {
  elman_error error;
  int code = models_open(&session->models, &session->options);
  if (code == EX_OK &&
      elman_translator_create(&session->translator, session->models.open[0], &error) != ELMAN_OK)
    code = report_error(&error);
  if (code != EX_OK) models_close(&session->models);
  return code;
}

void session_close(struct session *session) {
  elman_translation_free(session->last);
  elman_translator_free(session->translator);
  models_close(&session->models);
  session->last = NULL;
  session->translator = NULL;
}

static void set_attention(struct session *session, const char *argument) {
  if (strcmp(argument, "on") == 0)
    session->show_attention = true;
  else if (strcmp(argument, "off") == 0)
    session->show_attention = false;
  else
    report(":attention", "say ':attention on' or ':attention off'");
}

static void dump(struct session *session, const char *argument) {
  elman_error error;
  if (session->last == NULL) {
    report(":dump", "nothing is translated yet");
    return;
  }
  if (argument[0] == '\0') {
    report(":dump", "name a file, as in ':dump matrix.json'");
    return;
  }
  const char *format = elman_format_of_path(argument);
  if (format == NULL)
    (void)report_suffix(argument, &attention_formats);
  else if (hypotheses_save(argument, session->last, format,
                           &(elman_text_style){.units = session->units}, &error) != ELMAN_OK)
    report_error(&error);
  else
    tell("%s is written", argument);
}

static void set_units(struct session *session, const char *argument) {
  const char *name;
  for (unsigned i = 0; (name = elman_alignment_units_name((elman_alignment_units)i)) != NULL; i++) {
    if (strcmp(name, argument) != 0) continue;
    if (units_check(":units", (elman_alignment_units)i, &session->models) == EX_OK)
      session->units = (elman_alignment_units)i;
    return;
  }
  report(":units", "say ':units auto', ':units words', ':units tokens' or ':units subwords'");
}

static void change_model(struct session *session, const char *argument) {
  if (argument[0] == '\0') {
    report(":model", "name a file, as in ':model %s'", DEFAULT_MODEL);
    return;
  }
  struct session before = *session; /* in place: the options point to the models */
  session->models = (struct models){.paths = {{argument}, 1}};
  session->translator = NULL;
  session->last = NULL;
  if (session_open(session) != EX_OK) {
    *session = before;
    tell("the model is the same as before");
    return;
  }
  session_close(&before);
  if (units_check(":units", session->units, &session->models) != EX_OK) {
    session->units = ELMAN_UNITS_AUTO;
    tell("the units are auto again");
  }
  tell("%s is loaded", argument);
}

static void quit(struct session *session, const char *argument) {
  (void)argument;
  session->over = true;
}

static const struct repl_command commands[] = {
    {"help", "", "list the commands", show_help},
    {"attention", "on|off", "show the attention under each translation", set_attention},
    {"dump", FILE_ARGUMENT, "write the last attention; the suffix gives the format", dump},
    {"model", FILE_ARGUMENT, "use another model", change_model},
    {"units", "WHAT", "show attention between words, tokens or subwords; auto: as fits", set_units},
    {"quit", "", "leave, as Ctrl-D does", quit},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void show_help(struct session *session, const char *argument) {
  (void)session;
  (void)argument;
  tell("A line is translated, unless it starts with ':'. The start of a command's name will do.");
  for (size_t i = 0; i < COMMANDS; i++)
    tell("  :%-10s %-7s %s", commands[i].name, commands[i].argument, commands[i].help);
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

/* No two names start with the same letter. */
void session_command(struct session *session, char *command) {
  char *name = session_trim(command);
  char *argument = split_word(name);
  narrow(name);
  for (size_t i = 0; i < COMMANDS; i++) {
    const struct repl_command *found = &commands[i];
    if (name[0] == '\0' || !starts_with(found->name, name)) continue;
    if (strcmp(found->argument, FILE_ARGUMENT) != 0) narrow(argument);
    if (found->argument[0] == '\0' && argument[0] != '\0')
      report(NULL, "':%s' stands alone; leave out '%s'", found->name, argument);
    else
      found->run(session, argument);
    return;
  }
  report_unknown(name);
}
