#include "corpus/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "corpus/key.h"
#include "corpus/shift.h"
#include "corpus/vocabulary_pair.h"

/* ---- findings ---- */

static elman_status findings_create(elman_check **findings, size_t parts, size_t examples_wanted,
                                    elman_error *error) {
  elman_check *created = calloc(1, sizeof *created);
  bool failed = created == NULL || (created->parts = calloc(parts, sizeof *created->parts)) == NULL;
  for (size_t i = 0; !failed && i < parts; i++) {
    created->parts[i].shared = calloc(i + 1, sizeof *created->parts[i].shared);
    failed = created->parts[i].shared == NULL;
    created->part_count++;
  }
  if (failed) {
    elman_check_free(created);
    return fail_no_memory(error);
  }
  created->examples_wanted = examples_wanted;
  *findings = created;
  return ELMAN_OK;
}

void elman_check_free(elman_check *findings) {
  if (findings == NULL) return;
  for (size_t i = 0; i < findings->part_count; i++) {
    free(findings->parts[i].name);
    free(findings->parts[i].shared);
  }
  for (size_t i = 0; i < findings->example_count; i++) {
    free(findings->examples[i].source);
    free(findings->examples[i].target);
  }
  free(findings->examples);
  free(findings->parts);
  free(findings);
}

bool elman_check_clean(const elman_check *findings) {
  for (size_t i = 0; i < findings->part_count; i++) {
    const struct part_findings *part = &findings->parts[i];
    if (part->leaking > 0) return false;
    for (elman_finding finding = 0; finding < FINDINGS; finding++)
      if (finding_row(finding)->kind == ELMAN_FINDING_KIND_BAD_LINE && part->counts[finding] > 0)
        return false;
  }
  return true;
}

/* Store `example` if fewer than examples_wanted of its kind and part are stored. Store a copy of
 * the text of `pair` with it, unless `pair` is NULL. */
static elman_status findings_example(elman_check *findings, struct example example,
                                     const struct pair *pair, elman_error *error) {
  size_t *kept = &findings->parts[example.at.part].examples[example.finding];
  if (*kept >= findings->examples_wanted) return ELMAN_OK;
  const elman_status status =
      array_grow(&findings->examples, &findings->example_capacity, findings->example_count + 1,
                 sizeof *findings->examples, error);
  if (status != ELMAN_OK) return status;
  if (pair != NULL) {
    example.source = strndup(pair->source.bytes, pair->source.length);
    example.target = strndup(pair->target.bytes, pair->target.length);
    if (example.source == NULL || example.target == NULL) {
      free(example.source);
      free(example.target);
      return fail_no_memory(error);
    }
  }
  findings->examples[findings->example_count++] = example;
  ++*kept;
  return ELMAN_OK;
}

/* Count the finding and store the example. */
static elman_status findings_add(elman_check *findings, struct example example,
                                 const struct pair *pair, elman_error *error) {
  findings->parts[example.at.part].counts[example.finding]++;
  return findings_example(findings, example, pair, error);
}

/* ---- single lines ---- */

/* The number of lines that suffices to determine the typical properties. */
enum { SAMPLE = 10000 };

static elman_status check_line(elman_check *findings, struct location at, const struct pair *pair,
                               const struct line_properties *line, elman_error *error) {
  elman_status status = ELMAN_OK;
  for (elman_finding finding = 0; status == ELMAN_OK && finding < FINDINGS; finding++) {
    const struct example example = {.finding = finding,
                                    .at = at,
                                    .source_size = line->characters[ELMAN_SOURCE],
                                    .target_size = line->characters[ELMAN_TARGET]};
    const struct finding_row *row = finding_row(finding);
    if (row->holds != NULL && row->holds(line))
      status = findings_add(findings, example, pair, error);
  }
  return status;
}

static elman_status check_lines_of(elman_check *findings, const elman_pairs *pairs, size_t part,
                                   const struct typical *typical, double max_ratio,
                                   elman_error *error) {
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < elman_pairs_count(pairs); i++) {
    const struct pair pair = pairs_get(pairs, i);
    const struct location at = {part, pairs_line_number(pairs, i)};
    struct line_properties line;
    line_measure(&line, &pair, typical, max_ratio);
    status = check_line(findings, at, &pair, &line, error);
  }
  return status;
}

/* Find the suspicious lines of all parts. */
static elman_status check_lines(elman_check *findings, elman_pairs *const *parts, double max_ratio,
                                elman_error *error) {
  struct typical typical = {0};
  elman_status status = typical_find(&typical, parts[0], SAMPLE, error);
  for (size_t part = 0; status == ELMAN_OK && part < findings->part_count; part++)
    status = check_lines_of(findings, parts[part], part, &typical, max_ratio, error);
  for (int side = 0; side < 2; side++) findings->scripts[side] = typical.script[side];
  typical_free(&typical);
  return status;
}

/* ---- shifted sides ---- */

/* Add the shifted pairs among [first, first + count) to the findings. `*before` is the shift of the
 * previous pair. */
static elman_status check_shift(elman_check *findings, const elman_pairs *pairs, size_t part,
                                size_t first, size_t count, int *before, elman_error *error) {
  signed char *lines_on;
  elman_status status = shifts_find(&lines_on, pairs, first, count, error);
  for (size_t i = 0; status == ELMAN_OK && i < count; i++) {
    const bool begins = lines_on[i] != *before;
    *before = lines_on[i];
    if (lines_on[i] == 0) continue;
    findings->parts[part].counts[ELMAN_FINDING_SHIFTED]++;
    if (!begins) continue;
    const struct pair pair = pairs_get(pairs, first + i);
    size_t fitting = (size_t)((ptrdiff_t)(first + i) + lines_on[i]);
    if (fitting >= elman_pairs_count(pairs)) fitting = first + i;
    const struct example example = {.finding = ELMAN_FINDING_SHIFTED,
                                    .at = {part, pairs_line_number(pairs, first + i)},
                                    .other = {part, pairs_line_number(pairs, fitting)}};
    status = findings_example(findings, example, &pair, error);
  }
  free(lines_on);
  return status;
}

/* Check each part in blocks of about equal size, which limits the memory. */
static elman_status check_shifts(elman_check *findings, elman_pairs *const *parts,
                                 elman_error *error) {
  enum { BLOCK = 1 << 16 };
  elman_status status = ELMAN_OK;
  for (size_t part = 0; part < findings->part_count; part++) {
    const size_t count = elman_pairs_count(parts[part]), blocks = count / BLOCK + 1;
    const size_t size = (count + blocks - 1) / blocks;
    int before = 0;
    for (size_t first = 0; status == ELMAN_OK && first < count; first += size)
      status = check_shift(findings, parts[part], part, first,
                           first + size < count ? size : count - first, &before, error);
  }
  return status;
}

/* ---- repeated lines ---- */

struct corpus_line {
  uint64_t same[2]; /* hashes of the unchanged sides, indexed by elman_side */
  uint64_t like[2]; /* hashes of the keys of the sides */
  uint32_t part;
  uint32_t next; /* the first line with the same key in a later part, or TABLE_NONE */
  size_t index;  /* within its part */
  bool duplicate, leak;
};

/* The lines of all parts, numbered consecutively. */
struct all_lines {
  elman_pairs *const *parts;
  struct corpus_line *items; /* (count) */
  uint64_t *keys;            /* (count): keys of the current round */
  size_t count;
};

/* A round compares the lines in one way. */
struct leak_round {
  elman_finding leak;   /* the finding if the lines are in different parts */
  elman_finding repeat; /* the finding if the lines are in one part; FINDINGS = none */
  bool like;
  bool source, target; /* compared sides */
};

/* The rounds, strictest first. A leaking line is shown once, for the first round that finds it. */
static const struct leak_round rounds[LEAKS] = {
    {ELMAN_FINDING_SAME_PAIR, ELMAN_FINDING_DUPLICATE, false, true, true},
    {ELMAN_FINDING_LIKE_PAIR, ELMAN_FINDING_NEAR_DUPLICATE, true, true, true},
    {ELMAN_FINDING_SAME_SOURCE, ELMAN_FINDING_OTHER_TARGET, false, true, false},
    {ELMAN_FINDING_SAME_TARGET, ELMAN_FINDING_OTHER_SOURCE, false, false, true},
    {ELMAN_FINDING_LIKE_SOURCE, FINDINGS, true, true, false},
    {ELMAN_FINDING_LIKE_TARGET, FINDINGS, true, false, true},
};

/* ---- repeated lines: hashes ---- */

static elman_status hash_side(struct corpus_line *line, elman_side side, struct text text,
                              struct buffer *key, elman_error *error) {
  const elman_status status = key_of(key, text, error);
  line->same[side] = text_hash(text);
  line->like[side] = text_hash(buffer_text(key));
  return status;
}

static elman_status hash_lines(struct all_lines *lines, size_t part_count, elman_error *error) {
  struct buffer key = {0};
  elman_status status = ELMAN_OK;
  struct corpus_line *line = lines->items;
  for (uint32_t part = 0; part < part_count; part++) {
    const size_t count = elman_pairs_count(lines->parts[part]);
    for (size_t i = 0; status == ELMAN_OK && i < count; i++, line++) {
      const struct pair pair = pairs_get(lines->parts[part], i);
      line->part = part;
      line->index = i;
      status = hash_side(line, ELMAN_SOURCE, pair.source, &key, error);
      if (status == ELMAN_OK) status = hash_side(line, ELMAN_TARGET, pair.target, &key, error);
    }
  }
  buffer_free(&key);
  return status;
}

static void fill_round_keys(struct all_lines *lines, const struct leak_round *round) {
  for (size_t i = 0; i < lines->count; i++) {
    const uint64_t *sides = round->like ? lines->items[i].like : lines->items[i].same;
    lines->keys[i] = round->source && round->target
                         ? key_hash_pair(sides[ELMAN_SOURCE], sides[ELMAN_TARGET])
                         : sides[round->source ? ELMAN_SOURCE : ELMAN_TARGET];
  }
}

/* ---- repeated lines: findings ---- */

static struct location location_of(const struct all_lines *lines, const struct corpus_line *line) {
  return (struct location){line->part, pairs_line_number(lines->parts[line->part], line->index)};
}

static struct example example_of(const struct all_lines *lines, elman_finding finding,
                                 const struct corpus_line *line, const struct corpus_line *before) {
  return (struct example){
      .finding = finding, .at = location_of(lines, line), .other = location_of(lines, before)};
}

/* Record that the line equals the earlier line `before` of the same part. A duplicate pair is not
 * also recorded as a source with another target. */
static elman_status note_repeat(elman_check *findings, const struct all_lines *lines,
                                const struct leak_round *round, struct corpus_line *line,
                                const struct corpus_line *before, elman_error *error) {
  if (round->repeat == FINDINGS || line->duplicate) return ELMAN_OK;
  line->duplicate = round->source && round->target;
  const struct pair pair = pairs_get(lines->parts[line->part], line->index);
  return findings_add(findings, example_of(lines, round->repeat, line, before), &pair, error);
}

/* Record that the line equals a line of each part in the chain that starts at `first`. */
static elman_status note_leak(elman_check *findings, const struct all_lines *lines,
                              const struct leak_round *round, struct corpus_line *line,
                              const struct corpus_line *first, elman_error *error) {
  struct part_findings *found = &findings->parts[line->part];
  for (const struct corpus_line *other = first; other->part < line->part;
       other = &lines->items[other->next])
    found->shared[other->part][round->leak - FIRST_LEAK]++;
  found->counts[round->leak]++;
  if (line->leak) return ELMAN_OK;
  line->leak = true;
  found->leaking++;
  const struct pair pair = pairs_get(lines->parts[line->part], line->index);
  return findings_example(findings, example_of(lines, round->leak, line, first), &pair, error);
}

/* Process a line in a round. For each part, the chain of a key contains the first line with that
 * key. */
static elman_status add_line(elman_check *findings, struct all_lines *lines, struct table *table,
                             const struct leak_round *round, size_t at, elman_error *error) {
  size_t first_at;
  struct corpus_line *line = &lines->items[at];
  elman_status status = key_first(&first_at, table, lines->keys, at, error);
  line->next = TABLE_NONE;
  if (status != ELMAN_OK || first_at == at) return status;
  struct corpus_line *first = &lines->items[first_at], *last = first;
  while (last->next != TABLE_NONE) last = &lines->items[last->next];
  if (last->part == line->part)
    status = note_repeat(findings, lines, round, line, last, error);
  else
    last->next = (uint32_t)at;
  if (status == ELMAN_OK && first->part < line->part)
    status = note_leak(findings, lines, round, line, first, error);
  return status;
}

/* Find sentences that occur again in the same part (duplicates) or in a later part (leaks). */
static elman_status check_repeats(elman_check *findings, elman_pairs *const *parts,
                                  elman_error *error) {
  struct all_lines lines = {.parts = parts};
  struct table table = {0};
  for (size_t i = 0; i < findings->part_count; i++) lines.count += elman_pairs_count(parts[i]);
  lines.items = calloc(lines.count, sizeof *lines.items);
  lines.keys = calloc(lines.count, sizeof *lines.keys);
  elman_status status = lines.items == NULL || lines.keys == NULL
                            ? fail_no_memory(error)
                            : hash_lines(&lines, findings->part_count, error);
  for (size_t r = 0; status == ELMAN_OK && r < LEAKS; r++) {
    fill_round_keys(&lines, &rounds[r]);
    status = table_reset(&table, lines.count, error);
    for (size_t at = 0; status == ELMAN_OK && at < lines.count; at++)
      status = add_line(findings, &lines, &table, &rounds[r], at, error);
  }
  table_free(&table);
  free(lines.items);
  free(lines.keys);
  return status;
}

/* ---- tokens of the lines ---- */

struct token_check {
  elman_check *findings;
  struct vocabulary_pair vocabularies;
  struct encoding encoding; /* scratch memory */
  size_t max_length;
};

/* Count the tokens of one side. Set *length to their number. If the line is in the first part and
 * cannot be too long, only set *length to 0. */
static elman_status count_side(struct token_check *check, size_t *length, size_t part,
                               elman_side side, struct text text, elman_error *error) {
  *length = 0;
  /* Skip the line, because it is not too long: NFKC turns three bytes into at most 18 characters
   * (U+FDFA). No token of the first part is unknown. */
  if (part == 0 && text.length <= check->max_length / 6) return ELMAN_OK;
  const struct vocabulary_pair *found = &check->vocabularies;
  const struct codec codec = vocabulary_pair_codec(found, side);
  const elman_status status = encode(&check->encoding, &codec, text, error);
  if (status != ELMAN_OK) return status;
  *length = check->encoding.tokens.count;
  if (part == 0) return ELMAN_OK;
  struct part_findings *sums = &check->findings->parts[part];
  sums->tokens[side] += *length;
  for (size_t i = 0; i < *length; i++)
    if (check->encoding.ids[i] == TOKEN_UNKNOWN) sums->unknown[side]++;
  return ELMAN_OK;
}

static elman_status check_part(struct token_check *check, const elman_pairs *pairs, size_t part,
                               elman_error *error) {
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < elman_pairs_count(pairs); i++) {
    const struct pair pair = pairs_get(pairs, i);
    struct example example = {.finding = ELMAN_FINDING_TOO_LONG,
                              .at = {part, pairs_line_number(pairs, i)}};
    status = count_side(check, &example.source_size, part, ELMAN_SOURCE, pair.source, error);
    if (status == ELMAN_OK)
      status = count_side(check, &example.target_size, part, ELMAN_TARGET, pair.target, error);
    if (status == ELMAN_OK &&
        (example.source_size > check->max_length || example.target_size > check->max_length))
      status = findings_add(check->findings, example, &pair, error);
  }
  return status;
}

static size_t words_of(const struct vocabulary *vocabulary) {
  return vocabulary_size(vocabulary) - vocabulary_specials(vocabulary);
}

static void copy_first_part(elman_check *findings, const struct vocabulary_pair *vocabularies) {
  findings->modes[ELMAN_SOURCE] = vocabularies->source_mode;
  findings->modes[ELMAN_TARGET] = vocabularies->target_mode;
  findings->vocabulary[ELMAN_SOURCE] = words_of(vocabularies->source);
  findings->vocabulary[ELMAN_TARGET] = words_of(vocabularies->target);
  findings->parts[0].tokens[ELMAN_SOURCE] = (size_t)vocabulary_total(vocabularies->source);
  findings->parts[0].tokens[ELMAN_TARGET] = (size_t)vocabulary_total(vocabularies->target);
}

/* Find lines that are too long, and unknown tokens. */
static elman_status check_tokens(elman_check *findings, elman_pairs *const *parts,
                                 const elman_check_options *options, elman_error *error) {
  struct token_check check = {.findings = findings, .max_length = options->max_length};
  const struct vocabulary_options how = {.source_mode = options->source_tokens,
                                         .target_mode = options->target_tokens,
                                         .normalization = ELMAN_NORMALIZATION_AUTO,
                                         .min_count = 1};
  elman_status status = corpus_vocabularies(&check.vocabularies, parts[0], &how, error);
  if (status != ELMAN_OK) return status;
  copy_first_part(findings, &check.vocabularies);
  for (size_t part = 0; status == ELMAN_OK && part < findings->part_count; part++)
    status = check_part(&check, parts[part], part, error);
  encoding_free(&check.encoding);
  vocabulary_pair_free(&check.vocabularies);
  return status;
}

/* ---- the check ---- */

struct part_reading {
  elman_check *findings;
  size_t part;
  elman_status status; /* error of the callback, which cannot return it */
  elman_error *error;
};

static void note_bad_line(void *context, const char *file, size_t line, elman_finding fault,
                          const char *problem) {
  struct part_reading *reading = context;
  (void)file;
  if (reading->status != ELMAN_OK) return;
  struct example example = {.finding = fault, .at = {reading->part, line}};
  snprintf(example.problem, sizeof example.problem, "%s", problem);
  reading->status = findings_add(reading->findings, example, NULL, reading->error);
}

static const char *name_of(const elman_pairs_options *part) {
  const char *name = part->file_count > 0 ? part->files[0] : part->source_file;
  return name == NULL ? "" : file_name(name);
}

static elman_status read_part(elman_pairs **pairs, elman_check *findings, size_t part,
                              const elman_check_options *options, elman_error *error) {
  struct part_reading reading = {findings, part, ELMAN_OK, error};
  elman_pairs_options how = options->parts[part];
  how.skipped = note_bad_line;
  how.context = &reading;
  how.strict = false;
  how.whole_lines = true;
  findings->parts[part].name = strdup(name_of(&how));
  if (findings->parts[part].name == NULL) return fail_no_memory(error);
  const elman_status status = elman_pairs_read(pairs, &how, error);
  if (status != ELMAN_OK) return status;
  findings->parts[part].pairs = elman_pairs_count(*pairs);
  return reading.status;
}

static elman_status check_mode(elman_token_mode mode, elman_error *error) {
  if (mode == ELMAN_TOKENS_BPE || mode == ELMAN_TOKENS_AUTO_BPE)
    return fail(
        error, ELMAN_INVALID_ARGUMENT, NULL,
        "token mode bpe cannot be checked: its subwords are learned in training; use words or "
        "chars");
  if (elman_token_mode_name(mode) == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "unknown token mode %d", (int)mode);
  return ELMAN_OK;
}

static elman_status check_options(const elman_check_options *options, elman_error *error) {
  if (options->part_count == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "no part to check; at least one is required");
  for (size_t i = 0; i < options->part_count; i++)
    if (options->parts[i].file_count + (options->parts[i].source_file != NULL) != 1)
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "each part needs one file of pairs, or a source and a target file");
  for (size_t i = 0; i < options->part_count; i++)
    if (options->parts[i].alignment_column > 0 || options->parts[i].alignment_file != NULL)
      return fail(
          error, ELMAN_INVALID_ARGUMENT, NULL,
          "word alignments cannot be checked; remove `alignment_column` and `alignment_file`");
  if (options->max_length == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the maximum length must be at least 1, not 0");
  if (!(options->max_ratio > 1))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the maximum ratio must be above 1, not %g",
                options->max_ratio);
  const elman_status status = check_mode(options->source_tokens, error);
  return status == ELMAN_OK ? check_mode(options->target_tokens, error) : status;
}

elman_check_options elman_check_options_default(void) {
  return (elman_check_options){.source_tokens = ELMAN_TOKENS_AUTO,
                               .target_tokens = ELMAN_TOKENS_AUTO,
                               .max_length = 200,
                               .max_ratio = 3,
                               .examples = 3};
}

elman_status elman_check_create(elman_check **findings, const elman_check_options *options,
                                elman_error *error) {
  const elman_check_options defaults = elman_check_options_default();
  if (options == NULL) options = &defaults;
  *findings = NULL;
  elman_check *found = NULL;
  elman_status status = check_options(options, error);
  if (status == ELMAN_OK)
    status = findings_create(&found, options->part_count, options->examples, error);
  if (status != ELMAN_OK) return status;

  elman_pairs **parts = calloc(options->part_count, sizeof *parts);
  if (parts == NULL) status = fail_no_memory(error);
  for (size_t i = 0; status == ELMAN_OK && i < options->part_count; i++)
    status = read_part(&parts[i], found, i, options, error);
  if (status == ELMAN_OK) status = check_repeats(found, parts, error);
  if (status == ELMAN_OK) status = check_lines(found, parts, options->max_ratio, error);
  if (status == ELMAN_OK) status = check_shifts(found, parts, error);
  if (status == ELMAN_OK) status = check_tokens(found, parts, options, error);

  for (size_t i = 0; parts != NULL && i < options->part_count; i++) elman_pairs_free(parts[i]);
  free(parts);
  if (status == ELMAN_OK)
    *findings = found;
  else
    elman_check_free(found);
  return status;
}

/* ---- results ---- */

elman_check_part elman_check_get_part(const elman_check *check, size_t part) {
  const struct part_findings *found = &check->parts[part];
  return (elman_check_part){.name = found->name,
                            .pairs = found->pairs,
                            .leaking = found->leaking,
                            .source_tokens = found->tokens[ELMAN_SOURCE],
                            .target_tokens = found->tokens[ELMAN_TARGET],
                            .unknown_source = found->unknown[ELMAN_SOURCE],
                            .unknown_target = found->unknown[ELMAN_TARGET]};
}

size_t elman_check_count(const elman_check *check, elman_finding finding, size_t part) {
  return check->parts[part].counts[finding];
}

size_t elman_check_shared(const elman_check *check, elman_finding leak, size_t part,
                          size_t earlier) {
  return check->parts[part].shared[earlier][(size_t)leak - FIRST_LEAK];
}

elman_check_tokens elman_check_get_tokens(const elman_check *check) {
  return (elman_check_tokens){.source_tokens = check->modes[ELMAN_SOURCE],
                              .target_tokens = check->modes[ELMAN_TARGET],
                              .source_vocabulary = check->vocabulary[ELMAN_SOURCE],
                              .target_vocabulary = check->vocabulary[ELMAN_TARGET],
                              .source_script = script_name(check->scripts[ELMAN_SOURCE]),
                              .target_script = script_name(check->scripts[ELMAN_TARGET])};
}

bool elman_check_get_example(elman_check_example *example, const elman_check *check, size_t index) {
  if (index >= check->example_count) return false;
  const struct example *found = &check->examples[index];
  *example = (elman_check_example){.finding = found->finding,
                                   .part = found->at.part,
                                   .line = found->at.line,
                                   .other_part = found->other.part,
                                   .other_line = found->other.line,
                                   .source = found->source,
                                   .target = found->target,
                                   .problem = found->problem,
                                   .source_length = found->source_size,
                                   .target_length = found->target_size};
  return true;
}
