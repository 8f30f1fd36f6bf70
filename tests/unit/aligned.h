/* A small model and the aligned pairs that it was trained on. The model has not learned all of them
 * well. Uses the test's folder. */
#ifndef ELMAN_TESTS_ALIGNED_H
#define ELMAN_TESTS_ALIGNED_H

#include "config_of.h"
#include "folder.h"
#include "pairs_of.h"
#include "tensor/blas_kernels.h"
#include "whole_run.h"

enum { ALIGNED_PAIRS = 61, ALIGNED_LINKED = 40 }; /* all pairs, and pairs with an alignment */

/* Write pairs of one to twelve words per side, with the target words in source order. Every third
 * pair has no alignment. */
static inline elman_pairs *aligned_pairs(void) {
  FILE *file = fopen("aligned", "wb");
  cr_assert_not_null(file);
  for (unsigned i = 0; i < ALIGNED_PAIRS; i++) {
    const unsigned words = 1 + i * i % 12;
    for (unsigned w = 0; w < words; w++)
      fprintf(file, "%s%c", w == 0 ? "" : " ", 'a' + (i / 3 + w * w * i) % 9);
    for (unsigned w = 0; w < words; w++)
      fprintf(file, "%s%c", w == 0 ? "\t" : " ", 'A' + (i / 3 + w * w * i) % 9);
    for (unsigned w = 0; w < words && i % 3 > 0; w++)
      fprintf(file, "%s%u-%u", w == 0 ? "\t" : " ", w, w);
    fprintf(file, i % 3 > 0 ? "\n" : "\t\n");
  }
  cr_assert_eq(fclose(file), 0);
  return pairs_in("aligned", 3);
}

static inline struct model *model_of_pairs(const elman_pairs *pairs) {
  const struct vocabulary_options options = {.source_mode = ELMAN_TOKENS_SPACE,
                                             .target_mode = ELMAN_TOKENS_SPACE,
                                             .min_count = 1,
                                             .max_length = 50};
  const struct model_config config = config_of(0, 0, 8, 12);
  struct vocabulary_pair vocabularies = {0};
  struct model *model;
  blas_set_up();
  cr_assert_eq(corpus_vocabularies(&vocabularies, pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(model_create(&model, vocabularies, config, NULL), ELMAN_OK);
  succeeds(parameters_initialize(model->block, &model->table, INITIAL_PYTORCH, 1, &why));
  return model;
}

static inline void learn(struct model *model, const elman_pairs *pairs, size_t epochs) {
  const elman_train_options options = {
      .epochs = epochs, .batch_size = 8, .learning_rate = 0.01, .shards = 1, .seed = 1};
  owned_by(corpus_free) struct corpus corpus =
      encoded(pairs, model_source_codec(model), model_target_codec(model), 50);
  cr_assert_eq(trainer_run(model, &corpus, &options, NULL), ELMAN_OK);
}

#endif
