/* Translation edit rate (Snover et al., "A study of translation edit rate with targeted human
 * annotation", AMTA 2006): edits per word of the reference. An edit inserts, deletes or replaces a
 * word, or moves a sequence of words. */
#ifndef ELMAN_METRIC_TER_H
#define ELMAN_METRIC_TER_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "metric/bleu.h"

/* Counts of a sentence, to be summed over a corpus. */
enum {
  TER_EDITS,            /* the fewest edits to one of the references */
  TER_REFERENCE_LENGTH, /* words of all references together */
  TER_COUNTS
};

/* The beam of the edit distance: a row covers the reference words around its diagonal. */
struct ter_row {
  size_t first, end; /* columns */
  size_t offset;     /* offset of column `first` in `operations` */
};

/* Scratch memory for counting. The caller initializes the struct to zero. */
struct ter_work {
  struct bleu_passes passes;
  struct bleu_words hypothesis, reference;
  struct table index; /* words of the reference */
  uint32_t *words;    /* three sequences of hypothesis words: the current, a shifted and the best
                         shifted one */
  size_t word_capacity;
  uint32_t *costs; /* two rows */
  size_t cost_capacity;
  struct ter_row *rows;
  size_t row_capacity;
  char *operations;
  size_t operation_capacity;
  struct ter_alignment {
    size_t *next; /* for each reference word, the hypothesis word that follows the place of the
                     reference word */
    size_t *reference_errors;  /* number of wrong reference words before each position */
    size_t *hypothesis_errors; /* the same for hypothesis words */
  } alignment;
  size_t *positions; /* memory of the alignment */
  size_t position_capacity;
};

void ter_work_free(struct ter_work *work);

/* Compute the counts of one hypothesis against at least one reference. Words are separated by white
 * space. All texts must be valid UTF-8; for the scores of Tercom, they must be in lower case. */
elman_status ter_count(uint32_t counts[TER_COUNTS], struct ter_work *work, struct text hypothesis,
                       const struct text *references, size_t reference_count,
                       elman_error *error) CHECKED;

/* Return TER in percent; it may exceed 100. */
double ter_score(const uint64_t sums[TER_COUNTS], size_t reference_count);

#endif
