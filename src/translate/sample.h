/* Sampling: the next token is drawn from the softmax of the logits, in place of the likeliest one.
 * The k likeliest alone may be drawn from (Fan, Lewis and Dauphin, "Hierarchical neural story
 * generation", ACL 2018). docs/beyond.md, (89) and (90). */
#ifndef ELMAN_TRANSLATE_SAMPLE_H
#define ELMAN_TRANSLATE_SAMPLE_H

#include "elman/translate.h"
#include "tensor/real.h"

/* A token other than <s>, or <unk> if that is not wanted, with a probability in proportion to
 * exp(logit / temperature). It is a function of the logits (V), the options, the number of the
 * sentence and that of the step alone. The logits are finite. */
uint32_t sample_token(const real *logits, size_t V, bool without_unknown,
                      const elman_translate_options *options, uint64_t sentence, size_t step);

#endif
