/* The models that translate together: a first one, and those of the options. */
#ifndef ELMAN_MODEL_ENSEMBLE_H
#define ELMAN_MODEL_ENSEMBLE_H

#include "base/group.h"
#include "elman/translate.h"
#include "model/model.h"

/* What models must have in common to work together. */

/* The same text is the same ids to both: splitting, writing and vocabularies of both sides. The
 * first thing in which `other` differs makes it ELMAN_INVALID_ARGUMENT and is named, as "the hidden
 * size is 3 there and 4 here": `first` is there. */
elman_status models_have_same_words(const struct model *first, const struct model *other,
                                    elman_error *error) CHECKED;

/* And their weights have the same places: the whole configuration. */
elman_status models_have_same_shape(const struct model *first, const struct model *other,
                                    elman_error *error) CHECKED;

/* Processes that translate together need one model. */

/* ELMAN_INVALID_ARGUMENT in all, with the number of the first process whose program, kernels, model
 * or options are not those of process 0. */
elman_status same_model(const elman_group *group, const struct model *model,
                        const elman_translate_options *options, elman_error *error) CHECKED;

/* The mean of the weights of several models. */

/* As elman_model_average. No more than two models are in memory at a time, and the sums. */
elman_status model_average(struct model **average, const char *const *paths, size_t count,
                           elman_error *error) CHECKED;

static inline size_t ensemble_size(const elman_translate_options *options) {
  return 1 + options->ensemble_count;
}

/* Member m, from 0. */
static inline const struct model *
ensemble_member(const struct model *first, const elman_translate_options *options, size_t m) {
  return m == 0 ? first : inner_model_const(options->ensemble[m - 1]);
}

/* How many matrices of attention weights a translation has. Models may have different heads, so
 * that several show the mean alone. */
static inline size_t ensemble_heads(const struct model *first,
                                    const elman_translate_options *options) {
  return options->ensemble_count > 0 ? 1 : first->config.attention_heads;
}

/* Whether what the weights of a translation lack to 1 is the weight of sentinels: of all models. */
bool ensemble_has_sentinel(const struct model *first, const elman_translate_options *options);

/* How the source is cut into segments, where all models do it alike; else all zero. */
struct attention_cuts ensemble_cuts(const struct model *first,
                                    const elman_translate_options *options);

/* ELMAN_INVALID_ARGUMENT, with the number of the model and what differs, unless the same text is
 * the same ids to all. */
elman_status ensemble_check(const struct model *first, const elman_translate_options *options,
                            elman_error *error) CHECKED;

#endif
