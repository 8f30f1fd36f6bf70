/* How far back learning reaches: the size of the gradient at every time step of both RNNs.
 * docs/bptt.md, section 10.
 *
 * Compiled in double only, so that gradients that vanish can still be told from zero, and called
 * from the part of the library that is compiled in float: nothing here is a `real`. */
#ifndef ELMAN_MODEL_TRACE_H
#define ELMAN_MODEL_TRACE_H

#include "elman/gradients.h"
#include "model/network.h"

enum { MAX_TRACED_LAYERS = MAX_LAYERS * (DIRECTIONS + 1) };

struct trace {
  elman_traced_layer layers[MAX_TRACED_LAYERS]; /* the encoder's first */
  size_t count;
  double loss;    /* whose gradients these are */
  double *losses; /* (T): of each target token */
  struct arena arena;
};

/* `batch` is one pair; `step` is the target token, from 1, whose loss is followed, 0 = the mean
 * over all. The caller frees the arena, also after a failure. */
elman_status trace_run(struct trace *trace, const struct model_config *config,
                       const float *const *tensors, const struct batch *batch, size_t step,
                       elman_error *error) CHECKED;

#endif
