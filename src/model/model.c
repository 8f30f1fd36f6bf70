#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/team.h"
#include "elman/version.h"
#include "tensor/eight_bits.h"

/* ---- values derived from the weights ---- */

struct derived {
  struct team_lock lock;     /* protects the other fields while they are made */
  size_t changes;            /* value of model->changes to which the other fields belong */
  struct screen *screens[2]; /* index: whether the screen excludes <unk>; NULL = not made */
  struct model *view;        /* NULL = not made; its weights refer to the set */
  struct eight_bits set;
  struct numerics numerics; /* of the view */
};

static elman_status derived_create(struct derived **derived, elman_error *error) {
  *derived = malloc(sizeof **derived);
  if (*derived == NULL) return fail_no_memory(error);
  **derived = (struct derived){.lock = TEAM_LOCK_INITIALIZER};
  return ELMAN_OK;
}

static void forget_screens(struct derived *derived) {
  for (int without = 0; without < 2; without++) {
    if (derived->screens[without] != NULL) screen_free(derived->screens[without]);
    free(derived->screens[without]);
    derived->screens[without] = NULL;
  }
}

static void forget_view(struct derived *derived) {
  if (derived->view != NULL) eight_bits_free(&derived->set);
  free(derived->view);
  derived->view = NULL;
}

static void derived_free(struct derived *derived) {
  if (derived == NULL) return;
  forget_screens(derived);
  forget_view(derived);
  free(derived);
}

/* Lock the derived values of a model, and forget them if the weights have changed since. */
static struct derived *lock_derived(const struct model *model) {
  struct derived *derived = model->derived;
  team_lock(&derived->lock);
  if (derived->changes != model->changes) {
    forget_screens(derived);
    forget_view(derived);
  }
  derived->changes = model->changes;
  return derived;
}

/* ---- the model ---- */

static elman_status set_up(struct model *model, elman_error *error) {
  elman_status status = model_config_check(&model->config, error);
  if (status == ELMAN_OK) status = parameter_table_create(&model->table, &model->config, error);
  if (status == ELMAN_OK) status = parameter_block_create(&model->block, &model->table, error);
  if (status == ELMAN_OK) status = derived_create(&model->derived, error);
  if (status != ELMAN_OK) return status;
  advise_large_pages(model->block, model->table.block * sizeof(real));
  parameters_bind(&model->weights, model->block, &model->config);
  return ELMAN_OK;
}

elman_train_settings train_settings_of(const elman_train_options *from) {
  elman_train_settings settings = {ELMAN_TRAIN_OPTIONS(FIELD_COPY)};
  options_keep_names(&settings, ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END);
  return settings;
}

bool teaches_copying(const elman_train_settings *settings) {
  return settings->copy_noise > 0 || settings->copy_numbers > 0;
}

elman_status model_create(struct model **out, struct vocabulary_pair vocabularies,
                          struct model_config config, elman_error *error) {
  *out = NULL;
  struct model *model = calloc(1, sizeof *model);
  if (model == NULL) {
    vocabulary_pair_free(&vocabularies);
    return fail_no_memory(error);
  }
  model->config = config;
  model->config.source_vocabulary = vocabulary_size(vocabularies.source);
  model->config.target_vocabulary = vocabulary_size(vocabularies.target);
  model->config.source_tokens = vocabularies.source_mode;
  model->config.target_tokens = vocabularies.target_mode;
  model->config.source_normalization = vocabularies.source_normalization;
  model->config.target_normalization = vocabularies.target_normalization;
  model_config_complete(&model->config);
  model->past.training = (elman_train_settings){ELMAN_TRAIN_OPTIONS(FIELD_DEFAULT)};
  snprintf(model->version, sizeof model->version, "%s", ELMAN_VERSION);
  model->sample[ELMAN_SOURCE] = vocabularies.sample[ELMAN_SOURCE];
  model->sample[ELMAN_TARGET] = vocabularies.sample[ELMAN_TARGET];
  model->counts[ELMAN_SOURCE] = vocabularies.counts[ELMAN_SOURCE];
  model->counts[ELMAN_TARGET] = vocabularies.counts[ELMAN_TARGET];
  model->source_vocabulary = vocabularies.source;
  model->target_vocabulary = vocabularies.target;
  model->merges[ELMAN_SOURCE] = vocabularies.merges[ELMAN_SOURCE];
  model->merges[ELMAN_TARGET] = vocabularies.merges[ELMAN_TARGET];
  const elman_status status = set_up(model, error);
  if (status == ELMAN_OK)
    *out = model;
  else
    model_free(model);
  return status;
}

void model_free(struct model *model) {
  if (model == NULL) return;
  vocabulary_free(model->source_vocabulary);
  vocabulary_free(model->target_vocabulary);
  merges_free(model->merges[ELMAN_SOURCE]);
  merges_free(model->merges[ELMAN_TARGET]);
  parameter_block_free(model->block);
  derived_free(model->derived);
  free(model);
}

bool model_writes_unknown(const struct model *model) {
  return model->merges[ELMAN_TARGET] == NULL || teaches_copying(&model->past.training);
}

bool without_unknown(const struct model *model, const elman_translate_options *options) {
  return model->merges[ELMAN_TARGET] != NULL && !options->replace_unknown;
}

elman_status search_check(elman_search search, elman_error *error) {
  enum { MAX_PENALTY = 10 };
  const elman_status status =
      check_range("beam size", (double)search.beam, 0, ELMAN_MAX_BEAM, error);
  return status == ELMAN_OK
             ? check_range("length penalty", search.length_penalty, 0, MAX_PENALTY, error)
             : status;
}

elman_precision model_precision(const struct model *model) {
  for (size_t i = 0; model->changes == 0 && i < model->table.count; i++)
    if (model->table.rows[i].stored == ELMAN_INT8) return ELMAN_PRECISION_INT8;
  return ELMAN_PRECISION_FLOAT32;
}

struct codec model_source_codec(const struct model *model) {
  return (struct codec){model->config.source_tokens, model->config.source_normalization,
                        model->source_vocabulary, model->merges[ELMAN_SOURCE]};
}

struct codec model_target_codec(const struct model *model) {
  return (struct codec){model->config.target_tokens, model->config.target_normalization,
                        model->target_vocabulary, model->merges[ELMAN_TARGET]};
}

/* ---- the screen of greedy search ---- */

static elman_status make_screen(struct screen **screen, const struct model *model,
                                bool without_unknown, elman_error *error) {
  const struct decoder_parameters *weights = &model->weights.decoder;
  const struct screened_layer layer = {
      weights->out_weight,     weights->out_bias, weights->sizes.vocabulary,
      weights->sizes.features, TOKEN_START,       without_unknown};
  *screen = calloc(1, sizeof **screen);
  if (*screen == NULL) return fail_no_memory(error);
  const elman_status status = screen_create(*screen, layer, quantized_kernel_at(0), error);
  if (status == ELMAN_OK) return ELMAN_OK;
  screen_free(*screen);
  free(*screen);
  *screen = NULL;
  return status;
}

elman_status model_screen(const struct screen **screen, const struct model *model,
                          const elman_translate_options *options, elman_error *error) {
  elman_status status = ELMAN_OK;
  *screen = NULL;
  if (options->beam > 1 || options->ensemble_count > 0 || options->sample ||
      model->weights.numerics->eight_bits != NULL)
    return ELMAN_OK;
  struct derived *derived = lock_derived(model);
  const bool without = without_unknown(model, options);
  if (derived->screens[without] == NULL)
    status = make_screen(&derived->screens[without], model, without, error);
  *screen = derived->screens[without];
  team_unlock(&derived->lock);
  return status;
}

/* ---- the model in eight bits ---- */

static elman_status make_view(struct derived *derived, const struct model *model,
                              elman_error *error) {
  struct float_matrix matrices[MAX_PARAMETERS];
  const size_t count = parameter_matrices(matrices, model->block, &model->table);
  derived->view = malloc(sizeof *derived->view);
  if (derived->view == NULL) return fail_no_memory(error);
  *derived->view = *model;
  const elman_status status = eight_bits_create(&derived->set, matrices, count, NULL, error);
  if (status != ELMAN_OK) {
    forget_view(derived);
    return status;
  }
  derived->numerics = *model->weights.numerics;
  derived->numerics.eight_bits = &derived->set;
  parameters_use(&derived->view->weights, &derived->numerics);
  return ELMAN_OK;
}

elman_status model_in_eight_bits(const struct model **view, const struct model *model,
                                 elman_error *error) {
  elman_status status = ELMAN_OK;
  struct derived *derived = lock_derived(model);
  if (derived->view == NULL) status = make_view(derived, model, error);
  *view = derived->view;
  team_unlock(&derived->lock);
  return status;
}
