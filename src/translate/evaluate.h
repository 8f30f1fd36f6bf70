/* Scores of a model over sentence pairs. */
#ifndef ELMAN_TRANSLATE_EVALUATE_H
#define ELMAN_TRANSLATE_EVALUATE_H

#include "corpus/corpus.h"
#include "elman/evaluate.h"
#include "translate/translator.h"

elman_evaluate_options evaluate_options_default(void);

/* Encode the pairs, except those with more than MAX_SENTENCE_TOKENS on a side. */
elman_status evaluate_encode(struct corpus *corpus, const struct model *model,
                             const struct pairs *pairs, elman_error *error) CHECKED;

/* Compute the loss with teacher forcing, and BLEU, chrF and the exact-match rate of translations;
 * exact match compares with normalized references. For pairs with a gold alignment, compute how
 * often the attention under the reference agrees with it, in the default units of vocab/locate.h.
 * `encoded` is the result of evaluate_encode for callers that evaluate often, or NULL.
 * options->threads is ignored. */
elman_status evaluate(elman_scores *scores, const struct model *model, const struct pairs *pairs,
                      const struct corpus *encoded, const elman_evaluate_options *options,
                      elman_error *error) CHECKED;

#endif
