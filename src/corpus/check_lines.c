#include "corpus/check.h"

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

/* A side of Han characters may hold other letters, but not those alone; any other may hold no Han.
 */
static bool is_foreign(const struct script_counts *side, bool usually_han) {
  return usually_han ? side->letters > 0 && side->han == 0 : side->han > 0;
}

static bool is_swapped(const struct script_counts *source, const struct script_counts *target,
                       const struct usual *usual) {
  return usual->source_han != usual->target_han && source->letters > 0 && target->letters > 0 &&
         script_is_han(source) == usual->target_han && script_is_han(target) == usual->source_han;
}

static bool is_outlier(size_t source, size_t target, const struct usual *usual, double max_ratio) {
  const double expected = (double)source * usual->ratio + SLACK;
  const double found = (double)target + SLACK;
  return found > max_ratio * expected || expected > max_ratio * found;
}

static elman_status check_line(struct findings *findings, struct place at, const struct pair *pair,
                               const struct usual *usual, double max_ratio, elman_error *error) {
  struct script_counts source = {0}, target = {0};
  script_count(&source, pair->source);
  script_count(&target, pair->target);
  const bool swapped = is_swapped(&source, &target, usual);
  /* Script and length of a swapped line are compared with nothing. */
  const struct {
    elman_finding finding;
    bool found;
  } looks[] = {
      {ELMAN_FINDING_SWAPPED, swapped},
      {ELMAN_FINDING_MIXED_SCRIPTS, !swapped && (is_foreign(&source, usual->source_han) ||
                                                 is_foreign(&target, usual->target_han))},
      {ELMAN_FINDING_LENGTH_RATIO,
       !swapped && is_outlier(source.characters, target.characters, usual, max_ratio)},
  };
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < sizeof looks / sizeof *looks; i++) {
    const struct example example = {.finding = looks[i].finding,
                                    .at = at,
                                    .source_size = source.characters,
                                    .target_size = target.characters};
    if (looks[i].found) status = findings_add(findings, example, pair, error);
  }
  return status;
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
