/* Any number of sentences, in batches that threads share out among themselves. */
#ifndef ELMAN_TRANSLATE_TRANSLATE_ALL_H
#define ELMAN_TRANSLATE_TRANSLATE_ALL_H

#include "translate/translator.h"

/* Looks at what came of sentence `number`, which is item i of the translator. Several threads call
 * it at once, each for other sentences. An error ends the work. */
typedef elman_status translate_take(void *context, size_t number, struct translator *translator,
                                    size_t i, elman_error *error);

struct translate_job {
  const struct model *model;
  const struct screen *screen; /* as in search_run */
  const elman_sentence *sentences;
  size_t count, batch_size;
  const elman_translate_options *options;
  translate_take *take;
  void *context;
  /* After each sentence, one at a time; false stops. May be NULL. */
  bool (*progress)(void *context, size_t done, size_t total);
  void *progress_context;
};

elman_status translate_all(const struct translate_job *job, elman_error *error) CHECKED;

#endif
