#include "inspect/shown.h"

#include <stdint.h>
#include <string.h>

/* ---- matrices between groups of tokens ---- */

static struct word_range groups_of(const struct grouping *grouping, size_t i) {
  return grouping->of == NULL ? (struct word_range){i, i + 1} : grouping->of[i];
}

static size_t group_size(const struct grouping *grouping, size_t group) {
  size_t size = 0;
  for (size_t i = 0; i < grouping->count; i++) {
    const struct word_range of = groups_of(grouping, i);
    size += of.first <= group && group < of.end;
  }
  return size;
}

static void add_row(double *sums, const float *row, const struct grouping *columns) {
  for (size_t s = 0; s < columns->count; s++) {
    const struct word_range of = groups_of(columns, s);
    for (size_t column = of.first; column < of.end; column++)
      sums[column] += (double)row[s] / (double)(of.end - of.first);
  }
}

void merge_matrix(double *merged, const float *matrix, const struct grouping *rows,
                  const struct grouping *columns) {
  const size_t G = columns->groups;
  memset(merged, 0, rows->groups * G * sizeof *merged);
  for (size_t t = 0; t < rows->count; t++) {
    const struct word_range of = groups_of(rows, t);
    for (size_t row = of.first; row < of.end; row++)
      add_row(merged + row * G, matrix + t * columns->count, columns);
  }
  for (size_t row = 0; row < rows->groups && rows->of != NULL; row++) {
    const size_t size = group_size(rows, row);
    for (size_t column = 0; column < G && size > 1; column++)
      merged[row * G + column] /= (double)size;
  }
}

/* ---- attention between words ---- */

static struct unit_side side_of(const char *text, const size_t *starts, const size_t *ends,
                                size_t tokens, bool by_tokens) {
  return (struct unit_side){text_of(text), starts, ends, tokens, by_tokens};
}

static void allocate_words(struct word_matrix *matrix, struct arena *arena,
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
                                elman_alignment_units units, const struct unit_lines *lines,
                                elman_error *error) {
  const struct unit_lines *sources = lines, *targets = lines == NULL ? NULL : lines + 1;
  const struct unit_side source = side_of(
      translation->source, translation->source_starts, translation->source_ends,
      translation->source_count, units_are_tokens(text_of(translation->source), units, sources));
  const struct unit_side target = side_of(
      translation->text, translation->target_starts, translation->target_ends,
      translation->target_count, units_are_tokens(text_of(translation->text), units, targets));
  *matrix = (struct word_matrix){.source_count = units_count(&source),
                                 .target_count = units_count(&target)};
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &matrix->arena, error)) allocate_words(matrix, fit.now, translation);
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

/* ---- links between source and target words ---- */

const char *elman_alignment_rule_name(elman_alignment_rule rule) {
  static const char *const names[] = {"argmax", "threshold", "intersection"};
  return (unsigned)rule < sizeof names / sizeof *names ? names[rule] : NULL;
}

const char *elman_alignment_units_name(elman_alignment_units units) {
  static const char *const names[] = {"auto", "words", "tokens", "subwords"};
  return (unsigned)units < sizeof names / sizeof *names ? names[units] : NULL;
}

elman_status text_style_complete(elman_text_style *complete, const elman_text_style *style,
                                 elman_error *error) {
  *complete = style == NULL ? (elman_text_style){0} : *style;
  if (elman_alignment_rule_name(complete->alignment) == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "unknown alignment rule %d",
                (int)complete->alignment);
  if (elman_alignment_units_name(complete->units) == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "unknown alignment units %d",
                (int)complete->units);
  const elman_status status = check_range("threshold", complete->threshold, 0, 1, error);
  if (complete->threshold == 0) complete->threshold = ELMAN_DEFAULT_THRESHOLD;
  return status;
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

/* ---- grouping tokens into words ---- */

/* A side of a translation and, if it is shown in `words`, its groups: the words of the tokens, and
 * "</s>". A token without a word belongs to the previous group, or, at the start, to the first
 * group. */
struct shown_side {
  struct unit_side units;
  const char *const *tokens;
  bool words, ended;
  size_t groups;
  struct word_range *of; /* (tokens): first the words of each token, later its groups */
  size_t *first;         /* (groups): the first token of the group */
  size_t *starts, *ends; /* (groups): position in the text */
};

static bool shows_words(struct text text, bool has_subwords, elman_alignment_units units) {
  if (units == ELMAN_UNITS_AUTO && !has_subwords) return false;
  return !units_are_tokens(text, units, NULL);
}

static struct shown_side source_side(const elman_translation *of, elman_alignment_units units) {
  const struct text text = text_of(of->source);
  return (struct shown_side){
      .units = {text, of->source_starts, of->source_ends, of->source_count, false},
      .tokens = of->source_tokens,
      .words = shows_words(text, of->source_subwords, units),
      .groups = of->source_count};
}

static struct shown_side target_side(const elman_translation *of, elman_alignment_units units) {
  const struct text text = text_of(of->text);
  return (struct shown_side){
      .units = {text, of->target_starts, of->target_ends, of->target_count, false},
      .tokens = of->target_tokens,
      .words = shows_words(text, of->target_subwords, units),
      .ended = of->ended,
      .groups = of->target_count};
}

/* Return the maximum number of groups of a side: one per word, one for tokens without a word, and
 * one for "</s>". */
static size_t most_groups(const struct shown_side *side) {
  return units_count(&side->units) + 2;
}

static void allocate_groups(struct shown_side *side, struct arena *arena) {
  const size_t count = side->units.tokens, most = most_groups(side);
  if (!side->words) return;
  side->of = arena_allocate(arena, sizeof *side->of, count, 1, 1);
  side->first = arena_allocate(arena, sizeof(size_t), most, 1, 1);
  side->starts = arena_allocate(arena, sizeof(size_t), most, 1, 1);
  side->ends = arena_allocate(arena, sizeof(size_t), most, 1, 1);
}

#define NO_WORD SIZE_MAX

static void add_group(struct shown_side *side, size_t token, size_t word) {
  side->first[side->groups] = token;
  side->starts[side->groups++] = word;
}

/* Create groups for the new words of a token. *known is the number of words that already have
 * groups. */
static void add_words(struct shown_side *side, size_t token, size_t *known) {
  const struct word_range words = side->of[token];
  for (size_t word = words.first > *known ? words.first : *known; word < words.end; word++) {
    if (side->groups == 1 && side->starts[0] == NO_WORD)
      side->starts[0] = word;
    else
      add_group(side, token, word);
  }
  if (words.end > *known) *known = words.end;
  side->of[token] = (struct word_range){side->groups - (*known - words.first),
                                        side->groups - (*known - words.end)};
}

/* Set `of` to the groups of each token; it temporarily contains the words of each token. Set
 * `starts` to the word of each group, or NO_WORD. */
static void find_groups(struct shown_side *side) {
  const size_t count = side->units.tokens - side->ended;
  size_t known = 0;
  side->groups = 0;
  units_locate(side->of, &side->units);
  for (size_t i = 0; i < side->units.tokens; i++) {
    if (side->of[i].first < side->of[i].end) {
      add_words(side, i, &known);
      continue;
    }
    if (i == count || side->groups == 0) add_group(side, i, NO_WORD);
    side->of[i] = (struct word_range){side->groups - 1, side->groups};
  }
}

/* Set the positions of the groups to the positions of their words; a group without a word is an
 * empty range before its first token. */
static void find_places(struct shown_side *side) {
  size_t word = 0, start, end = 0;
  for (size_t g = 0; g < side->groups; g++) {
    bool found = side->starts[g] != NO_WORD;
    while (found && word <= side->starts[g] && (found = word_next(&start, &end, side->units.text)))
      word++;
    const size_t nowhere = side->units.starts[side->first[g]];
    side->starts[g] = found ? start : nowhere;
    side->ends[g] = found ? end : nowhere;
  }
}

static elman_status find_sides(struct shown *shown, struct shown_side *source,
                               struct shown_side *target, elman_error *error) {
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &shown->groups, error)) {
    allocate_groups(source, fit.now);
    allocate_groups(target, fit.now);
  }
  if (fit.status != ELMAN_OK) return fit.status;
  for (size_t i = 0; i < 2; i++) {
    struct shown_side *side = i == 0 ? source : target;
    if (!side->words) continue;
    find_groups(side);
    find_places(side);
  }
  return ELMAN_OK;
}

/* ---- names of the groups ---- */

/* Return the text of a group; if the text is empty, return the first token of the group. */
static const char *copy_name(struct arena *arena, const struct shown_side *side, size_t g) {
  const size_t start = side->starts[g], length = side->ends[g] - start;
  if (length == 0) return side->tokens[side->first[g]];
  char *name = arena_allocate(arena, 1, length + 1, 1, 1);
  if (name == NULL) return NULL; /* the arena only measures */
  memcpy(name, side->units.text.bytes + start, length);
  name[length] = '\0';
  return name;
}

static const char *const *copy_names(struct arena *arena, const struct shown_side *side) {
  if (!side->words) return side->tokens;
  const char **names = arena_allocate(arena, sizeof *names, side->groups, 1, 1);
  for (size_t g = 0; g < side->groups; g++) {
    const char *const name = copy_name(arena, side, g);
    if (names != NULL) names[g] = name;
  }
  return names;
}

static const bool *copy_known(struct arena *arena, const struct shown_side *side,
                              const bool *known) {
  if (!side->words) return known;
  bool *all = arena_allocate(arena, sizeof *all, side->groups, 1, 1);
  for (size_t g = 0; all != NULL && g < side->groups; g++) all[g] = true;
  for (size_t i = 0; all != NULL && i < side->units.tokens; i++)
    for (size_t g = side->of[i].first; g < side->of[i].end; g++) all[g] = all[g] && known[i];
  return all;
}

static void rename_source(struct shown *shown, struct arena *arena, const struct shown_side *side) {
  elman_translation *view = &shown->view;
  shown->source_words = side->words;
  view->source_tokens = copy_names(arena, side);
  view->source_known = copy_known(arena, side, view->source_known);
  if (!side->words) return;
  view->source_ids = NULL;
  view->source_starts = side->starts;
  view->source_ends = side->ends;
}

static void rename_target(struct shown *shown, struct arena *arena, const struct shown_side *side) {
  elman_translation *view = &shown->view;
  shown->target_words = side->words;
  view->target_tokens = copy_names(arena, side);
  if (!side->words) return;
  view->target_ids = NULL;
  view->log_probabilities = NULL;
  view->target_starts = side->starts;
  view->target_ends = side->ends;
}

/* ---- weights ---- */

/* Merge `count` consecutive matrices (rows.count, columns.count). Return NULL if `matrices` is
 * NULL. */
static const float *merged(struct arena *arena, double *scratch, const float *matrices,
                           size_t count, const struct grouping *rows,
                           const struct grouping *columns) {
  const size_t size = rows->count * columns->count, merged_size = rows->groups * columns->groups;
  if (matrices == NULL) return NULL;
  float *into = arena_allocate(arena, sizeof *into, count, rows->groups, columns->groups);
  for (size_t n = 0; into != NULL && n < count; n++) {
    merge_matrix(scratch, matrices + n * size, rows, columns);
    for (size_t i = 0; i < merged_size; i++) into[n * merged_size + i] = (float)scratch[i];
  }
  return into;
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static void merge_weights(struct shown *shown, struct arena *arena,
                          const elman_translation *translation, const struct shown_side *source,
                          const struct shown_side *target) {
  elman_translation *view = &shown->view;
  const size_t G = view->segment_count;
  const struct grouping rows = {translation->target_count, target->groups, target->of};
  const struct grouping columns = {translation->source_count, source->groups, source->of};
  const struct grouping one = {1, 1, NULL}, segments = {G, G, NULL};
  const size_t most = larger(larger(rows.groups, columns.groups), larger(G, 1));
  double *scratch =
      arena_allocate(arena, sizeof *scratch, larger(rows.groups, columns.groups), most, 1);
  view->source_count = columns.groups;
  view->target_count = rows.groups;
  view->attention = merged(arena, scratch, translation->attention, 1, &rows, &columns);
  view->head_attention = view->attention;
  if (view->heads > 1)
    view->head_attention =
        merged(arena, scratch, translation->head_attention, view->heads, &rows, &columns);
  view->sentinel = merged(arena, scratch, translation->sentinel, 1, &rows, &one);
  view->source_self_attention = merged(arena, scratch, translation->source_self_attention,
                                       view->source_self_heads, &columns, &columns);
  view->target_self_attention = merged(arena, scratch, translation->target_self_attention,
                                       view->target_self_heads, &rows, &rows);
  view->segments = merged(arena, scratch, translation->segments, 1, &rows, &segments);
}

/* ---- all together ---- */

elman_status shown_create(struct shown *shown, const elman_translation *translation,
                          elman_alignment_units units, elman_error *error) {
  *shown = (struct shown){.view = *translation};
  if (units == ELMAN_UNITS_SUBWORDS && !translation->source_subwords &&
      !translation->target_subwords)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the model has no subwords on either side; use words or tokens as units");
  struct shown_side source = source_side(translation, units),
                    target = target_side(translation, units);
  if (!source.words && !target.words) return ELMAN_OK;
  elman_status status = find_sides(shown, &source, &target, error);
  struct arena_fit fit = {.status = status};
  while (status == ELMAN_OK && arena_fit(&fit, &shown->arena, error)) {
    shown->view = *translation;
    rename_source(shown, fit.now, &source);
    rename_target(shown, fit.now, &target);
    merge_weights(shown, fit.now, translation, &source, &target);
  }
  if (fit.status != ELMAN_OK) shown_free(shown);
  return fit.status;
}

void shown_free(struct shown *shown) {
  arena_free(&shown->groups);
  arena_free(&shown->arena);
}
