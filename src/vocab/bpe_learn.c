#include "vocab/bpe_learn.h"

#include <stdlib.h>
#include <string.h>

#include "vocab/characters.h"

/* A pair of adjacent symbols in words. */
struct symbol_pair {
  uint32_t left, right;
  int64_t count;
  int64_t queued;   /* the count in its only valid heap entry; 0 = it has none */
  uint32_t *places; /* words that contain or contained the pair; may have duplicates */
  size_t place_count, place_capacity;
};

/* A heap entry. It may be outdated: when it is popped and the count of its pair is lower, the entry
 * is corrected. */
struct entry {
  int64_t count;
  uint32_t pair;
};

struct learner {
  struct merges *merges; /* the result, which also stores the symbols */
  const struct word_table *words;
  uint32_t *units;   /* symbols of all words, one word after another */
  size_t *starts;    /* (words): index of the first symbol of a word */
  uint32_t *lengths; /* (words): current number of symbols */
  struct symbol_pair *pairs;
  size_t pair_count, pair_capacity;
  struct table index; /* finds pairs by their symbols */
  struct entry *heap;
  size_t heap_count, heap_capacity;
  uint32_t *risen; /* pairs that became more frequent in this step */
  size_t risen_count, risen_capacity;
  elman_error *error;
};

/* ---- the words ---- */

static elman_status add_word_units(struct learner *learner, size_t *count, struct text word,
                                   struct buffer *last) {
  elman_status status = ELMAN_OK;
  for (size_t at = 0, end; status == ELMAN_OK && at < word.length; at = end) {
    struct text character = {word.bytes + at, 0};
    end = at;
    character_at(word, &end);
    character.length = end - at;
    if (end == word.length) {
      buffer_clear(last);
      buffer_append_text(last, character);
      buffer_append_text(last, text_of(END_OF_WORD));
      if (last->failed) return fail_no_memory(learner->error);
      character = buffer_text(last);
    }
    status = merges_intern(&learner->units[(*count)++], learner->merges, character, learner->error);
  }
  return status;
}

/* Fill `units`, `starts` and `lengths`. A word has at most as many symbols as bytes. */
static elman_status fill_words(struct learner *learner) {
  const struct word_table *words = learner->words;
  struct buffer last = {0};
  size_t count = 0;
  elman_status status = ELMAN_OK;
  learner->units = reallocarray(NULL, words->bytes.length + 1, sizeof *learner->units);
  learner->starts = reallocarray(NULL, words->count + 1, sizeof *learner->starts);
  learner->lengths = reallocarray(NULL, words->count + 1, sizeof *learner->lengths);
  if (learner->units == NULL || learner->starts == NULL || learner->lengths == NULL)
    return fail_no_memory(learner->error);
  for (size_t w = 0; status == ELMAN_OK && w < words->count; w++) {
    const struct text word = word_text(words, w);
    if (word.length > UINT32_MAX)
      status =
          fail(learner->error, ELMAN_BAD_DATA, NULL, "a word has more than %u bytes", UINT32_MAX);
    learner->starts[w] = count;
    if (status == ELMAN_OK) status = add_word_units(learner, &count, word, &last);
    learner->lengths[w] = (uint32_t)(count - learner->starts[w]);
  }
  buffer_free(&last);
  return status;
}

/* ---- the pairs ---- */

static bool is_pair(const void *items, size_t index, const void *key) {
  const struct symbol_pair *pair = (const struct symbol_pair *)items + index, *wanted = key;
  return pair->left == wanted->left && pair->right == wanted->right;
}

static elman_status find_pair(struct learner *learner, uint32_t *index, uint32_t left,
                              uint32_t right) {
  const struct symbol_pair key = {.left = left, .right = right};
  const uint64_t hash = symbols_hash(left, right);
  *index = table_find(&learner->index, hash, is_pair, learner->pairs, &key);
  if (*index != TABLE_NONE) return ELMAN_OK;
  elman_status status = array_grow(&learner->pairs, &learner->pair_capacity,
                                   learner->pair_count + 1, sizeof key, learner->error);
  if (status == ELMAN_OK)
    status = table_add(&learner->index, hash, learner->pair_count, learner->error);
  if (status != ELMAN_OK) return status;
  *index = (uint32_t)learner->pair_count;
  learner->pairs[learner->pair_count++] = key;
  return ELMAN_OK;
}

static int64_t count_of(const struct learner *learner, uint32_t word) {
  return (int64_t)learner->words->words[word].count;
}

/* Add the count of `word` to a pair. Append the word to the list of the pair unless it is the last
 * entry. */
static elman_status increase_pair(struct learner *learner, uint32_t left, uint32_t right,
                                  uint32_t word) {
  uint32_t index;
  elman_status status = find_pair(learner, &index, left, right);
  if (status != ELMAN_OK) return status;
  struct symbol_pair *pair = &learner->pairs[index];
  pair->count += count_of(learner, word);
  status = array_grow(&learner->risen, &learner->risen_capacity, learner->risen_count + 1,
                      sizeof *learner->risen, learner->error);
  if (status != ELMAN_OK) return status;
  if (learner->risen_count == 0 || learner->risen[learner->risen_count - 1] != index)
    learner->risen[learner->risen_count++] = index;
  if (pair->place_count > 0 && pair->places[pair->place_count - 1] == word) return ELMAN_OK;
  status = array_grow(&pair->places, &pair->place_capacity, pair->place_count + 1,
                      sizeof *pair->places, learner->error);
  if (status == ELMAN_OK) pair->places[pair->place_count++] = word;
  return status;
}

static elman_status decrease_pair(struct learner *learner, uint32_t left, uint32_t right,
                                  uint32_t word) {
  uint32_t index;
  const elman_status status = find_pair(learner, &index, left, right);
  if (status == ELMAN_OK) learner->pairs[index].count -= count_of(learner, word);
  return status;
}

/* ---- the heap ---- */

/* Compare symbols by code points, which is the byte order of UTF-8. */
static int compare_symbols(const struct learner *learner, uint32_t a, uint32_t b) {
  const struct text x = merges_text(learner->merges, a), y = merges_text(learner->merges, b);
  const int order = memcmp(x.bytes, y.bytes, x.length < y.length ? x.length : y.length);
  return order != 0 ? order : (x.length > y.length) - (x.length < y.length);
}

static bool comes_before(const struct learner *learner, struct entry a, struct entry b) {
  if (a.count != b.count) return a.count > b.count;
  const struct symbol_pair *x = &learner->pairs[a.pair], *y = &learner->pairs[b.pair];
  const int order = compare_symbols(learner, x->left, y->left);
  return order != 0 ? order > 0 : compare_symbols(learner, x->right, y->right) > 0;
}

static elman_status push(struct learner *learner, uint32_t index) {
  struct symbol_pair *pair = &learner->pairs[index];
  const elman_status status =
      array_grow(&learner->heap, &learner->heap_capacity, learner->heap_count + 1,
                 sizeof *learner->heap, learner->error);
  if (status != ELMAN_OK) return status;
  const struct entry entry = {pair->count, index};
  size_t at = learner->heap_count++;
  for (size_t above; at > 0 && comes_before(learner, entry, learner->heap[above = (at - 1) / 2]);
       at = above)
    learner->heap[at] = learner->heap[above];
  learner->heap[at] = entry;
  pair->queued = pair->count;
  return ELMAN_OK;
}

static struct entry pop(struct learner *learner) {
  struct entry *heap = learner->heap;
  const struct entry first = heap[0], last = heap[--learner->heap_count];
  size_t at = 0;
  for (size_t below; (below = 2 * at + 1) < learner->heap_count; at = below) {
    if (below + 1 < learner->heap_count && comes_before(learner, heap[below + 1], heap[below]))
      below++;
    if (!comes_before(learner, heap[below], last)) break;
    heap[at] = heap[below];
  }
  heap[at] = last;
  return first;
}

static elman_status push_risen(struct learner *learner) {
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < learner->risen_count; i++) {
    const struct symbol_pair *pair = &learner->pairs[learner->risen[i]];
    if (pair->count > pair->queued && pair->count >= LEAST_PAIR_COUNT)
      status = push(learner, learner->risen[i]);
  }
  learner->risen_count = 0;
  return status;
}

/* Set *best to the most frequent pair, or TABLE_NONE. */
static elman_status find_best(struct learner *learner, uint32_t *best) {
  *best = TABLE_NONE;
  while (*best == TABLE_NONE && learner->heap_count > 0) {
    const struct entry entry = pop(learner);
    struct symbol_pair *pair = &learner->pairs[entry.pair];
    if (entry.count != pair->queued) continue;
    pair->queued = 0;
    if (pair->count == entry.count) {
      *best = entry.pair;
    } else if (pair->count >= LEAST_PAIR_COUNT) {
      const elman_status status = push(learner, entry.pair);
      if (status != ELMAN_OK) return status;
    }
  }
  return ELMAN_OK;
}

/* ---- steps ---- */

static elman_status count_pairs(struct learner *learner) {
  elman_status status = ELMAN_OK;
  for (size_t w = 0; w < learner->words->count; w++) {
    const uint32_t *units = learner->units + learner->starts[w];
    for (uint32_t i = 0; status == ELMAN_OK && i + 1 < learner->lengths[w]; i++)
      status = increase_pair(learner, units[i], units[i + 1], (uint32_t)w);
    if (status != ELMAN_OK) return status;
  }
  return push_risen(learner);
}

/* Apply the merge in one word, from left to right: replace its left and right symbols by its
 * result. */
static elman_status merge_in_word(struct learner *learner, uint32_t word, struct merge merge) {
  uint32_t *units = learner->units + learner->starts[word];
  const uint32_t length = learner->lengths[word];
  uint32_t kept = 0;
  elman_status status = ELMAN_OK;
  for (uint32_t i = 0; status == ELMAN_OK && i < length; i++) {
    if (i + 1 == length || units[i] != merge.left || units[i + 1] != merge.right) {
      units[kept++] = units[i];
      continue;
    }
    i++;
    if (kept > 0) {
      status = decrease_pair(learner, units[kept - 1], merge.left, word);
      if (status == ELMAN_OK) status = increase_pair(learner, units[kept - 1], merge.result, word);
    }
    if (status == ELMAN_OK && i + 1 < length) {
      status = decrease_pair(learner, merge.right, units[i + 1], word);
      if (status == ELMAN_OK) status = increase_pair(learner, merge.result, units[i + 1], word);
    }
    units[kept++] = merge.result;
  }
  learner->lengths[word] = kept;
  return status;
}

static elman_status merge_pair(struct learner *learner, uint32_t index, uint32_t result) {
  /* Copy the pair, because adding pairs moves the array. */
  const struct symbol_pair pair = learner->pairs[index];
  const struct merge merge = {pair.left, pair.right, result};
  learner->pairs[index].places = NULL;
  learner->pairs[index].place_count = learner->pairs[index].place_capacity = 0;
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < pair.place_count; i++)
    status = merge_in_word(learner, pair.places[i], merge);
  free(pair.places);
  /* No occurrence is left. Set the count to 0, because overlapping occurrences ("aaa") were also
   * counted. */
  learner->pairs[index].count = 0;
  return status == ELMAN_OK ? push_risen(learner) : status;
}

static elman_status step(struct learner *learner, uint32_t best) {
  struct merges *merges = learner->merges;
  const struct text left = merges_text(merges, learner->pairs[best].left);
  const struct text right = merges_text(merges, learner->pairs[best].right);
  const elman_status status = merges_add(merges, left, right, learner->error);
  return status == ELMAN_OK ? merge_pair(learner, best, merges->items[merges->count - 1].result)
                            : status;
}

static void learner_free(struct learner *learner) {
  free(learner->units);
  free(learner->starts);
  free(learner->lengths);
  for (size_t i = 0; i < learner->pair_count; i++) free(learner->pairs[i].places);
  free(learner->pairs);
  table_free(&learner->index);
  free(learner->heap);
  free(learner->risen);
}

elman_status bpe_learn(struct merges *merges, const struct word_table *words, size_t most,
                       elman_error *error) {
  struct learner learner = {.merges = merges, .words = words, .error = error};
  uint32_t best = TABLE_NONE;
  elman_status status = fill_words(&learner);
  if (status == ELMAN_OK) status = count_pairs(&learner);
  while (status == ELMAN_OK && merges->count < most) {
    status = find_best(&learner, &best);
    if (status != ELMAN_OK || best == TABLE_NONE) break;
    status = step(&learner, best);
  }
  learner_free(&learner);
  if (status != ELMAN_OK) merges_clear(merges);
  return status;
}
