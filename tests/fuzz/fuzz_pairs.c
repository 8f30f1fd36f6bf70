/* Read pairs in every format, and check and split the corpus. */
#include <string.h>

#include "corpus/alignment.h"
#include "corpus/check.h"
#include "corpus/pairs.h"
#include "corpus/split.h"
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

static void look_at(const struct pairs *pairs) {
  for (size_t i = 0; i < pairs_count(pairs); i++) {
    const struct pair pair = pairs_get(pairs, i);
    require_text(pair.source);
    require_text(pair.target);
    require_text(pair.alignment);
    REQUIRE(pair.source.length > 0 && pair.target.length > 0);
    struct text rest = pair.alignment;
    struct link link;
    while (alignment_next(&link, &rest)) continue;
    require_text(pairs_line(pairs, i));
  }
}

static void split(const struct pairs *pairs, uint64_t seed) {
  const elman_split_options options = {{.share = 0.2}, {.pairs = 1}, seed};
  elman_split split;
  if (split_create(&split, pairs, &options, NULL) != ELMAN_OK) return;
  REQUIRE(split.count == pairs_count(pairs));
  REQUIRE(split.info.pairs[ELMAN_PART_DEV] <= split.info.wanted[ELMAN_PART_DEV]);
  split_free(&split);
}

static void check(const elman_pairs_options *pairs) {
  const elman_pairs_options parts[] = {*pairs, *pairs};
  const elman_check_options options = {parts, 2, ELMAN_TOKENS_AUTO, ELMAN_TOKENS_AUTO, 20, 2, 3};
  struct findings *findings;
  if (check_corpus(&findings, &options, NULL) == ELMAN_OK) findings_free(findings);
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
  struct line_file lines;
  if (line_file_read(&lines, file, NULL) == ELMAN_OK) {
    for (size_t i = 0; i < lines.count; i++) require_text(text_of(lines.lines[i]));
    line_file_free(&lines);
  }
  elman_error error = {.message = ""};
  struct pairs *pairs;
  const elman_status status = pairs_read(&pairs, &options, &error);
  if (status != ELMAN_OK) {
    REQUIRE(status == ELMAN_BAD_DATA && error.message[0] != '\0');
    return false;
  }
  REQUIRE(pairs_count(pairs) > 0 && pairs_skipped_count(pairs) == skipped);
  look_at(pairs);
  split(pairs, choice);
  pairs_free(pairs);
  if (choice & 32) check(&options);
  return true;
}
