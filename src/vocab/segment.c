#include "vocab/segment.h"

#include <math.h>
#include <stdlib.h>

#include "vocab/characters.h"

/* Longer "words" are unsegmented sentences. They still count where they are a whole
 * token; inside a run they would only cost time. */
enum { LONGEST_WORD = 32 };

/* Viterbi's lattice over a run: a node in front of each character and one at the end. */
struct node {
  size_t offset;      /* byte at which the character starts */
  double cost;        /* of the likeliest segmentation of what lies before */
  unsigned char step; /* characters in the last word of that; 0 = one unknown character */
};

struct segmenter {
  struct tokens *out;
  const struct vocabulary *vocabulary;
  struct node *lattice;
  size_t capacity;
  double log_total;
  size_t longest;
  elman_error *error;
};

/* -log(count / total). A model file may give a word the count 0; it is rare, not impossible. */
static double word_cost(const struct segmenter *segmenter, uint32_t id) {
  const uint64_t count = vocabulary_count(segmenter->vocabulary, id);
  return segmenter->log_total - log(count > 0 ? (double)count : 1.0);
}

/* An unknown character is taken to be ten times as rare as a word seen once. So it costs more than
 * any one word, and a known word is always preferred to it, but not a long chain of rare words. */
static double unknown_cost(const struct segmenter *segmenter) {
  return segmenter->log_total + log(10.0);
}

static struct text between(const struct segmenter *segmenter, struct text run, size_t start,
                           size_t end) {
  const size_t offset = segmenter->lattice[start].offset;
  return (struct text){run.bytes + offset, segmenter->lattice[end].offset - offset};
}

/* Finds the likeliest last word before each node from left to right; of equal ones the longest. */
static void viterbi(struct segmenter *segmenter, struct text run, size_t characters) {
  struct node *lattice = segmenter->lattice;
  const double unknown = unknown_cost(segmenter);
  for (size_t end = 1; end <= characters; end++) {
    double best = lattice[end - 1].cost + unknown;
    unsigned char step = 0;
    for (size_t length = 1; length <= segmenter->longest && length <= end; length++) {
      const size_t start = end - length;
      const uint32_t id =
          vocabulary_find(segmenter->vocabulary, between(segmenter, run, start, end));
      if (id == TOKEN_UNKNOWN) continue;
      const double cost = lattice[start].cost + word_cost(segmenter, id);
      if (cost > best) continue;
      best = cost;
      step = (unsigned char)length;
    }
    lattice[end].cost = best;
    lattice[end].step = step;
  }
}

/* The steps lead from the end of the run to its start. Turns them round in place: afterwards the
 * step of a node is that of the word which starts there. */
static void reverse_steps(struct node *lattice, size_t characters) {
  unsigned char step = lattice[characters].step;
  for (size_t end = characters; end > 0;) {
    end -= step == 0 ? 1 : step;
    const unsigned char before = lattice[end].step;
    lattice[end].step = step;
    step = before;
  }
}

static elman_status add_words(struct segmenter *segmenter, struct text run, size_t characters) {
  const struct node *lattice = segmenter->lattice;
  elman_status status = ELMAN_OK;
  for (size_t start = 0, end; status == ELMAN_OK && start < characters; start = end) {
    end = start + lattice[start].step;
    if (end == start)
      while (end < characters && lattice[end].step == 0) end++;
    status = tokens_add(segmenter->out, between(segmenter, run, start, end), segmenter->error);
  }
  return status;
}

static elman_status segment_run(struct segmenter *segmenter, struct text run) {
  size_t characters = 0;
  for (size_t at = 0;; characters++) {
    const elman_status status = array_grow(&segmenter->lattice, &segmenter->capacity,
                                           characters + 1, sizeof(struct node), segmenter->error);
    if (status != ELMAN_OK) return status;
    segmenter->lattice[characters] = (struct node){.offset = at};
    if (at == run.length) break;
    character_at(run, &at);
  }
  viterbi(segmenter, run, characters);
  reverse_steps(segmenter->lattice, characters);
  return add_words(segmenter, run, characters);
}

static elman_status segment_token(struct segmenter *segmenter, struct text token) {
  const struct text surface = token_surface(token);
  if (vocabulary_find(segmenter->vocabulary, token) != TOKEN_UNKNOWN ||
      run_end(surface, 0, is_han, false) == surface.length)
    return tokens_add(segmenter->out, token, segmenter->error);

  elman_status status = ELMAN_OK;
  for (size_t start = 0, end; status == ELMAN_OK && start < surface.length; start = end) {
    end = run_end(surface, start, is_han, true);
    const bool han = end > start;
    if (!han) end = run_end(surface, start, is_han, false);
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
  free(segmenter.lattice);
  return status;
}
