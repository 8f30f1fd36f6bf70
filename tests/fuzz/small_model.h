/* A model of some hundred parameters, and the pairs of its vocabulary. */
#ifndef TESTS_FUZZ_SMALL_MODEL_H
#define TESTS_FUZZ_SMALL_MODEL_H

#include "model/model.h"

/* Return a model with this configuration, except for sizes and vocabularies. It is never freed. */
struct model *small_model(struct model_config config);
elman_pairs *small_pairs(void);

#endif
