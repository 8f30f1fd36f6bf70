/* Batches: several sentence pairs as time-major id arrays with lengths. There is no padding token:
 * what lies past a sentence's length is never read as a token. */
#ifndef ELMAN_CORPUS_BATCH_H
#define ELMAN_CORPUS_BATCH_H

#include <stdint.h>

#include "base/arena.h"
#include "corpus/corpus.h"

/* One side of a batch. */
struct sequence {
  uint32_t *ids;   /* (steps,batch) */
  size_t *lengths; /* (batch), each from 1 to steps */
  size_t steps, batch;
};

struct batch {
  struct sequence source; /* (S,B) */
  struct sequence target; /* (T,B), the decoder's input: <s> w1 .. wn; a length is n + 1 */
  uint32_t *expected;     /* (tokens): w1 .. wn </s> of all sentences, time-major, no padding */
  size_t tokens;          /* real target tokens, </s> included: N of the loss */
  struct arena arena;
};

/* Fills `batch` (all zero at first; its memory is reused) with the pairs `indices` of the corpus.
 */
elman_status batch_fill(struct batch *batch, const struct corpus *corpus, const size_t *indices,
                        size_t count, elman_error *error) CHECKED;
void batch_free(struct batch *batch);

#endif
