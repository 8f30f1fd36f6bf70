#include "model/ensemble.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/xxh64.h"
#include "elman/version.h"
#include "model/model_file.h"
#include "model/options.h"
#include "tensor/blas_kernels.h"
#include "tensor/product.h"

/* ---- models with the same words or the same configuration ---- */

enum { VALUE_SIZE = 120 };

static elman_status differs(elman_error *error, const char *what, const char *value,
                            const char *expected) {
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s: expected %s, got %s", what, expected,
              value);
}

/* Write the token without its mark, and then a note on how the token joins the text before it.
 * Truncate a long token. */
static void describe_token(char *text, struct text token) {
  enum { LONGEST = 60 };
  const struct text shown = token_shown(token);
  const struct text start = {shown.bytes, shown.length < LONGEST ? shown.length : LONGEST};
  snprintf(text, VALUE_SIZE, "\"%.*s%s\"%s", (int)text_valid_prefix(start), start.bytes,
           shown.length > LONGEST ? "…" : "",
           !token_has_mark(token)   ? ""
           : token_is_spaced(token) ? " after a space"
                                    : " joined");
}

static elman_status compare_vocabularies(const struct vocabulary *first,
                                         const struct vocabulary *other, const char *side,
                                         elman_error *error) {
  const size_t size = vocabulary_size(first);
  char what[VALUE_SIZE], expected[VALUE_SIZE], value[VALUE_SIZE];
  if (vocabulary_size(other) != size) {
    snprintf(what, sizeof what, "%s vocabulary size", side);
    snprintf(expected, sizeof expected, "%zu", size);
    snprintf(value, sizeof value, "%zu", vocabulary_size(other));
    return differs(error, what, value, expected);
  }
  for (size_t id = 0; id < size; id++) {
    const struct text one = vocabulary_token(first, id), two = vocabulary_token(other, id);
    if (text_equal(one, two)) continue;
    snprintf(what, sizeof what, "token %zu of the %s vocabulary", id, side);
    describe_token(expected, one);
    describe_token(value, two);
    return differs(error, what, value, expected);
  }
  return ELMAN_OK;
}

static void describe_merge(char *text, const struct merges *merges, size_t rank) {
  struct buffer line = {0};
  merges_append_line(&line, merges, rank);
  describe_token(text, line.failed ? text_of("?") : buffer_text(&line));
  buffer_free(&line);
}

static elman_status compare_merges(const struct merges *first, const struct merges *other,
                                   const char *side, elman_error *error) {
  char what[VALUE_SIZE], expected[VALUE_SIZE], value[VALUE_SIZE];
  if (first == NULL || other == NULL ||
      merges_hash(HASH_START, first) == merges_hash(HASH_START, other))
    return ELMAN_OK; /* If only one model has merge operations, the difference in token mode has
                        already been reported. */
  for (size_t rank = 0; rank < first->count && rank < other->count; rank++) {
    describe_merge(expected, first, rank);
    describe_merge(value, other, rank);
    if (strcmp(expected, value) == 0) continue;
    snprintf(what, sizeof what, "merge operation %zu of the %s", rank + 1, side);
    return differs(error, what, value, expected);
  }
  snprintf(what, sizeof what, "number of merge operations of the %s", side);
  snprintf(expected, sizeof expected, "%zu", first->count);
  snprintf(value, sizeof value, "%zu", other->count);
  return differs(error, what, value, expected);
}

elman_status models_have_same_words(const struct model *first, const struct model *other,
                                    elman_error *error) {
  const struct model_config *a = &first->config, *b = &other->config;
  const struct {
    const char *what, *first, *other;
  } names[] = {{"source language", a->source_language.code, b->source_language.code},
               {"target language", a->target_language.code, b->target_language.code},
               {"source tokenization", elman_token_mode_name(a->source_tokens),
                elman_token_mode_name(b->source_tokens)},
               {"target tokenization", elman_token_mode_name(a->target_tokens),
                elman_token_mode_name(b->target_tokens)},
               {"source normalization", elman_normalization_name(a->source_normalization),
                elman_normalization_name(b->source_normalization)},
               {"target normalization", elman_normalization_name(a->target_normalization),
                elman_normalization_name(b->target_normalization)}};
  /* A model that states no language may have the language of the other model. */
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].first[0] != '\0' && names[i].other[0] != '\0' &&
        strcmp(names[i].first, names[i].other) != 0)
      return differs(error, names[i].what, names[i].other, names[i].first);
  elman_status status =
      compare_vocabularies(first->source_vocabulary, other->source_vocabulary, "source", error);
  if (status == ELMAN_OK)
    status =
        compare_vocabularies(first->target_vocabulary, other->target_vocabulary, "target", error);
  for (int s = 0; s < 2 && status == ELMAN_OK; s++)
    status = compare_merges(first->merges[s], other->merges[s],
                            s == ELMAN_SOURCE ? "source" : "target", error);
  return status;
}

static void describe(char *text, const elman_option *row, const struct model_config *config) {
  const char *field = (const char *)config + row->offset;
  if (row->choice != NULL)
    snprintf(text, VALUE_SIZE, "%s", elman_option_choice(row, config));
  else if (row->value == ELMAN_VALUE_FLAG)
    snprintf(text, VALUE_SIZE, "%s", *(const bool *)field ? "on" : "off");
  else
    snprintf(text, VALUE_SIZE, "%zu", *(const size_t *)field);
}

elman_status models_have_same_shape(const struct model *first, const struct model *other,
                                    elman_error *error) {
  const elman_option *row = NULL;
  char expected[VALUE_SIZE], value[VALUE_SIZE];
  while ((row = elman_option_next(row, ELMAN_SCOPE_MODEL)) != NULL) {
    if (row->value == ELMAN_VALUE_LANGUAGE) continue; /* see models_have_same_words */
    describe(expected, row, &first->config);
    describe(value, row, &other->config);
    if (strcmp(expected, value) != 0) return differs(error, row->label, value, expected);
  }
  return models_have_same_words(first, other, error);
}

/* ---- processes with the same model ---- */

static void add_text(struct xxh64 *sum, struct text text) {
  xxh64_add(sum, &text.length, sizeof text.length);
  xxh64_add(sum, text.bytes, text.length);
}

static void add_vocabulary(struct xxh64 *sum, const struct vocabulary *vocabulary) {
  for (size_t id = 0; id < vocabulary_size(vocabulary); id++)
    add_text(sum, vocabulary_token(vocabulary, id));
}

/* Hash all that affects results, except the models, which add_model hashes. */
static void add_options(struct xxh64 *sum, const elman_translate_options *options) {
  options_hash(sum, ELMAN_SCOPES_TRANSLATE & ~ELMAN_SCOPE_MACHINE, options);
  xxh64_add(sum, &options->without_scores, sizeof options->without_scores);
  xxh64_add(sum, &options->override_count, sizeof options->override_count);
  for (size_t i = 0; i < options->override_count; i++) {
    const elman_override *cell = &options->overrides[i];
    const uint64_t where[] = {cell->kind, cell->row, cell->column};
    xxh64_add(sum, where, sizeof where);
    xxh64_add(sum, &cell->weight, sizeof cell->weight);
  }
}

/* Add everything that, besides the program, determines the bits of fast arithmetic. */
static void add_machine(struct xxh64 *sum) {
  const struct blas_kernels kernels = blas_kernels_in_use();
  add_text(sum, text_of(__VERSION__));
  add_text(sum, text_of(kernels.config));
  add_text(sum, text_of(kernels.family));
  add_text(sum, text_of(compiled_instructions()));
  const bool packed = packed_size(ARITHMETIC_FAST, 1, 1, 1) > 0;
  xxh64_add(sum, &packed, sizeof packed);
}

static void add_model(struct xxh64 *sum, const struct model *model) {
  options_hash(sum, ELMAN_SCOPE_MODEL, &model->config);
  add_text(sum, text_of(elman_normalization_name(model->config.source_normalization)));
  add_text(sum, text_of(elman_normalization_name(model->config.target_normalization)));
  add_vocabulary(sum, model->source_vocabulary);
  add_vocabulary(sum, model->target_vocabulary);
  for (int s = 0; s < 2; s++) {
    const uint64_t merges =
        model->merges[s] == NULL ? 0 : merges_hash(HASH_START, model->merges[s]);
    xxh64_add(sum, &merges, sizeof merges);
  }
  xxh64_add(sum, model->block, model->table.block * sizeof *model->block);
}

static bool is_portable(const struct model *model, const elman_translate_options *options) {
  for (size_t m = 0; m < ensemble_size(options); m++)
    if (ensemble_member(model, options, m)->weights.numerics->arithmetic == ARITHMETIC_FAST)
      return false;
  return true;
}

static uint64_t work_sum(const struct model *model, const elman_translate_options *options) {
  struct xxh64 sum;
  xxh64_start(&sum);
  add_text(&sum, text_of(ELMAN_VERSION));
  if (!is_portable(model, options)) add_machine(&sum);
  for (size_t m = 0; m < ensemble_size(options); m++)
    add_model(&sum, ensemble_member(model, options, m));
  add_options(&sum, options);
  return xxh64_value(&sum);
}

elman_status same_model(const elman_group *group, const struct model *model,
                        const elman_translate_options *options, elman_error *error) {
  if (group_size(group) == 1) return ELMAN_OK;
  return group_same(group, work_sum(model, options),
                    "the model, program, kernels or options differ from those of process 0; use "
                    "the same for all processes (kernels may differ in portable arithmetic)",
                    error);
}

/* ---- the mean of several models ---- */

/* Sums over the models added so far, from which the mean is computed. */
struct mean {
  struct model *longest; /* the model with the most updates */
  double *sums;          /* one sum per weight */
  const char *first;     /* path of the first model file */
  uint64_t seed;         /* of the first model */
};

static void add(double *sums, const struct model *model) {
  for (size_t i = 0; i < model->table.block; i++) sums[i] += (double)model->block[i];
}

/* Return the cosine of the angle between the model's weights and the sums. It is near 0 for models
 * with different initial weights: independent random weights are nearly orthogonal, and training
 * moves them little. */
static double cosine(const double *sums, const struct model *model) {
  double product = 0, left = 0, right = 0;
  for (size_t i = 0; i < model->table.block; i++) {
    const double weight = (double)model->block[i];
    product += sums[i] * weight;
    left += sums[i] * sums[i];
    right += weight * weight;
  }
  return left > 0 && right > 0 ? product / sqrt(left * right) : 1;
}

/* Refuse a model that was trained from other initial weights. Such a model has another seed, and
 * its weights are at a large angle to the sums. Another seed alone is allowed, because training can
 * continue with a new seed. A large angle alone is also allowed, because a long training run can
 * cause it. */
static elman_status check_start(const struct mean *mean, const struct model *model,
                                const char *path, elman_error *error) {
  const double minimum = 0.25;
  const uint64_t seed = model->past.training.seed;
  if (seed == mean->seed || cosine(mean->sums, model) >= minimum) return ELMAN_OK;
  return fail(error, ELMAN_BAD_DATA, path,
              "initial weights differ from those of %s (seed %llu there, %llu here), so the "
              "average would be useless; use an ensemble instead: elman translate -m %s -m %s",
              mean->first, (unsigned long long)mean->seed, (unsigned long long)seed, mean->first,
              path);
}

/* Read a model file and add its weights to the sums. */
static elman_status add_file(struct mean *mean, const char *path, elman_error *error) {
  struct model *model;
  elman_status status = model_load(&model, path, error);
  if (status != ELMAN_OK) return status;
  elman_error problem;
  status = models_have_same_shape(mean->longest, model, &problem);
  if (status != ELMAN_OK)
    status = fail(error, status, path, "differs from %s: %s", mean->first, problem.message);
  else
    status = check_start(mean, model, path, error);
  if (status == ELMAN_OK) add(mean->sums, model);
  if (status == ELMAN_OK && model->past.history.updates > mean->longest->past.history.updates) {
    struct model *const shorter = mean->longest;
    mean->longest = model;
    model = shorter;
  }
  model_free(model);
  return status;
}

elman_status model_average(struct model **average, const char *const *paths, size_t count,
                           elman_error *error) {
  *average = NULL;
  if (count == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "no models to average; name at least one");
  struct mean mean = {.first = paths[0]};
  elman_status status = model_load(&mean.longest, paths[0], error);
  if (status != ELMAN_OK) return status;
  const size_t block = mean.longest->table.block;
  mean.seed = mean.longest->past.training.seed;
  mean.sums = calloc(block, sizeof *mean.sums);
  if (mean.sums == NULL)
    status = fail_no_memory(error);
  else
    add(mean.sums, mean.longest);
  for (size_t i = 1; i < count && status == ELMAN_OK; i++)
    status = add_file(&mean, paths[i], error);
  for (size_t i = 0; status == ELMAN_OK && i < block; i++)
    mean.longest->block[i] = (real)(mean.sums[i] / (double)count);
  mean.longest->changes++;
  free(mean.sums);
  if (status == ELMAN_OK)
    *average = mean.longest;
  else
    model_free(mean.longest);
  return status;
}

/* ---- models that translate together ---- */

bool ensemble_has_sentinel(const struct model *first, const elman_translate_options *options) {
  for (size_t m = 0; m < ensemble_size(options); m++) {
    const struct model *model = ensemble_member(first, options, m);
    if (!attention_has_sentinel(model->weights.decoder.sizes.attention.kind)) return false;
  }
  return true;
}

struct attention_cuts ensemble_cuts(const struct model *first,
                                    const elman_translate_options *options) {
  const struct attention_cuts cuts = attention_cuts_of(first->weights.decoder.sizes.attention);
  for (size_t m = 1; m < ensemble_size(options); m++) {
    const struct model *model = ensemble_member(first, options, m);
    const struct attention_cuts other = attention_cuts_of(model->weights.decoder.sizes.attention);
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

/* ---- models in the precision of a search ---- */

elman_status model_views_set(struct model_views *views, const struct model *model,
                             elman_translate_options *options, elman_error *error) {
  const size_t count = options->ensemble_count;
  views->first = model;
  if (options->precision == ELMAN_PRECISION_FLOAT32) return ELMAN_OK;
  elman_status status = model_in_eight_bits(&views->first, model, error);
  if (status == ELMAN_OK)
    status = array_grow(&views->others, &views->capacity, count, sizeof *views->others, error);
  for (size_t m = 0; m < count && status == ELMAN_OK; m++) {
    const struct model *view;
    status = model_in_eight_bits(&view, ensemble_member(model, options, m + 1), error);
    views->others[m] = (const elman_model *)view;
  }
  if (status == ELMAN_OK && count > 0) options->ensemble = views->others;
  return status;
}

void model_views_free(struct model_views *views) {
  free(views->others);
  *views = (struct model_views){0};
}
