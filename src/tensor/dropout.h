/* Inverted dropout (Srivastava et al., JMLR 15, 2014): the values that are kept are scaled by
 * 1/(1-p), so that translation needs no scaling. */
#ifndef ELMAN_TENSOR_DROPOUT_H
#define ELMAN_TENSOR_DROPOUT_H

#include "base/random.h"
#include "tensor/real.h"

/* One dropout site in one update. The mask is a function of stream and position, so the backward
 * pass computes it again instead of storing it. */
struct dropout {
  double probability; /* 0 = keep all values */
  struct random_stream stream;
};

/* Dropout of a network: of units between its layers, and of attention weights. */
struct dropouts {
  struct dropout units, attention;
};

/* Return the random stream for one part of a batch in one update. `part` is below 4096; an
 * undivided batch is part 0. */
struct random_stream dropout_stream(uint64_t seed, uint64_t update, size_t part);

/* Return the dropout of one site of the network. Each site has its own stream, because sites with a
 * common stream would drop the same positions. */
struct dropout dropout_site(struct dropout dropout, unsigned site);

/* Apply the mask in place: to x (n) in the forward pass, to its gradient in the backward pass.
 * `first` is the position of x[0] in the whole array. The mask of a position is the same in every
 * call. */
void dropout_apply(real *x, size_t n, uint64_t first, struct dropout dropout);

#endif
