/* Dropout: Srivastava et al., JMLR 15, 2014, in its inverted form: what is kept is scaled by
 * 1/(1-p), so that nothing changes when the network is used. */
#ifndef ELMAN_TENSOR_DROPOUT_H
#define ELMAN_TENSOR_DROPOUT_H

#include "base/random.h"
#include "tensor/real.h"

/* One dropout site in one update. The mask is a function of the stream and of the position, so the
 * backward pass makes it again instead of storing it. */
struct dropout {
  double probability; /* 0 = keep everything */
  struct random_stream stream;
};

/* Dropout of a network: units between its layers, and attention weights. */
struct dropouts {
  struct dropout units, attention;
};

/* That of a part (below 4096) of the batch of an update. Part 0 is that of a batch in one. */
struct random_stream dropout_stream(uint64_t seed, uint64_t update, size_t part);

/* The dropout of one site of the network: sites that share a stream would drop the same positions.
 */
struct dropout dropout_site(struct dropout dropout, unsigned site);

/* Forward: x (n) becomes its dropped-out self; backward: dx likewise, with the same `first`, the
 * position of x[0] in the whole array. A position has the same mask in every call. */
void dropout_apply(real *x, size_t n, uint64_t first, struct dropout dropout);

#endif
