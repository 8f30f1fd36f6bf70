#include "corpus/findings.h"

#include <stdlib.h>
#include <string.h>

#include "corpus/defects.h"
#include "vocab/characters.h"
#include "vocab/invisible.h"

enum { S = ELMAN_SOURCE, T = ELMAN_TARGET };

/* ---- texts ---- */

static struct text trimmed(struct text text) {
  while (text.length > 0 && text.bytes[text.length - 1] == ' ') text.length--;
  while (text.length > 0 && text.bytes[0] == ' ') text_drop(&text, 1);
  return text;
}

static size_t count_characters(struct text text) {
  size_t count = 0;
  for (size_t at = 0; at < text.length;) count += !is_white_space(character_at(text, &at));
  return count;
}

/* ---- typical properties ---- */

/* Counts over the sampled lines of a side. */
struct side_sample {
  struct script_votes votes;
  size_t characters;
  size_t ids;
  /* Two different texts cancel each other. If more than half of the lines have the same text, this
   * text is left (Boyer and Moore). */
  uint64_t text;
  size_t lead;    /* lines of `text` that are not canceled */
  size_t matches; /* lines of `text`, counted in a second pass */
};

static void sample_add(struct side_sample *side, struct text text) {
  struct letter_counts letters = {0};
  letters_count(&letters, text);
  script_vote(&side->votes, &letters);
  side->characters += count_characters(text);
  side->ids += text_is_id(text);
  const uint64_t hash = text_hash(text);
  if (side->lead == 0) side->text = hash;
  if (side->text == hash)
    side->lead++;
  else
    side->lead--;
}

static bool is_enclosed(const struct text sides[2]) {
  return text_quoting(sides[S]) != NOT_QUOTED && text_quoting(sides[T]) != NOT_QUOTED;
}

static void sides_of(struct text sides[2], const elman_pairs *pairs, size_t index) {
  const struct pair pair = pairs_get(pairs, index);
  sides[S] = trimmed(pair.source);
  sides[T] = trimmed(pair.target);
}

static void sample_lines(struct side_sample samples[2], size_t *enclosed, const elman_pairs *pairs,
                         size_t stride) {
  struct text sides[2];
  for (size_t i = 0; i < elman_pairs_count(pairs); i += stride) {
    sides_of(sides, pairs, i);
    for (int side = 0; side < 2; side++) sample_add(&samples[side], sides[side]);
    *enclosed += is_enclosed(sides);
  }
  for (size_t i = 0; i < elman_pairs_count(pairs); i += stride) {
    sides_of(sides, pairs, i);
    for (int side = 0; side < 2; side++)
      samples[side].matches +=
          samples[side].lead > 0 && text_hash(sides[side]) == samples[side].text;
  }
}

static elman_status sample_words(struct typical *typical, const elman_pairs *pairs, size_t stride,
                                 elman_error *error) {
  elman_status status = ELMAN_OK;
  struct text sides[2];
  for (size_t i = 0; status == ELMAN_OK && i < elman_pairs_count(pairs); i += stride) {
    sides_of(sides, pairs, i);
    status = side_words_add(&typical->words, sides, error);
  }
  return status;
}

/* Return whether the sides of a pair seem to be interchanged. `sides` must be in the order in which
 * they were counted. */
static bool looks_flipped(const struct typical *typical, const struct text sides[2]) {
  static const double LITTLE = 0.5;
  struct language_evidence evidence[2];
  side_words_judge(evidence, &typical->words, sides);
  return evidence[T].for_source - evidence[S].for_source > LITTLE;
}

/* Interchange the sides of each pair of the sample that seems to have interchanged sides. With
 * `undo`, instead restore the pairs that earlier calls have changed. Return the number of pairs
 * changed. */
static size_t flip_pairs(struct typical *typical, bool *flipped, const elman_pairs *pairs,
                         size_t stride, bool undo) {
  size_t changes = 0;
  for (size_t i = 0; i < elman_pairs_count(pairs); i += stride) {
    bool *flip = &flipped[i / stride];
    struct text sides[2];
    sides_of(sides, pairs, i);
    const struct text counted[] = {sides[*flip ? T : S], sides[*flip ? S : T]};
    if (undo ? !*flip : !looks_flipped(typical, counted)) continue;
    side_words_flip(&typical->words, counted);
    *flip = !*flip;
    changes++;
  }
  return changes;
}

/* Interchange the sides of pairs of the sample until no pair seems to be interchanged. The words of
 * a side are then of one language even if nearly half of the pairs were interchanged. Keep the
 * result only if the sides are in two languages; otherwise the result means nothing. */
static elman_status separate_words(struct typical *typical, const elman_pairs *pairs, size_t stride,
                                   elman_error *error) {
  enum { MOST_PASSES = 6 };
  bool *flipped = calloc(elman_pairs_count(pairs) / stride + 1, sizeof *flipped);
  if (flipped == NULL) return fail_no_memory(error);
  for (int pass = 0; pass < MOST_PASSES; pass++)
    if (flip_pairs(typical, flipped, pairs, stride, false) == 0) break;
  if (!side_words_are_separate(&typical->words)) flip_pairs(typical, flipped, pairs, stride, true);
  free(flipped);
  return ELMAN_OK;
}

elman_status typical_find(struct typical *typical, const elman_pairs *pairs, size_t sample,
                          elman_error *error) {
  enum { ENOUGH_LINES = 10 }; /* minimum for properties that a few lines may have by chance */
  struct side_sample samples[2] = {0};
  const size_t stride = elman_pairs_count(pairs) / sample + 1;
  const size_t lines = (elman_pairs_count(pairs) + stride - 1) / stride;
  size_t enclosed = 0;
  sample_lines(samples, &enclosed, pairs, stride);
  for (int side = 0; side < 2; side++) {
    const struct side_sample *found = &samples[side];
    typical->script[side] = script_elected(&found->votes);
    typical->ids[side] = found->ids > lines / 2;
    typical->same[side] = lines >= ENOUGH_LINES && found->matches > lines / 2 ? found->text : 0;
  }
  typical->ratio = (double)samples[T].characters / (double)samples[S].characters;
  typical->enclosed = lines >= ENOUGH_LINES && enclosed > lines / 4;
  if (typical->script[S] != typical->script[T]) return ELMAN_OK;
  const elman_status status = sample_words(typical, pairs, stride, error);
  return status == ELMAN_OK ? separate_words(typical, pairs, stride, error) : status;
}

void typical_free(struct typical *typical) {
  side_words_free(&typical->words);
}

/* ---- a pair ---- */

/* Return whether the text is too long for a name, so that an equal text on the other side is a
 * copy: it has two words, or two characters of a script without spaces. */
static bool has_several_words(struct text text, const struct letter_counts *letters) {
  size_t start = 0, end, words = 0;
  uint64_t hash;
  while (letters_found(letters) && words < 2 && (end = side_word_next(&hash, text, &start)) > 0) {
    words++;
    start = end;
  }
  return words >= 2;
}

void line_measure(struct line_properties *line, const struct pair *pair,
                  const struct typical *typical, double max_ratio) {
  *line = (struct line_properties){.typical = typical,
                                   .max_ratio = max_ratio,
                                   .sides = {trimmed(pair->source), trimmed(pair->target)}};
  for (int side = 0; side < 2; side++) {
    letters_count(&line->letters[side], line->sides[side]);
    line->characters[side] = count_characters(line->sides[side]);
  }
  if (typical->words.count > 0) side_words_judge(line->language, &typical->words, line->sides);
  line->copy = text_equal(line->sides[S], line->sides[T]) &&
               has_several_words(line->sides[S], &line->letters[S]);
}

/* ---- findings of a pair ---- */

static bool on_either_side(const struct line_properties *line, bool (*has)(struct text)) {
  return has(line->sides[S]) || has(line->sides[T]);
}

/* Characters added to both lengths before the comparison, because short sentences vary more. */
static const double SLACK = 10;

/* Minimum evidence, as the logarithm of the odds, that a text is in the language of the other side.
 * For one side alone, the evidence must exceed SURE. For both sides, it must exceed LIKELY on each
 * side and SURE in total. */
static const double LIKELY = 2, SURE = 10;

/* Return the evidence that a side is in the language of the other side. */
static double reversal(const struct line_properties *line, int side) {
  return side == S ? -line->language[S].for_source : line->language[T].for_source;
}

static bool is_swapped(const struct line_properties *line) {
  const enum script *typical = line->typical->script;
  if (typical[S] == typical[T])
    return reversal(line, S) > LIKELY && reversal(line, T) > LIKELY &&
           reversal(line, S) + reversal(line, T) > SURE;
  return typical[S] != SCRIPT_NONE && typical[T] != SCRIPT_NONE &&
         letters_script(&line->letters[S]) == typical[T] &&
         letters_script(&line->letters[T]) == typical[S];
}

static bool is_copy(const struct line_properties *line) {
  return line->copy;
}

/* Return whether both sides are in the language of one of them. */
static bool is_in_wrong_language(const struct line_properties *line) {
  enum { SOME_WORDS = 4 };
  if (line->copy) return false;
  for (int side = 0; side < 2; side++)
    if (line->language[side].words >= SOME_WORDS && reversal(line, side) > SURE &&
        reversal(line, 1 - side) < -LIKELY)
      return true;
  return false;
}

/* Return whether the sides are equal and in Latin script, such as a name. */
static bool is_latin_name(const struct line_properties *line) {
  return letters_script(&line->letters[S]) == SCRIPT_LATIN &&
         text_equal(line->sides[S], line->sides[T]);
}

static bool has_mixed_scripts(const struct line_properties *line) {
  return !is_swapped(line) && !line->copy && !is_latin_name(line) &&
         (letters_are_foreign(&line->letters[S], line->typical->script[S]) ||
          letters_are_foreign(&line->letters[T], line->typical->script[T]));
}

/* Return whether the length ratio is unusual. The ratio of a swapped line is not checked. */
static bool has_unlike_length(const struct line_properties *line) {
  const double expected = (double)line->characters[S] * line->typical->ratio + SLACK;
  const double found = (double)line->characters[T] + SLACK;
  return !is_swapped(line) &&
         (found > line->max_ratio * expected || expected > line->max_ratio * found);
}

/* Return whether a side is only a number, or equals the text that most lines have on that side. If
 * most texts of the side are ids, the number may have letters. Equal numbers on both sides are a
 * translation, not a finding. */
static bool has_id(const struct line_properties *line) {
  for (int side = 0; side < 2; side++) {
    const struct text text = line->sides[side];
    const bool number =
        text_is_id(text) && (line->typical->ids[side] || !letters_found(&line->letters[side]));
    if (number && (line->typical->ids[side] || !text_equal(line->sides[S], line->sides[T])))
      return true;
    if (line->typical->same[side] != 0 && text_hash(text) == line->typical->same[side]) return true;
  }
  return false;
}

/* Return whether the sides have the quotation marks that a spreadsheet adds to fields. If one side
 * is enclosed in quotation marks, the other side must have none, because otherwise both are
 * quotations. If both sides are enclosed, both sides of many other lines must be enclosed, too. */
static bool is_quoted(const struct line_properties *line) {
  for (int side = 0; side < 2; side++) {
    const enum quoting quoting = text_quoting(line->sides[side]);
    if (quoting == DOUBLED_QUOTES) return true;
    if (quoting == ENCLOSED && !text_has_quotation_marks(line->sides[1 - side])) return true;
  }
  return line->typical->enclosed && is_enclosed(line->sides);
}

static bool has_markup(const struct line_properties *line) {
  return on_either_side(line, text_has_markup);
}

static bool has_token_marks(const struct line_properties *line) {
  return on_either_side(line, text_has_token_marks);
}

static bool has_invisible_signs(const struct line_properties *line) {
  return on_either_side(line, has_invisible);
}

static bool has_wrong_encoding(const struct line_properties *line) {
  for (int side = 0; side < 2; side++)
    if (text_lost_letters(line->sides[side]) && letters_found(&line->letters[1 - side]))
      return true;
  return on_either_side(line, text_is_garbled);
}

/* ---- the table ---- */

#define BAD_LINE(name, description)                                                                \
  { name, description, ELMAN_FINDING_KIND_BAD_LINE, NULL, 0, NULL }
#define LEAK(name, description)                                                                    \
  { name, description, ELMAN_FINDING_KIND_LEAK, NULL, 0, NULL }
#define SUSPICIOUS ELMAN_FINDING_KIND_SUSPICIOUS
#define REPORTED(name, description, holds)                                                         \
  { name, description, SUSPICIOUS, holds, 0, NULL }

static const struct finding_row rows[FINDINGS] = {
    [ELMAN_FINDING_NOT_UTF8] = BAD_LINE("not_utf8", "invalid UTF-8"),
    [ELMAN_FINDING_LACKS_COLUMN] = BAD_LINE("lacks_column", "missing column"),
    [ELMAN_FINDING_EMPTY] = BAD_LINE("empty", "empty line or side"),
    [ELMAN_FINDING_CARRIAGE_RETURN] =
        BAD_LINE("carriage_return", "carriage return within the line"),
    [ELMAN_FINDING_BAD_ALIGNMENT] = BAD_LINE("bad_alignment", "invalid word alignment"),
    [ELMAN_FINDING_SHIFTED] = {"shifted", "sides shifted by lines", SUSPICIOUS, NULL, 0.01,
                               "a line is missing on one side, or there is one too many; mend the "
                               "file near this line"},
    [ELMAN_FINDING_SWAPPED] = {"swapped", "swapped columns", SUSPICIOUS, is_swapped, 0.1,
                               "interchange source and target of these lines"},
    [ELMAN_FINDING_ID] = {"id", "only digits, an id or a constant on a side", SUSPICIOUS, has_id,
                          0.5, "name the columns of the sentences, for example with `columns` 2,4"},
    [ELMAN_FINDING_COPY] = {"copy", "target equal to source", SUSPICIOUS, is_copy, 0.2,
                            "remove untranslated lines, or name another column with `columns`"},
    [ELMAN_FINDING_WRONG_LANGUAGE] = {"wrong_language", "side in the language of the other side",
                                      SUSPICIOUS, is_in_wrong_language, 0.2,
                                      "remove untranslated lines"},
    [ELMAN_FINDING_MIXED_SCRIPTS] = {"mixed_scripts", "wrong or mixed script", SUSPICIOUS,
                                     has_mixed_scripts, 0.5,
                                     "check the order of the columns and the language of the file"},
    [ELMAN_FINDING_WRONG_ENCODING] = {"wrong_encoding",
                                      "wrong encoding (mojibake, replaced characters)", SUSPICIOUS,
                                      has_wrong_encoding, 0.1,
                                      "convert the original file to UTF-8 again"},
    [ELMAN_FINDING_MARKUP] = {"markup", "HTML markup (tag or entity)", SUSPICIOUS, has_markup, 0.5,
                              "replace entities and remove tags, also in texts to translate"},
    [ELMAN_FINDING_TOKEN_MARKS] = {"token_marks", "marks of another tokenizer (@-@, @@)",
                                   SUSPICIOUS, has_token_marks, 0.5,
                                   "undo the tokenization of the other tool"},
    [ELMAN_FINDING_QUOTED] = {"quoted", "quoted field of a spreadsheet", SUSPICIOUS, is_quoted, 0.5,
                              "convert the table from CSV to lines with tabs"},
    [ELMAN_FINDING_INVISIBLE] =
        REPORTED("invisible", "invisible or control character", has_invisible_signs),
    [ELMAN_FINDING_DUPLICATE] = REPORTED("duplicate", "duplicate pair", NULL),
    [ELMAN_FINDING_NEAR_DUPLICATE] =
        REPORTED("near_duplicate", "near-duplicate pair (case, width, punctuation)", NULL),
    [ELMAN_FINDING_OTHER_TARGET] =
        REPORTED("other_target", "repeated source with another target", NULL),
    [ELMAN_FINDING_OTHER_SOURCE] =
        REPORTED("other_source", "repeated target with another source", NULL),
    [ELMAN_FINDING_LENGTH_RATIO] =
        REPORTED("length_ratio", "unusual length ratio", has_unlike_length),
    [ELMAN_FINDING_TOO_LONG] = REPORTED("too_long", "line longer than the maximum length", NULL),
    [ELMAN_FINDING_SAME_PAIR] = LEAK("same_pair", "same pair"),
    [ELMAN_FINDING_SAME_SOURCE] = LEAK("same_source", "same source"),
    [ELMAN_FINDING_SAME_TARGET] = LEAK("same_target", "same target"),
    [ELMAN_FINDING_LIKE_PAIR] = LEAK("like_pair", "similar pair"),
    [ELMAN_FINDING_LIKE_SOURCE] = LEAK("like_source", "similar source"),
    [ELMAN_FINDING_LIKE_TARGET] = LEAK("like_target", "similar target"),
};

const struct finding_row *finding_row(elman_finding finding) {
  return (unsigned)finding < FINDINGS ? &rows[finding] : NULL;
}

const char *elman_finding_name(elman_finding finding) {
  const struct finding_row *row = finding_row(finding);
  return row == NULL ? NULL : row->name;
}

const char *elman_finding_description(elman_finding finding) {
  const struct finding_row *row = finding_row(finding);
  return row == NULL ? NULL : row->description;
}

const char *elman_finding_advice(elman_finding finding) {
  const struct finding_row *row = finding_row(finding);
  return row == NULL ? NULL : row->advice;
}

elman_finding_kind elman_finding_get_kind(elman_finding finding) {
  return finding_row(finding)->kind;
}
