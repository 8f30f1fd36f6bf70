/* What the API hands out: a translation with what attention saw, in memory of its own. */
#ifndef ELMAN_TRANSLATE_TRANSLATION_H
#define ELMAN_TRANSLATE_TRANSLATION_H

#include "translate/translator.h"

/* The translations of item i, whose status is ELMAN_OK, the best first; an empty one if it has no
 * tokens. The sentence must still be there. */
elman_status translation_take(elman_translation **translation, struct translator *translator,
                              size_t i, elman_error *error) CHECKED;
void translation_free(elman_translation *translation);

#endif
