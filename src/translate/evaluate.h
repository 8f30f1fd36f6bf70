/* Scores of a model over sentence pairs. */
#ifndef ELMAN_TRANSLATE_EVALUATE_H
#define ELMAN_TRANSLATE_EVALUATE_H

#include "corpus/corpus.h"
#include "elman/evaluate.h"
#include "translate/translator.h"

elman_evaluate_options evaluate_options_default(void);

/* The pairs as ids, without those that have too many tokens. */
elman_status evaluate_encode(struct corpus *corpus, const struct model *model,
                             const struct pairs *pairs, elman_error *error) CHECKED;

/* Loss with teacher forcing; BLEU and chrF of translations, and the share of them that is
 * the normalised reference; where a pair has a gold alignment, the agreement of the attention under
 * that reference, between units as vocab/locate.h counts them by default. `encoded`, for who
 * evaluates often, are the pairs by evaluate_encode, or NULL; `threads` of the options is not
 * looked at. */
elman_status evaluate(elman_scores *scores, const struct model *model, const struct pairs *pairs,
                      const struct corpus *encoded, const elman_evaluate_options *options,
                      elman_error *error) CHECKED;

#endif
