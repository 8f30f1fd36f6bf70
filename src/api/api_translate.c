#include <stdlib.h>

#include "api/call.h"
#include "translate/translator.h"

struct elman_translator {
  struct translator inner;
};

/* The public part comes first, so that a pointer to it is a pointer to the whole. */
struct owned_translation {
  elman_translation outer;
  struct kept_translation kept;
};

elman_status elman_translator_create(elman_translator **translator, const elman_model *model,
                                     elman_error *error) {
  struct error problem = {0};
  *translator = malloc(sizeof **translator);
  if (*translator == NULL) return give(error, fail_no_memory(&problem), &problem);
  translator_create(&(*translator)->inner, inner_model_const(model));
  return ELMAN_OK;
}

void elman_translator_free(elman_translator *translator) {
  if (translator == NULL) return;
  translator_free(&translator->inner);
  free(translator);
}

elman_translate_options elman_translate_options_default(void) {
  return (elman_translate_options){0};
}

static enum status translate(struct owned_translation **out, struct translator *translator,
                             struct text source, const elman_translate_options *options,
                             struct error *error) {
  const struct text reference =
      options->reference == NULL ? (struct text){NULL, 0} : text_of(options->reference);
  enum status status = translator_run(translator, source, reference, options->max_length, error);
  if (status != STATUS_OK) return status;
  struct owned_translation *owned = calloc(1, sizeof *owned);
  if (owned == NULL) return fail_no_memory(error);
  status = translator_keep(&owned->kept, translator, error);
  if (status != STATUS_OK) {
    free(owned);
    return status;
  }
  const struct translation *view = &owned->kept.view;
  owned->outer = (elman_translation){.text = view->text,
                                     .log_probability = view->log_probability,
                                     .source_count = view->source_count,
                                     .target_count = view->target_count,
                                     .source_tokens = view->source_tokens,
                                     .source_known = view->source_known,
                                     .target_tokens = view->target_tokens,
                                     .attention = view->attention};
  *out = owned;
  return STATUS_OK;
}

/* One decoder step's product in the output layer. */
static double output_product(const struct model *model) {
  return 2 * (double)model->config.hidden_size * (double)model->config.target_vocabulary;
}

elman_status elman_translate(elman_translation **translation, elman_translator *translator,
                             const char *text, size_t length,
                             const elman_translate_options *options, elman_error *error) {
  const elman_translate_options defaults = elman_translate_options_default();
  struct owned_translation *owned = NULL;
  struct error problem = {0};
  const struct surroundings before = enter(0, output_product(translator->inner.model));
  const enum status status = translate(&owned, &translator->inner, (struct text){text, length},
                                       options == NULL ? &defaults : options, &problem);
  leave(before);
  *translation = owned == NULL ? NULL : &owned->outer;
  return give(error, status, &problem);
}

void elman_translation_free(elman_translation *translation) {
  if (translation == NULL) return;
  struct owned_translation *owned = (struct owned_translation *)translation;
  arena_free(&owned->kept.arena);
  free(owned);
}
