/* A program that uses elman as an installed package: it trains, saves, loads and translates.
 * Usage: stranger PAIRS.tsv MODEL TEXT */
#include <elman.h>
#include <stdio.h>
#include <string.h>

static elman_error error;

static int failed(const char *what) {
  fprintf(stderr, "%s: %s: %s\n", what, error.where, error.message);
  return 1;
}

static int train(const char *file, const char *path) {
  elman_pairs_options files = elman_pairs_options_default();
  files.files = &file;
  files.file_count = 1;
  elman_pairs *pairs;
  if (elman_pairs_read(&pairs, &files, &error) != ELMAN_OK) return failed("read");

  elman_model_options sizes = elman_model_options_default();
  sizes.embedding_size = sizes.hidden_size = 16;
  elman_train_options options = elman_train_options_default();
  options.epochs = 200;
  options.learning_rate = 0.01;
  elman_model *model = NULL;
  int result = 0;
  if (elman_model_create(&model, pairs, &sizes, NULL, &error) != ELMAN_OK)
    result = failed("create");
  if (result == 0 && elman_train(model, pairs, &options, &error) != ELMAN_OK)
    result = failed("train");
  if (result == 0 && elman_model_save(model, path, &error) != ELMAN_OK) result = failed("save");
  elman_model_free(model);
  elman_pairs_free(pairs);
  return result;
}

static int translate(const char *path, const char *text) {
  elman_model *model;
  if (elman_model_load(&model, path, &error) != ELMAN_OK) return failed("load");
  elman_translator *translator = NULL;
  elman_translation *translation = NULL;
  int result = 0;
  if (elman_translator_create(&translator, model, &error) != ELMAN_OK ||
      elman_translate(&translation, translator, text, strlen(text), NULL, &error) != ELMAN_OK)
    result = failed("translate");
  if (result == 0) puts(translation->text);
  elman_translation_free(translation);
  elman_translator_free(translator);
  elman_model_free(model);
  return result;
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  return train(argv[1], argv[2]) != 0 || translate(argv[2], argv[3]) != 0;
}
