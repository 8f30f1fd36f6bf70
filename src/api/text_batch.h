/* Sentence pairs given as text to a batch of ids, and a model's numbers as the network in double
 * takes them. */
#ifndef ELMAN_API_TEXT_BATCH_H
#define ELMAN_API_TEXT_BATCH_H

#include "corpus/batch.h"
#include "model/model.h"

struct text_batch {
  struct encoding source, target; /* of the last pair */
  struct corpus corpus;
  struct batch batch;
};

/* A pair with a side that is empty, not UTF-8 or too long is ELMAN_BAD_DATA. text_batch_free works
 * also after a failure. */
elman_status text_batch_fill(struct text_batch *texts, const struct model *model,
                             const char *const *sources, const char *const *targets, size_t count,
                             elman_error *error) CHECKED;
void text_batch_free(struct text_batch *texts);

/* tensors[i] becomes the numbers of row i of the model's table. */
void model_tensors(const float *tensors[MAX_PARAMETERS], const struct model *model);

/* Multiplications in the largest product of a pass, which is the output layer's. */
double network_product(const struct model *model, const struct batch *batch);

#endif
