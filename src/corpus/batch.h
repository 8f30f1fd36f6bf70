/* Batches out of the pairs of a corpus. */
#ifndef ELMAN_CORPUS_BATCH_H
#define ELMAN_CORPUS_BATCH_H

#include "base/sequence.h"
#include "corpus/corpus.h"

/* Fills `batch` (all zero at first; memory is reused) with the pairs `indices` of the corpus. */
elman_status batch_fill(struct batch *batch, const struct corpus *corpus, const size_t *indices,
                        size_t count, elman_error *error) CHECKED;

/* The same with `count` pairs of another batch, from `first` on, and the steps that they need. */
elman_status batch_slice(struct batch *batch, const struct batch *whole, size_t first, size_t count,
                         elman_error *error) CHECKED;
void batch_free(struct batch *batch);

#endif
