/* The toy corpus and small models for it, through the public API. */
#ifndef ELMAN_TESTS_TOY_H
#define ELMAN_TESTS_TOY_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "owned_public.h"

static inline const char *data_file(const char *name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/../data/%s", getenv("TEST_DATA"), name);
  return path;
}

/* Read pairs from a file; column 0 means that it has no alignments. */
static inline elman_pairs *read_aligned_pairs(const char *file, size_t alignment_column) {
  elman_pairs_options options = elman_pairs_options_default();
  elman_pairs *pairs;
  options.files = &file;
  options.file_count = 1;
  options.alignment_column = alignment_column;
  succeeds(elman_pairs_read(&pairs, &options, &why));
  return pairs;
}

static inline elman_pairs *read_pairs(const char *file) {
  return read_aligned_pairs(file, 0);
}

static inline elman_pairs *toy(void) {
  return read_pairs(data_file("toy.zh-en.tsv"));
}

static inline elman_model *create(const elman_pairs *pairs, const elman_model_options *options) {
  elman_model *model;
  succeeds(elman_model_create(&model, pairs, options, NULL, &why));
  return model;
}

/* Make a model of toy size with its initial weights. */
static inline elman_model *small_model(void) {
  owned_pairs *pairs = toy();
  elman_model_options options = elman_model_options_default();
  options.embedding_size = 12;
  options.hidden_size = 16;
  return create(pairs, &options);
}

static inline void train_epochs(elman_model *model, const elman_pairs *pairs, size_t epochs) {
  elman_train_options options = elman_train_options_default();
  options.epochs = epochs;
  succeeds(elman_train(model, pairs, &options, &why));
}

static inline elman_translator *translator_of(const elman_model *model) {
  elman_translator *translator;
  cr_assert_eq(elman_translator_create(&translator, model, NULL), ELMAN_OK);
  return translator;
}

static inline elman_translation *translate(elman_translator *translator, const char *text,
                                           const elman_translate_options *options) {
  elman_translation *translation;
  succeeds(elman_translate(&translation, translator, text, strlen(text), options, &why));
  return translation;
}

#endif
