#include "vocab/bpe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "vocab/characters.h"

/* A symbol of the word: at first a character each. One that was merged into its left neighbour is
 * gone. */
struct bpe_node {
  size_t end; /* byte behind it */
  uint32_t symbol;
  uint32_t next, previous; /* NO_NODE at the ends */
  bool gone;
};
#define NO_NODE UINT32_MAX

/* A merge at the node that would be its left part. It is out of date once one of both was merged:
 * a symbol that was merged is longer, so that it is another. */
struct bpe_candidate {
  uint32_t rank, node;
};

/* ---- queues ---- */

static bool comes_before(struct bpe_candidate a, struct bpe_candidate b) {
  return a.rank != b.rank ? a.rank < b.rank : a.node < b.node;
}

static elman_status append(struct bpe_queue *list, struct bpe_candidate candidate,
                           elman_error *error) {
  const elman_status status =
      array_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items, error);
  if (status == ELMAN_OK) list->items[list->count++] = candidate;
  return status;
}

static elman_status push(struct bpe_queue *heap, struct bpe_candidate candidate,
                         elman_error *error) {
  const elman_status status = append(heap, candidate, error);
  if (status != ELMAN_OK) return status;
  size_t at = heap->count - 1;
  for (size_t above; at > 0 && comes_before(candidate, heap->items[above = (at - 1) / 2]);
       at = above)
    heap->items[at] = heap->items[above];
  heap->items[at] = candidate;
  return ELMAN_OK;
}

static struct bpe_candidate pop(struct bpe_queue *heap) {
  const struct bpe_candidate first = heap->items[0], last = heap->items[--heap->count];
  size_t at = 0;
  for (size_t below; (below = 2 * at + 1) < heap->count; at = below) {
    if (below + 1 < heap->count && comes_before(heap->items[below + 1], heap->items[below]))
      below++;
    if (!comes_before(heap->items[below], last)) break;
    heap->items[at] = heap->items[below];
  }
  heap->items[at] = last;
  return first;
}

/* ---- steps ---- */

struct work {
  struct bpe_split *split;
  const struct merges *merges;
  struct bpe_dropout *dropout;
  elman_error *error;
};

static elman_status fill_nodes(struct work *work, size_t *count, struct text word) {
  struct bpe_split *split = work->split;
  *count = 0;
  for (size_t at = 0; at < word.length; ++*count) {
    if (*count == NO_NODE)
      return fail(work->error, ELMAN_BAD_DATA, NULL, "a word has more than %u characters", NO_NODE);
    const elman_status status = array_grow(&split->nodes, &split->node_capacity, *count + 1,
                                           sizeof *split->nodes, work->error);
    if (status != ELMAN_OK) return status;
    const size_t start = at;
    character_at(word, &at);
    const struct text character = {word.bytes + start, at - start};
    const bool ends = at == word.length;
    split->nodes[*count] =
        (struct bpe_node){.end = at,
                          .symbol = merges_symbol(work->merges, character, ends),
                          .next = ends ? NO_NODE : (uint32_t)*count + 1,
                          .previous = *count == 0 ? NO_NODE : (uint32_t)*count - 1};
  }
  return ELMAN_OK;
}

/* What can be merged at a node, if anything, goes to a queue. */
static elman_status offer(struct work *work, struct bpe_queue *list, uint32_t node) {
  const struct bpe_node *nodes = work->split->nodes;
  if (node == NO_NODE || nodes[node].next == NO_NODE) return ELMAN_OK;
  const uint32_t rank =
      merges_rank(work->merges, nodes[node].symbol, nodes[nodes[node].next].symbol);
  if (rank == TABLE_NONE) return ELMAN_OK;
  const struct bpe_candidate candidate = {rank, node};
  return list == &work->split->queue ? push(list, candidate, work->error)
                                     : append(list, candidate, work->error);
}

static bool is_current(const struct work *work, struct bpe_candidate candidate) {
  const struct bpe_node *node = &work->split->nodes[candidate.node];
  const struct merge *merge = &work->merges->items[candidate.rank];
  return !node->gone && node->symbol == merge->left && node->next != NO_NODE &&
         work->split->nodes[node->next].symbol == merge->right;
}

static bool is_dropped(struct bpe_dropout *dropout) {
  uint32_t words[4];
  if (dropout == NULL) return false;
  const uint64_t decision = dropout->next++;
  random_words(words, dropout->stream, decision / 4);
  return (double)words[decision % 4] < dropout->share * 0x1p32;
}

/* Takes the candidates of the lowest rank out of the queue, without those that are dropped at this
 * step. They come from left to right. */
static elman_status choose(struct work *work) {
  struct bpe_split *split = work->split;
  split->now.count = split->later.count = 0;
  while (split->queue.count > 0) {
    if (split->now.count > 0 && split->queue.items[0].rank != split->now.items[0].rank) break;
    const struct bpe_candidate candidate = pop(&split->queue);
    if (!is_current(work, candidate)) continue;
    struct bpe_queue *to = is_dropped(work->dropout) ? &split->later : &split->now;
    const elman_status status = append(to, candidate, work->error);
    if (status != ELMAN_OK) return status;
  }
  return ELMAN_OK;
}

/* Of overlapping ones ("aa" in "aaa") the left one is merged. */
static elman_status merge_chosen(struct work *work) {
  struct bpe_split *split = work->split;
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < split->now.count; i++) {
    if (!is_current(work, split->now.items[i])) continue;
    const uint32_t left = split->now.items[i].node, right = split->nodes[left].next;
    struct bpe_node *node = &split->nodes[left], *gone = &split->nodes[right];
    node->symbol = work->merges->items[split->now.items[i].rank].result;
    node->end = gone->end;
    node->next = gone->next;
    gone->gone = true;
    if (node->next != NO_NODE) split->nodes[node->next].previous = left;
    status = offer(work, &split->later, node->previous);
    if (status == ELMAN_OK) status = offer(work, &split->later, left);
  }
  /* What came of this step must not be merged in it. */
  for (size_t i = 0; status == ELMAN_OK && i < split->later.count; i++)
    status = push(&split->queue, split->later.items[i], work->error);
  return status;
}

static elman_status read_parts(struct work *work) {
  struct bpe_split *split = work->split;
  split->count = 0;
  for (uint32_t node = 0; node != NO_NODE; node = split->nodes[node].next) {
    const elman_status status = array_grow(&split->parts, &split->capacity, split->count + 1,
                                           sizeof *split->parts, work->error);
    if (status != ELMAN_OK) return status;
    split->parts[split->count++] =
        (struct bpe_part){split->nodes[node].end, split->nodes[node].symbol};
  }
  return ELMAN_OK;
}

static elman_status split_word(struct bpe_split *split, struct text word,
                               struct bpe_dropout *dropout, elman_error *error) {
  struct work work = {split, split->merges, dropout, error};
  size_t count;
  split->queue.count = 0;
  elman_status status = fill_nodes(&work, &count, word);
  for (size_t i = 0; status == ELMAN_OK && i + 1 < count; i++)
    status = offer(&work, &split->queue, (uint32_t)i);
  while (status == ELMAN_OK && split->queue.count > 0) {
    status = choose(&work);
    if (status != ELMAN_OK || split->now.count == 0) break; /* all that is left was dropped */
    status = merge_chosen(&work);
  }
  return status == ELMAN_OK ? read_parts(&work) : status;
}

/* ---- words that come again ---- */

enum { SLOTS = 2048, LONGEST_REMEMBERED = 32, MOST_PARTS = 8 };

/* Few words are most of a text. Each has one place, by its hash, which the last one that was split
 * takes. */
struct bpe_memory {
  struct remembered_word {
    char word[LONGEST_REMEMBERED];
    size_t length; /* 0 = free */
    struct bpe_part parts[MOST_PARTS];
    size_t count;
  } slots[SLOTS];
};

static elman_status recall(struct bpe_split *split, const struct remembered_word *slot,
                           elman_error *error) {
  const elman_status status =
      array_grow(&split->parts, &split->capacity, slot->count, sizeof *split->parts, error);
  if (status != ELMAN_OK) return status;
  memcpy(split->parts, slot->parts, slot->count * sizeof *split->parts);
  split->count = slot->count;
  return ELMAN_OK;
}

static void remember(struct remembered_word *slot, const struct bpe_split *split,
                     struct text word) {
  if (split->count > MOST_PARTS) return;
  memcpy(slot->word, word.bytes, word.length);
  slot->length = word.length;
  memcpy(slot->parts, split->parts, split->count * sizeof *split->parts);
  slot->count = split->count;
}

elman_status bpe_split(struct bpe_split *split, const struct merges *merges, struct text word,
                       struct bpe_dropout *dropout, elman_error *error) {
  assert(word.length > 0 && (split->merges == NULL || split->merges == merges));
  split->merges = merges;
  if (dropout != NULL || word.length > LONGEST_REMEMBERED)
    return split_word(split, word, dropout, error);
  if (split->remembered == NULL) split->remembered = calloc(1, sizeof *split->remembered);
  if (split->remembered == NULL) return fail_no_memory(error);
  struct remembered_word *slot =
      &split->remembered->slots[hash_bytes(HASH_START, word.bytes, word.length) % SLOTS];
  if (slot->length == word.length && memcmp(slot->word, word.bytes, word.length) == 0)
    return recall(split, slot, error);
  const elman_status status = split_word(split, word, NULL, error);
  if (status == ELMAN_OK) remember(slot, split, word);
  return status;
}

void bpe_split_free(struct bpe_split *split) {
  free(split->remembered);
  free(split->parts);
  free(split->nodes);
  free(split->queue.items);
  free(split->now.items);
  free(split->later.items);
  *split = (struct bpe_split){0};
}
