#include <math.h>

#include "api/api_metric.h"
#include "api/call.h"
#include "translate/evaluate.h"

elman_evaluate_options elman_evaluate_options_default(void) {
  const elman_translate_options translate = elman_translate_options_default();
  return (elman_evaluate_options){.batch_size = 32,
                                  .beam = translate.beam,
                                  .length_penalty = translate.length_penalty,
                                  .override_seed = translate.override_seed};
}

static elman_scores outer_scores(const struct scores *found) {
  const struct metric_signatures signatures = metric_signatures(&found->metric_options, 1, 0, 0);
  elman_scores outer = {.loss = found->loss,
                        .perplexity = exp(found->loss),
                        .tokens = found->tokens,
                        .sentences = found->sentences,
                        .left_out = found->too_long,
                        .unknown_source = found->unknown_source,
                        .unknown_target = found->unknown_target,
                        .exact_match = found->exact_match,
                        .aligned_words = found->aligned_words,
                        .metrics = outer_metric_scores(&found->metric, &signatures)};
  if (found->aligned_words > 0)
    outer.alignment_agreement = (double)found->agreeing_words / (double)found->aligned_words;
  return outer;
}

elman_status elman_evaluate(elman_scores *scores, const elman_model *model,
                            const elman_pairs *pairs, const elman_evaluate_options *options,
                            elman_error *error) {
  const elman_evaluate_options defaults = elman_evaluate_options_default();
  if (options == NULL) options = &defaults;
  struct metric_options metric = {.lowercase = options->lowercase,
                                  .chrf_lowercase = options->chrf_lowercase};
  elman_status status = choose_tokenizer(&metric.tokenizer, options->bleu_tokens, error);
  if (options->batch_size == 0)
    status = fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the batch size must be at least 1");
  elman_translate_options searching = elman_translate_options_default();
  searching.max_bytes = 0;
  searching.max_length = options->max_length;
  searching.max_ratio = options->max_ratio;
  searching.beam = options->beam;
  searching.length_penalty = options->length_penalty;
  searching.overrides = options->overrides;
  searching.override_count = options->override_count;
  searching.override_seed = options->override_seed;
  struct translate_options translate;
  if (status == ELMAN_OK) status = inner_translate_options(&translate, &searching, error);
  if (status != ELMAN_OK) return status;
  const struct evaluate_options inner = {.batch_size = options->batch_size,
                                         .translate = translate,
                                         .metric = metric,
                                         .fitting_tokenizer = options->bleu_tokens == NULL,
                                         .progress = options->progress,
                                         .context = options->context};
  struct scores found;
  struct surroundings before;
  status = enter(&before, options->threads, INFINITY, error);
  if (status != ELMAN_OK) return status;
  status = evaluate(&found, inner_model_const(model), inner_pairs_const(pairs), &inner, error);
  leave(before);
  if (status == ELMAN_OK) *scores = outer_scores(&found);
  return status;
}
