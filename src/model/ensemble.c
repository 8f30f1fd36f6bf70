#include "model/ensemble.h"

#include <stdio.h>

#include "model/likeness.h"

bool ensemble_has_sentinel(const struct model *first, const elman_translate_options *options) {
  for (size_t m = 0; m < ensemble_size(options); m++) {
    const struct model *model = ensemble_member(first, options, m);
    if (!attention_has_sentinel(decoder_sizes_of(&model->config).attention.kind)) return false;
  }
  return true;
}

struct attention_cuts ensemble_cuts(const struct model *first,
                                    const elman_translate_options *options) {
  const struct attention_cuts cuts = attention_cuts_of(decoder_sizes_of(&first->config).attention);
  for (size_t m = 1; m < ensemble_size(options); m++) {
    const struct model *model = ensemble_member(first, options, m);
    const struct attention_cuts other =
        attention_cuts_of(decoder_sizes_of(&model->config).attention);
    if (other.length != cuts.length || other.clauses != cuts.clauses)
      return (struct attention_cuts){0};
  }
  return cuts;
}

elman_status ensemble_check(const struct model *first, const elman_translate_options *options,
                            elman_error *error) {
  for (size_t m = 1; m < ensemble_size(options); m++) {
    elman_error problem;
    const elman_status status =
        models_have_same_words(first, ensemble_member(first, options, m), &problem);
    if (status != ELMAN_OK)
      return fail(error, status, NULL, "model %zu of the ensemble differs from the first model: %s",
                  m + 1, problem.message);
  }
  return ELMAN_OK;
}
