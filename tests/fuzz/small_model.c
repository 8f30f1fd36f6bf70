#include "small_model.h"

#include "fuzz.h"
#include "tensor/blas_kernels.h"

elman_pairs *small_pairs(void) {
  static const char text[] = "我 爱 学习\tI love it\n他 喝 茶\tHe, too\n她 喝\tShe does\n我\tI\n";
  const char *const file = fuzz_file(text, sizeof text - 1);
  const elman_pairs_options options = {
      .files = &file, .file_count = 1, .source_column = 1, .target_column = 2};
  elman_pairs *pairs;
  REQUIRE(elman_pairs_read(&pairs, &options, NULL) == ELMAN_OK);
  return pairs;
}

struct model *small_model(struct model_config config) {
  const struct vocabulary_options options = {
      .source_mode = ELMAN_TOKENS_AUTO, .target_mode = ELMAN_TOKENS_AUTO, .min_count = 1};
  struct vocabulary_pair vocabularies;
  struct model *model;
  elman_pairs *pairs = small_pairs();
  blas_set_up();
  config.embedding_size = 4;
  config.hidden_size = 4;
  config.min_count = 1;
  REQUIRE(corpus_vocabularies(&vocabularies, pairs, &options, NULL) == ELMAN_OK);
  REQUIRE(model_create(&model, vocabularies, config, NULL) == ELMAN_OK);
  REQUIRE(parameters_initialize(model->block, &model->table, INITIAL_PYTORCH, 1, NULL) == ELMAN_OK);
  elman_pairs_free(pairs);
  return model;
}
