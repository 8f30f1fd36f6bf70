/* The mean of models, and the properties that they must share. */
#include "model/ensemble.h"

#include "model_file.h"

/* Save a model whose weights depend on the seed, under that name. */
static struct model *seeded(const char *path, uint64_t seed, uint64_t updates) {
  struct model *model = make_model();
  succeeds(parameters_initialize(model->block, &model->table, INITIAL_PYTORCH, seed, &why));
  model->past.history.updates = updates;
  cr_assert_eq(model_save(model, path, NULL), ELMAN_OK);
  model_free(model);
  cr_assert_eq(model_load(&model, path, NULL), ELMAN_OK); /* as float */
  return model;
}

Test(model_file, mean_averages_each_weight) {
  const char *const paths[] = {"a", "b", "c"};
  struct model *models[3], *average;
  for (size_t i = 0; i < 3; i++) models[i] = seeded(paths[i], i + 1, 0);
  cr_assert_eq(model_average(&average, paths, 3, NULL), ELMAN_OK);
  for (size_t i = 0; i < average->table.block; i++) {
    const double sum =
        (double)models[0]->block[i] + (double)models[1]->block[i] + (double)models[2]->block[i];
    cr_assert_eq(average->block[i], (real)(sum / 3));
  }
  model_free(average);
  for (size_t i = 0; i < 3; i++) model_free(models[i]);
}

Test(model_file, mean_of_equal_models_is_that_model) {
  const char *const paths[] = {"a", "a", "a"};
  struct model *average;
  model_free(seeded("a", 5, 0));
  for (size_t count = 1; count <= 3; count++) {
    cr_assert_eq(model_average(&average, paths, count, NULL), ELMAN_OK);
    cr_assert_eq(model_save(average, "mean", NULL), ELMAN_OK);
    model_free(average);
    size_t length, mean_length;
    owned char *bytes = get_bytes("a", &length), *mean = get_bytes("mean", &mean_length);
    cr_assert_eq(length, mean_length);
    cr_assert_arr_eq(bytes, mean, length);
  }
}

Test(model_file, mean_has_the_longest_history) {
  const char *const paths[] = {"a", "b", "c"};
  const uint64_t updates[] = {10, 30, 20};
  owned_model *average;
  for (size_t i = 0; i < 3; i++) model_free(seeded(paths[i], i + 1, updates[i]));
  cr_assert_eq(model_average(&average, paths, 3, NULL), ELMAN_OK);
  cr_assert_eq(average->past.history.updates, 30);
}

Test(model_file, no_models_and_unreadable_models_are_rejected) {
  const char *const paths[] = {"a", "nowhere"};
  struct model *average = (struct model *)&average;
  cr_assert_eq(model_average(&average, paths, 0, &why), ELMAN_INVALID_ARGUMENT);
  cr_assert_null(average);
  model_free(seeded("a", 1, 0));
  cr_assert_eq(model_average(&average, paths, 2, &why), ELMAN_NO_INPUT);
  cr_assert_null(average);
  cr_assert_str_eq(why.where, "nowhere");
}

/* ---- required similarity ---- */

static struct model *model_of(const char *const *target, size_t words,
                              const struct model_config *config) {
  static const char *const source[] = {"<unk>", "x"};
  struct vocabulary_pair vocabularies = {.source_mode = ELMAN_TOKENS_SPACE,
                                         .target_mode = config->target_tokens,
                                         .source_normalization = config->source_normalization,
                                         .target_normalization = ELMAN_NFKC,
                                         .source = vocabulary_of(source, squares, 2, ELMAN_SOURCE),
                                         .target =
                                             vocabulary_of(target, squares, words, ELMAN_TARGET)};
  struct model *model;
  cr_assert_eq(model_create(&model, vocabularies, *config, NULL), ELMAN_OK);
  return model;
}

static void check_differ(const struct model *first, struct model *other, bool words,
                         const char *message) {
  elman_status status = models_have_same_shape(first, other, &why);
  cr_assert_eq(status, ELMAN_INVALID_ARGUMENT, "%s", message);
  cr_assert_not_null(strstr(why.message, message), "%s", why.message);
  status = models_have_same_words(first, other, &why);
  cr_assert_eq(status, words ? ELMAN_INVALID_ARGUMENT : ELMAN_OK, "%s", message);
  cr_assert(!words || strstr(why.message, message) != NULL, "%s", why.message);
  model_free(other);
}

Test(model_file, differences_are_reported) {
  static const char *const target[] = {"<unk>", "<s>", "</s>", "a", "b"};
  static const char *const another[] = {"<unk>", "<s>", "</s>", "a", "c"};
  const struct model_config config = {.embedding_size = E,
                                      .hidden_size = H,
                                      .layers = 1,
                                      .attention = "scaled",
                                      .target_tokens = ELMAN_TOKENS_WORDS};
  struct model_config other = config;
  owned_model *first = model_of(target, 5, &config), *equal = model_of(target, 5, &config);
  cr_assert_eq(models_have_same_shape(first, equal, NULL), ELMAN_OK);
  other.hidden_size = 2 * H;
  check_differ(first, model_of(target, 5, &other), false, "hidden size: expected 2, got 4");
  other = config;
  other.attention = "dot";
  check_differ(first, model_of(target, 5, &other), false, "attention: expected scaled, got dot");
  other = config;
  other.bidirectional = true;
  check_differ(first, model_of(target, 5, &other), false,
               "bidirectional encoder: expected off, got on");
  other = config;
  other.target_tokens = ELMAN_TOKENS_CHARS;
  check_differ(first, model_of(target, 5, &other), true,
               "target tokenization: expected words, got chars");
  other = config;
  other.source_normalization = ELMAN_NFKC_WIDE;
  check_differ(first, model_of(target, 5, &other), true,
               "source normalization: expected nfc, got nfkc-wide");
  check_differ(first, model_of(target, 4, &config), true,
               "target vocabulary size: expected 5, got 4");
  check_differ(first, model_of(another, 5, &config), true,
               "token 4 of the target vocabulary: expected \"b\", got \"c\"");
}
