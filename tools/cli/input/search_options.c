#include "input/search_options.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "options/library_options.h"

bool search_option_given(const struct search_given *given, const char *name) {
  return given->rows[elman_option_find(ELMAN_SCOPES_TRANSLATE, name)->index];
}

static int check(const elman_translate_options *search, const struct search_given *given) {
  elman_translate_options shown = *search;
  elman_error error;
  shown.without_scores = !given->shows_scores;
  if (elman_options_check(ELMAN_SCOPES_TRANSLATE, &shown, given->rows, ELMAN_NAMES_OPTION,
                          &error) == ELMAN_OK)
    return EX_OK;
  return report_usage(given->command, "%s", error.message);
}

/* Check the seed, which serves sampling and shuffled attention. The message names only an option
 * that the command has. */
static int check_seed(const elman_translate_options *search, const struct search_given *given,
                      const struct usage *usage) {
  if (!search_option_given(given, "seed") || search->sample || overrides_shuffle(search))
    return EX_OK;
  return report_usage(usage->command, "--seed needs %s",
                      option_row(usage->options, "sample") != NULL ? "--sample"
                                                                   : "--override shuffle");
}

void search_seed_describe(struct option *table, const char *help) {
  for (struct option *option = table; option->name != NULL; option++)
    if (strcmp(option->name, "seed") == 0) option->help = help;
}

int search_options_complete(elman_translate_options *search, struct search_given *given,
                            const struct usage *usage, const struct operands *operands,
                            bool shows_scores) {
  *given = (struct search_given){.command = usage->command, .shows_scores = shows_scores};
  (void)library_options_given(given->rows, usage, operands);
  const int code = check_seed(search, given, usage);
  if (code != EX_OK) return code;
  if (!search_option_given(given, "beam") && search->beam < search->n_best)
    search->beam = search->n_best;
  /* The model may store a beam size, so options that need one are checked later. */
  elman_translate_options any_model = *search;
  if (!search_option_given(given, "beam") && !search->sample) any_model.beam = ELMAN_MAX_BEAM;
  return check(&any_model, given);
}

int search_options_unused(elman_translate_options *search, struct search_given *given) {
  const unsigned scopes = ELMAN_SCOPE_SEARCH | ELMAN_SCOPE_LIST | ELMAN_SCOPE_SAMPLING |
                          (given->shows_scores ? 0 : ELMAN_SCOPE_SCORE);
  elman_error error;
  if (elman_options_unused(scopes, search, given->rows, "the translations are given",
                           ELMAN_NAMES_OPTION, &error) != ELMAN_OK)
    return report_usage(given->command, "%s", error.message);
  given->command = NULL;
  return EX_OK;
}

/* The settings in a note, separated by commas. */
struct listed {
  char text[128];
};

static void list(struct listed *listed, const char *what, const char *value) {
  const size_t used = strlen(listed->text);
  snprintf(listed->text + used, sizeof listed->text - used, "%s%s %s", used > 0 ? ", " : "", what,
           value);
}

/* Use the parts of the search that the model stores and no option replaces. */
static void adopt_search(elman_translate_options *search, const struct search_given *given,
                         elman_search named, struct listed *listed) {
  char value[32];
  if (!search_option_given(given, "beam") &&
      named.beam >= search->n_best) { /* otherwise the n-best list is longer than this beam */
    search->beam = named.beam;
    snprintf(value, sizeof value, "%zu", named.beam);
    list(listed, "beam size", value);
  }
  if (search->beam > 1 && !search_option_given(given, "length_penalty") &&
      !search_option_given(given, "length_norm")) {
    search->length_penalty = named.length_penalty;
    snprintf(value, sizeof value, "%g", search->length_penalty);
    list(listed, "length penalty", value);
  }
}

int search_options_adopt(elman_translate_options *search, const struct search_given *given,
                         const elman_model *model) {
  const elman_model_info info = elman_model_get_info(model);
  struct listed listed = {""};
  if (given->command != NULL && info.search.beam > 0 && !search->sample)
    adopt_search(search, given, info.search, &listed);
  if (given->command != NULL && !search_option_given(given, "replace_unknown") &&
      elman_model_translate_options(model).replace_unknown) {
    search->replace_unknown = true;
    list(&listed, "replacement of", "unknown words");
  }
  if (!search_option_given(given, "precision")) {
    search->precision = info.translate_precision;
    if (search->precision != ELMAN_PRECISION_FLOAT32)
      list(&listed, "precision", elman_precision_name(search->precision));
  }
  if (listed.text[0] != '\0') note("from the model: %s", listed.text);
  return given->command == NULL ? EX_OK : check(search, given);
}

/* ---- overrides ---- */

static const char *skip_word(const char *text, const char *word) {
  const size_t length = strlen(word);
  return text != NULL && strncmp(text, word, length) == 0 ? text + length : NULL;
}

/* Parse a position as an index from 0. */
static const char *parse_index(size_t *index, const char *text) {
  const char *rest = parse_position(index, text);
  if (rest != NULL) --*index;
  return rest;
}

static bool parse(elman_override *override, const char *word) {
  const char *rest;
  if ((rest = skip_word(word, "uniform")) != NULL) {
    override->kind = ELMAN_OVERRIDE_UNIFORM;
  } else if ((rest = skip_word(word, "shuffle")) != NULL) {
    override->kind = ELMAN_OVERRIDE_SHUFFLE;
  } else if ((rest = skip_word(word, "position=")) != NULL) {
    override->kind = ELMAN_OVERRIDE_POSITION;
    rest = parse_index(&override->column, rest);
  } else {
    override->kind = ELMAN_OVERRIDE_CELL;
    rest = skip_word(parse_index(&override->row, word), ":");
    rest = skip_word(parse_index(&override->column, rest), "=");
    if (rest != NULL) rest = parse_decimal(&override->weight, rest);
  }
  return rest != NULL && *rest == '\0' && override->weight <= 1;
}

/* Return whether an override applies to a particular token. */
static bool overrides_name_places(const elman_translate_options *search) {
  for (size_t i = 0; i < search->override_count; i++)
    if (search->overrides[i].kind == ELMAN_OVERRIDE_POSITION ||
        search->overrides[i].kind == ELMAN_OVERRIDE_CELL)
      return true;
  return false;
}

int overrides_parse(struct overrides *overrides, elman_translate_options *search,
                    const struct option_place *place) {
  for (size_t i = 0; i < overrides->words.count; i++) {
    overrides->list[i] = (elman_override){0};
    if (!parse(&overrides->list[i], overrides->words.words[i]))
      return option_refuse(
          place,
          "%soverride: '%s' is not one of uniform, shuffle, position=K and row:col=w (row: "
          "target token; col: source token; both counted from 1; w: weight from 0 to 1)",
          place->dashes, overrides->words.words[i]);
  }
  search->overrides = overrides->list;
  search->override_count = overrides->words.count;
  return EX_OK;
}

bool overrides_shuffle(const elman_translate_options *search) {
  for (size_t i = 0; i < search->override_count; i++)
    if (search->overrides[i].kind == ELMAN_OVERRIDE_SHUFFLE) return true;
  return false;
}

int overrides_choose_units(elman_alignment_units *units, const elman_translate_options *search,
                           const struct option_place *place) {
  const char *dashes = place->dashes;
  if (!overrides_name_places(search)) return EX_OK;
  if (*units == ELMAN_UNITS_WORDS)
    return option_refuse(place,
                         "%soverride position=K and row:col=w count tokens and cannot be combined "
                         "with %sunits words; use %sunits tokens",
                         dashes, dashes, dashes);
  if (*units == ELMAN_UNITS_AUTO) *units = ELMAN_UNITS_TOKENS;
  return EX_OK;
}
