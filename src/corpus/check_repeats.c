#include <string.h>

#include "base/arena.h"
#include "corpus/check.h"
#include "corpus/key.h"

/* All lines of all parts under one running number; the arrays are (count). */
struct lines {
  struct pairs *const *parts;
  size_t part_count;
  size_t *starts; /* (parts + 1): the number of a part's first line */
  size_t count;
  uint64_t *same[2]; /* hashes of the sides as they are, by elman_side */
  uint64_t *like[2]; /* hashes of their keys */
  uint64_t *keys;    /* of the round at hand */
  uint32_t *next;    /* the first line with the same key in a later part, or TABLE_NONE */
  uint8_t *marks;    /* MARK_ bits */
  struct arena arena;
};

enum { MARK_DUPLICATE = 1, MARK_LEAK = 2 };

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

static elman_status hash_side(struct lines *lines, elman_side side, size_t at, struct text text,
                              struct buffer *key, elman_error *error) {
  const elman_status status = key_of(key, text, error);
  if (status != ELMAN_OK) return status;
  lines->same[side][at] = text_hash(text);
  lines->like[side][at] = text_hash(buffer_text(key));
  return ELMAN_OK;
}

static elman_status hash_lines(struct lines *lines, elman_error *error) {
  struct buffer key = {0};
  elman_status status = ELMAN_OK;
  size_t at = 0;
  for (size_t part = 0; at < lines->count; part++) {
    for (size_t i = 0; status == ELMAN_OK && i < pairs_count(lines->parts[part]); i++, at++) {
      const struct pair pair = pairs_get(lines->parts[part], i);
      status = hash_side(lines, ELMAN_SOURCE, at, pair.source, &key, error);
      if (status == ELMAN_OK) status = hash_side(lines, ELMAN_TARGET, at, pair.target, &key, error);
    }
    if (status != ELMAN_OK) break;
  }
  buffer_free(&key);
  return status;
}

static void fill_round_keys(struct lines *lines, const struct round *round) {
  uint64_t *const *sides = round->like ? lines->like : lines->same;
  for (size_t i = 0; i < lines->count; i++) {
    if (round->source && round->target)
      lines->keys[i] = key_hash_pair(sides[ELMAN_SOURCE][i], sides[ELMAN_TARGET][i]);
    else
      lines->keys[i] = sides[round->source ? ELMAN_SOURCE : ELMAN_TARGET][i];
  }
}

/* ---- memory ---- */

static void take(struct lines *lines, struct arena *arena) {
  const size_t count = lines->count;
  for (int side = 0; side < 2; side++) {
    lines->same[side] = arena_take(arena, sizeof *lines->same[side], count, 1, 1);
    lines->like[side] = arena_take(arena, sizeof *lines->like[side], count, 1, 1);
  }
  lines->starts = arena_take(arena, sizeof *lines->starts, lines->part_count + 1, 1, 1);
  lines->keys = arena_take(arena, sizeof *lines->keys, count, 1, 1);
  lines->next = arena_take(arena, sizeof *lines->next, count, 1, 1);
  lines->marks = arena_take(arena, sizeof *lines->marks, count, 1, 1);
}

static elman_status lines_create(struct lines *lines, struct pairs *const *parts, size_t part_count,
                                 elman_error *error) {
  *lines = (struct lines){.parts = parts, .part_count = part_count};
  for (size_t part = 0; part < part_count; part++) lines->count += pairs_count(parts[part]);
  struct arena measured = {0};
  take(lines, &measured);
  const elman_status status = arena_reserve(&lines->arena, &measured, error);
  if (status != ELMAN_OK) return status;
  take(lines, &lines->arena);
  memset(lines->marks, 0, lines->count);
  lines->starts[0] = 0;
  for (size_t part = 0; part < part_count; part++)
    lines->starts[part + 1] = lines->starts[part] + pairs_count(parts[part]);
  return ELMAN_OK;
}

/* ---- what comes again ---- */

static size_t part_of(const struct lines *lines, size_t at) {
  size_t part = 0;
  while (lines->starts[part + 1] <= at) part++;
  return part;
}

static struct location location_of(const struct lines *lines, size_t part, size_t at) {
  return (struct location){part, pairs_line_number(lines->parts[part], at - lines->starts[part])};
}

static struct pair pair_of(const struct lines *lines, size_t part, size_t at) {
  return pairs_get(lines->parts[part], at - lines->starts[part]);
}

/* Line `at` is equal to the earlier line `before` of the same part. A pair that is there twice is
 * one finding, not also a source with another target. */
static elman_status note_repeat(struct findings *findings, struct lines *lines,
                                const struct round *round, size_t part, size_t at, size_t before,
                                elman_error *error) {
  const bool whole_pair = round->source && round->target;
  if (round->repeat == FINDINGS || lines->marks[at] & MARK_DUPLICATE) return ELMAN_OK;
  if (whole_pair) lines->marks[at] |= MARK_DUPLICATE;
  const struct example example = {.finding = round->repeat,
                                  .at = location_of(lines, part, at),
                                  .other = location_of(lines, part, before)};
  const struct pair pair = pair_of(lines, part, at);
  return findings_add(findings, example, &pair, error);
}

/* Line `at` is equal to a line of each part in the chain that starts at `first`. */
static elman_status note_leak(struct findings *findings, struct lines *lines,
                              const struct round *round, size_t part, size_t at, size_t first,
                              elman_error *error) {
  struct part_findings *found = &findings->parts[part];
  for (size_t other = first; other < lines->starts[part]; other = lines->next[other])
    found->shared[part_of(lines, other)][round->leak - FIRST_LEAK]++;
  found->counts[round->leak]++;
  if (lines->marks[at] & MARK_LEAK) return ELMAN_OK;
  lines->marks[at] |= MARK_LEAK;
  found->leaking++;
  const struct example example = {.finding = round->leak,
                                  .at = location_of(lines, part, at),
                                  .other = location_of(lines, part_of(lines, first), first)};
  const struct pair pair = pair_of(lines, part, at);
  return findings_example(findings, example, &pair, error);
}

/* The chain of a key holds the first line with it of every part, so its length is at most the
 * number of parts. */
static elman_status take_line(struct findings *findings, struct lines *lines, struct table *table,
                              const struct round *round, size_t part, size_t at,
                              elman_error *error) {
  size_t first;
  elman_status status = key_first(&first, table, lines->keys, at, error);
  lines->next[at] = TABLE_NONE;
  if (status != ELMAN_OK || first == at) return status;
  size_t last = first;
  while (lines->next[last] != TABLE_NONE) last = lines->next[last];
  if (last >= lines->starts[part])
    status = note_repeat(findings, lines, round, part, at, last, error);
  else
    lines->next[last] = (uint32_t)at;
  if (status == ELMAN_OK && first < lines->starts[part])
    status = note_leak(findings, lines, round, part, at, first, error);
  return status;
}

elman_status check_repeats(struct findings *findings, struct pairs *const *parts,
                           elman_error *error) {
  struct lines lines;
  struct table table = {0};
  elman_status status = lines_create(&lines, parts, findings->part_count, error);
  if (status != ELMAN_OK) return status;
  status = hash_lines(&lines, error);
  for (size_t r = 0; status == ELMAN_OK && r < LEAKS; r++) {
    fill_round_keys(&lines, &rounds[r]);
    status = table_reset(&table, lines.count, error);
    for (size_t part = 0; part < findings->part_count; part++)
      for (size_t at = lines.starts[part]; status == ELMAN_OK && at < lines.starts[part + 1]; at++)
        status = take_line(findings, &lines, &table, &rounds[r], part, at, error);
  }
  table_free(&table);
  arena_free(&lines.arena);
  return status;
}
