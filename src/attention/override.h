/* Interventions: attention weights that are changed while the model decodes, to see whether its
 * translation needs them as they are. */
#ifndef ELMAN_ATTENTION_OVERRIDE_H
#define ELMAN_ATTENTION_OVERRIDE_H

#include "attention/mask.h"
#include "base/random.h"
#include "elman/translate.h"

/* Applied one after the other, in every head. */
struct attention_overrides {
  const elman_override *list;
  size_t count;
  uint64_t seed; /* of the shuffling, which depends on it, the query and the number of keys only */
  size_t first;  /* number of the first query that is run, from 0 */
};

/* Changes the row (S) of query `first` + t. */
void override_apply(real *row, struct visible visible, const struct attention_overrides *overrides,
                    size_t t);

#endif
