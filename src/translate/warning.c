#include "elman/warning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "vocab/characters.h"
#include "vocab/numbers.h"
#include "vocab/scripts.h"
#include "vocab/tokens.h"
#include "vocab/variants.h"

const char *elman_warning_kind_name(size_t kind) {
  static const char *const names[] = {"none",    "script", "variants",
                                      "unknown", "number", "improbable"};
  return kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

/* ---- scripts ---- */

/* Write the language of the script if only one language uses it; otherwise write the script. */
static void write_language(char *into, size_t size, enum script script) {
  static const struct {
    enum script script;
    const char *language;
  } rows[] = {{SCRIPT_HAN, "Chinese (Han script)"},
              {SCRIPT_JAPANESE, "Japanese"},
              {SCRIPT_HANGUL, "Korean (Hangul)"},
              {SCRIPT_GREEK, "Greek"},
              {SCRIPT_ARMENIAN, "Armenian"},
              {SCRIPT_GEORGIAN, "Georgian"},
              {SCRIPT_THAI, "Thai"},
              {SCRIPT_LAO, "Lao"},
              {SCRIPT_KHMER, "Khmer"},
              {SCRIPT_TIBETAN, "Tibetan"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].script == script) {
      snprintf(into, size, "%s", rows[i].language);
      return;
    }
  snprintf(into, size, "text in %s script", script_name(script));
}

/* Return the letters of a script, with a weight that makes texts of all scripts comparable. */
static uint64_t letters_of(const struct letter_counts *letters, enum script script) {
  const uint64_t weight = script == SCRIPT_HAN ? 3 : script == SCRIPT_HANGUL ? 2 : 1;
  return weight * letters->of[script];
}

/* Return whether less than a third of the letters are of the script. */
static bool is_foreign(const struct letter_counts *letters, enum script side) {
  uint64_t own = letters_of(letters, side), all = 0;
  if (side == SCRIPT_JAPANESE) own += letters_of(letters, SCRIPT_HAN);
  for (enum script script = SCRIPT_NONE; script < SCRIPTS; script++)
    all += letters_of(letters, script);
  return own < (all + 2) / 3;
}

static bool warn_of_script(elman_warning *warning, const struct model *model,
                           const elman_translation *translation) {
  const enum script source = vocabulary_script(model->source_vocabulary);
  struct letter_counts letters = {{0}};
  char language[64];
  letters_count(&letters, text_of(translation->source));
  if (source == SCRIPT_NONE || !is_foreign(&letters, source)) return false;
  const enum script found = letters_script(&letters);
  const char *name = found == SCRIPT_NONE || found == source ? NULL : script_name(found);
  const bool reversed = found == vocabulary_script(model->target_vocabulary) && name != NULL;
  write_language(language, sizeof language, source);
  snprintf(warning->message, sizeof warning->message,
           "This model translates %s; the text is mostly in %s%s. Use a model %s.", language,
           name == NULL ? "another script" : name,
           name == NULL || found == SCRIPT_JAPANESE ? "" : " script",
           reversed ? "of the opposite direction" : "for the language of the text");
  warning->kind = ELMAN_WARNING_SCRIPT;
  return true;
}

/* ---- unknown tokens ---- */

/* Return whether the model has a token for the other form (simplified or traditional) of an unknown
 * token or of one of its characters. */
static bool is_variant(struct text token, const struct vocabulary *vocabulary,
                       int (*other_form)(int codepoint)) {
  enum { LONGEST = 64, LONGEST_CHARACTER = 4 };
  char whole[LONGEST];
  size_t length = 0;
  bool differs = false;
  for (size_t at = 0; at < token.length && length + LONGEST_CHARACTER <= LONGEST;) {
    const int codepoint = character_at(token, &at), other = other_form(codepoint);
    const struct text character = {
        whole + length, (size_t)utf8proc_encode_char(other == 0 ? codepoint : other,
                                                     (utf8proc_uint8_t *)whole + length)};
    if (other != 0 && vocabulary_find(vocabulary, character) != TOKEN_UNKNOWN) return true;
    differs = differs || other != 0;
    length += character.length;
  }
  return differs && vocabulary_find(vocabulary, (struct text){whole, length}) != TOKEN_UNKNOWN;
}

static bool warn_of_variants(elman_warning *warning, const struct model *model,
                             const elman_translation *translation) {
  size_t unknown = 0, traditional = 0, simplified = 0;
  for (size_t s = 0; s < translation->source_count; s++) {
    const struct text token = text_of(translation->source_tokens[s]);
    if (translation->source_known[s]) continue;
    unknown++;
    traditional += is_variant(token, model->source_vocabulary, simplified_form);
    simplified += is_variant(token, model->source_vocabulary, traditional_form);
  }
  const bool is_traditional = traditional > unknown / 2;
  if (!is_traditional && simplified <= unknown / 2) return false;
  snprintf(warning->message, sizeof warning->message,
           "The text has %s characters that are not in the vocabulary, which has %s ones. Convert "
           "the text, for example with 'opencc -c %s'.",
           is_traditional ? "traditional" : "simplified",
           is_traditional ? "simplified" : "traditional", is_traditional ? "t2s" : "s2t");
  warning->kind = ELMAN_WARNING_VARIANTS;
  return true;
}

static bool warn_of_unknown(elman_warning *warning, const struct model *model,
                            const elman_translation *translation) {
  const elman_token_mode mode = model_source_codec(model).mode;
  size_t unknown = 0;
  for (size_t s = 0; s < translation->source_count; s++) unknown += !translation->source_known[s];
  if (unknown <= translation->source_count / 3) return false;
  snprintf(
      warning->message, sizeof warning->message,
      "%zu of %zu %s%s of the text %s not in the vocabulary, so that the translation is probably "
      "wrong. Use other words, or a model that was trained with similar texts.",
      unknown, translation->source_count,
      mode == ELMAN_TOKENS_CHARS ? "character"
      : mode == ELMAN_TOKENS_BPE ? "subword"
                                 : "word",
      plural_ending(translation->source_count), plural_is(unknown));
  warning->kind = ELMAN_WARNING_UNKNOWN;
  return true;
}

/* ---- numbers ---- */

static bool warn_of_number(elman_warning *warning, const elman_translation *translation) {
  enum { LONGEST = 60 };
  if (translation->forced) return false;
  const struct text number =
      number_missing(text_of(translation->source), text_of(translation->text));
  if (number.length == 0) return false;
  const struct text shown = text_beginning(number, LONGEST);
  snprintf(warning->message, sizeof warning->message,
           "The number %.*s%s of the text is not in the translation, which is probably wrong.",
           (int)shown.length, number.bytes, shown.length < number.length ? "..." : "");
  warning->kind = ELMAN_WARNING_NUMBER;
  return true;
}

/* ---- improbable translations ---- */

static bool warn_of_improbable(elman_warning *warning, const elman_translation *translation) {
  size_t count = 0;
  double lowest = ELMAN_PROBABLE;
  if (translation->forced) return false;
  for (size_t k = 0; k < translation->sentence_count; k++) {
    const elman_translated_sentence *sentence = &translation->sentences[k];
    const double mean = sentence->log_probability / (double)sentence->target_count;
    if (sentence->target_count == 0 || !(mean < ELMAN_PROBABLE)) continue;
    if (mean < lowest) lowest = mean;
    count++;
  }
  if (count == 0) return false;
  char which[96] = "The translation is improbable";
  if (translation->sentence_count > 1)
    snprintf(which, sizeof which, "The translation%s of %zu of %zu sentences %s improbable",
             plural_ending(count), count, translation->sentence_count, plural_is(count));
  snprintf(warning->message, sizeof warning->message,
           "%s (%.2g %% per token) and probably wrong. Use simpler sentences, or a model that was "
           "trained with similar texts.",
           which, 100 * exp(lowest));
  warning->kind = ELMAN_WARNING_IMPROBABLE;
  return true;
}

elman_warning elman_translation_warning(const elman_model *model,
                                        const elman_translation *translation) {
  const struct model *inner = inner_model_const(model);
  elman_warning warning = {.kind = ELMAN_WARNING_NONE};
  if (!warn_of_script(&warning, inner, translation) &&
      !warn_of_variants(&warning, inner, translation) &&
      !warn_of_unknown(&warning, inner, translation) && !warn_of_number(&warning, translation))
    (void)warn_of_improbable(&warning, translation);
  return warning;
}
