#include <stdlib.h>

#include "corpus/check.h"
#include "corpus/key.h"

struct line {
  uint64_t same[2]; /* hashes of the sides as they are, by elman_side */
  uint64_t like[2]; /* hashes of their keys */
  uint32_t part;
  uint32_t next; /* the first line with the same key in a later part, or TABLE_NONE */
  size_t index;  /* in its part */
  bool duplicate, leak;
};

/* All lines of all parts under one running number. */
struct lines {
  struct pairs *const *parts;
  struct line *items; /* (count) */
  uint64_t *keys;     /* (count): of the round at hand */
  size_t count;
};

/* A round looks for one kind of equality. */
struct round {
  elman_finding leak;   /* what it is called between parts */
  elman_finding repeat; /* what it is called inside a part; FINDINGS = nothing */
  bool like;
  bool source, target; /* which sides are compared */
};

/* From the strictest down: a line is shown once, under the first that finds it. */
static const struct round rounds[LEAKS] = {
    {ELMAN_FINDING_SAME_PAIR, ELMAN_FINDING_DUPLICATE, false, true, true},
    {ELMAN_FINDING_LIKE_PAIR, ELMAN_FINDING_NEAR_DUPLICATE, true, true, true},
    {ELMAN_FINDING_SAME_SOURCE, ELMAN_FINDING_OTHER_TARGET, false, true, false},
    {ELMAN_FINDING_SAME_TARGET, ELMAN_FINDING_OTHER_SOURCE, false, false, true},
    {ELMAN_FINDING_LIKE_SOURCE, FINDINGS, true, true, false},
    {ELMAN_FINDING_LIKE_TARGET, FINDINGS, true, false, true},
};

/* ---- hashes ---- */

static elman_status hash_side(struct line *line, elman_side side, struct text text,
                              struct buffer *key, elman_error *error) {
  const elman_status status = key_of(key, text, error);
  line->same[side] = text_hash(text);
  line->like[side] = text_hash(buffer_text(key));
  return status;
}

static elman_status hash_lines(struct lines *lines, size_t part_count, elman_error *error) {
  struct buffer key = {0};
  elman_status status = ELMAN_OK;
  struct line *line = lines->items;
  for (uint32_t part = 0; part < part_count; part++) {
    const size_t count = pairs_count(lines->parts[part]);
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

static void fill_round_keys(struct lines *lines, const struct round *round) {
  for (size_t i = 0; i < lines->count; i++) {
    const uint64_t *sides = round->like ? lines->items[i].like : lines->items[i].same;
    lines->keys[i] = round->source && round->target
                         ? key_hash_pair(sides[ELMAN_SOURCE], sides[ELMAN_TARGET])
                         : sides[round->source ? ELMAN_SOURCE : ELMAN_TARGET];
  }
}

/* ---- what comes again ---- */

static struct location location_of(const struct lines *lines, const struct line *line) {
  return (struct location){line->part, pairs_line_number(lines->parts[line->part], line->index)};
}

static struct example example_of(const struct lines *lines, elman_finding finding,
                                 const struct line *line, const struct line *before) {
  return (struct example){
      .finding = finding, .at = location_of(lines, line), .other = location_of(lines, before)};
}

/* The line is equal to the earlier line `before` of the same part. A pair that is there twice is
 * one finding, not also a source with another target. */
static elman_status note_repeat(struct findings *findings, const struct lines *lines,
                                const struct round *round, struct line *line,
                                const struct line *before, elman_error *error) {
  if (round->repeat == FINDINGS || line->duplicate) return ELMAN_OK;
  line->duplicate = round->source && round->target;
  const struct pair pair = pairs_get(lines->parts[line->part], line->index);
  return findings_add(findings, example_of(lines, round->repeat, line, before), &pair, error);
}

/* The line is equal to a line of each part in the chain that starts at `first`. */
static elman_status note_leak(struct findings *findings, const struct lines *lines,
                              const struct round *round, struct line *line,
                              const struct line *first, elman_error *error) {
  struct part_findings *found = &findings->parts[line->part];
  for (const struct line *other = first; other->part < line->part;
       other = &lines->items[other->next])
    found->shared[other->part][round->leak - FIRST_LEAK]++;
  found->counts[round->leak]++;
  if (line->leak) return ELMAN_OK;
  line->leak = true;
  found->leaking++;
  const struct pair pair = pairs_get(lines->parts[line->part], line->index);
  return findings_example(findings, example_of(lines, round->leak, line, first), &pair, error);
}

/* The chain of a key holds the first line with it of every part. */
static elman_status add_line(struct findings *findings, struct lines *lines, struct table *table,
                             const struct round *round, size_t at, elman_error *error) {
  size_t first_at;
  struct line *line = &lines->items[at];
  elman_status status = key_first(&first_at, table, lines->keys, at, error);
  line->next = TABLE_NONE;
  if (status != ELMAN_OK || first_at == at) return status;
  struct line *first = &lines->items[first_at], *last = first;
  while (last->next != TABLE_NONE) last = &lines->items[last->next];
  if (last->part == line->part)
    status = note_repeat(findings, lines, round, line, last, error);
  else
    last->next = (uint32_t)at;
  if (status == ELMAN_OK && first->part < line->part)
    status = note_leak(findings, lines, round, line, first, error);
  return status;
}

elman_status check_repeats(struct findings *findings, struct pairs *const *parts,
                           elman_error *error) {
  struct lines lines = {.parts = parts};
  struct table table = {0};
  for (size_t i = 0; i < findings->part_count; i++) lines.count += pairs_count(parts[i]);
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
