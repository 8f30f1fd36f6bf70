/* Batches of pairs of a corpus. */
#ifndef ELMAN_CORPUS_BATCH_H
#define ELMAN_CORPUS_BATCH_H

#include "base/sequence.h"
#include "corpus/corpus.h"

/* Fill `batch` with the pairs `indices` of the corpus. `batch` starts as all zero; its memory is
 * reused. */
elman_status batch_fill(struct batch *batch, const struct corpus *corpus, const size_t *indices,
                        size_t count, elman_error *error) CHECKED;

/* Fill sentence b of the source of a batch, or of another sequence with these arrays: its ids,
 * padded with 0, and the clause ends according to `words` (NULL: only the end of the sentence). */
void batch_fill_source(struct sequence *sequence, size_t b, const uint32_t *ids, size_t length,
                       const struct vocabulary *words);

/* Fill `batch` with `count` pairs of the batch `whole`, from `first` on, with as many steps as they
 * need. */
elman_status batch_slice(struct batch *batch, const struct batch *whole, size_t first, size_t count,
                         elman_error *error) CHECKED;
void batch_free(struct batch *batch);

#endif
