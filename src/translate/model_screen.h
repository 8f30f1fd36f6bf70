/* The screen of a model's output layer, by which greedy search finds the likeliest token. */
#ifndef ELMAN_TRANSLATE_MODEL_SCREEN_H
#define ELMAN_TRANSLATE_MODEL_SCREEN_H

#include "elman/translate.h"
#include "model/model.h"
#include "tensor/screen.h"

/* Of `model`, which must not change meanwhile, for greedy search by it alone; NULL for a wider beam
 * and for an ensemble. */
elman_status model_screen_create(struct screen **screen, const struct model *model,
                                 const elman_translate_options *options,
                                 elman_error *error) CHECKED;
void model_screen_free(struct screen *screen);

#endif
