/* What self-attention looked at in a translation that is there: a pass through the network with the
 * translation forced. The search keeps the weights of the running step only. */
#ifndef ELMAN_TRANSLATE_SELF_WEIGHTS_H
#define ELMAN_TRANSLATE_SELF_WEIGHTS_H

#include "model/model.h"
#include "model/network.h"

/* Memory for one translation after the other. Starts from all zero. */
struct self_weights {
  struct batch batch;
  struct workspace workspace;
};
void self_weights_free(struct self_weights *self);

/* Of S source tokens, at least one, and `words` target tokens, without </s>. */
elman_status self_weights_run(struct self_weights *self, const struct model *model,
                              const uint32_t *source, size_t S, const uint32_t *target,
                              size_t words, elman_error *error) CHECKED;

/* into (N,count,count): of each head what the first `count` tokens look at; those of the decoder
 * stand for the steps that say them. The side must have self-attention. */
void self_weights_copy(float *into, const struct self_weights *self, elman_side side, size_t N,
                       size_t count);

#endif
