/* The best combinations of translations of several sentences. */
#ifndef ELMAN_TRANSLATE_COMBINATIONS_H
#define ELMAN_TRANSLATE_COMBINATIONS_H

#include "base/status.h"
#include "elman/translate.h"

/* Combinations of one translation for each of `count` sentences, ordered by the sum of scores. The
 * caller initializes the struct with zeros. */
struct combinations {
  struct combination_list *lists; /* (count): the translations of each sentence */
  struct combination_gap *gaps;   /* (gap_count): sentences with several translations */
  struct combination_node *nodes; /* combinations reached so far */
  size_t *heap;                   /* nodes that were not returned, the smallest loss first */
  size_t count, gap_count, node_count, node_capacity, heap_count, heap_capacity;
  bool begun;
  bool returns_best; /* the combination of the best scores comes next, because it differs from the
                        combination of the first translations */
};

/* Take the first translation of each sentence, and the further ones to which `next` leads. */
elman_status combinations_start(struct combinations *all, elman_translation *const *translations,
                                size_t count, elman_error *error) CHECKED;
void combinations_free(struct combinations *all);

/* Set chosen[i] to the translation of sentence i in the next combination. The first combination has
 * the first translation of each sentence. The others follow by their sum of scores, the largest
 * first. Set *found to false after the last one. */
elman_status combinations_next(const elman_translation **chosen, bool *found,
                               struct combinations *all, elman_error *error) CHECKED;

#endif
