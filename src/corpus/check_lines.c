#include "corpus/check.h"
#include "vocab/characters.h"

/* Enough lines to tell what is usual. */
enum { SAMPLE = 10000 };

/* Characters added to both lengths before they are compared: short sentences vary more. */
static const double SLACK = 10;

struct measure {
  size_t characters; /* without white space */
  size_t letters;    /* and digits, Han included */
  size_t han;
};

struct usual {
  bool source_han, target_han; /* most lines have Han characters */
  double ratio;                /* target characters to a source character */
};

static void measure_add(struct measure *measure, struct text text) {
  for (size_t at = 0; at < text.length;) {
    const int codepoint = character_at(text, &at);
    if (is_white_space(codepoint)) continue;
    measure->characters++;
    const bool han = is_han(codepoint);
    if (han) measure->han++;
    if (han || (is_word_character(codepoint) && !is_combining_mark(codepoint))) measure->letters++;
  }
}

static bool mostly_han(struct measure measure) {
  return measure.han > measure.letters / 2;
}

/* Lines vote, not letters: 我叫Tom is Chinese with more Latin letters than Han characters. */
struct vote {
  size_t characters;
  size_t lines, han_lines; /* with letters; with a Han character */
};

static void vote_add(struct vote *vote, struct text text) {
  struct measure line = {0};
  measure_add(&line, text);
  vote->characters += line.characters;
  if (line.letters == 0) return;
  vote->lines++;
  if (line.han > 0) vote->han_lines++;
}

static struct usual look_at_sample(const struct pairs *pairs) {
  struct vote source = {0}, target = {0};
  const size_t stride = pairs_count(pairs) / SAMPLE + 1;
  for (size_t i = 0; i < pairs_count(pairs); i += stride) {
    const struct pair pair = pairs_get(pairs, i);
    vote_add(&source, pair.source);
    vote_add(&target, pair.target);
  }
  return (struct usual){source.han_lines > source.lines / 2, target.han_lines > target.lines / 2,
                        (double)target.characters / (double)source.characters};
}

/* A side of Han characters may hold other letters, but not those alone; any other may hold no Han.
 */
static bool is_foreign(struct measure side, bool usually_han) {
  return usually_han ? side.letters > 0 && side.han == 0 : side.han > 0;
}

static bool is_swapped(struct measure source, struct measure target, const struct usual *usual) {
  return usual->source_han != usual->target_han && source.letters > 0 && target.letters > 0 &&
         mostly_han(source) == usual->target_han && mostly_han(target) == usual->source_han;
}

static bool is_outlier(struct measure source, struct measure target, const struct usual *usual,
                       double max_ratio) {
  const double expected = (double)source.characters * usual->ratio + SLACK;
  const double found = (double)target.characters + SLACK;
  return found > max_ratio * expected || expected > max_ratio * found;
}

static elman_status check_line(struct findings *findings, struct place at, const struct pair *pair,
                               const struct usual *usual, double max_ratio, elman_error *error) {
  struct measure source = {0}, target = {0};
  measure_add(&source, pair->source);
  measure_add(&target, pair->target);
  struct example example = {
      .at = at, .source_size = source.characters, .target_size = target.characters};
  /* The length of a swapped line is compared with nothing. */
  if (is_swapped(source, target, usual)) {
    example.finding = ELMAN_FINDING_SWAPPED;
    return findings_add(findings, example, pair, error);
  }
  if (is_foreign(source, usual->source_han) || is_foreign(target, usual->target_han)) {
    example.finding = ELMAN_FINDING_MIXED_SCRIPTS;
    const elman_status status = findings_add(findings, example, pair, error);
    if (status != ELMAN_OK) return status;
  }
  if (!is_outlier(source, target, usual, max_ratio)) return ELMAN_OK;
  example.finding = ELMAN_FINDING_LENGTH_RATIO;
  return findings_add(findings, example, pair, error);
}

elman_status check_lines(struct findings *findings, struct pairs *const *parts, double max_ratio,
                         elman_error *error) {
  const struct usual usual = look_at_sample(parts[0]);
  for (size_t part = 0; part < findings->part_count; part++) {
    for (size_t i = 0; i < pairs_count(parts[part]); i++) {
      const struct pair pair = pairs_get(parts[part], i);
      const struct place at = {part, pairs_line_number(parts[part], i)};
      const elman_status status = check_line(findings, at, &pair, &usual, max_ratio, error);
      if (status != ELMAN_OK) return status;
    }
  }
  return ELMAN_OK;
}
