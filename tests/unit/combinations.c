/* Test: float. */
/* The best combinations of translations, compared with all combinations. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/random.h"
#include "owned_values.h"

#include "translate/combinations.h"

enum { MOST = 5 }; /* sentences, and translations of each */

/* Translations of sentences with random scores. */
struct lists {
  elman_translation items[MOST][MOST];
  elman_translation *firsts[MOST];
  size_t counts[MOST], count;
};

static void fill(struct lists *lists, uint32_t seed, bool sorted) {
  const struct random_stream stream = {seed, 1, 0};
  lists->count = 1 + seed % MOST;
  for (size_t i = 0; i < lists->count; i++) {
    lists->counts[i] = 1 + (size_t)random_below(stream, 1000 + i, MOST);
    lists->firsts[i] = &lists->items[i][0];
    double score = 0;
    for (size_t n = 0; n < lists->counts[i]; n++) {
      const double drawn = random_uniform(stream, i * MOST + n);
      score = sorted ? score - (double)(int)(4 * drawn) / 4 : drawn; /* with equal scores */
      lists->items[i][n] = (elman_translation){
          .score = score, .next = n + 1 < lists->counts[i] ? &lists->items[i][n + 1] : NULL};
    }
  }
}

static int descending(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a < b) - (a > b);
}

/* Write the sums of all combinations, the largest first; return their number. */
static size_t list_sums(double *sums, const struct lists *lists) {
  size_t all = 1;
  for (size_t i = 0; i < lists->count; i++) all *= lists->counts[i];
  for (size_t c = 0; c < all; c++) {
    size_t rest = c;
    sums[c] = 0;
    for (size_t i = 0; i < lists->count; rest /= lists->counts[i], i++)
      sums[c] += lists->items[i][rest % lists->counts[i]].score;
  }
  qsort(sums, all, sizeof *sums, descending);
  return all;
}

/* Return a number of the combination, which no other one has. */
static size_t code_of(const struct lists *lists, const elman_translation *const *chosen) {
  size_t code = 0;
  for (size_t i = 0; i < lists->count; i++)
    code = code * MOST + (size_t)(chosen[i] - lists->items[i]);
  return code;
}

static void check(uint32_t seed, bool sorted) {
  enum { ALL = MOST * MOST * MOST * MOST * MOST };
  static double sums[ALL];
  static bool seen[ALL];
  static struct lists lists;
  const elman_translation *chosen[MOST];
  owned_by(combinations_free) struct combinations all = {0};
  bool found = true;
  memset(seen, 0, sizeof seen);
  fill(&lists, seed, sorted);
  const size_t count = list_sums(sums, &lists);
  cr_assert_eq(combinations_start(&all, lists.firsts, lists.count, NULL), ELMAN_OK);
  double first = 0, last = INFINITY;
  size_t returned = 0;
  for (; combinations_next(chosen, &found, &all, NULL) == ELMAN_OK && found; returned++) {
    double sum = 0;
    const size_t code = code_of(&lists, chosen);
    for (size_t i = 0; i < lists.count; i++) sum += chosen[i]->score;
    cr_assert_not(seen[code], "a combination comes twice");
    seen[code] = true;
    if (returned == 0) {
      for (size_t i = 0; i < lists.count; i++) cr_assert_eq(chosen[i], lists.firsts[i]);
      first = sum;
      continue;
    }
    cr_assert_leq(sum, last + 1e-12);
    last = sum;
    if (sorted) cr_assert_float_eq(sum, sums[returned], 1e-12);
  }
  cr_assert_eq(returned, count);
  if (sorted) cr_assert_float_eq(first, sums[0], 1e-12);
}

Test(combinations, come_by_their_sum_of_scores) {
  for (uint32_t seed = 0; seed < 100; seed++) check(seed, true);
}

/* The first translation of a sentence need not have the best score. */
Test(combinations, begin_with_the_first_translations) {
  for (uint32_t seed = 0; seed < 100; seed++) check(seed, false);
}

/* A list of all combinations would not fit into memory. */
Test(combinations, are_made_only_when_they_are_wanted) {
  enum { SENTENCES = 1000, BEST = 100, EACH = 3 };
  static elman_translation items[SENTENCES][EACH];
  static elman_translation *firsts[SENTENCES];
  static const elman_translation *chosen[SENTENCES];
  owned_by(combinations_free) struct combinations all = {0};
  double last = 1;
  bool found = true;
  for (size_t i = 0; i < SENTENCES; i++) {
    firsts[i] = items[i];
    for (size_t n = 0; n < EACH; n++)
      items[i][n] = (elman_translation){.score = -(double)(n * (i + 1)),
                                        .next = n + 1 < EACH ? &items[i][n + 1] : NULL};
  }
  cr_assert_eq(combinations_start(&all, firsts, SENTENCES, NULL), ELMAN_OK);
  for (size_t k = 0; k < BEST && found; k++) {
    double sum = 0;
    cr_assert_eq(combinations_next(chosen, &found, &all, NULL), ELMAN_OK);
    for (size_t i = 0; i < SENTENCES; i++) sum += chosen[i]->score;
    cr_assert(found && sum <= last);
    last = sum;
  }
  cr_assert_lt(all.node_count, 4 * BEST);
}
