#include <math.h>
#include <string.h>

#include "api/call.h"
#include "base/group.h"
#include "base/table.h"
#include "model/ensemble.h"
#include "translate/evaluate.h"

elman_evaluate_options elman_evaluate_options_default(void) {
  return evaluate_options_default();
}

static elman_status check(const elman_model *model, const elman_evaluate_options *options,
                          elman_error *error) {
  if (options->batch_size == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the batch size must be at least 1");
  return check_translate_options(inner_model_const(model), &options->translate, error);
}

static elman_status same_work(const elman_model *model, const elman_pairs *pairs,
                              const elman_evaluate_options *options, elman_error *error) {
  const elman_group *group = options->group;
  const elman_metric_options *metric = &options->metric;
  const uint64_t parts[] = {pairs_hash(inner_pairs_const(pairs)), options->batch_size,
                            metric->lowercase, metric->chrf_lowercase};
  const char *tokens = metric->bleu_tokens == NULL ? "" : metric->bleu_tokens;
  const elman_status status =
      same_model(group, inner_model_const(model), &options->translate, error);
  if (status != ELMAN_OK || group_size(group) == 1) return status;
  return group_same(group,
                    hash_bytes(hash_bytes(HASH_START, parts, sizeof parts), tokens, strlen(tokens)),
                    "the pairs or the options are not those of process 0; give all processes the "
                    "same",
                    error);
}

elman_status elman_evaluate(elman_scores *scores, const elman_model *model,
                            const elman_pairs *pairs, const elman_evaluate_options *options,
                            elman_error *error) {
  const elman_evaluate_options defaults = evaluate_options_default();
  elman_error own;
  if (options == NULL) options = &defaults;
  if (error == NULL) error = &own;
  struct surroundings before;
  elman_status status = check(model, options, error);
  if (status == ELMAN_OK) status = enter(&before, options->threads, INFINITY, error);
  const bool entered = status == ELMAN_OK;
  status = group_agree(options->group, status, error);
  if (status == ELMAN_OK) status = same_work(model, pairs, options, error);
  if (status == ELMAN_OK)
    status =
        evaluate(scores, inner_model_const(model), inner_pairs_const(pairs), NULL, options, error);
  if (entered) leave(before);
  return status;
}
