/* Shared by the tests of the public API, which see it as a stranger does (elman.h and nothing else
 * of the project): a folder for each, a toy corpus, a small model. */
#ifndef ELMAN_TESTS_API_H
#define ELMAN_TESTS_API_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elman.h"
#include "folder.h"

TestSuite(api, .init = enter_folder, .fini = leave_folder);

static const char MODEL[] = "model.safetensors";

/* ---- shorthands ---- */

static const char *data_file(const char *name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/../data/%s", getenv("TEST_DATA"), name);
  return path;
}

static inline elman_pairs *read_pairs(const char *file) {
  elman_pairs_options options = elman_pairs_options_default();
  elman_error error = {0};
  elman_pairs *pairs;
  options.files = &file;
  options.file_count = 1;
  cr_assert_eq(elman_pairs_read(&pairs, &options, &error), ELMAN_OK, "%s", error.message);
  return pairs;
}

static inline elman_pairs *toy(void) {
  return read_pairs(data_file("toy.zh-en.tsv"));
}

static inline elman_model *create(const elman_pairs *pairs, const elman_model_options *options) {
  elman_error error = {0};
  elman_model *model;
  cr_assert_eq(elman_model_create(&model, pairs, options, &error), ELMAN_OK, "%s", error.message);
  return model;
}

/* A model of toy size with its initial weights. */
static inline elman_model *small_model(void) {
  elman_pairs *pairs = toy();
  elman_model_options options = elman_model_options_default();
  options.embedding_size = 12;
  options.hidden_size = 16;
  elman_model *model = create(pairs, &options);
  elman_pairs_free(pairs);
  return model;
}

static inline elman_translator *translator_of(const elman_model *model) {
  elman_translator *translator;
  cr_assert_eq(elman_translator_create(&translator, model, NULL), ELMAN_OK);
  return translator;
}

static inline elman_translation *translate(elman_translator *translator, const char *text,
                                           const elman_translate_options *options) {
  elman_error error = {0};
  elman_translation *translation;
  cr_assert_eq(elman_translate(&translation, translator, text, strlen(text), options, &error),
               ELMAN_OK, "%s", error.message);
  return translation;
}

static inline void put(const char *name, const char *content) {
  put_bytes(name, content, strlen(content));
}

/* An error says something, in one line, and has the code that was returned. */
static inline void check_error(elman_status status, const elman_error *error, elman_status expected,
                               const char *message, const char *where) {
  cr_assert_eq(status, expected, "status %d: %s", status, error->message);
  cr_assert_eq(error->code, expected);
  cr_assert_not_null(strstr(error->message, message), "\"%s\" lacks \"%s\"", error->message,
                     message);
  cr_assert_null(strchr(error->message, '\n'));
  cr_assert_str_eq(error->where, where);
}

struct seen {
  size_t updates, stop_after; /* 0 = never */
  elman_train_report last;
};

static inline bool look(void *context, const elman_train_report *report) {
  struct seen *seen = context;
  seen->last = *report;
  return ++seen->updates != seen->stop_after;
}

static inline void check_translation(const elman_translation *translation) {
  for (size_t t = 0; t < translation->target_count; t++) {
    double sum = 0;
    for (size_t s = 0; s < translation->source_count; s++)
      sum += (double)translation->attention[t * translation->source_count + s];
    cr_assert_float_eq(sum, 1, 1e-5);
  }
  cr_assert(isfinite(translation->log_probability));
  cr_assert_leq(translation->log_probability, 0);
}

/* Trains the toy pairs as far as 30 epochs go, and takes everything else along the way. */

#endif
