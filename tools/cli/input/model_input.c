#include "input/model_input.h"

#include <string.h>
#include <sysexits.h>

#include "console/messages.h"

const char *text_side_name(size_t index) {
  static const char *const names[] = {"source", "target"};
  return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

int model_open(elman_model **model, const char *path) {
  elman_error error;
  if (elman_model_load(model, path, &error) == ELMAN_OK) return EX_OK;
  const int code = report_error(&error);
  if (code == EX_NOINPUT && strcmp(path, DEFAULT_MODEL) == 0)
    tell("'elman train' writes this file; -m FILE names another model");
  return code;
}

int models_check(const struct models *models, const elman_translate_options *options) {
  if (!options->replace_unknown ||
      elman_model_get_info(models->open[0]).target_tokens != ELMAN_TOKENS_BPE)
    return EX_OK;
  report(models->paths.words[0],
         "its target is split by bpe and has no unknown words; leave out --replace-unk");
  return EX_USAGE;
}

int models_open(struct models *models, elman_translate_options *options) {
  struct option_list *paths = &models->paths;
  elman_error error;
  for (size_t i = 0; i < paths->count; i++) {
    const int code = model_open(&models->open[i], paths->words[i]);
    if (code != EX_OK) return code;
    models->count++;
    if (elman_ensemble_check(models->open[0], models->open[i], &error) == ELMAN_OK) continue;
    report(paths->words[i], "differs from %s: %s", paths->words[0], error.message);
    return exit_code_of(error.code);
  }
  const int code = models_check(models, options);
  if (code != EX_OK) return code;
  options->ensemble = (const elman_model *const *)models->open + 1;
  options->ensemble_count = models->count - 1;
  return EX_OK;
}

void models_close(struct models *models) {
  while (models->count > 0) elman_model_free(models->open[--models->count]);
}
