/* How far back learning reaches: the size of the gradient at every time step of both RNNs.
 * docs/bptt.md, section 10.
 *
 * Compiled in double only, so that gradients that vanish can still be told from zero, and called
 * from the part of the library that is compiled in float: nothing here is a `real`. */
#ifndef ELMAN_MODEL_TRACE_H
#define ELMAN_MODEL_TRACE_H

#include "model/network.h"

struct trace_options {
  size_t step;      /* the target token, from 1, whose loss is followed; 0 = the mean over all */
  double saturated; /* what a unit's state must exceed, in size, to be called so */
};

enum { MAX_TRACED_LAYERS = MAX_LAYERS * (DIRECTIONS + 1) };

/* One layer in one direction. Arrays are in the order of the tokens, also where reading is not. */
struct traced_layer {
  bool decoder, reverse;
  size_t layer; /* from 0 */
  size_t steps, units;
  double *states;    /* (steps): the norm of the gradient of the state */
  double *inputs;    /* (steps): the same before the tanh */
  double *saturated; /* (steps): share of the units, 0 to 1 */
};

struct trace {
  struct traced_layer layers[MAX_TRACED_LAYERS]; /* the encoder's first */
  size_t count;
  double loss;    /* whose gradients these are */
  double *losses; /* (T): of each target token */
  struct arena arena;
};

/* `batch` is one pair. The caller frees the arena, also after a failure. */
elman_status trace_run(struct trace *trace, const struct model_config *config,
                       const float *const *tensors, const struct batch *batch,
                       const struct trace_options *options, elman_error *error) CHECKED;

#endif
