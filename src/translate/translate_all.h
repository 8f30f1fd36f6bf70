/* Any number of sentences, in batches that threads share out among themselves. */
#ifndef ELMAN_TRANSLATE_TRANSLATE_ALL_H
#define ELMAN_TRANSLATE_TRANSLATE_ALL_H

#include "translate/translator.h"

/* One sentence's translation, or why there is none. Start from all zero. */
struct outcome {
  struct kept_translation kept;
  elman_status status; /* ELMAN_OK or ELMAN_BAD_DATA */
  elman_error error;   /* of the latter */
};

/* outcomes[i] is that of sources[i]. When it fails there are none. `screen` as in search_run. */
elman_status translate_all(struct outcome *outcomes, const struct model *model,
                           const struct screen *screen, const struct text *sources, size_t count,
                           const struct translate_options *options, elman_error *error) CHECKED;

#endif
