#include "inspect/word_matrix.h"

#include <string.h>

#include "inspect/merge.h"

static struct unit_side side_of(const char *text, const size_t *starts, const size_t *ends,
                                size_t tokens, elman_alignment_units units) {
  return (struct unit_side){text_of(text), starts, ends, tokens,
                            units_are_tokens(text_of(text), units)};
}

/* ---- weights ---- */

static void take(struct word_matrix *matrix, struct arena *arena,
                 const elman_translation *translation) {
  const size_t source = matrix->source_count, target = matrix->target_count;
  matrix->weights = arena_allocate(arena, sizeof(double), target, source, 1);
  matrix->best_sources = arena_allocate(arena, sizeof(size_t), target, 1, 1);
  matrix->best_targets = arena_allocate(arena, sizeof(size_t), source, 1, 1);
  matrix->sentinels = arena_allocate(arena, sizeof(double), target, 1, 1);
  matrix->source_words =
      arena_allocate(arena, sizeof *matrix->source_words, translation->source_count, 1, 1);
  matrix->target_words =
      arena_allocate(arena, sizeof *matrix->target_words, translation->target_count, 1, 1);
}

static void add_weights(struct word_matrix *matrix, const elman_translation *translation) {
  const struct grouping rows = {translation->target_count, matrix->target_count,
                                matrix->target_words};
  const struct grouping columns = {translation->source_count, matrix->source_count,
                                   matrix->source_words};
  const struct grouping one = {1, 1, NULL};
  merge_matrix(matrix->weights, translation->attention, &rows, &columns);
  if (translation->sentinel != NULL)
    merge_matrix(matrix->sentinels, translation->sentinel, &rows, &one);
}

static void find_best(struct word_matrix *matrix) {
  const size_t N = matrix->source_count;
  for (size_t t = 0; t < matrix->target_count; t++) {
    const double *row = matrix->weights + t * N;
    for (size_t s = 0; s < N; s++) {
      if (row[s] > row[matrix->best_sources[t]]) matrix->best_sources[t] = s;
      if (row[s] > matrix->weights[matrix->best_targets[s] * N + s]) matrix->best_targets[s] = t;
    }
  }
}

elman_status word_matrix_create(struct word_matrix *matrix, const elman_translation *translation,
                                elman_alignment_units units, elman_error *error) {
  const struct unit_side source =
      side_of(translation->source, translation->source_starts, translation->source_ends,
              translation->source_count, units);
  const struct unit_side target =
      side_of(translation->text, translation->target_starts, translation->target_ends,
              translation->target_count, units);
  *matrix = (struct word_matrix){.source_count = units_count(&source),
                                 .target_count = units_count(&target)};
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &matrix->arena, error)) take(matrix, fit.now, translation);
  if (fit.status != ELMAN_OK) return fit.status;
  memset(matrix->sentinels, 0, matrix->target_count * sizeof(double));
  memset(matrix->best_sources, 0, matrix->target_count * sizeof(size_t));
  memset(matrix->best_targets, 0, matrix->source_count * sizeof(size_t));
  units_locate(matrix->source_words, &source);
  units_locate(matrix->target_words, &target);
  add_weights(matrix, translation);
  find_best(matrix);
  return ELMAN_OK;
}

void word_matrix_free(struct word_matrix *matrix) {
  arena_free(&matrix->arena);
  *matrix = (struct word_matrix){0};
}

/* ---- which source word belongs to which target word ---- */

const char *alignment_rule_name(elman_alignment_rule rule) {
  static const char *const names[] = {"argmax", "threshold", "intersection"};
  return (unsigned)rule < sizeof names / sizeof *names ? names[rule] : NULL;
}

const char *alignment_units_name(elman_alignment_units units) {
  static const char *const names[] = {"auto", "words", "tokens", "subwords"};
  return (unsigned)units < sizeof names / sizeof *names ? names[units] : NULL;
}

elman_status text_style_settle(elman_text_style *settled, const elman_text_style *style,
                               elman_error *error) {
  *settled = style == NULL ? (elman_text_style){0} : *style;
  if (alignment_rule_name(settled->alignment) == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no alignment rule %d",
                (int)settled->alignment);
  if (alignment_units_name(settled->units) == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there are no alignment units %d",
                (int)settled->units);
  if (!(settled->threshold >= 0 && settled->threshold <= 1))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the threshold must lie from 0 to 1");
  if (settled->threshold == 0) settled->threshold = ELMAN_DEFAULT_THRESHOLD;
  return ELMAN_OK;
}

bool words_linked(const struct word_matrix *matrix, const elman_text_style *style, size_t source,
                  size_t target) {
  const double weight = matrix->weights[target * matrix->source_count + source];
  if (weight <= 0) return false;
  if (style->alignment == ELMAN_ALIGNMENT_THRESHOLD) return weight >= style->threshold;
  if (weight < matrix->sentinels[target]) return false;
  return matrix->best_sources[target] == source &&
         (style->alignment == ELMAN_ALIGNMENT_ARGMAX || matrix->best_targets[source] == target);
}
