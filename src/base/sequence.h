/* Token ids as the network reads them: time-major arrays with lengths. There is no padding token:
 * what lies past a sentence's length is never read as a token. */
#ifndef ELMAN_BASE_SEQUENCE_H
#define ELMAN_BASE_SEQUENCE_H

#include <stdint.h>

#include "base/arena.h"

/* One side of a batch. */
struct sequence {
  uint32_t *ids;   /* (steps,batch) */
  size_t *lengths; /* (batch), each from 1 to steps */
  size_t steps, batch;
};

/* Successive steps of a sequence, or numbers of a block. */
struct range {
  size_t first, count;
};

/* Several sentence pairs. */
struct batch {
  struct sequence source; /* (S,B) */
  struct sequence target; /* (T,B), the decoder's input: <s> w1 .. wn; a length is n + 1 */
  uint32_t *labels;       /* (tokens): w1 .. wn </s> of all sentences, time-major, no padding */
  size_t tokens;          /* real target tokens, </s> included: N of the loss */
  struct arena arena;
};

#endif
