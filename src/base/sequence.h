/* Batches of token ids as the network reads them: time-major arrays with lengths. There is no
 * padding token; entries beyond the length of a sentence are never read as tokens. */
#ifndef ELMAN_BASE_SEQUENCE_H
#define ELMAN_BASE_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* One side of a batch. */
struct sequence {
  uint32_t *ids;   /* (steps,batch) */
  size_t *lengths; /* (batch), each from 1 to steps */
  size_t steps, batch;
  bool *clause_ends; /* (steps,batch): whether a clause ends with this token; source only, else
                        NULL */
};

/* A range of time steps in a sequence, or of entries in a block. */
struct range {
  size_t first, count;
};

/* Alignment links of a batch: the source positions that each target token is trained to attend
 * to. */
struct guide {
  size_t *starts;    /* (T B + 1): sources[starts[t B + b] .. starts[t B + b + 1] - 1] are linked to
                        target position t of sentence b; NULL = no guide */
  uint32_t *sources; /* (links): positions in the source sentence, in increasing order per target */
  size_t links;
  size_t tokens; /* number of target tokens with at least one link; M in the guide loss */
};

/* A batch of sentence pairs. */
struct batch {
  struct sequence source; /* (S,B) */
  struct sequence target; /* (T,B), the decoder's input <s> w1 .. wn, whose length is n + 1 */
  uint32_t *labels; /* (tokens): w1 .. wn </s> of all sentences, time-major, without padding */
  size_t tokens;    /* number of target tokens without padding, </s> and copies included; N in the
                       loss, 2N of (98) with R-Drop */
  struct guide guide;
  size_t copies; /* number of adjacent sentences that are copies of the same pair: 2 with R-Drop,
                    else 1 */
  struct arena arena;
};

#endif
