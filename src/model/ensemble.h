/* Several models: ensembles for translation, averages of weights, and checks that models agree. */
#ifndef ELMAN_MODEL_ENSEMBLE_H
#define ELMAN_MODEL_ENSEMBLE_H

#include "base/group.h"
#include "elman/translate.h"
#include "model/model.h"

/* Check that both models map the same text to the same ids: languages, tokenization, normalization,
 * and the vocabularies of both sides. If not, return ELMAN_INVALID_ARGUMENT and name the first
 * difference, for example "hidden size: expected 3, got 4". `first` is the expected model. */
elman_status models_have_same_words(const struct model *first, const struct model *other,
                                    elman_error *error) CHECKED;

/* Check as models_have_same_words does, and check that all other settings agree. Then each weight
 * has the same position in both models. */
elman_status models_have_same_shape(const struct model *first, const struct model *other,
                                    elman_error *error) CHECKED;

/* Check that all processes use the same program, kernels, models and options as process 0. If not,
 * return ELMAN_INVALID_ARGUMENT in all processes and name the first process that differs. */
elman_status same_model(const elman_group *group, const struct model *model,
                        const elman_translate_options *options, elman_error *error) CHECKED;

/* Implement elman_model_average. Keep at most two models and the sums in memory at a time. */
elman_status model_average(struct model **average, const char *const *paths, size_t count,
                           elman_error *error) CHECKED;

static inline size_t ensemble_size(const elman_translate_options *options) {
  return 1 + options->ensemble_count;
}

/* Return member number m of the ensemble, from 0. */
static inline const struct model *
ensemble_member(const struct model *first, const elman_translate_options *options, size_t m) {
  return m == 0 ? first : inner_model_const(options->ensemble[m - 1]);
}

/* Return the number of attention matrices of a translation. An ensemble has only one, the mean,
 * because its models may have different numbers of heads. */
static inline size_t ensemble_heads(const struct model *first,
                                    const elman_translate_options *options) {
  return options->ensemble_count > 0 ? 1 : first->config.attention_heads;
}

/* Return whether the attention weights of a row sum to less than 1, which is the case if all models
 * have a sentinel. */
bool ensemble_has_sentinel(const struct model *first, const elman_translate_options *options);

/* Return the segments of the source if all models have the same segments; otherwise return a struct
 * of zeros. */
struct attention_cuts ensemble_cuts(const struct model *first,
                                    const elman_translate_options *options);

/* Check that all models map the same text to the same ids. If not, return ELMAN_INVALID_ARGUMENT
 * and report the number of the model and the difference. */
elman_status ensemble_check(const struct model *first, const elman_translate_options *options,
                            elman_error *error) CHECKED;

/* Views of the models of a search. The caller initializes the struct with zeros. */
struct model_views {
  const struct model *first;
  const elman_model **others; /* owned; (capacity) */
  size_t capacity;
};

/* Set `views` to `model` and the models of options->ensemble, with weights in options->precision.
 * Then options->ensemble refers to the views. The views are valid until the weights change. */
elman_status model_views_set(struct model_views *views, const struct model *model,
                             elman_translate_options *options, elman_error *error) CHECKED;
void model_views_free(struct model_views *views);

#endif
