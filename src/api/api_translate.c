#include <stdlib.h>

#include "api/call.h"
#include "tensor/blas.h"
#include "translate/translate_all.h"

struct elman_translator {
  struct translator inner;
  struct screen *screen; /* owned; NULL until the first greedy search */
  size_t trainings;      /* of the model when the screen was made */
  struct team *team;     /* owned; NULL until a sentence is worth it */
  size_t team_members;
};

/* The public part comes first, so that a pointer to it is a pointer to the whole. */
struct owned_translation {
  elman_translation outer;
  struct kept_translation kept;
  elman_translation others[]; /* the next best ones */
};

elman_status elman_translator_create(elman_translator **translator, const elman_model *model,
                                     elman_error *error) {
  *translator = malloc(sizeof **translator);
  if (*translator == NULL) return fail_no_memory(error);
  **translator = (elman_translator){0};
  translator_create(&(*translator)->inner, inner_model_const(model), NULL);
  return ELMAN_OK;
}

void elman_translator_free(elman_translator *translator) {
  if (translator == NULL) return;
  translator_free(&translator->inner);
  model_screen_free(translator->screen);
  team_free(translator->team);
  free(translator);
}

/* Makes the screen for greedy search, once, and again when the model has been trained meanwhile. */
static elman_status fit_screen(elman_translator *translator,
                               const struct translate_options *options, elman_error *error) {
  const struct model *model = translator->inner.model;
  if (translator->screen != NULL && translator->trainings == model->trainings) return ELMAN_OK;
  model_screen_free(translator->screen);
  const elman_status status = model_screen_create(&translator->screen, model, options, error);
  translator->inner.screen = translator->screen;
  translator->trainings = model->trainings;
  return status;
}

/* Whether the output layer has all the work worth sharing, by a team that then takes the place of
 * OpenMP's threads. Greedy search with scores has products of many steps as well. */
static bool uses_team(const elman_translate_options *options) {
  return options->reference == NULL && (options->beam > 1 || options->without_scores);
}

/* As many members as there are threads, each with a part of the weights that is worth sharing. */
static elman_status fit_team(elman_translator *translator, size_t threads, elman_error *error) {
  enum { WORTH_A_MEMBER = 1 << 19 };
  const struct model *model = translator->inner.model;
  const struct decoder_sizes sizes = decoder_sizes_of(&model->config);
  const size_t parts = sizes.vocabulary * decoder_feature_size(sizes) / WORTH_A_MEMBER;
  const size_t members = threads < parts ? threads : parts;
  if (members == translator->team_members) return ELMAN_OK;
  team_free(translator->team);
  translator->team = NULL;
  translator->team_members = members;
  if (members < 2) return ELMAN_OK;
  const elman_status status = blas_reserve(members, error);
  if (status != ELMAN_OK) return status;
  return team_create(&translator->team, members, error);
}

/* ---- options ---- */

elman_translate_options elman_translate_options_default(void) {
  const struct translate_options inner = translate_options_default();
  return (elman_translate_options){.max_bytes = ELMAN_DEFAULT_MAX_BYTES,
                                   .beam = inner.beam.width,
                                   .n_best = inner.beam.n_best,
                                   .length_penalty = inner.beam.length_penalty,
                                   .override_seed = 1};
}

static const char *inner_overrides(struct translate_options *inner,
                                   const elman_translate_options *options) {
  if (options->override_count > ELMAN_MOST_OVERRIDES) return "there are more than 64 overrides";
  for (size_t i = 0; i < options->override_count; i++) {
    const elman_override *one = &options->overrides[i];
    if ((unsigned)one->kind > ELMAN_OVERRIDE_CELL) return "there is no such kind of override";
    if (one->kind == ELMAN_OVERRIDE_CELL && !(one->weight >= 0 && one->weight <= 1))
      return "the weight of an override must lie from 0 to 1";
    inner->override_list[i] = (elman_override){one->kind, one->row, one->column, one->weight};
  }
  inner->override_count = options->override_count;
  inner->override_seed = options->override_seed;
  return NULL;
}

elman_status inner_translate_options(struct translate_options *inner,
                                     const elman_translate_options *options, elman_error *error) {
  enum { MOST_PENALTY = 10 };
  const char *problem = NULL;
  if (options->beam == 0 || options->beam > ELMAN_MOST_BEAM)
    problem = "the beam must lie from 1 to 1024";
  else if (options->n_best == 0 || options->n_best > options->beam)
    problem = "the number of best translations must lie from 1 to the beam";
  else if (!(options->length_penalty >= 0 && options->length_penalty <= MOST_PENALTY))
    problem = "the length penalty must lie from 0 to 10";
  else if (!(options->max_ratio >= 0)) /* also what is not a number */
    problem = "the largest ratio of lengths must not be negative";
  if (problem != NULL) return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s", problem);
  *inner = (struct translate_options){.beam = {.width = options->beam,
                                               .n_best = options->n_best,
                                               .length_penalty = options->length_penalty},
                                      .max_bytes = options->max_bytes,
                                      .limit = options->max_length,
                                      .ratio = options->max_ratio,
                                      .replace_unknown = options->replace_unknown,
                                      .without_scores = options->without_scores};
  problem = inner_overrides(inner, options);
  return problem == NULL ? ELMAN_OK : fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s", problem);
}

/* ---- results ---- */

static elman_translation outer_translation(const struct translation *view) {
  return (elman_translation){.text = view->text,
                             .source = view->source,
                             .log_probability = view->log_probability,
                             .score = view->score,
                             .source_count = view->source_count,
                             .target_count = view->target_count,
                             .heads = view->heads,
                             .source_tokens = view->source_tokens,
                             .source_ids = view->source_ids,
                             .source_known = view->source_known,
                             .source_starts = view->source_starts,
                             .source_ends = view->source_ends,
                             .target_tokens = view->target_tokens,
                             .target_ids = view->target_ids,
                             .target_starts = view->target_starts,
                             .target_ends = view->target_ends,
                             .ended = view->ended,
                             .forced = view->forced,
                             .attention = view->attention,
                             .head_attention = view->head_attention};
}

/* Takes over what was kept, unless it fails. */
static elman_status own(elman_translation **out, const struct kept_translation *kept,
                        elman_error *error) {
  const size_t others = kept->count - 1;
  struct owned_translation *owned = calloc(1, sizeof *owned + others * sizeof owned->others[0]);
  if (owned == NULL) return fail_no_memory(error);
  owned->kept = *kept;
  owned->outer = outer_translation(&kept->views[0]);
  elman_translation *last = &owned->outer;
  for (size_t i = 0; i < others; i++) {
    owned->others[i] = outer_translation(&kept->views[i + 1]);
    last->next = &owned->others[i];
    last = &owned->others[i];
  }
  *out = &owned->outer;
  return ELMAN_OK;
}

void elman_translation_free(elman_translation *translation) {
  if (translation == NULL) return;
  struct owned_translation *owned = (struct owned_translation *)translation;
  arena_free(&owned->kept.arena);
  free(owned);
}

/* ---- one sentence ---- */

static elman_status translate(elman_translation **out, elman_translator *outer, struct text source,
                              const elman_translate_options *options, size_t threads,
                              elman_error *error) {
  const struct text reference =
      options->reference == NULL ? (struct text){NULL, 0} : text_of(options->reference);
  struct translate_options inner;
  struct translator *translator = &outer->inner;
  struct kept_translation kept;
  elman_status status = inner_translate_options(&inner, options, error);
  if (status == ELMAN_OK && reference.bytes == NULL) status = fit_screen(outer, &inner, error);
  const bool shared = uses_team(options);
  if (status == ELMAN_OK && shared) status = fit_team(outer, threads, error);
  translator->search.team = shared ? outer->team : NULL;
  if (status == ELMAN_OK) status = translator_run(translator, &source, 1, reference, &inner, error);
  if (status != ELMAN_OK) return status;
  if (translator->items[0].status != ELMAN_OK)
    return fail_again(error, &translator->items[0].error);
  status = translator_keep(&kept, translator, 0, error);
  if (status != ELMAN_OK) return status;
  status = own(out, &kept, error);
  if (status != ELMAN_OK) arena_free(&kept.arena);
  return status;
}

/* One decoder step's product in the output layer. */
static double output_product(const struct model *model, const elman_translate_options *options) {
  return 2 * (double)model->config.hidden_size * (double)model->config.target_vocabulary *
         (double)options->beam;
}

elman_status elman_translate(elman_translation **translation, elman_translator *translator,
                             const char *text, size_t length,
                             const elman_translate_options *options, elman_error *error) {
  const elman_translate_options defaults = elman_translate_options_default();
  if (options == NULL) options = &defaults;
  *translation = NULL;
  struct surroundings before;
  elman_status status =
      enter(&before, uses_team(options), output_product(translator->inner.model, options), error);
  if (status != ELMAN_OK) return status;
  status = translate(translation, translator, (struct text){text, length}, options,
                     (size_t)before.threads, error);
  leave(before);
  return status;
}

/* ---- many ---- */

/* Hands over the outcomes. Gives ELMAN_BAD_DATA if a sentence has no translation. */
static elman_status own_all(elman_translation **translations, elman_error *errors,
                            struct outcome *outcomes, size_t count, elman_error *error) {
  elman_status all = ELMAN_OK;
  for (size_t i = 0; i < count; i++) {
    struct outcome *outcome = &outcomes[i];
    if (errors != NULL)
      errors[i] = outcome->status == ELMAN_OK ? (elman_error){.code = ELMAN_OK} : outcome->error;
    if (outcome->status != ELMAN_OK) {
      if (all == ELMAN_OK)
        (void)fail(error, outcome->status, NULL, "sentence %zu: %.400s", i + 1,
                   outcome->error.message);
      all = outcome->status;
      continue;
    }
    const elman_status status = own(&translations[i], &outcome->kept, error);
    if (status != ELMAN_OK) return status;
    outcome->kept = (struct kept_translation){0};
  }
  return all;
}

static elman_status translate_many(elman_translation **translations, elman_error *errors,
                                   elman_translator *translator, const char *const *texts,
                                   const size_t *lengths, size_t count,
                                   const elman_translate_options *options, elman_error *error) {
  struct translate_options inner;
  elman_status status = inner_translate_options(&inner, options, error);
  if (status == ELMAN_OK && options->reference != NULL)
    status = fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "a reference can be forced for one sentence, not for a batch");
  if (status != ELMAN_OK || count == 0) return status;
  struct text *sources = calloc(count, sizeof *sources);
  struct outcome *outcomes = calloc(count, sizeof *outcomes);
  if (sources == NULL || outcomes == NULL) status = fail_no_memory(error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++)
    sources[i] = (struct text){texts[i], lengths[i]};
  if (status == ELMAN_OK) status = fit_screen(translator, &inner, error);
  if (status == ELMAN_OK)
    status = translate_all(outcomes, translator->inner.model, translator->screen, sources, count,
                           &inner, error);
  if (status == ELMAN_OK) status = own_all(translations, errors, outcomes, count, error);
  for (size_t i = 0; outcomes != NULL && i < count; i++) arena_free(&outcomes[i].kept.arena);
  free(sources);
  free(outcomes);
  return status;
}

elman_status elman_translate_batch(elman_translation **translations, elman_error *errors,
                                   elman_translator *translator, const char *const *texts,
                                   const size_t *lengths, size_t count,
                                   const elman_translate_options *options, elman_error *error) {
  const elman_translate_options defaults = elman_translate_options_default();
  const struct model *model = translator->inner.model;
  if (options == NULL) options = &defaults;
  for (size_t i = 0; i < count; i++) translations[i] = NULL;
  struct surroundings before;
  elman_status status = enter(&before, 0, output_product(model, options) * (double)count, error);
  if (status != ELMAN_OK) return status;
  status = translate_many(translations, errors, translator, texts, lengths, count, options, error);
  leave(before);
  for (size_t i = 0; status != ELMAN_OK && status != ELMAN_BAD_DATA && i < count; i++) {
    elman_translation_free(translations[i]);
    translations[i] = NULL;
  }
  return status;
}
