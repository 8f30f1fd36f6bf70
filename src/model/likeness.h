/* What models must have in common to work together. */
#ifndef ELMAN_MODEL_LIKENESS_H
#define ELMAN_MODEL_LIKENESS_H

#include "model/model.h"

/* The same text is the same ids to both: splitting, writing and vocabularies of both sides. The
 * first thing in which `other` differs makes it ELMAN_INVALID_ARGUMENT and is named, as "the hidden
 * size is 3 there and 4 here": `first` is there. */
elman_status models_have_same_words(const struct model *first, const struct model *other,
                                    elman_error *error) CHECKED;

/* And their weights have the same places: the whole configuration. */
elman_status models_have_same_shape(const struct model *first, const struct model *other,
                                    elman_error *error) CHECKED;

#endif
