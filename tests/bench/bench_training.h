/* Pairs and a new model of their words, for programs that measure training through the public API.
 */
#ifndef ELMAN_TESTS_BENCH_TRAINING_H
#define ELMAN_TESTS_BENCH_TRAINING_H

#include "bench.h"
#include "elman.h"

static inline void bench_check(elman_status status, const elman_error *error) {
  if (status != ELMAN_OK && status != ELMAN_INTERRUPTED) bench_fail(error->message);
}

/* Read pairs and create a model with E = H = `size`. White space separates words, so that all
 * programs use equal tokens. */
static inline elman_model_options bench_shape(const char *size) {
  elman_model_options shape = elman_model_options_default();
  shape.embedding_size = shape.hidden_size = bench_size(size);
  shape.source_tokens = shape.target_tokens = ELMAN_TOKENS_SPACE;
  shape.normalization = ELMAN_NFC;
  return shape;
}

struct bench_training {
  elman_pairs *pairs;
  elman_model *model;
};

static inline struct bench_training bench_training(const char *file,
                                                   const elman_model_options *shape) {
  struct bench_training training;
  elman_error error = {0};
  elman_pairs_options files = elman_pairs_options_default();
  files.files = &file;
  files.file_count = 1;
  bench_check(elman_pairs_read(&training.pairs, &files, &error), &error);
  bench_check(elman_model_create(&training.model, training.pairs, shape, NULL, &error), &error);
  return training;
}

static inline void bench_training_free(struct bench_training *training) {
  elman_model_free(training->model);
  elman_pairs_free(training->pairs);
}

#endif
