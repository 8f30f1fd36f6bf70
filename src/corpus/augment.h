/* Augmentation: the pairs of an epoch, some of which are changed at random. A changed pair loses
 * its final marks, is joined with the next pairs, changes its case, or gets typing errors in its
 * source, noise on both sides, or other numbers. */
#ifndef ELMAN_CORPUS_AUGMENT_H
#define ELMAN_CORPUS_AUGMENT_H

#include "corpus/corpus.h"

/* Modifiers, in the order in which they are applied. The number of a modifier selects its random
 * numbers. */
enum modifier {
  MERGE,
  DROP_MARKS,
  DROP_SOURCE_MARK,
  UPPER,
  TITLE,
  TYPOS,
  COPY_NOISE,
  COPY_NUMBERS,
  MODIFIERS
};

/* Augmented pairs. The caller initializes the struct to zero, except the settings. */
struct augmentation {
  /* settings */
  double shares[MODIFIERS]; /* probability of each modifier for a pair and an epoch */
  uint64_t seed;
  struct codec codecs[2]; /* by side */
  /* A pair that would exceed these limits stays as it is; 0 = unlimited. */
  size_t max_length;
  size_t batch_tokens; /* maximum length of a side, </s> included */
  /* scratch memory, and the pairs of an epoch */
  struct augmentation_slot *slots; /* (PIECES_AT_ONCE) */
  struct corpus pairs;
  size_t changed[MODIFIERS]; /* number of pairs that each modifier changed */
  size_t epoch;              /* epoch of the pairs; 0 = none */
};

bool augmentation_is_used(const struct augmentation *augmentation);

/* Fill augmentation->pairs with as many pairs as the corpus has. The corpus must have texts. The
 * changes of a pair depend only on the seed, the epoch, the number of the pair and the corpus. A
 * pair also stays as it is if its change would make a side empty or a target word unknown. The
 * memory grows with the largest epoch. */
elman_status augmentation_fill(struct augmentation *augmentation, const struct corpus *corpus,
                               size_t epoch, elman_error *error) CHECKED;
void augmentation_free(struct augmentation *augmentation);

#endif
