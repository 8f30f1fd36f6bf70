/* The findings: what they are called, and those that a line by itself shows. */
#include "corpus/check.h"
#include "vocab/characters.h"

/* Enough lines to tell what is usual. */
enum { SAMPLE = 10000 };

/* Characters added to both lengths before they are compared: short sentences vary more. */
static const double SLACK = 10;

struct usual {
  bool source_han, target_han; /* most lines have Han characters */
  double ratio;                /* target characters to a source character */
};

/* Lines count, not letters: 我叫Tom is Chinese with more Latin letters than Han characters. */
struct side_sample {
  size_t characters;
  size_t lines, han_lines; /* with letters; with a Han character */
};

static void sample_add(struct side_sample *sample, struct text text) {
  struct script_counts line = {0};
  script_count(&line, text);
  sample->characters += line.characters;
  sample->lines += line.letters > 0;
  sample->han_lines += line.han > 0;
}

static struct usual look_at_sample(const struct pairs *pairs) {
  struct side_sample source = {0}, target = {0};
  const size_t stride = pairs_count(pairs) / SAMPLE + 1;
  for (size_t i = 0; i < pairs_count(pairs); i += stride) {
    const struct pair pair = pairs_get(pairs, i);
    sample_add(&source, pair.source);
    sample_add(&target, pair.target);
  }
  return (struct usual){source.han_lines > source.lines / 2, target.han_lines > target.lines / 2,
                        (double)target.characters / (double)source.characters};
}

/* ---- a line ---- */

struct line_look {
  struct script_counts source, target;
  const struct usual *usual;
  double max_ratio;
};

static bool is_swapped(const struct line_look *line) {
  const struct script_counts *source = &line->source, *target = &line->target;
  const struct usual *usual = line->usual;
  return usual->source_han != usual->target_han && source->letters > 0 && target->letters > 0 &&
         script_is_han(source) == usual->target_han && script_is_han(target) == usual->source_han;
}

/* A side of Han may hold other letters, but not those alone; any other side may hold no Han. */
static bool is_foreign(const struct script_counts *side, bool usually_han) {
  return usually_han ? side->letters > 0 && side->han == 0 : side->han > 0;
}

static bool has_mixed_scripts(const struct line_look *line) {
  return !is_swapped(line) && (is_foreign(&line->source, line->usual->source_han) ||
                               is_foreign(&line->target, line->usual->target_han));
}

/* The length of a swapped line is compared with nothing. */
static bool has_unlike_length(const struct line_look *line) {
  const double expected = (double)line->source.characters * line->usual->ratio + SLACK;
  const double found = (double)line->target.characters + SLACK;
  return !is_swapped(line) &&
         (found > line->max_ratio * expected || expected > line->max_ratio * found);
}

/* ---- the table ---- */

static const struct finding_row rows[FINDINGS] = {
    [ELMAN_FINDING_NOT_UTF8] = {"not_utf8", "not valid UTF-8", NULL},
    [ELMAN_FINDING_LACKS_COLUMN] = {"lacks_column", "a column missing", NULL},
    [ELMAN_FINDING_EMPTY] = {"empty", "empty line or side", NULL},
    [ELMAN_FINDING_BAD_ALIGNMENT] = {"bad_alignment", "not an alignment of its words", NULL},
    [ELMAN_FINDING_DUPLICATE] = {"duplicate", "pair repeated", NULL},
    [ELMAN_FINDING_NEAR_DUPLICATE] = {"near_duplicate",
                                      "pair repeated, but for case, width, punctuation", NULL},
    [ELMAN_FINDING_OTHER_TARGET] = {"other_target", "source repeated with another target", NULL},
    [ELMAN_FINDING_OTHER_SOURCE] = {"other_source", "target repeated with another source", NULL},
    [ELMAN_FINDING_LENGTH_RATIO] = {"length_ratio", "length unlike the other side's",
                                    has_unlike_length},
    [ELMAN_FINDING_TOO_LONG] = {"too_long", "longer than --max-length", NULL},
    [ELMAN_FINDING_MIXED_SCRIPTS] = {"mixed_scripts", "wrong or mixed script on a side",
                                     has_mixed_scripts},
    [ELMAN_FINDING_SWAPPED] = {"swapped", "columns swapped", is_swapped},
    [ELMAN_FINDING_SAME_PAIR] = {"same_pair", "same pair", NULL},
    [ELMAN_FINDING_SAME_SOURCE] = {"same_source", "same source", NULL},
    [ELMAN_FINDING_SAME_TARGET] = {"same_target", "same target", NULL},
    [ELMAN_FINDING_LIKE_PAIR] = {"like_pair", "like pair", NULL},
    [ELMAN_FINDING_LIKE_SOURCE] = {"like_source", "like source", NULL},
    [ELMAN_FINDING_LIKE_TARGET] = {"like_target", "like target", NULL},
};

const struct finding_row *finding_row(elman_finding finding) {
  return (unsigned)finding < FINDINGS ? &rows[finding] : NULL;
}

/* ---- all lines ---- */

static elman_status check_line(struct findings *findings, struct location at,
                               const struct pair *pair, const struct usual *usual, double max_ratio,
                               elman_error *error) {
  struct line_look line = {.usual = usual, .max_ratio = max_ratio};
  script_count(&line.source, pair->source);
  script_count(&line.target, pair->target);
  elman_status status = ELMAN_OK;
  for (elman_finding finding = FINDINGS; status == ELMAN_OK && finding-- > 0;) {
    const struct example example = {.finding = finding,
                                    .at = at,
                                    .source_size = line.source.characters,
                                    .target_size = line.target.characters};
    if (rows[finding].holds != NULL && rows[finding].holds(&line))
      status = findings_add(findings, example, pair, error);
  }
  return status;
}

elman_status check_lines(struct findings *findings, struct pairs *const *parts, double max_ratio,
                         elman_error *error) {
  const struct usual usual = look_at_sample(parts[0]);
  for (size_t part = 0; part < findings->part_count; part++) {
    for (size_t i = 0; i < pairs_count(parts[part]); i++) {
      const struct pair pair = pairs_get(parts[part], i);
      const struct location at = {part, pairs_line_number(parts[part], i)};
      const elman_status status = check_line(findings, at, &pair, &usual, max_ratio, error);
      if (status != ELMAN_OK) return status;
    }
  }
  return ELMAN_OK;
}
