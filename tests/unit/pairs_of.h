/* Sentence pairs from files and from text, their vocabularies, and corpora of their ids. */
#ifndef ELMAN_TESTS_PAIRS_OF_H
#define ELMAN_TESTS_PAIRS_OF_H

#include <criterion/criterion.h>
#include <unistd.h>

#include "corpus/corpus.h"
#include "corpus/pairs.h"
#include "owned_values.h"
#include "vocab/codec.h"

/* Read pairs from a file; column 0 means that it has no alignments. */
static inline elman_pairs *pairs_in(const char *file, size_t alignment_column) {
  const elman_pairs_options options = {.files = &file,
                                       .file_count = 1,
                                       .source_column = 1,
                                       .target_column = 2,
                                       .alignment_column = alignment_column,
                                       .strict = true};
  elman_pairs *pairs;
  succeeds(elman_pairs_read(&pairs, &options, &why));
  return pairs;
}

/* Read pairs from text, one per line. */
static inline elman_pairs *aligned_pairs_of(const char *text, size_t alignment_column) {
  char name[] = "/tmp/elman-pairs-XXXXXX";
  const int descriptor = mkstemp(name);
  cr_assert_geq(descriptor, 0);
  cr_assert_eq(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
  close(descriptor);
  elman_pairs *pairs = pairs_in(name, alignment_column);
  unlink(name);
  return pairs;
}

static inline elman_pairs *pairs_of(const char *text) {
  return aligned_pairs_of(text, 0);
}

/* Convert pairs to ids; pairs with more than `max_length` tokens on a side are left out. */
static inline struct corpus encoded(const elman_pairs *pairs, struct codec source,
                                    struct codec target, size_t max_length) {
  struct corpus corpus;
  const struct encoding_options options = {.max_length = max_length};
  cr_assert_eq(corpus_encode(&corpus, pairs, &source, &target, &options, NULL), ELMAN_OK);
  return corpus;
}

#endif
