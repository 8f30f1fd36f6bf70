#include <math.h>

#include "api/call.h"
#include "translate/evaluate.h"

elman_evaluate_options elman_evaluate_options_default(void) {
  return (elman_evaluate_options){.batch_size = 32};
}

elman_status elman_evaluate(elman_scores *scores, const elman_model *model,
                            const elman_pairs *pairs, const elman_evaluate_options *options,
                            elman_error *error) {
  struct error problem = {0};
  if (options->batch_size == 0)
    return give(error,
                fail(&problem, STATUS_INVALID_ARGUMENT, NULL, "the batch size must be at least 1"),
                &problem);
  const struct evaluate_options inner = {.batch_size = options->batch_size,
                                         .limit = options->max_length,
                                         .progress = options->progress,
                                         .context = options->context};
  struct scores found;
  const struct surroundings before = enter(options->threads, INFINITY);
  const enum status status =
      evaluate(&found, inner_model_const(model), inner_pairs_const(pairs), &inner, &problem);
  leave(before);
  if (status == STATUS_OK)
    *scores = (elman_scores){.loss = found.loss,
                             .perplexity = exp(found.loss),
                             .tokens = found.tokens,
                             .sentences = found.sentences,
                             .left_out = found.too_long,
                             .unknown_source = found.unknown_source,
                             .unknown_target = found.unknown_target,
                             .exact_match = found.exact_match,
                             .aligned_words = found.aligned_words,
                             .alignment_agreement =
                                 found.aligned_words == 0
                                     ? 0
                                     : (double)found.agreeing_words / (double)found.aligned_words};
  return give(error, status, &problem);
}
