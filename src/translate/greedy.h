/* Greedy search without the logits: which token is the likeliest, a screen tells; how likely it is,
 * the output layer tells later, for many steps at once, if anybody wants to know. */
#ifndef ELMAN_TRANSLATE_GREEDY_H
#define ELMAN_TRANSLATE_GREEDY_H

#include "decoder/decoder.h"
#include "tensor/screen.h"
#include "translate/beam.h"

/* A row whose features wait for their logits. */
struct waiting_token {
  size_t sentence;
  size_t node; /* of the pool */
  uint32_t id;
};

struct greedy {
  bool active;                 /* otherwise the decoder gives logits */
  bool scores;                 /* wanted */
  const struct screen *screen; /* NULL: all sentences are forced */
  struct screen_scratch scratch;
  size_t *chosen;               /* (R) */
  real *features;               /* (K,F) */
  real *logits;                 /* (K,V) */
  struct waiting_token *tokens; /* (K) */
  size_t count, most;           /* of K rows */
};

/* K, for R rows at a step: products of fewer rows spend their time on reading the weights. */
size_t greedy_capacity(const struct greedy *greedy, size_t rows);

/* Takes over the features and logits (K rows) of the decoder, which has been given its memory. */
void greedy_take(struct greedy *greedy, struct arena *arena, struct decoder_cache *decoder,
                 size_t rows);

/* Before each step of the decoder, of R rows at most: sees to its place for the features. */
void greedy_before_step(struct greedy *greedy, struct decoder_cache *decoder, struct beam *beams,
                        const struct decoder_parameters *weights, struct decoder_sizes sizes,
                        size_t rows);

/* After it: chooses for the rows in use, whose features the decoder gave. */
void greedy_after_step(struct greedy *greedy, const struct decoder_cache *decoder, size_t rows);

/* Grows the hypothesis of a sentence, whose row in use has the number `row`. */
elman_status greedy_grow(struct greedy *greedy, struct beam *beams, size_t sentence, size_t row,
                         const real *weights, size_t stride, elman_error *error) CHECKED;

/* Gives all sentences their probabilities and scores; NaN if nobody wants them. */
void greedy_finish(struct greedy *greedy, struct beam *beams, size_t count,
                   const struct decoder_parameters *weights, struct decoder_sizes sizes);

#endif
