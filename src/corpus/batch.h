/* Batches out of the pairs of a corpus. */
#ifndef ELMAN_CORPUS_BATCH_H
#define ELMAN_CORPUS_BATCH_H

#include "base/sequence.h"
#include "corpus/corpus.h"

/* Fills `batch` (all zero at first; memory is reused) with the pairs `indices` of the corpus. */
elman_status batch_fill(struct batch *batch, const struct corpus *corpus, const size_t *indices,
                        size_t count, elman_error *error) CHECKED;

/* Sentence b of a batch's source, or of another sequence that has these arrays: its ids, 0 after
 * them, and where its clauses end according to `words` (NULL: with the sentence). */
void batch_fill_source(struct sequence *sequence, size_t b, const uint32_t *ids, size_t length,
                       const struct vocabulary *words);

/* The same with `count` pairs of another batch, from `first` on, and the steps that they need. */
elman_status batch_slice(struct batch *batch, const struct batch *whole, size_t first, size_t count,
                         elman_error *error) CHECKED;
void batch_free(struct batch *batch);

#endif
