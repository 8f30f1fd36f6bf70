/* Token ids as the network reads them: time-major arrays with lengths. There is no padding token:
 * what lies past a sentence's length is never read as a token. */
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
  bool *clause_ends; /* (steps,batch): a clause ends with this token; NULL but of a source */
};

/* Successive steps of a sequence, or numbers of a block. */
struct range {
  size_t first, count;
};

/* Which source tokens the attention of each target token is to learn to look at. */
struct guide {
  size_t *starts;    /* (T B + 1): those of target position t in sentence b are the sources from
                        starts[t B + b] up to the next start; NULL = no guide */
  uint32_t *sources; /* (links): positions in the sentence, rising and each once */
  size_t links;
  size_t tokens; /* target tokens that have any: M of the guide's loss */
};

/* Several sentence pairs. */
struct batch {
  struct sequence source; /* (S,B) */
  struct sequence target; /* (T,B), the decoder's input: <s> w1 .. wn; a length is n + 1 */
  uint32_t *labels;       /* (tokens): w1 .. wn </s> of all sentences, time-major, no padding */
  size_t tokens;          /* real target tokens, </s> included: N of the loss */
  struct guide guide;
  struct arena arena;
};

#endif
