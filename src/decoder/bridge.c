#include "decoder/bridge.h"

#include <string.h>

#include "tensor/linear.h"

static const real *final_of(const struct decoder_pass *pass, size_t layer) {
  return pass->source.finals + layer * pass->target->batch * pass->sizes.hidden;
}

static struct linear bridge_of(const struct decoder_pass *pass, size_t layer) {
  const struct decoder_parameters *w = pass->weights;
  return (struct linear){w->bridge_weight[layer], w->bridge_bias[layer], pass->sizes.hidden,
                         pass->sizes.hidden};
}

void bridge_forward(const struct decoder_pass *pass, size_t l) {
  const size_t B = pass->target->batch, H = pass->sizes.hidden;
  real *d0 = pass->cache->states[l];
  if (!pass->sizes.bridge)
    memcpy(d0, final_of(pass, l), B * H * sizeof *d0); /* (5) */
  else
    linear_tanh_forward(d0, final_of(pass, l), bridge_of(pass, l), B); /* (33) */
}

void bridge_backward(const struct decoder_parameters *gradients, real *dfinal,
                     const struct decoder_scratch *scratch, const struct decoder_pass *pass,
                     size_t l) {
  const size_t B = pass->target->batch, H = pass->sizes.hidden;
  real *dd0 = scratch->states[l];
  if (!pass->sizes.bridge) {
    memcpy(dfinal, dd0, B * H * sizeof *dd0); /* (21) */
    return;
  }
  tanh_backward(dd0, pass->cache->states[l], B * H);
  const struct linear_gradients d = {gradients->bridge_weight[l], gradients->bridge_bias[l]};
  linear_backward_weights(d, dd0, final_of(pass, l), bridge_of(pass, l), B);
  linear_backward_input(dfinal, 0, dd0, bridge_of(pass, l), B);
}
