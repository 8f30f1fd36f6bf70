/* Scaled attention in K heads after projections. A linear layer maps the concatenated contexts to
 * the context (Vaswani et al., NIPS 2017). docs/mechanisms.md, (49). */
#include "attention/mechanism.h"

enum { OUT_WEIGHT, OUT_BIAS };

static void out_forward(const struct attention_pass *pass) {
  const struct linear out = attention_map(pass, OWN_PARTS + OUT_WEIGHT, true);
  linear_forward(pass->cache.context, pass->cache.merged, out, attention_rows(pass)); /* (49) */
  for (size_t b = 0; b < pass->shape.batch; b++)
    mask_clear_queries(pass->cache.context, out.out, pass->shape, b);
}

static void out_backward(const struct attention_gradients *d, const struct attention_pass *pass) {
  attention_map_backward(d, d->scratch.merged, 0, d->context, pass->cache.merged, pass,
                         OWN_PARTS + OUT_WEIGHT, true);
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
