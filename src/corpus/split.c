#include "elman/split.h"

#include <math.h>
#include <stdlib.h>

#include "corpus/key.h"
#include "corpus/pairs.h"

struct elman_split {
  uint8_t *parts; /* (count): the elman_part of each pair */
  size_t count;
  elman_split_info info;
};

/* ---- groups ---- */

/* The groups of pairs, as a union-find forest. */
struct groups {
  uint32_t *parents; /* (count): the parent of each pair; a root is its own parent */
  size_t count;
};

/* Create one group per pair. */
static elman_status groups_create(struct groups *groups, size_t count, elman_error *error) {
  *groups = (struct groups){0};
  if (count > UINT32_MAX)
    return fail(error, ELMAN_BAD_DATA, NULL, "more than %zu pairs are not supported",
                (size_t)UINT32_MAX);
  groups->parents = reallocarray(NULL, count + 1, sizeof *groups->parents);
  if (groups->parents == NULL) return fail_no_memory(error);
  groups->count = count;
  for (size_t i = 0; i < count; i++) groups->parents[i] = (uint32_t)i;
  return ELMAN_OK;
}

static void groups_free(struct groups *groups) {
  free(groups->parents);
  *groups = (struct groups){0};
}

/* Return the first member of the group, which represents the group. Path halving makes the cost of
 * a call logarithmic in the number of joins. */
static size_t groups_find(struct groups *groups, size_t member) {
  uint32_t *parents = groups->parents;
  while (parents[member] != member) {
    parents[member] = parents[parents[member]];
    member = parents[member];
  }
  return member;
}

static void groups_join(struct groups *groups, size_t a, size_t b) {
  const size_t root_a = groups_find(groups, a), root_b = groups_find(groups, b);
  /* Attach the later root to the earlier one: a root is then always the first member of its
   * group. */
  if (root_a < root_b)
    groups->parents[root_b] = (uint32_t)root_a;
  else
    groups->parents[root_a] = (uint32_t)root_b;
}

/* ---- forming groups ---- */

static elman_status fill_keys(uint64_t *keys, const elman_pairs *pairs, bool target,
                              elman_error *error) {
  struct buffer key = {0};
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < elman_pairs_count(pairs); i++) {
    const struct pair pair = pairs_get(pairs, i);
    status = key_of(&key, target ? pair.target : pair.source, error);
    if (status == ELMAN_OK) keys[i] = text_hash(buffer_text(&key));
  }
  buffer_free(&key);
  return status;
}

static elman_status join_equal(struct groups *groups, const elman_pairs *pairs,
                               elman_error *error) {
  struct table table = {0};
  uint64_t *keys = reallocarray(NULL, groups->count + 1, sizeof *keys);
  elman_status status = keys == NULL ? fail_no_memory(error) : ELMAN_OK;
  for (int side = 0; status == ELMAN_OK && side < 2; side++) {
    status = table_reset(&table, groups->count, error);
    if (status == ELMAN_OK) status = fill_keys(keys, pairs, side == 1, error);
    for (size_t i = 0, first = 0; status == ELMAN_OK && i < groups->count; i++) {
      status = key_first(&first, &table, keys, i, error);
      groups_join(groups, i, first);
    }
  }
  table_free(&table);
  free(keys);
  return status;
}

/* ---- assigning groups to parts ---- */

struct group {
  uint64_t order; /* random number that orders groups of equal size */
  uint32_t first; /* the pair that represents the group */
  uint32_t size;
};

/* The output function of SplitMix64 (Sebastiano Vigna, public domain). */
static uint64_t scramble(uint64_t bits) {
  bits += 0x9E3779B97F4A7C15u;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
  return bits ^ bits >> 31;
}

/* List the groups at the start of `list` (pairs), which must be all zero. Return their number. */
static size_t list_groups(struct group *list, struct groups *groups, uint64_t seed) {
  size_t count = 0;
  for (size_t i = 0; i < groups->count; i++) list[groups_find(groups, i)].size++;
  for (size_t i = 0; i < groups->count; i++)
    if (list[i].size > 0)
      list[count++] = (struct group){scramble(scramble(seed) ^ i), (uint32_t)i, list[i].size};
  return count;
}

static int compare_groups(const void *a, const void *b) {
  const struct group *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? -1 : 1;
  if (x->order != y->order) return x->order < y->order ? -1 : 1;
  return (x->first > y->first) - (x->first < y->first);
}

/* Among the parts with space for `size` pairs, return the part that lacks the largest proportion of
 * its pairs. */
static elman_part choose_part(const elman_split *split, size_t size) {
  elman_part best = ELMAN_PART_TRAIN;
  double most = 0;
  for (elman_part part = ELMAN_PART_DEV; part < ELMAN_PARTS; part++) {
    const size_t room = split->info.wanted[part] - split->info.pairs[part];
    if (room < size) continue;
    const double lack = (double)room / (double)split->info.wanted[part];
    if (lack > most) {
      most = lack;
      best = part;
    }
  }
  return best;
}

/* Assign a part to the first pair of each group, in ascending order of size. If a group fits into
 * no part, no later group fits. */
static void assign_groups(elman_split *split, const struct group *list) {
  for (size_t i = 0; i < split->info.groups; i++) {
    const elman_part part = choose_part(split, list[i].size);
    split->parts[list[i].first] = (uint8_t)part;
    split->info.pairs[part] += list[i].size;
  }
  split->info.largest = list[split->info.groups - 1].size;
}

static elman_status assign_parts(elman_split *split, struct groups *groups, uint64_t seed,
                                 elman_error *error) {
  struct group *list = calloc(groups->count, sizeof *list);
  if (list == NULL) return fail_no_memory(error);
  split->info.groups = list_groups(list, groups, seed);
  qsort(list, split->info.groups, sizeof *list, compare_groups);
  assign_groups(split, list);
  for (size_t i = 0; i < groups->count; i++) split->parts[i] = split->parts[groups_find(groups, i)];
  free(list);
  return ELMAN_OK;
}

/* ---- sizes ---- */

static size_t size_of(elman_part_size size, size_t count) {
  if (!(size.share > 0)) return size.pairs;
  const double share = size.share < 1 ? size.share : 1;
  const size_t part = (size_t)llround(share * (double)count);
  return part > 0 ? part : 1;
}

static elman_status set_sizes(elman_split *split, const elman_split_options *options,
                              elman_error *error) {
  const size_t dev = size_of(options->dev, split->count);
  const size_t test = size_of(options->test, split->count);
  if (dev >= split->count || test >= split->count - dev)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "dev (%zu) plus test (%zu) must be less than the %zu pair%s of the corpus", dev,
                test, split->count, plural_ending(split->count));
  split->info.wanted[ELMAN_PART_DEV] = dev;
  split->info.wanted[ELMAN_PART_TEST] = test;
  split->info.wanted[ELMAN_PART_TRAIN] = split->count - dev - test;
  return ELMAN_OK;
}

static elman_status check_sizes(const elman_split *split, elman_error *error) {
  for (elman_part part = ELMAN_PART_DEV; part < ELMAN_PARTS; part++)
    if (split->info.wanted[part] > 0 && split->info.pairs[part] == 0)
      return fail(error, ELMAN_BAD_DATA, NULL,
                  "every group of pairs that share a sentence is too large for %s (%zu pair%s "
                  "requested); the largest group has %zu of %zu pairs; request more pairs",
                  part == ELMAN_PART_DEV ? "dev" : "test", split->info.wanted[part],
                  plural_ending(split->info.wanted[part]), split->info.largest, split->count);
  return ELMAN_OK;
}

/* ---- the split ---- */

const char *elman_part_name(elman_part part) {
  static const char *const names[] = {"train", "dev", "test"};
  return (unsigned)part < ELMAN_PARTS ? names[part] : NULL;
}

elman_split_options elman_split_options_default(void) {
  return (elman_split_options){.dev = {.share = 0.05}, .test = {.share = 0.05}, .seed = 1};
}

/* Groups of equal size are in random order. The split depends only on pairs, options and seed. */
elman_status elman_split_create(elman_split **split, const elman_pairs *pairs,
                                const elman_split_options *options, elman_error *error) {
  const elman_split_options defaults = elman_split_options_default();
  struct groups groups = {0};
  if (options == NULL) options = &defaults;
  *split = NULL;
  elman_split *made = calloc(1, sizeof *made);
  if (made == NULL) return fail_no_memory(error);
  made->count = elman_pairs_count(pairs);
  elman_status status = set_sizes(made, options, error);
  if (status == ELMAN_OK) {
    made->parts = calloc(made->count, sizeof *made->parts);
    if (made->parts == NULL) status = fail_no_memory(error);
  }
  if (status == ELMAN_OK) status = groups_create(&groups, made->count, error);
  if (status == ELMAN_OK) status = join_equal(&groups, pairs, error);
  if (status == ELMAN_OK) status = assign_parts(made, &groups, options->seed, error);
  if (status == ELMAN_OK) status = check_sizes(made, error);
  groups_free(&groups);
  if (status == ELMAN_OK)
    *split = made;
  else
    elman_split_free(made);
  return status;
}

void elman_split_free(elman_split *split) {
  if (split == NULL) return;
  free(split->parts);
  free(split);
}

elman_part elman_split_part(const elman_split *split, size_t index) {
  return split->parts[index];
}

elman_split_info elman_split_get_info(const elman_split *split) {
  return split->info;
}
