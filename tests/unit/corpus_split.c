/* Test: text. */
/* Splits have no leak, lose nothing, and repeat with the same seed. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "owned_values.h"

#include "corpus/key.h"
#include "elman/split.h"

static const char *const file_name[] = {"/tmp/elman-split-XXXXXX"};
static char path[sizeof "/tmp/elman-split-XXXXXX"];

/* Read pairs from `text`, one pair per line. */
static elman_pairs *pairs_of(const struct buffer *text) {
  strcpy(path, file_name[0]);
  const int descriptor = mkstemp(path);
  cr_assert_geq(descriptor, 0);
  cr_assert_eq(write(descriptor, text->bytes, text->length), (ssize_t)text->length);
  close(descriptor);
  const char *const files[] = {path};
  const elman_pairs_options options = {
      .files = files, .file_count = 1, .source_column = 1, .target_column = 2, .whole_lines = true};
  elman_pairs *pairs;
  succeeds(elman_pairs_read(&pairs, &options, &why));
  unlink(path);
  return pairs;
}

static uint64_t random_state;

static size_t number_below(size_t bound) {
  random_state = key_hash_pair(random_state, 1);
  return (size_t)(random_state % bound);
}

/* Few distinct sentences in several spellings, so that groups of all sizes occur. */
static elman_pairs *random_pairs(size_t count, size_t sentences) {
  static const char *const spellings[] = {"s%zu", "S%zu.", " s %zu!", "ｓ%zu？"};
  owned_by(buffer_free) struct buffer text = {0};
  char line[128];
  for (size_t i = 0; i < count; i++) {
    for (int side = 0; side < 2; side++) {
      snprintf(line, sizeof line, spellings[number_below(4)], number_below(sentences));
      buffer_append_text(&text, text_of(line));
      buffer_append(&text, "\t", 1);
    }
    snprintf(line, sizeof line, "line %zu\n", i);
    buffer_append_text(&text, text_of(line));
  }
  return pairs_of(&text);
}

static uint64_t hash_of(struct text text) {
  owned_by(buffer_free) struct buffer key = {0};
  cr_assert_eq(key_of(&key, text, NULL), ELMAN_OK);
  return text_hash(buffer_text(&key));
}

/* The groups equal those found by coloring pair by pair, and no group spans two parts. */
static void assert_no_leak(const elman_split *split, const elman_pairs *pairs) {
  const size_t count = elman_pairs_count(pairs);
  uint64_t(*keys)[2] = calloc(count, sizeof *keys);
  size_t *colors = calloc(count, sizeof *colors), groups = 0, largest = 0;
  for (size_t i = 0; i < count; i++) {
    keys[i][0] = hash_of(pairs_get(pairs, i).source);
    keys[i][1] = hash_of(pairs_get(pairs, i).target);
  }
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      cr_assert(elman_split_part(split, i) == elman_split_part(split, j) ||
                    (keys[i][0] != keys[j][0] && keys[i][1] != keys[j][1]),
                "lines %zu and %zu share a side", j, i);
  for (size_t i = 0; i < count; i++) {
    colors[i] = i;
    for (size_t j = 0; j < i; j++) {
      const size_t from = colors[j];
      if (keys[i][0] != keys[j][0] && keys[i][1] != keys[j][1]) continue;
      for (size_t k = 0; k < i; k++)
        if (colors[k] == from) colors[k] = i;
    }
  }
  for (size_t color = 0; color < count; color++) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++) size += colors[i] == color;
    groups += size > 0;
    if (size > largest) largest = size;
  }
  cr_assert_eq(elman_split_get_info(split).groups, groups);
  cr_assert_eq(elman_split_get_info(split).largest, largest);
  free(keys);
  free(colors);
}

static void assert_sizes(const elman_split *split, size_t count) {
  size_t sizes[ELMAN_PARTS] = {0};
  for (size_t i = 0; i < count; i++) sizes[elman_split_part(split, i)]++;
  for (size_t part = 0; part < ELMAN_PARTS; part++)
    cr_assert_eq(sizes[part], elman_split_get_info(split).pairs[part]);
  cr_assert_leq(sizes[ELMAN_PART_DEV], elman_split_get_info(split).wanted[ELMAN_PART_DEV]);
  cr_assert_leq(sizes[ELMAN_PART_TEST], elman_split_get_info(split).wanted[ELMAN_PART_TEST]);
  cr_assert_gt(sizes[ELMAN_PART_TRAIN], 0);
}

/* Return the number of pairs that are in different parts. */
static size_t differences(const elman_split *split, const elman_split *other, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++)
    found += elman_split_part(split, i) != elman_split_part(other, i);
  return found;
}

Test(split, random_corpora_split_without_leaks) {
  size_t made = 0;
  for (random_state = 1; made < 60;) {
    const size_t count = 20 + number_below(120);
    owned_pairs *pairs = random_pairs(count, 40 + number_below(400));
    const elman_split_options options = {
        .dev.pairs = 1 + number_below(8), .test.share = 0.1, .seed = number_below(1000)};
    elman_split *split, *again;
    if (elman_split_create(&split, pairs, &options, NULL) == ELMAN_OK) {
      made++;
      assert_sizes(split, count);
      assert_no_leak(split, pairs);
      cr_assert_eq(elman_split_create(&again, pairs, &options, NULL), ELMAN_OK);
      cr_assert_eq(differences(split, again, count), 0);
      elman_split_free(again);
      elman_split_free(split);
    }
  }
}

static elman_pairs *different_pairs(size_t count) {
  owned_by(buffer_free) struct buffer text = {0};
  char line[64];
  for (size_t i = 0; i < count; i++) {
    snprintf(line, sizeof line, "a%zu\tb%zu\n", i, i);
    buffer_append_text(&text, text_of(line));
  }
  return pairs_of(&text);
}

Test(split, sizes_are_exact_where_groups_are_small) {
  owned_pairs *pairs = different_pairs(1000);
  elman_split *split, *other;
  elman_split_options options = {.dev.pairs = 100, .test.share = 0.025, .seed = 1};
  cr_assert_eq(elman_split_create(&split, pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(elman_split_get_info(split).pairs[ELMAN_PART_DEV], 100);
  cr_assert_eq(elman_split_get_info(split).pairs[ELMAN_PART_TEST], 25);
  cr_assert_eq(elman_split_get_info(split).groups, 1000);
  cr_assert_eq(elman_split_get_info(split).largest, 1);
  options.seed = 2;
  cr_assert_eq(elman_split_create(&other, pairs, &options, NULL), ELMAN_OK);
  cr_assert_gt(differences(split, other, 1000), 0);
  elman_split_free(split);
  elman_split_free(other);
}

Test(split, dev_and_test_may_be_empty) {
  owned_pairs *pairs = different_pairs(10);
  elman_split *split;
  const elman_split_options options = {.dev.share = 0.001};
  cr_assert_eq(elman_split_create(&split, pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(elman_split_get_info(split).pairs[ELMAN_PART_DEV], 1,
               "a fraction above 0 gives at least one pair");
  cr_assert_eq(elman_split_get_info(split).pairs[ELMAN_PART_TEST], 0);
  elman_split_free(split);
}

Test(split, split_must_leave_training_pairs) {
  owned_pairs *pairs = different_pairs(10);
  elman_split *split;
  elman_split_options options = {.dev.pairs = 5, .test.pairs = 5};
  fails(elman_split_create(&split, pairs, &options, &why), ELMAN_INVALID_ARGUMENT, "10 pairs");
  options.dev.pairs = SIZE_MAX;
  cr_assert_eq(elman_split_create(&split, pairs, &options, NULL), ELMAN_INVALID_ARGUMENT);
  options.dev.pairs = 5;
  options.test.pairs = 4;
  cr_assert_eq(elman_split_create(&split, pairs, &options, NULL), ELMAN_OK);
  elman_split_free(split);
}

Test(split, single_group_cannot_be_split) {
  /* A chain: each pair shares a side with the next. */
  owned_by(buffer_free) struct buffer text = {0};
  buffer_append_text(&text, text_of("a\tx\na\ty\nb\ty\nb\tz\nc\tz\n"));
  owned_pairs *pairs = pairs_of(&text);
  elman_split *split;
  const elman_split_options options = {.dev.pairs = 1};
  fails(elman_split_create(&split, pairs, &options, &why), ELMAN_BAD_DATA, "5 of 5 pairs");
}

/* Each pair shares a side with the next in the chain; the file has them in shuffled order. */
Test(split, long_chains_are_fast) {
  enum { PAIRS = 300007, STRIDE = 1009 };
  owned_by(buffer_free) struct buffer text = {0};
  char line[64], whole[64];
  for (size_t i = 0; i < PAIRS; i++) {
    const size_t at = i * STRIDE % PAIRS;
    snprintf(line, sizeof line, "a%zu\tb%zu\n", at / 2, (at + 1) / 2);
    buffer_append_text(&text, text_of(line));
  }
  owned_pairs *pairs = pairs_of(&text);
  elman_split *split;
  const elman_split_options options = {.dev.pairs = 1};
  cr_assert_eq(elman_split_create(&split, pairs, &options, &why), ELMAN_BAD_DATA);
  snprintf(whole, sizeof whole, "%d of %d pairs", PAIRS, PAIRS);
  cr_assert(strstr(why.message, whole) != NULL, "%s", why.message);
}

Test(split, lines_are_copied_unchanged) {
  owned_by(buffer_free) struct buffer text = {0};
  buffer_append_text(&text, text_of("\xEF\xBB\xBF"
                                    "a\tx\t(c) me\t\r\nbad\nb\ty"));
  owned_pairs *pairs = pairs_of(&text);
  cr_assert_eq(elman_pairs_count(pairs), 2);
  cr_assert(strcmp(elman_pairs_line(pairs, 0, NULL), "a\tx\t(c) me\t") == 0);
  cr_assert(strcmp(elman_pairs_line(pairs, 1, NULL), "b\ty") == 0);
  cr_assert(text_equal(pairs_get(pairs, 0).target, text_of("x")));
  cr_assert_eq(pairs_line_number(pairs, 0), 1);
  cr_assert_eq(pairs_line_number(pairs, 1), 3);
}
