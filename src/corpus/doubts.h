/* A quick check before training: findings that ruin a model. */
#ifndef ELMAN_CORPUS_DOUBTS_H
#define ELMAN_CORPUS_DOUBTS_H

#include "corpus/pairs.h"
#include "elman/check.h"

/* Check a sample of the pairs against the typical properties of the training pairs, which may be
 * the same. Call `doubt` as described for elman_pairs_doubts. */
elman_status doubts_find(const struct pairs *pairs, const struct pairs *training,
                         elman_doubt_function *doubt, void *context, elman_error *error) CHECKED;

#endif
