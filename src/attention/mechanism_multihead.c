/* Scaled attention in K heads after projections. A linear layer maps the concatenated contexts to
 * the context (Vaswani et al., NIPS 2017). docs/mechanisms.md, (49). */
#include "attention/mechanism.h"
#include "tensor/linear.h"

enum { OUT_WEIGHT, OUT_BIAS };

static struct linear out_of(const struct attention_pass *pass) {
  real *const *own = pass->layer.weights->part + OWN_PARTS;
  const size_t H = pass->layer.config.size;
  return (struct linear){.weight = own[OUT_WEIGHT],
                         .bias = own[OUT_BIAS],
                         .in = H,
                         .out = H,
                         .eight_bits = pass->layer.weights->eight_bits};
}

static size_t rows_of(const struct attention_pass *pass) {
  return pass->shape.queries * pass->shape.batch;
}

static void out_forward(const struct attention_pass *pass) {
  const struct linear out = out_of(pass);
  linear_forward(pass->cache.context, pass->cache.merged, out, rows_of(pass)); /* (49) */
  for (size_t b = 0; b < pass->shape.batch; b++)
    mask_clear_queries(pass->cache.context, out.out, pass->shape, b);
}

static void out_backward(const struct attention_gradients *d, const struct attention_pass *pass) {
  real *const *own = d->weights->part + OWN_PARTS;
  const struct linear_gradients dout = {own[OUT_WEIGHT], own[OUT_BIAS]};
  linear_backward_weights(dout, d->context, pass->cache.merged, out_of(pass), rows_of(pass));
  linear_backward_input(d->scratch.merged, 0, d->context, out_of(pass), rows_of(pass));
}

const struct attention_mechanism attention_multihead = {
    .projections = PROJECT_ALL_BIASED,
    .own = {[OUT_WEIGHT] = OWN_MATRIX("out.weight"), [OUT_BIAS] = OWN_VECTOR("out.bias")},
    .heads = 4,
    .scaled = true,
    .score = score_product_forward,
    .score_backward = score_product_backward,
    .context_forward = out_forward,
    .context_backward = out_backward};
