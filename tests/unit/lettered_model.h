/* A small model whose words are letters. */
#ifndef ELMAN_TESTS_LETTERED_MODEL_H
#define ELMAN_TESTS_LETTERED_MODEL_H

#include "check.h"

#include <stdio.h>

#include "model/model.h"
#include "tensor/blas_kernels.h"

/* Make a vocabulary of the side's special words, then `letters` words: a to z, a1 to z1, and so
 * on. */
static inline struct vocabulary *lettered_vocabulary(elman_side side, size_t letters) {
  enum { MOST = 64, ALPHABET = 26 };
  static const char *const specials[] = {"<unk>", "<s>", "</s>"};
  const uint64_t counts[MOST + 3] = {0};
  const size_t special_count = side == ELMAN_SOURCE ? 1 : 3;
  owned_by(tokens_free) struct tokens tokens = {0};
  cr_assert_leq(letters, MOST);
  for (size_t i = 0; i < special_count; i++)
    cr_assert_eq(tokens_add(&tokens, text_of(specials[i]), NULL), ELMAN_OK);
  for (size_t i = 0; i < letters; i++) {
    char word[32] = {(char)('a' + i % ALPHABET)};
    if (i >= ALPHABET) snprintf(word + 1, sizeof word - 1, "%zu", i / ALPHABET);
    cr_assert_eq(tokens_add(&tokens, text_of(word), NULL), ELMAN_OK);
  }
  struct vocabulary *vocabulary;
  cr_assert_eq(vocabulary_from_list(&vocabulary, &tokens, counts, side, NULL), ELMAN_OK);
  return vocabulary;
}

/* Make a model with the initial weights of seed 1. */
static inline struct model *lettered_model(struct model_config config, size_t source_letters,
                                           size_t target_letters) {
  struct vocabulary_pair vocabularies = {
      .source_mode = ELMAN_TOKENS_SPACE,
      .target_mode = ELMAN_TOKENS_SPACE,
      .source = lettered_vocabulary(ELMAN_SOURCE, source_letters),
      .target = lettered_vocabulary(ELMAN_TARGET, target_letters)};
  struct model *model;
  config.min_count = 1; /* the least value that a model file may contain */
  blas_set_up();
  cr_assert_eq(model_create(&model, vocabularies, config, NULL), ELMAN_OK);
  succeeds(parameters_initialize(model->block, &model->table, INITIAL_PYTORCH, 1, &why));
  return model;
}

#endif
