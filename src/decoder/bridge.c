#include "decoder/bridge.h"

#include <string.h>

#include "tensor/linear.h"

void bridge_forward(real *d0, const real *final, const struct decoder_parameters *weights,
                    size_t layer, size_t batch, struct decoder_sizes sizes) {
  const size_t H = sizes.hidden;
  if (!sizes.bridge)
    memcpy(d0, final, batch * H * sizeof *d0); /* (5) */
  else
    linear_tanh_forward(d0, final, weights->bridge_weight[layer], weights->bridge_bias[layer],
                        batch, H, H); /* (33) */
}

void bridge_backward(real *dfinal, const struct decoder_parameters *gradients, real *dd0,
                     const real *d0, const real *final, const struct decoder_parameters *weights,
                     size_t layer, size_t batch, struct decoder_sizes sizes) {
  const size_t H = sizes.hidden;
  if (!sizes.bridge) {
    memcpy(dfinal, dd0, batch * H * sizeof *dd0); /* (21) */
    return;
  }
  tanh_backward(dd0, d0, batch * H);
  linear_backward_weight(gradients->bridge_weight[layer], dd0, final, batch, H, H);
  bias_backward(gradients->bridge_bias[layer], dd0, batch, H);
  linear_backward_input(dfinal, dd0, weights->bridge_weight[layer], batch, H, H);
}
