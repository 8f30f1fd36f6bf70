/* Evaluation of a model on sentence pairs. */
#ifndef ELMAN_TRANSLATE_EVALUATE_H
#define ELMAN_TRANSLATE_EVALUATE_H

#include "corpus/corpus.h"
#include "elman/evaluate.h"
#include "translate/translator.h"

/* Encode all pairs. */
elman_status evaluate_encode(struct corpus *corpus, const struct model *model,
                             const elman_pairs *pairs, elman_error *error) CHECKED;

/* Skip pairs with more than MAX_SENTENCE_TOKENS tokens on a side. Compute the loss with teacher
 * forcing, and the BLEU, chrF and exact-match rate of translations.
 * Exact match compares with normalized references. For pairs with a gold alignment, decode the
 * reference and compute how often the attention agrees with the alignment, in the default units of
 * vocab/locate.h. `encoded` is NULL or the result of evaluate_encode, for callers that evaluate
 * often. options->threads is ignored. */
elman_status evaluate(elman_scores *scores, const struct model *model, const elman_pairs *pairs,
                      const struct corpus *encoded, const elman_evaluate_options *options,
                      elman_error *error) CHECKED;

/* Record a matrix with `targets` rows and `sources` columns; see elman_override_reach_add. */
void override_reach_add(elman_override_reach *reach, const elman_translate_options *options,
                        size_t targets, size_t sources);

#endif
