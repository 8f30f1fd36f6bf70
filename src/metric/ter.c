#include "metric/ter.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The search for shifts follows Tercom with all its limits, as in sacreBLEU, so that scores are
 * equal: a greedy search takes the shift that reduces the edit distance most, until no shift
 * reduces it. */

enum {
  MAX_SHIFT_SIZE = 10,         /* words that are moved together */
  MAX_SHIFT_DISTANCE = 50,     /* words between a sequence and its place in the reference */
  MAX_SHIFT_CANDIDATES = 1000, /* tried shifts of a sentence */
  BEAM_WIDTH = 25              /* reference words on each side of the diagonal */
};

#define FAR UINT32_MAX

void ter_work_free(struct ter_work *work) {
  bleu_passes_free(&work->passes);
  bleu_words_free(&work->hypothesis);
  bleu_words_free(&work->reference);
  table_free(&work->index);
  free(work->words);
  free(work->costs);
  free(work->rows);
  free(work->operations);
  free(work->positions);
}

/* Hypothesis and reference of one comparison. Equal words have equal numbers. */
struct sides {
  const uint32_t *reference;
  size_t hypothesis_length, reference_length; /* reference_length is at least 1 */
};

/* ---- edit distance ---- */

/* Operations that turn the hypothesis into the reference. */
enum { KEEP = ' ', REPLACE = 's', INSERT = 'i', DELETE = 'd', UNDEFINED = 'x' };

/* Set the columns of each row. The diagonal follows the ratio of the lengths. Return the number of
 * cells. */
static size_t set_beam(struct ter_row *rows, const struct sides *sides) {
  const size_t m = sides->hypothesis_length, n = sides->reference_length;
  const double ratio = m == 0 ? 1 : (double)n / (double)m;
  const size_t beam =
      BEAM_WIDTH < ratio / 2 ? (size_t)ceil(ratio / 2 + BEAM_WIDTH) : (size_t)BEAM_WIDTH;
  size_t cells = n + 1;
  rows[0] = (struct ter_row){0, n + 1, 0};
  for (size_t i = 1; i <= m; i++) {
    const size_t diagonal = (size_t)floor((double)i * ratio);
    const size_t first = diagonal > beam ? diagonal - beam : 0;
    const size_t end = i == m || diagonal + beam > n + 1 ? n + 1 : diagonal + beam;
    rows[i] = (struct ter_row){first, end > first ? end : first, cells};
    cells += rows[i].end - first;
  }
  return cells;
}

static uint32_t cost_at(const uint32_t *costs, const struct ter_row *row, size_t j) {
  return j >= row->first && j < row->end ? costs[j] : FAR;
}

/* Use an operation if it is cheaper. */
static void relax(uint32_t *cost, char *operation, uint32_t before, uint32_t price, char kind) {
  if (before == FAR || before + price >= *cost) return;
  *cost = before + price;
  *operation = kind;
}

/* Return the edit distance between `words` and the reference, within the beam. Store the operations
 * of all cells. */
static uint32_t edit_distance(struct ter_work *work, const struct sides *sides,
                              const uint32_t *words) {
  const size_t n = sides->reference_length;
  uint32_t *above = work->costs, *costs = above + n + 1;
  for (size_t j = 0; j <= n; j++) {
    above[j] = (uint32_t)j;
    work->operations[j] = INSERT;
  }
  for (size_t i = 1; i <= sides->hypothesis_length; i++) {
    const struct ter_row *row = &work->rows[i];
    for (size_t j = row->first; j < row->end; j++) {
      char *operation = &work->operations[row->offset + j - row->first];
      costs[j] = FAR;
      *operation = UNDEFINED;
      if (j > 0) {
        const bool same = words[i - 1] == sides->reference[j - 1];
        relax(&costs[j], operation, cost_at(above, row - 1, j - 1), !same, same ? KEEP : REPLACE);
      }
      relax(&costs[j], operation, cost_at(above, row - 1, j), 1, DELETE);
      if (j > row->first) relax(&costs[j], operation, costs[j - 1], 1, INSERT);
    }
    uint32_t *const swapped = above;
    above = costs;
    costs = swapped;
  }
  return above[n];
}

/* ---- shifts ---- */

/* Follow the operations back from the end, and set the alignment. */
static void align(struct ter_work *work, const struct sides *sides) {
  const struct ter_alignment *alignment = &work->alignment;
  size_t i = sides->hypothesis_length, j = sides->reference_length;
  memset(alignment->reference_errors, 0, (j + 1) * sizeof(size_t));
  memset(alignment->hypothesis_errors, 0, (i + 1) * sizeof(size_t));
  while (i > 0 || j > 0) {
    const struct ter_row *row = &work->rows[i];
    const bool inside = j >= row->first && j < row->end;
    const char operation = inside ? work->operations[row->offset + j - row->first] : UNDEFINED;
    const bool inserts = i == 0 || operation == INSERT, deletes = j == 0 || operation == DELETE;
    const bool is_wrong = inserts || deletes || operation != KEEP;
    if (!deletes || inserts) {
      alignment->next[j - 1] = i;
      alignment->reference_errors[j] = is_wrong;
      j--;
    }
    if (!inserts) {
      alignment->hypothesis_errors[i] = is_wrong;
      i--;
    }
  }
  for (j = 1; j <= sides->reference_length; j++)
    alignment->reference_errors[j] += alignment->reference_errors[j - 1];
  for (i = 1; i <= sides->hypothesis_length; i++)
    alignment->hypothesis_errors[i] += alignment->hypothesis_errors[i - 1];
}

/* A shift of `length` words from `start` to before word `target`. */
struct shift {
  size_t start, length, target;
};

static void copy_words(uint32_t **to, const uint32_t *words, size_t from, size_t end) {
  if (end <= from) return;
  memcpy(*to, words + from, (end - from) * sizeof *words);
  *to += end - from;
}

/* Write the words in their order after the shift. If the target is within the sequence, the
 * sequence moves by the distance from its start to the target. */
static void shift_words(uint32_t *to, const uint32_t *words, size_t count, struct shift shift) {
  const size_t start = shift.start, end = start + shift.length;
  size_t target = shift.target;
  if (target < start) {
    copy_words(&to, words, 0, target);
    copy_words(&to, words, start, end);
    copy_words(&to, words, target, start);
    copy_words(&to, words, end, count);
    return;
  }
  if (target <= end) target += shift.length;
  if (target > count) target = count;
  copy_words(&to, words, 0, start);
  copy_words(&to, words, end, target);
  copy_words(&to, words, start, end);
  copy_words(&to, words, target, count);
}

struct shift_search {
  struct ter_work *work;
  const struct sides *sides;
  uint32_t *words, *shifted, *best_words;
  uint32_t distance; /* of `words` */
  size_t candidates; /* tried in this sentence */
  bool found;
  struct shift best;
  int64_t gain; /* reduction of the distance by the best shift */
};

/* Return whether a shift with this gain is better than the best so far. Compare the gains; if they
 * are equal, prefer the longer sequence, then the earlier sequence, then the earlier target. */
static bool is_better(const struct shift_search *search, int64_t gain, struct shift shift) {
  const struct shift *best = &search->best;
  if (!search->found || gain != search->gain) return !search->found || gain > search->gain;
  if (shift.length != best->length) return shift.length > best->length;
  if (shift.start != best->start) return shift.start < best->start;
  return shift.target < best->target;
}

static void try_shift(struct shift_search *search, struct shift shift) {
  shift_words(search->shifted, search->words, search->sides->hypothesis_length, shift);
  const int64_t gain =
      (int64_t)search->distance - edit_distance(search->work, search->sides, search->shifted);
  search->candidates++;
  if (!is_better(search, gain, shift)) return;
  search->found = true;
  search->gain = gain;
  search->best = shift;
  memcpy(search->best_words, search->shifted,
         search->sides->hypothesis_length * sizeof *search->shifted);
}

/* Try all targets of a sequence of `length` words that equals the reference at `place`, unless the
 * sequence is right already. Return false once the maximum number of shifts is tried. */
static bool try_targets(struct shift_search *search, size_t start, size_t place, size_t length) {
  const struct ter_alignment *alignment = &search->work->alignment;
  const size_t *wrong = alignment->hypothesis_errors, *missing = alignment->reference_errors;
  if (wrong[start + length] == wrong[start] || missing[place + length] == missing[place])
    return true;
  const size_t aligned = alignment->next[place]; /* position after the aligned word */
  if (aligned > start && aligned <= start + length) return true;
  for (size_t offset = 0, previous = SIZE_MAX; offset <= length; offset++) {
    if (place + offset > search->sides->reference_length) break;
    const size_t target = place + offset == 0 ? 0 : alignment->next[place + offset - 1];
    if (target == previous) continue;
    previous = target;
    try_shift(search, (struct shift){start, length, target});
  }
  return search->candidates < MAX_SHIFT_CANDIDATES;
}

/* Try all shifts of sequences that occur in the reference. */
static void try_shifts(struct shift_search *search) {
  const size_t m = search->sides->hypothesis_length, n = search->sides->reference_length;
  const uint32_t *reference = search->sides->reference;
  for (size_t start = 0; start < m; start++) {
    const size_t first = start > MAX_SHIFT_DISTANCE ? start - MAX_SHIFT_DISTANCE : 0;
    for (size_t place = first; place < n && place <= start + MAX_SHIFT_DISTANCE; place++)
      for (size_t length = 1;
           length <= MAX_SHIFT_SIZE && start + length <= m && place + length <= n &&
           search->words[start + length - 1] == reference[place + length - 1];
           length++)
        if (!try_targets(search, start, place, length)) return;
  }
}

/* Return the number of edits: shifts, and the edit distance after them. */
static uint32_t count_edits(struct ter_work *work, const struct sides *sides) {
  const size_t m = sides->hypothesis_length;
  struct shift_search search = {.work = work,
                                .sides = sides,
                                .words = work->words,
                                .shifted = work->words + m,
                                .best_words = work->words + 2 * m};
  for (uint32_t shifts = 0;; shifts++) {
    search.distance = edit_distance(work, sides, search.words);
    search.found = false;
    align(work, sides);
    try_shifts(&search);
    if (search.candidates >= MAX_SHIFT_CANDIDATES || !search.found || search.gain <= 0)
      return shifts + search.distance;
    uint32_t *const swapped = search.words;
    search.words = search.best_words;
    search.best_words = swapped;
  }
}

/* ---- counts ---- */

static elman_status reserve(struct ter_work *work, const struct sides *sides, elman_error *error) {
  const size_t m = sides->hypothesis_length, n = sides->reference_length;
  elman_status status =
      array_grow(&work->words, &work->word_capacity, 3 * m + 1, sizeof *work->words, error);
  if (status == ELMAN_OK)
    status =
        array_grow(&work->costs, &work->cost_capacity, 2 * (n + 1), sizeof *work->costs, error);
  if (status == ELMAN_OK)
    status = array_grow(&work->rows, &work->row_capacity, m + 1, sizeof *work->rows, error);
  if (status == ELMAN_OK)
    status = array_grow(&work->operations, &work->operation_capacity, set_beam(work->rows, sides),
                        1, error);
  if (status == ELMAN_OK)
    status = array_grow(&work->positions, &work->position_capacity, 2 * (n + 1) + m + 1,
                        sizeof *work->positions, error);
  if (status != ELMAN_OK) return status;
  work->alignment = (struct ter_alignment){work->positions, work->positions + n + 1,
                                           work->positions + 2 * (n + 1)};
  return ELMAN_OK;
}

/* Count the edits to one reference. Without words in the reference, each word of the hypothesis is
 * an edit. */
static elman_status count_against(uint32_t *edits, struct ter_work *work, elman_error *error) {
  const struct bleu_words *hypothesis = &work->hypothesis, *reference = &work->reference;
  const struct sides sides = {reference->numbers, hypothesis->words.count, reference->words.count};
  *edits = (uint32_t)sides.hypothesis_length;
  if (sides.reference_length == 0) return ELMAN_OK;
  const elman_status status = reserve(work, &sides, error);
  if (status != ELMAN_OK) return status;
  if (sides.hypothesis_length > 0)
    memcpy(work->words, hypothesis->numbers, sides.hypothesis_length * sizeof *work->words);
  *edits = count_edits(work, &sides);
  return ELMAN_OK;
}

elman_status ter_count(uint32_t counts[TER_COUNTS], struct ter_work *work, struct text hypothesis,
                       const struct text *references, size_t reference_count, elman_error *error) {
  uint32_t edits;
  elman_status status =
      bleu_tokenize(&work->hypothesis.words, &work->passes, hypothesis, BLEU_NONE, error);
  counts[TER_EDITS] = UINT32_MAX;
  counts[TER_REFERENCE_LENGTH] = 0;
  for (size_t r = 0; r < reference_count && status == ELMAN_OK; r++) {
    struct bleu_words *reference = &work->reference;
    status = bleu_tokenize(&reference->words, &work->passes, references[r], BLEU_NONE, error);
    if (status == ELMAN_OK) status = bleu_number_words(reference, reference, &work->index, error);
    if (status == ELMAN_OK)
      status = bleu_number_words(&work->hypothesis, reference, &work->index, error);
    if (status == ELMAN_OK) status = count_against(&edits, work, error);
    if (status != ELMAN_OK) break;
    if (edits < counts[TER_EDITS]) counts[TER_EDITS] = edits;
    counts[TER_REFERENCE_LENGTH] += (uint32_t)reference->words.count;
  }
  return status;
}

double ter_score(const uint64_t sums[TER_COUNTS], size_t reference_count) {
  const double edits = (double)sums[TER_EDITS];
  if (sums[TER_REFERENCE_LENGTH] == 0) return edits > 0 ? 100 : 0;
  return 100 * (edits / ((double)sums[TER_REFERENCE_LENGTH] / (double)reference_count));
}
