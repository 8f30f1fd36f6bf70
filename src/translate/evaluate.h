/* Scores of a model over sentence pairs. */
#ifndef ELMAN_TRANSLATE_EVALUATE_H
#define ELMAN_TRANSLATE_EVALUATE_H

#include "metric/metric.h"
#include "translate/translator.h"

struct scores {
  double loss; /* mean -log p per target token, </s> included */
  size_t tokens, sentences;
  size_t too_long; /* pairs left out, with more tokens than can be translated */
  size_t unknown_source, unknown_target;
  double exact_match;          /* 0 to 1 */
  size_t aligned_words;        /* target words with a gold link */
  size_t agreeing_words;       /* of these, where the largest weight lies on a linked source word */
  struct metric_scores metric; /* of the translations against the references as they were written */
  struct metric_options metric_options; /* what they were measured with */
};

/* What says which of two models is the better one: larger is better. */
double validation_score(const struct scores *scores);

struct evaluate_options {
  size_t batch_size;
  struct translate_options translate; /* n_best is not looked at */
  struct metric_options metric;
  bool fitting_tokenizer;       /* the one that fits the references, not metric.tokenizer */
  const struct corpus *encoded; /* the pairs by evaluate_encode, for who evaluates often; or NULL */
  bool (*progress)(void *context, size_t done, size_t total); /* may be NULL */
  void *context;
};

/* The pairs as ids, without those that have too many tokens. */
elman_status evaluate_encode(struct corpus *corpus, const struct model *model,
                             const struct pairs *pairs, elman_error *error) CHECKED;

/* Loss with teacher forcing; BLEU and chrF of translations, and the share of them that is
 * the normalised reference; where a pair has a gold alignment, the agreement of the attention under
 * that reference, which asks for one token per word on both sides. */
elman_status evaluate(struct scores *scores, const struct model *model, const struct pairs *pairs,
                      const struct evaluate_options *options, elman_error *error) CHECKED;

#endif
