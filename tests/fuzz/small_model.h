/* A model of some hundred weights, and the pairs that it is made for. */
#ifndef TESTS_FUZZ_SMALL_MODEL_H
#define TESTS_FUZZ_SMALL_MODEL_H

#include "model/model.h"

/* Sizes and vocabularies are filled in. Lives until the process ends. */
struct model *small_model(struct model_config config);
struct pairs *small_pairs(void);

#endif
