#include "vocab/segment.h"

#include <math.h>
#include <stdlib.h>

#include "vocab/characters.h"

/* Longer "words" are sentences that nobody segmented. They still count where they are a whole
 * token; inside a run they would only cost time. */
enum { LONGEST_WORD = 32 };

/* Viterbi's lattice over the n characters of one run; n + 1 entries each. */
struct lattice {
  size_t *offsets;      /* byte at which character i starts; the last is the end of the run */
  double *costs;        /* of the best way to cover the first i characters */
  unsigned char *steps; /* characters in the last word of that way; 0 = one unknown character */
  size_t offset_capacity, cost_capacity, step_capacity;
};

struct segmenter {
  struct tokens *out;
  const struct vocabulary *vocabulary;
  struct lattice lattice;
  double log_total;
  size_t longest;
  elman_error *error;
};

static elman_status lattice_grow(struct lattice *lattice, size_t entries, elman_error *error) {
  elman_status status = array_grow(&lattice->offsets, &lattice->offset_capacity, entries,
                                   sizeof *lattice->offsets, error);
  if (status != ELMAN_OK) return status;
  status =
      array_grow(&lattice->costs, &lattice->cost_capacity, entries, sizeof *lattice->costs, error);
  if (status != ELMAN_OK) return status;
  status =
      array_grow(&lattice->steps, &lattice->step_capacity, entries, sizeof *lattice->steps, error);
  return status;
}

static void lattice_free(struct lattice *lattice) {
  free(lattice->offsets);
  free(lattice->costs);
  free(lattice->steps);
}

/* -log(count / total). A model file may give a word the count 0; it is rare, not impossible. */
static double word_cost(const struct segmenter *segmenter, uint32_t id) {
  const uint64_t count = vocabulary_count(segmenter->vocabulary, id);
  return segmenter->log_total - log(count > 0 ? (double)count : 1.0);
}

/* An unknown character is taken to be ten times as rare as a word seen once. So it costs more than
 * any one word, and a known word always wins its place, but avoiding it is not worth a long chain
 * of rare words. */
static double unknown_cost(const struct segmenter *segmenter) {
  return segmenter->log_total + log(10.0);
}

/* Finds the best last word before each character boundary from left to right. Of equal ways the one
 * with the longer last word stays. */
static void find_best_ways(struct segmenter *segmenter, struct text run, size_t characters) {
  struct lattice *lattice = &segmenter->lattice;
  const double unknown = unknown_cost(segmenter);
  lattice->costs[0] = 0;
  for (size_t end = 1; end <= characters; end++) {
    double best = lattice->costs[end - 1] + unknown;
    unsigned char step = 0;
    for (size_t length = 1; length <= segmenter->longest && length <= end; length++) {
      const size_t start = lattice->offsets[end - length];
      const struct text word = {run.bytes + start, lattice->offsets[end] - start};
      const uint32_t id = vocabulary_find(segmenter->vocabulary, word);
      if (id == TOKEN_UNKNOWN) continue;
      const double cost = lattice->costs[end - length] + word_cost(segmenter, id);
      if (cost <= best) {
        best = cost;
        step = (unsigned char)length;
      }
    }
    lattice->costs[end] = best;
    lattice->steps[end] = step;
  }
}

/* Turns the steps, which lead from the end of the run to its start, round in place: afterwards
 * steps[i] belongs to the word that starts at character i. */
static void reverse_steps(struct lattice *lattice, size_t characters) {
  size_t end = characters;
  unsigned char step = lattice->steps[end];
  while (end > 0) {
    const size_t start = end - (step == 0 ? 1 : step);
    const unsigned char before = lattice->steps[start];
    lattice->steps[start] = step;
    step = before;
    end = start;
  }
}

static elman_status add_words(struct segmenter *segmenter, struct text run, size_t characters) {
  const struct lattice *lattice = &segmenter->lattice;
  elman_status status = ELMAN_OK;
  for (size_t start = 0, end; status == ELMAN_OK && start < characters; start = end) {
    end = start + lattice->steps[start];
    if (end == start)
      while (end < characters && lattice->steps[end] == 0) end++;
    const struct text word = {run.bytes + lattice->offsets[start],
                              lattice->offsets[end] - lattice->offsets[start]};
    status = tokens_add(segmenter->out, word, segmenter->error);
  }
  return status;
}

static elman_status segment_run(struct segmenter *segmenter, struct text run) {
  struct lattice *lattice = &segmenter->lattice;
  size_t characters = 0;
  for (size_t at = 0; at < run.length; characters++) {
    const elman_status status = lattice_grow(lattice, characters + 2, segmenter->error);
    if (status != ELMAN_OK) return status;
    lattice->offsets[characters] = at;
    character_at(run, &at);
  }
  lattice->offsets[characters] = run.length;
  lattice->steps[0] = 0;
  find_best_ways(segmenter, run, characters);
  reverse_steps(lattice, characters);
  return add_words(segmenter, run, characters);
}

/* The end of the run of Han, or of anything else, that starts at byte `start`. */
static size_t run_end(struct text text, size_t start, bool *han) {
  size_t end = start;
  *han = is_han(character_at(text, &end));
  while (end < text.length) {
    size_t next = end;
    if (is_han(character_at(text, &next)) != *han) break;
    end = next;
  }
  return end;
}

static elman_status segment_token(struct segmenter *segmenter, struct text token) {
  const struct text surface = token_surface(token);
  bool han;
  if (vocabulary_find(segmenter->vocabulary, token) != TOKEN_UNKNOWN || surface.length == 0 ||
      (run_end(surface, 0, &han) == surface.length && !han))
    return tokens_add(segmenter->out, token, segmenter->error);

  elman_status status = ELMAN_OK;
  for (size_t start = 0, end; status == ELMAN_OK && start < surface.length; start = end) {
    end = run_end(surface, start, &han);
    const struct text piece = {surface.bytes + start, end - start};
    /* A piece is what it would have been with spaces around it, its mark included. */
    const char *mark = token_has_mark(piece) ? MARK_SPACED : "";
    status = han ? segment_run(segmenter, piece)
                 : tokens_add_marked(segmenter->out, mark, piece, segmenter->error);
  }
  return status;
}

elman_status segment_unspaced(struct tokens *out, const struct tokens *in,
                              const struct vocabulary *vocabulary, elman_error *error) {
  tokens_clear(out);
  const double total = vocabulary_total(vocabulary);
  const size_t longest = vocabulary_longest_han(vocabulary);
  struct segmenter segmenter = {
      .out = out,
      .vocabulary = vocabulary,
      .log_total = log(total > 1 ? total : 1.0),
      .longest = longest < LONGEST_WORD ? longest : LONGEST_WORD,
      .error = error,
  };
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < in->count; i++)
    status = segment_token(&segmenter, tokens_get(in, i));
  lattice_free(&segmenter.lattice);
  return status;
}
