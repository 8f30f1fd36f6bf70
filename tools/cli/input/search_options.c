#include "input/search_options.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"
#include "options/option.h"

/* Refuse penalties without effect. The length norm has an effect only with a length penalty, and
 * penalties only rank the hypotheses of a beam. */
static int check_penalties(const elman_translate_options *search, const struct usage *usage,
                           const struct operands *operands, bool shows_scores) {
  static const char *const penalties[] = {"length-penalty", "length-norm", "coverage-penalty"};
  if (option_given(usage, operands, "length-norm") && search->length_penalty == 0)
    return report_usage(usage->command, "--length-norm needs a --length-penalty above 0");
  if (search->beam > 1 || shows_scores) return EX_OK;
  for (size_t i = 0; i < sizeof penalties / sizeof *penalties; i++)
    if (option_given(usage, operands, penalties[i]))
      return report_usage(usage->command,
                          "--%s has no effect on greedy decoding; add --beam N with N above 1",
                          penalties[i]);
  return EX_OK;
}

int search_options_complete(elman_translate_options *search, const struct usage *usage,
                            const struct operands *operands, bool shows_scores) {
  if (!option_given(usage, operands, "beam") && search->beam < search->n_best)
    search->beam = search->n_best;
  if (search->n_best > search->beam)
    return report_usage(usage->command, "--n-best %zu needs --beam %zu or more", search->n_best,
                        search->n_best);
  return check_penalties(search, usage, operands, shows_scores);
}

/* ---- overrides ---- */

/* Parse a position, counted from 1, at the start of `text`. Return the text after it. Return NULL
 * if there is no position or `text` is NULL. */
static const char *parse_position(size_t *index, const char *text) {
  const size_t digits = text == NULL ? 0 : strspn(text, "0123456789");
  if (digits == 0 || digits > 9 || text[0] == '0') return NULL;
  *index = (size_t)strtoul(text, NULL, 10) - 1;
  return text + digits;
}

static const char *skip_word(const char *text, const char *word) {
  const size_t length = strlen(word);
  return text != NULL && strncmp(text, word, length) == 0 ? text + length : NULL;
}

static bool parse(elman_override *override, const char *word) {
  const char *rest;
  if ((rest = skip_word(word, "uniform")) != NULL) {
    override->kind = ELMAN_OVERRIDE_UNIFORM;
  } else if ((rest = skip_word(word, "shuffle")) != NULL) {
    override->kind = ELMAN_OVERRIDE_SHUFFLE;
  } else if ((rest = skip_word(word, "position=")) != NULL) {
    override->kind = ELMAN_OVERRIDE_POSITION;
    rest = parse_position(&override->column, rest);
  } else {
    override->kind = ELMAN_OVERRIDE_CELL;
    rest = skip_word(parse_position(&override->row, word), ":");
    rest = skip_word(parse_position(&override->column, rest), "=");
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
          "%soverride: '%s' is not one of uniform, shuffle, position=K and row:col=w (target "
          "token, source token, both counted from 1, and a weight from 0 to 1)",
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
                         "%soverride position and row:col count tokens, but %sunits words shows "
                         "words; use %sunits tokens",
                         dashes, dashes, dashes);
  if (*units == ELMAN_UNITS_AUTO) *units = ELMAN_UNITS_TOKENS;
  return EX_OK;
}
