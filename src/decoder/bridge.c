#include "decoder/bridge.h"

#include <string.h>

#include "tensor/linear.h"

static const real *final_of(const struct decoder_pass *pass, size_t layer) {
  return pass->source.finals + layer * pass->target->batch * pass->sizes.hidden;
}

void bridge_forward(const struct decoder_pass *pass, size_t l) {
  const size_t B = pass->target->batch, H = pass->sizes.hidden;
  const struct decoder_parameters *w = pass->weights;
  real *d0 = pass->cache->states[l];
  if (!pass->sizes.bridge)
    memcpy(d0, final_of(pass, l), B * H * sizeof *d0); /* (5) */
  else
    linear_tanh_forward(d0, final_of(pass, l), w->bridge_weight[l], w->bridge_bias[l], B, H,
                        H); /* (33) */
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
  linear_backward_weight(gradients->bridge_weight[l], dd0, final_of(pass, l), B, H, H);
  bias_backward(gradients->bridge_bias[l], dd0, B, H);
  linear_backward_input(dfinal, dd0, pass->weights->bridge_weight[l], B, H, H);
}
