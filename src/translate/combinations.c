#include "translate/combinations.h"

#include <stdlib.h>

#include "base/text.h"

/* A heap yields the combinations in order, because each combination follows from another one whose
 * sum is not smaller (as the k smallest sums of Eppstein 1998). The sentences are ordered by the
 * gap between their best and second score. Let d be the last sentence in this order whose
 * translation is not the best, and r > 0 its rank. These combinations follow from it:
 *
 *   DEEPER   rank r + 1 of sentence d
 *   FURTHER  in addition rank 1 of sentence d + 1
 *   INSTEAD  if r = 1: rank 0 of sentence d, and rank 1 of sentence d + 1
 *
 * Each combination is reached once: from rank r - 1 if r > 1, else by FURTHER if sentence d - 1 is
 * not at rank 0, else by INSTEAD. */
enum combination_step { DEEPER, FURTHER, INSTEAD };

struct combination_list {
  const elman_translation **ranked; /* by score, the largest first */
  const elman_translation *first;
  size_t count;
};

struct combination_gap {
  double gap;
  size_t sentence;
};

struct combination_node {
  double loss; /* sum of the best scores minus that of the combination */
  size_t previous, place, rank;
  enum combination_step step;
};

#define NO_NODE SIZE_MAX

/* ---- lists ---- */

/* Sort the translations of a sentence by score. Equal ones keep their order. */
static elman_status fill(struct combination_list *list, const elman_translation *translation,
                         elman_error *error) {
  size_t count = 0;
  for (const elman_translation *one = translation; one != NULL; one = one->next) count++;
  list->ranked = calloc(count, sizeof *list->ranked);
  if (list->ranked == NULL) return fail_no_memory(error);
  list->first = translation;
  for (const elman_translation *one = translation; one != NULL; one = one->next) {
    size_t at = list->count++;
    for (; at > 0 && list->ranked[at - 1]->score < one->score; at--)
      list->ranked[at] = list->ranked[at - 1];
    list->ranked[at] = one;
  }
  return ELMAN_OK;
}

static int by_gap(const void *left, const void *right) {
  const struct combination_gap *a = left, *b = right;
  if (a->gap != b->gap) return a->gap < b->gap ? -1 : 1;
  return (a->sentence > b->sentence) - (a->sentence < b->sentence);
}

static double gap_below(const struct combination_list *list, size_t rank) {
  return list->ranked[rank]->score - list->ranked[rank + 1]->score;
}

elman_status combinations_start(struct combinations *all, elman_translation *const *translations,
                                size_t count, elman_error *error) {
  all->count = count;
  all->lists = calloc(count, sizeof *all->lists);
  all->gaps = calloc(count, sizeof *all->gaps);
  if (all->lists == NULL || all->gaps == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < count; i++) {
    const elman_status status = fill(&all->lists[i], translations[i], error);
    if (status != ELMAN_OK) return status;
    if (all->lists[i].count > 1)
      all->gaps[all->gap_count++] = (struct combination_gap){gap_below(&all->lists[i], 0), i};
  }
  qsort(all->gaps, all->gap_count, sizeof *all->gaps, by_gap);
  return ELMAN_OK;
}

void combinations_free(struct combinations *all) {
  for (size_t i = 0; i < all->count && all->lists != NULL; i++) free(all->lists[i].ranked);
  free(all->lists);
  free(all->gaps);
  free(all->nodes);
  free(all->heap);
  *all = (struct combinations){0};
}

/* ---- the heap ---- */

static bool comes_before(const struct combinations *all, size_t a, size_t b) {
  const double one = all->nodes[a].loss, other = all->nodes[b].loss;
  return one < other || (!(one > other) && a < b);
}

static void swap(size_t *a, size_t *b) {
  const size_t kept = *a;
  *a = *b;
  *b = kept;
}

static void sink(struct combinations *all) {
  size_t *heap = all->heap;
  for (size_t at = 0, child; (child = 2 * at + 1) < all->heap_count; at = child) {
    if (child + 1 < all->heap_count && comes_before(all, heap[child + 1], heap[child])) child++;
    if (!comes_before(all, heap[child], heap[at])) return;
    swap(&heap[at], &heap[child]);
  }
}

static void rise(struct combinations *all) {
  size_t *heap = all->heap;
  for (size_t at = all->heap_count - 1; at > 0 && comes_before(all, heap[at], heap[(at - 1) / 2]);
       at = (at - 1) / 2)
    swap(&heap[at], &heap[(at - 1) / 2]);
}

static elman_status push(struct combinations *all, struct combination_node node,
                         elman_error *error) {
  elman_status status =
      array_grow(&all->nodes, &all->node_capacity, all->node_count + 1, sizeof *all->nodes, error);
  if (status == ELMAN_OK)
    status =
        array_grow(&all->heap, &all->heap_capacity, all->heap_count + 1, sizeof *all->heap, error);
  if (status != ELMAN_OK) return status;
  all->nodes[all->node_count] = node;
  all->heap[all->heap_count++] = all->node_count++;
  rise(all);
  return ELMAN_OK;
}

/* ---- combinations ---- */

static const struct combination_list *list_at(const struct combinations *all, size_t place) {
  return &all->lists[all->gaps[place].sentence];
}

/* Push the combinations that follow from a node; if `from` is NO_NODE, push the first
 * combination. */
static elman_status push_following(struct combinations *all, size_t from, elman_error *error) {
  elman_status status = ELMAN_OK;
  if (from == NO_NODE)
    return all->gap_count == 0
               ? ELMAN_OK
               : push(all, (struct combination_node){all->gaps[0].gap, NO_NODE, 0, 1, FURTHER},
                      error);
  const struct combination_node node = all->nodes[from];
  const struct combination_list *list = list_at(all, node.place);
  if (node.rank + 1 < list->count)
    status = push(all,
                  (struct combination_node){node.loss + gap_below(list, node.rank), from,
                                            node.place, node.rank + 1, DEEPER},
                  error);
  if (status != ELMAN_OK || node.place + 1 == all->gap_count) return status;
  const double gap = all->gaps[node.place + 1].gap;
  status = push(all, (struct combination_node){node.loss + gap, from, node.place + 1, 1, FURTHER},
                error);
  if (status != ELMAN_OK || node.rank > 1) return status;
  return push(all,
              (struct combination_node){node.loss + (gap - all->gaps[node.place].gap), from,
                                        node.place + 1, 1, INSTEAD},
              error);
}

/* Set `chosen` to the translations of a node, or to those with the best scores if `node` is
 * NO_NODE. */
static void choose(const elman_translation **chosen, const struct combinations *all, size_t node) {
  for (size_t i = 0; i < all->count; i++) chosen[i] = all->lists[i].ranked[0];
  for (bool counts = true; node != NO_NODE; node = all->nodes[node].previous) {
    const struct combination_node *one = &all->nodes[node];
    if (counts)
      chosen[all->gaps[one->place].sentence] = list_at(all, one->place)->ranked[one->rank];
    counts = one->step == FURTHER; /* the other steps replace the rank of the previous node */
  }
}

static bool is_first(const struct combinations *all, const elman_translation *const *chosen) {
  for (size_t i = 0; i < all->count; i++)
    if (chosen[i] != all->lists[i].first) return false;
  return true;
}

elman_status combinations_next(const elman_translation **chosen, bool *found,
                               struct combinations *all, elman_error *error) {
  elman_status status = ELMAN_OK;
  *found = true;
  if (!all->begun) {
    all->begun = true;
    for (size_t i = 0; i < all->count; i++) chosen[i] = all->lists[i].first;
    status = push_following(all, NO_NODE, error);
    if (status == ELMAN_OK) choose(chosen, all, NO_NODE);
    all->returns_best = !is_first(all, chosen);
    for (size_t i = 0; i < all->count; i++) chosen[i] = all->lists[i].first;
    return status;
  }
  if (all->returns_best) {
    all->returns_best = false;
    choose(chosen, all, NO_NODE);
    return ELMAN_OK;
  }
  do {
    if (all->heap_count == 0) {
      *found = false;
      return ELMAN_OK;
    }
    const size_t node = all->heap[0];
    all->heap[0] = all->heap[--all->heap_count];
    sink(all);
    status = push_following(all, node, error);
    choose(chosen, all, node);
  } while (status == ELMAN_OK && is_first(all, chosen));
  return status;
}
