#include "repl/repl_session.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"

/* ---- lines ---- */

static const char IDEOGRAPHIC_SPACE[] = "\u3000", FULL_WIDTH_COLON[] = "\uff1a";

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

/* Return the length in bytes of the space at the start of `text`; 0 if there is none. */
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

void session_narrow(char *text) {
  char *into = text;
  while (*text != '\0') {
    const unsigned char *bytes = (const unsigned char *)text;
    /* convert U+FF01 to U+FF5E to "!" to "~", and U+3000 to a space */
    if (bytes[0] == 0xef && ((bytes[1] == 0xbc && bytes[2] >= 0x81 && bytes[2] <= 0xbf) ||
                             (bytes[1] == 0xbd && bytes[2] >= 0x80 && bytes[2] <= 0x9e))) {
      *into++ = (char)(bytes[2] - 0x80 + (bytes[1] == 0xbc ? 0x20 : 0x60));
      text += 3;
    } else if (starts_with(text, IDEOGRAPHIC_SPACE)) {
      *into++ = ' ';
      text += strlen(IDEOGRAPHIC_SPACE);
    } else {
      *into++ = *text++;
    }
  }
  *into = '\0';
}

char *session_split_word(char *text) {
  char *end = text;
  while (*end != '\0' && blank_at(end) == 0) end++;
  char *rest = session_trim(end);
  *end = '\0';
  char *last = rest; /* end of the last character that is not a space */
  for (char *at = rest; *at != '\0';) {
    const size_t blank = blank_at(at);
    at += blank > 0 ? blank : 1;
    if (blank == 0) last = at;
  }
  *last = '\0';
  return rest;
}

/* ---- sides ---- */

void side_close(struct side *side) {
  elman_translator_free(side->translator);
  models_close(&side->models);
  free(side->path);
  *side = (struct side){0};
}

int side_open(struct side *side, const struct session *session) {
  elman_error error;
  int code = models_load(&side->models, &session->options);
  if (code == EX_OK &&
      elman_translator_create(&side->translator, side->models.open[0], &error) != ELMAN_OK)
    code = report_error(&error);
  if (code != EX_OK) side_close(side);
  return code;
}

void side_name(char *name, size_t size, const struct side *side) {
  const struct option_list *paths = &side->models.paths;
  if (paths->count > 1)
    snprintf(name, size, "%s and %zu more", paths->words[0], paths->count - 1);
  else
    snprintf(name, size, "%s", paths->words[0]);
}

/* ---- the session ---- */

void session_adopt_search(struct session *session) {
  const elman_translate_options defaults = elman_translate_options_default();
  elman_translate_options *options = &session->options;
  if (!search_option_given(&session->given, "beam")) options->beam = options->n_best;
  if (!search_option_given(&session->given, "length_penalty"))
    options->length_penalty = defaults.length_penalty;
  if (!search_option_given(&session->given, "replace_unknown"))
    options->replace_unknown = defaults.replace_unknown;
  (void)search_options_adopt(options, &session->given, session->side.models.open[0]);
}

void session_close(struct session *session) {
  elman_translation_free(session->last);
  side_close(&session->side);
  side_close(&session->other);
  for (size_t i = 0; i < session->history.rows * HISTORY_COLUMNS; i++)
    free(session->history.cells[i]);
  free(session->history.cells);
  free(session->sentence);
  free(session->override_words);
}

bool session_has(const void *last, const char *command) {
  if (last == NULL) report(command, "nothing has been translated yet");
  return last != NULL;
}

elman_translate_options session_options(const struct session *session, const struct side *side) {
  elman_translate_options options = session->options;
  options.ensemble = (const elman_model *const *)side->models.open + 1;
  options.ensemble_count = side->models.count - 1;
  return options;
}

static bool may_write(const char *command, const char *path) {
  if (output_holds_model(path)) {
    report(path, "is a model or checkpoint, which '%s' never overwrites; name another file",
           command);
    return false;
  }
  if (output_force || !output_exists(path)) return true;
  report(path, "already exists; '%s! %s' overwrites it", command, path);
  return false;
}

const char *session_output_format(const char *command, const char *example,
                                  const struct formats *formats, const char *path) {
  const char *format = NULL;
  if (path[0] == '\0' || strcmp(path, "-") == 0)
    report(command, "name a file, as in %s", example);
  else if (format_choose(&format, formats, path) == EX_OK && format == NULL)
    (void)report_suffix(path, formats);
  return format != NULL && may_write(command, path) ? format : NULL;
}
