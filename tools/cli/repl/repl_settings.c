#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "attention/attention_job.h"
#include "console/messages.h"
#include "options/command_line.h"
#include "repl/repl_session.h"

/* ---- :set ---- */

static void list_settings(struct option table[MAX_OPTIONS], elman_translate_options *options) {
  memset(table, 0, MAX_OPTIONS * sizeof *table);
  table[0] = MAX_BYTES_OPTION(*options);
  library_options(table, SEARCH_SCOPES | ELMAN_SCOPE_TEXT | ELMAN_SCOPE_SEED, options);
  search_seed_describe(table, "random seed of ':override shuffle'");
}

const char *session_setting_name(size_t index) {
  elman_translate_options options = {0};
  struct option table[MAX_OPTIONS];
  list_settings(table, &options);
  return index < MAX_OPTIONS ? table[index].name : NULL;
}

/* Enlarge the beam for a longer n-best list, and check all settings. */
static bool check_settings(struct session *session, const struct option *changed) {
  elman_translate_options *options = &session->options;
  elman_error error;
  if (strcmp(changed->row->name, "n_best") == 0 && options->n_best > options->beam) {
    options->beam = options->n_best;
    print_info("beam is raised to %zu", options->beam);
  }
  const elman_status status =
      elman_options_check(ELMAN_SCOPES_TRANSLATE, options, NULL, ELMAN_NAMES_SETTING, &error);
  if (status != ELMAN_OK) report(":set", "%s", error.message);
  return status == ELMAN_OK && models_check(&session->side.models, options) == EX_OK;
}

void session_set(struct session *session, char *argument) {
  const struct option_place place = {":set", ""};
  struct option table[MAX_OPTIONS], defaults[MAX_OPTIONS];
  elman_translate_options first = elman_translate_options_default(), before = session->options;
  char value[VALUE_SIZE];
  list_settings(table, &session->options);
  list_settings(defaults, &first);
  if (argument[0] == '\0') {
    for (const struct option *option = table; option->name != NULL; option++)
      print_info("  %-17s %-28s %s", option->name, option_format_value(value, option),
                 option->help);
    print_info("':set NAME VALUE' changes an option; ':set NAME default' restores its default");
    return;
  }
  const struct config_line line = config_line_split(argument, 0);
  const struct option *option = option_find(table, line.name, &place);
  if (option == NULL) return;
  const bool restores = line.value != NULL && strcmp(line.value, "default") == 0;
  const char *wanted =
      restores ? option_format_value(value, &defaults[option - table]) : line.value;
  if (option_set(option, wanted, &place) != EX_OK) return;
  if (restores && strcmp(option->row->name, "beam") == 0)
    session->options.beam = session->options.n_best;
  if (!check_settings(session, option)) {
    session->options = before;
    return;
  }
  session->given.rows[option->row->index] = !restores;
  /* After a default is restored, the search that the model stores applies again. */
  if (restores) session_adopt_search(session);
  print_info("%s is %s", option->name, option_format_value(value, option));
}

char *session_settings(const struct session *session, bool forced) {
  elman_translate_options now = session->options, first = elman_translate_options_default();
  struct option table[MAX_OPTIONS], defaults[MAX_OPTIONS];
  char value[VALUE_SIZE], otherwise[VALUE_SIZE], *text = NULL;
  size_t length, count = 0;
  FILE *stream = open_memstream(&text, &length);
  if (stream == NULL) return NULL;
  list_settings(table, &now);
  list_settings(defaults, &first);
  for (size_t i = 0; table[i].name != NULL; i++)
    if (strcmp(option_format_value(value, &table[i]),
               option_format_value(otherwise, &defaults[i])) != 0)
      fprintf(stream, "%s%s=%s", count++ > 0 ? " " : "", table[i].name, value);
  if (session->override_words != NULL)
    fprintf(stream, "%soverride=%s", count++ > 0 ? " " : "", session->override_words);
  if (forced) fprintf(stream, "%sreference", count > 0 ? " " : "");
  const bool whole = ferror(stream) == 0;
  if (fclose(stream) == 0 && whole) return text;
  free(text);
  return NULL;
}

/* ---- :override ---- */

static const struct option_place at_colon = {NULL, ":"};

/* Split `words` in place and parse them as overrides. */
static bool split_overrides(struct overrides *overrides, const struct session *session,
                            char *words) {
  elman_translate_options options = session->options;
  elman_alignment_units units = session->units;
  while (words[0] != '\0') {
    char *rest = session_split_word(words);
    if (overrides->words.count == MAX_LISTED) {
      report(":override", "at most %d overrides are allowed", MAX_LISTED);
      return false;
    }
    overrides->words.words[overrides->words.count++] = words;
    words = rest;
  }
  if (overrides_parse(overrides, &options, &at_colon) != EX_OK ||
      overrides_choose_units(&units, &options, &at_colon) != EX_OK)
    return false;
  elman_error error;
  if (elman_options_check(ELMAN_SCOPE_TEXT, &options, NULL, ELMAN_NAMES_SETTING, &error) ==
      ELMAN_OK)
    return true;
  report(":override", "%s", error.message);
  return false;
}

static void clear_overrides(struct session *session) {
  free(session->override_words);
  session->override_words = NULL;
  session->options.override_count = 0;
  session->options.seed = elman_translate_options_default().seed; /* of shuffled attention */
}

void session_set_override(struct session *session, char *argument) {
  struct overrides overrides = {0};
  if (argument[0] == '\0') {
    if (session->override_words == NULL)
      print_info("attention is unmodified");
    else
      print_info("attention is overridden: %s", session->override_words);
    return;
  }
  if (strcmp(argument, "off") == 0) {
    clear_overrides(session);
    return;
  }
  char *words = strdup(argument);
  if (words == NULL) {
    (void)report_no_memory();
  } else if (split_overrides(&overrides, session, argument)) {
    clear_overrides(session);
    session->override_words = words;
    session->overrides = overrides;
    session->overrides.words.count = 0; /* the words point into the line */
    session->options.overrides = session->overrides.list;
    session->options.override_count = overrides.words.count;
  } else {
    free(words);
  }
}

/* ---- display ---- */

/* Set an option of the display. Without an argument, print its value and return false; also return
 * false if the argument is refused. */
static bool set_or_print(const struct option *option, const char *argument) {
  char value[VALUE_SIZE];
  if (argument[0] != '\0') return option_set(option, argument, &at_colon) == EX_OK;
  print_info("%s is %s", option->name, option_format_value(value, option));
  return false;
}

void session_set_attention(struct session *session, char *argument) {
  const struct option option = {.name = "attention", .flag = &session->show_attention};
  (void)set_or_print(&option, argument);
}

void session_set_units(struct session *session, char *argument) {
  unsigned index = session->units;
  const struct option option = {.name = "units", .index = &index, .choice = units_choice};
  if (!set_or_print(&option, argument)) return;
  elman_alignment_units units = (elman_alignment_units)index;
  if (units_check(":units", units, &session->side.models) == EX_OK &&
      overrides_choose_units(&units, &session->options, &at_colon) == EX_OK)
    session->units = (elman_alignment_units)index;
}

elman_alignment_units session_units(const struct session *session) {
  elman_alignment_units units = session->units;
  /* Ignore the exit code: the units and the overrides were checked when they were set. */
  (void)overrides_choose_units(&units, &session->options, &at_colon);
  return units;
}
