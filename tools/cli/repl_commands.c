#include <string.h>
#include <sysexits.h>

#include "hypotheses.h"
#include "messages.h"
#include "model_input.h"
#include "repl_session.h"
#include "suggestion.h"

struct repl_command {
  const char *name, *argument, *help;
  void (*run)(struct session *session, const char *argument);
};

static void show_help(struct session *session, const char *argument);

int session_open(struct session *session, const char *model_path) {
  elman_error error;
  const int code = model_open(&session->model, model_path);
  if (code != EX_OK) return code;
  if (elman_translator_create(&session->translator, session->model, &error) == ELMAN_OK)
    return EX_OK;
  elman_model_free(session->model);
  session->model = NULL;
  return report_error(&error);
}

void session_close(struct session *session) {
  elman_translation_free(session->last);
  elman_translator_free(session->translator);
  elman_model_free(session->model);
  session->last = NULL;
  session->translator = NULL;
  session->model = NULL;
}

static void set_attention(struct session *session, const char *argument) {
  if (strcmp(argument, "on") == 0)
    session->show_attention = true;
  else if (strcmp(argument, "off") == 0)
    session->show_attention = false;
  else
    report(":attention", "say ':attention on' or ':attention off'");
}

static void report_suffix(const char *path) {
  char suffixes[128] = "";
  size_t used = 0;
  for (size_t i = 0; elman_format_suffix(i) != NULL && used < sizeof suffixes; i++)
    used +=
        (size_t)snprintf(suffixes + used, sizeof suffixes - used, " %s", elman_format_suffix(i));
  report(path, "the suffix names no format; take one of:%s", suffixes);
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
    report_suffix(argument);
  else if (hypotheses_save(argument, session->last, format, &error) != ELMAN_OK)
    report_error(&error);
  else
    note("%s is written", argument);
}

static void change_model(struct session *session, const char *argument) {
  if (argument[0] == '\0') {
    report(":model", "name a file, as in ':model %s'", DEFAULT_MODEL);
    return;
  }
  struct session changed = {.options = session->options, .show_attention = session->show_attention};
  if (session_open(&changed, argument) != EX_OK) {
    note("the model is the same as before");
    return;
  }
  session_close(session);
  *session = changed;
  note("%s is loaded", argument);
}

static void quit(struct session *session, const char *argument) {
  (void)argument;
  session->over = true;
}

static const struct repl_command commands[] = {
    {"help", "", "list the commands", show_help},
    {"attention", "on|off", "show the attention under each translation", set_attention},
    {"dump", "FILE", "write the last attention; the suffix gives the format", dump},
    {"model", "FILE", "use another model", change_model},
    {"quit", "", "leave, as Ctrl-D does", quit},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void show_help(struct session *session, const char *argument) {
  (void)session;
  (void)argument;
  note("A line is translated, unless it starts with ':'.");
  for (size_t i = 0; i < COMMANDS; i++)
    note("  :%-10s %-7s %s", commands[i].name, commands[i].argument, commands[i].help);
  note("Ctrl-C clears the line, Ctrl-D leaves.");
}

static void report_unknown(const char *name) {
  struct suggestion suggestion = {0};
  for (size_t i = 0; i < COMMANDS; i++) suggestion_offer(&suggestion, name, commands[i].name);
  if (suggestion.best != NULL)
    report(NULL, "unknown command ':%s'; did you mean ':%s'?", name, suggestion.best);
  else
    report(NULL, "unknown command ':%s'; ':help' lists the commands", name);
}

void session_command(struct session *session, char *line) {
  char *name = line + 1;
  char *argument = name + strcspn(name, " \t");
  if (*argument != '\0') *argument++ = '\0';
  argument += strspn(argument, " \t");
  size_t length = strlen(argument);
  while (length > 0 && strchr(" \t", argument[length - 1]) != NULL) argument[--length] = '\0';
  for (size_t i = 0; i < COMMANDS; i++) {
    if (strcmp(commands[i].name, name) == 0) {
      commands[i].run(session, argument);
      return;
    }
  }
  report_unknown(name);
}
