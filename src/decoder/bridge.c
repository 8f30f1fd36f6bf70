#include "decoder/bridge.h"

#include <string.h>

#include "tensor/linear.h"

/* Where part p of a layer begins in final states, or in their gradients. */
static size_t final_at(const struct decoder_pass *pass, size_t layer, size_t p) {
  return (layer * pass->sizes.cell->parts + p) * pass->target->batch * pass->sizes.hidden;
}

static struct linear bridge_of(const struct decoder_pass *pass, size_t layer, size_t p) {
  const struct decoder_parameters *w = pass->weights;
  const size_t H = pass->sizes.hidden;
  return (struct linear){
      .weight = w->bridge_weight[layer][p], .bias = w->bridge_bias[layer][p], .in = H, .out = H};
}

void bridge_forward(const struct decoder_pass *pass, size_t l) {
  const size_t B = pass->target->batch, H = pass->sizes.hidden;
  for (size_t p = 0; p < pass->sizes.cell->parts; p++) {
    const real *final = pass->source.finals + final_at(pass, l, p);
    real *start = pass->cache->states[l].part[p];
    if (!pass->sizes.bridge)
      memcpy(start, final, B * H * sizeof *start); /* (5) */
    else if (p == 0)
      linear_tanh_forward(start, final, bridge_of(pass, l, p), B); /* (33) */
    else
      linear_forward(start, final, bridge_of(pass, l, p), B); /* (64) */
  }
}

void bridge_backward(const struct decoder_parameters *gradients, real *dfinals,
                     const struct decoder_scratch *scratch, const struct decoder_pass *pass,
                     size_t l) {
  const size_t B = pass->target->batch, H = pass->sizes.hidden;
  for (size_t p = 0; p < pass->sizes.cell->parts; p++) {
    real *dstart = scratch->states[l].part[p], *dfinal = dfinals + final_at(pass, l, p);
    if (!pass->sizes.bridge) {
      memcpy(dfinal, dstart, B * H * sizeof *dfinal); /* (21) */
      continue;
    }
    if (p == 0) tanh_backward(dstart, pass->cache->states[l].part[p], B * H);
    const struct linear_gradients d = {gradients->bridge_weight[l][p],
                                       gradients->bridge_bias[l][p]};
    linear_backward_weights(d, dstart, pass->source.finals + final_at(pass, l, p),
                            bridge_of(pass, l, p), B);
    linear_backward_input(dfinal, 0, dstart, bridge_of(pass, l, p), B);
  }
}
