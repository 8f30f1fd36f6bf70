#include <math.h>

#include "api/call.h"
#include "base/group.h"
#include "model/same_model.h"
#include "translate/evaluate.h"

elman_evaluate_options elman_evaluate_options_default(void) {
  return evaluate_options_default();
}

static elman_status same_work(const elman_group *group, const elman_model *model,
                              const elman_pairs *pairs, elman_error *error) {
  const elman_status status = same_model(group, inner_model_const(model), error);
  if (status != ELMAN_OK || group_size(group) == 1) return status;
  return group_same(group, pairs_hash(inner_pairs_const(pairs)),
                    "the pairs are not those of process 0; give all processes the same files",
                    error);
}

elman_status elman_evaluate(elman_scores *scores, const elman_model *model,
                            const elman_pairs *pairs, const elman_evaluate_options *options,
                            elman_error *error) {
  const elman_evaluate_options defaults = evaluate_options_default();
  if (options == NULL) options = &defaults;
  if (options->batch_size == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the batch size must be at least 1");
  elman_status status = check_translate_options(&options->translate, error);
  if (status != ELMAN_OK) return status;
  struct surroundings before;
  const elman_status entered = enter(&before, options->threads, INFINITY, error);
  status = group_agree(options->group, entered, error);
  if (status == ELMAN_OK) status = same_work(options->group, model, pairs, error);
  if (status == ELMAN_OK)
    status =
        evaluate(scores, inner_model_const(model), inner_pairs_const(pairs), NULL, options, error);
  if (entered == ELMAN_OK) leave(before);
  return status;
}
