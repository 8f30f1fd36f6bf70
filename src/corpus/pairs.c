#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "corpus/pair_store.h"

size_t columns_last(struct columns columns) {
  size_t last = columns.source;
  if (columns.target > last) last = columns.target;
  if (columns.alignment > last) last = columns.alignment;
  return last;
}

size_t columns_pick(struct pair *pair, struct text line, struct columns columns) {
  const size_t last = columns_last(columns);
  const char *start = line.bytes;
  size_t left = line.length;
  for (size_t column = 1;; column++) {
    const char *tab = memchr(start, '\t', left);
    const struct text field = {start, tab == NULL ? left : (size_t)(tab - start)};
    if (column == columns.source) pair->source = field;
    if (column == columns.target) pair->target = field;
    if (column == columns.alignment) pair->alignment = field;
    if (tab == NULL || column == last) return column;
    start = tab + 1;
    left -= field.length + 1;
  }
}

/* Says where the next pair is from, unless it follows the last one. */
static elman_status note_line(struct pairs *pairs, const struct lines *lines, elman_error *error) {
  if (pairs->run_count > 0) {
    const struct line_run *last = &pairs->runs[pairs->run_count - 1];
    if (last->name == lines->name && last->number + (pairs->count - last->first) == lines->number)
      return ELMAN_OK;
  }
  const elman_status status = array_grow(&pairs->runs, &pairs->run_capacity, pairs->run_count + 1,
                                         sizeof *pairs->runs, error);
  if (status == ELMAN_OK)
    pairs->runs[pairs->run_count++] = (struct line_run){pairs->count, lines->number, lines->name};
  return status;
}

elman_status pairs_add(struct pairs *pairs, const struct lines *lines, const struct text *fields,
                       size_t count, elman_error *error) {
  elman_status status =
      array_grow(&pairs->items, &pairs->capacity, pairs->count + 1, sizeof *pairs->items, error);
  if (status == ELMAN_OK) status = note_line(pairs, lines, error);
  if (status == ELMAN_OK)
    status = pair_text_add(&pairs->items[pairs->count], &pairs->text, fields, count, error);
  if (status == ELMAN_OK) pairs->count++;
  return status;
}

void pairs_free(struct pairs *pairs) {
  if (pairs == NULL) return;
  for (size_t i = 0; i < pairs->name_count; i++) free(pairs->names[i]);
  free(pairs->names);
  free(pairs->items);
  free(pairs->runs);
  pair_text_free(&pairs->text);
  free(pairs);
}

size_t pairs_count(const struct pairs *pairs) {
  return pairs->count;
}

size_t pairs_skipped_count(const struct pairs *pairs) {
  return pairs->skipped;
}

void pairs_give_back(struct pairs *pairs, size_t before) {
  pair_text_give_back(&pairs->text, before);
}

struct pair pairs_get(const struct pairs *pairs, size_t index) {
  const struct text first = text_of(pairs->items[index]);
  const struct text second = text_of(first.bytes + first.length + 1);
  if (second.length > 0)
    return (struct pair){first, second, text_of(second.bytes + second.length + 1)};
  struct pair pair = {.alignment = text_of("")};
  columns_pick(&pair, first, (struct columns){pairs->source_column, pairs->target_column, 0});
  return pair;
}

uint64_t pairs_hash(const struct pairs *pairs) {
  uint64_t hash = HASH_START;
  for (size_t i = 0; pairs != NULL && i < pairs_count(pairs); i++) {
    const struct pair pair = pairs_get(pairs, i);
    hash = hash_bytes(hash, pair.source.bytes, pair.source.length + 1);
    hash = hash_bytes(hash, pair.target.bytes, pair.target.length + 1);
  }
  return hash;
}

struct text pairs_line(const struct pairs *pairs, size_t index) {
  return pairs->whole_lines ? text_of(pairs->items[index]) : (struct text){0};
}

static const struct line_run *run_of(const struct pairs *pairs, size_t index) {
  size_t first = 0, end = pairs->run_count;
  while (end - first > 1) {
    const size_t middle = first + (end - first) / 2;
    if (pairs->runs[middle].first <= index)
      first = middle;
    else
      end = middle;
  }
  return &pairs->runs[first];
}

size_t pairs_line_number(const struct pairs *pairs, size_t index) {
  const struct line_run *run = run_of(pairs, index);
  return run->number + (index - run->first);
}

void pairs_place(char *place, size_t size, const struct pairs *pairs, size_t index) {
  snprintf(place, size, "%s:%zu", run_of(pairs, index)->name, pairs_line_number(pairs, index));
}
