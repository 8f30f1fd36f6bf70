/* The output layer while it learns: logits, loss and gradients in one go. docs/bptt.md, equations 9
 * to 14; docs/performance.md, 47.
 *
 * A block of rows is worked on in tiles of the vocabulary, which stay in the second-level cache:
 * product, bias and exponentials of a tile go together, and so do, once the sums of all tiles are
 * known, its gradient and the two products backward. Sizes of tiles depend on the shape alone, and
 * so do the bits of all results. */
#ifndef ELMAN_DECODER_OUTPUT_LEARN_H
#define ELMAN_DECODER_OUTPUT_LEARN_H

#include "base/arena.h"
#include "decoder/output.h"
#include "tensor/cross_entropy.h"

struct output_tiles {
  size_t width; /* columns of all but the last */
  size_t count;
  size_t groups; /* of tiles one after the other; each sums its own share of the features' gradient,
                    and threads share out the groups */
};

struct output_scratch {
  struct output_tiles tiles;
  struct softmax_part *parts; /* (tiles,rows of a block) */
  real *features;             /* (groups - 1,rows,F): all sums but the first */
};

struct output_tiles output_tiles_of(size_t rows, struct decoder_sizes sizes);

void output_scratch_take(struct output_scratch *scratch, struct arena *arena, size_t rows,
                         struct decoder_sizes sizes);

/* The losses; adds the gradient of the mean loss to those of the weights and gives that of the
 * features, dfeatures (N,F), overwritten. Nothing of use stays in the logits. */
void output_learn(const struct decoder_parameters *gradients, real *dfeatures,
                  const struct output_scratch *scratch, const struct output_pass *pass);

#endif
