/* Read pairs in every format, and check and split the corpus. */
#include <string.h>

#include "corpus/alignment.h"
#include "corpus/check.h"
#include "corpus/pairs.h"
#include "elman/metric.h"
#include "elman/split.h"
#include "fuzz.h"

static void require_text(struct text text) {
  REQUIRE(text_valid_prefix(text) == text.length);
  REQUIRE(text.length == 0 || memchr(text.bytes, '\n', text.length) == NULL);
}

static void note_skipped(void *context, const char *file, size_t line, elman_finding fault,
                         const char *problem) {
  size_t *count = context;
  (void)fault;
  REQUIRE(file[0] != '\0' && line > 0 && problem[0] != '\0');
  ++*count;
}

static void look_at(const elman_pairs *pairs) {
  for (size_t i = 0; i < elman_pairs_count(pairs); i++) {
    const struct pair pair = pairs_get(pairs, i);
    require_text(pair.source);
    require_text(pair.target);
    require_text(pair.alignment);
    REQUIRE(pair.source.length > 0 && pair.target.length > 0);
    struct text rest = pair.alignment;
    struct word_link link;
    while (alignment_next(&link, &rest)) continue;
    const char *const line = elman_pairs_line(pairs, i, NULL);
    if (line != NULL) require_text(text_of(line));
  }
}

static void split(const elman_pairs *pairs, uint64_t seed) {
  const elman_split_options options = {.dev = {.share = 0.2}, .test = {.pairs = 1}, .seed = seed};
  elman_split *split;
  if (elman_split_create(&split, pairs, &options, NULL) != ELMAN_OK) return;
  const elman_split_info info = elman_split_get_info(split);
  REQUIRE(info.pairs[0] + info.pairs[1] + info.pairs[2] == elman_pairs_count(pairs));
  REQUIRE(info.pairs[ELMAN_PART_DEV] <= info.wanted[ELMAN_PART_DEV]);
  elman_split_free(split);
}

static void check(const elman_pairs_options *pairs) {
  const elman_pairs_options parts[] = {*pairs, *pairs};
  const elman_check_options options = {.parts = parts,
                                       .part_count = 2,
                                       .source_tokens = ELMAN_TOKENS_AUTO,
                                       .target_tokens = ELMAN_TOKENS_AUTO,
                                       .max_length = 20,
                                       .max_ratio = 2,
                                       .examples = 3};
  elman_check *findings;
  if (elman_check_create(&findings, &options, NULL) == ELMAN_OK) elman_check_free(findings);
}

bool fuzz_one(const uint8_t *bytes, size_t size) {
  const uint8_t choice = fuzz_take_byte(&bytes, &size);
  const char *const file = fuzz_file(bytes, size);
  size_t skipped = 0;
  elman_pairs_options options = {.files = &file,
                                 .file_count = 1,
                                 .source_column = choice & 1 ? 2 : 1,
                                 .target_column = choice & 1 ? 1 : 2,
                                 .alignment_column = choice & 2 ? 3 : 0,
                                 .strict = choice & 4,
                                 .whole_lines = (choice & 10) == 8,
                                 .skipped = note_skipped,
                                 .context = &skipped};
  if (choice & 16) {
    options.files = NULL;
    options.file_count = 0;
    options.source_file = options.target_file = file;
    options.alignment_column = 0;
  }
  elman_lines *lines;
  if (elman_lines_read(&lines, file, NULL) == ELMAN_OK) {
    for (size_t i = 0; i < elman_lines_count(lines); i++)
      require_text(text_of(elman_lines_get(lines)[i]));
    elman_lines_free(lines);
  }
  elman_error error = {.message = ""};
  elman_pairs *pairs;
  const elman_status status = elman_pairs_read(&pairs, &options, &error);
  if (status != ELMAN_OK) {
    REQUIRE(status == ELMAN_BAD_DATA && error.message[0] != '\0');
    return false;
  }
  REQUIRE(elman_pairs_count(pairs) > 0 && elman_pairs_skipped(pairs) == skipped);
  look_at(pairs);
  split(pairs, choice);
  elman_pairs_free(pairs);
  if (choice & 32) check(&options);
  return true;
}
