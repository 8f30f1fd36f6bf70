#include "encoder/encoder.h"

#include <string.h>

#include "rnn/embedding.h"

static struct rnn_shape shape_of(const struct sequence *source, struct encoder_sizes sizes) {
  return (struct rnn_shape){.steps = source->steps,
                            .batch = source->batch,
                            .input = sizes.embedding,
                            .hidden = sizes.hidden,
                            .lengths = source->lengths};
}

real *encoder_outputs(const struct encoder_cache *cache, size_t batch, size_t hidden) {
  return cache->states + batch * hidden;
}

void encoder_forward(struct encoder_cache *cache, const struct sequence *source,
                     const struct encoder_parameters *weights, struct encoder_sizes sizes) {
  embedding_forward(cache->inputs, weights->embedding, source->ids, source->lengths, source->steps,
                    source->batch, sizes.embedding);
  memset(cache->states, 0, source->batch * sizes.hidden * sizeof *cache->states); /* e_0 = 0 */
  rnn_forward(cache->states, cache->inputs, &weights->rnn, shape_of(source, sizes));
}

void encoder_backward(const struct encoder_parameters *gradients, real *dstates, real *dinputs,
                      const struct encoder_cache *cache, const struct sequence *source,
                      const struct encoder_parameters *weights, struct encoder_sizes sizes) {
  rnn_backward(dinputs, &gradients->rnn, dstates, cache->states, cache->inputs, &weights->rnn,
               shape_of(source, sizes));
  embedding_backward(gradients->embedding, dinputs, source->ids, source->lengths, source->steps,
                     source->batch, sizes.embedding);
}
