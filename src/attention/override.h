/* Interventions: attention weights that are changed while the model decodes, to see whether its
 * translation needs them as they are. */
#ifndef ELMAN_ATTENTION_OVERRIDE_H
#define ELMAN_ATTENTION_OVERRIDE_H

#include "attention/mask.h"
#include "base/random.h"

enum override_kind {
  OVERRIDE_UNIFORM,  /* every visible key has the same weight */
  OVERRIDE_SHUFFLE,  /* the weights of a query change places at random */
  OVERRIDE_POSITION, /* one key has all the weight */
  OVERRIDE_CELL      /* one weight is set, the others of its query keep their proportions */
};

struct override {
  enum override_kind kind;
  size_t row;    /* OVERRIDE_CELL: the query, from 0 */
  size_t column; /* OVERRIDE_CELL and OVERRIDE_POSITION: the key, from 0; with fewer the last one */
  double weight; /* OVERRIDE_CELL: 0 to 1 */
};

/* Applied one after the other, in every head. */
struct attention_overrides {
  const struct override *list;
  size_t count;
  uint64_t seed; /* of the shuffling, which depends on it, the query and the number of keys only */
  size_t first;  /* number of the first query that is run, from 0 */
};

/* Changes the row (S) of query `first` + t. */
void override_apply(real *row, struct visible visible, const struct attention_overrides *overrides,
                    size_t t);

#endif
