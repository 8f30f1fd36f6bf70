/* Batches of pairs of a corpus. */
#ifndef ELMAN_CORPUS_BATCH_H
#define ELMAN_CORPUS_BATCH_H

#include "base/sequence.h"
#include "corpus/corpus.h"

/* Fill `batch` with the pairs `indices` of the corpus. Before the first call, the caller
 * initializes `batch` to zero; later calls reuse its memory. */
elman_status batch_fill(struct batch *batch, const struct corpus *corpus, const size_t *indices,
                        size_t count, elman_error *error) CHECKED;

/* As batch_fill, with `copies` adjacent sentences for each pair. */
elman_status batch_fill_copies(struct batch *batch, const struct corpus *corpus,
                               const size_t *indices, size_t count, size_t copies,
                               elman_error *error) CHECKED;

/* Fill sentence b of `sequence`, which has all arrays of a source. Set its ids, padded with 0. Set
 * its clause ends according to `words`; if `words` is NULL, the sentence is one clause. */
void batch_fill_source(struct sequence *sequence, size_t b, const uint32_t *ids, size_t length,
                       const struct vocabulary *words);

/* Fill `batch` with `count` sentences of the batch `whole`, starting with sentence `first`: all
 * copies of some pairs. The slice has only as many steps as these sentences need. */
elman_status batch_slice(struct batch *batch, const struct batch *whole, size_t first, size_t count,
                         elman_error *error) CHECKED;
void batch_free(struct batch *batch);

#endif
