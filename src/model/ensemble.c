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

size_t ensemble_segment_length(const struct model *first, const elman_translate_options *options) {
  const size_t length = attention_segment_length(decoder_sizes_of(&first->config).attention);
  for (size_t m = 1; m < ensemble_size(options); m++) {
    const struct model *model = ensemble_member(first, options, m);
    if (attention_segment_length(decoder_sizes_of(&model->config).attention) != length) return 0;
  }
  return length;
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
