/* Models used together: ensembles for translation, averages, and the checks that models agree. */
#ifndef ELMAN_MODEL_ENSEMBLE_H
#define ELMAN_MODEL_ENSEMBLE_H

#include "base/group.h"
#include "elman/translate.h"
#include "model/model.h"

/* Check that both models map the same text to the same ids: tokenization, normalization and
 * vocabularies of both sides. If not, return ELMAN_INVALID_ARGUMENT and name the first difference,
 * as in "hidden size: expected 3, got 4", where `first` is expected. */
elman_status models_have_same_words(const struct model *first, const struct model *other,
                                    elman_error *error) CHECKED;

/* Check that the whole configuration is also the same, so that each weight has the same
 * position. */
elman_status models_have_same_shape(const struct model *first, const struct model *other,
                                    elman_error *error) CHECKED;

/* Check that all processes have the program, kernels, models and options of process 0. If not,
 * return ELMAN_INVALID_ARGUMENT in all processes, with the number of the first that differs. */
elman_status same_model(const elman_group *group, const struct model *model,
                        const elman_translate_options *options, elman_error *error) CHECKED;

/* See elman_model_average. At most two models and the sums are in memory at a time. */
elman_status model_average(struct model **average, const char *const *paths, size_t count,
                           elman_error *error) CHECKED;

static inline size_t ensemble_size(const elman_translate_options *options) {
  return 1 + options->ensemble_count;
}

/* Return member m, from 0. */
static inline const struct model *
ensemble_member(const struct model *first, const elman_translate_options *options, size_t m) {
  return m == 0 ? first : inner_model_const(options->ensemble[m - 1]);
}

/* Return the number of attention matrices of a translation. Models may have different numbers of
 * heads, so an ensemble shows only the mean. */
static inline size_t ensemble_heads(const struct model *first,
                                    const elman_translate_options *options) {
  return options->ensemble_count > 0 ? 1 : first->config.attention_heads;
}

/* Return whether the weights of a row sum to less than 1 because of sentinels. This is the case if
 * all models have a sentinel. */
bool ensemble_has_sentinel(const struct model *first, const elman_translate_options *options);

/* Return the segments of the source if they are the same in all models; otherwise all zero. */
struct attention_cuts ensemble_cuts(const struct model *first,
                                    const elman_translate_options *options);

/* Check that all models map the same text to the same ids. If not, return ELMAN_INVALID_ARGUMENT
 * with the number of the model and the difference. */
elman_status ensemble_check(const struct model *first, const elman_translate_options *options,
                            elman_error *error) CHECKED;

#endif
