#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "base/group.h"
#include "base/table.h"
#include "metric/metric.h"
#include "model/ensemble.h"
#include "translate/evaluate.h"
#include "translate/texts.h"
#include "translate/translate_all.h"
#include "translate/translator.h"

struct elman_translator {
  struct translator inner;
  const struct model *model; /* borrowed; inner.model is its view in the precision of the call */
  struct model_views views;
  struct kept_team team; /* owned */
};

elman_status elman_translator_create(elman_translator **translator, const elman_model *model,
                                     elman_error *error) {
  *translator = malloc(sizeof **translator);
  if (*translator == NULL) return fail_no_memory(error);
  **translator = (elman_translator){.model = inner_model_const(model)};
  translator_create(&(*translator)->inner, inner_model_const(model), NULL);
  return ELMAN_OK;
}

void elman_translator_free(elman_translator *translator) {
  if (translator == NULL) return;
  translator_free(&translator->inner);
  model_views_free(&translator->views);
  team_free(translator->team.team);
  free(translator);
}

elman_translate_options elman_model_translate_options(const elman_model *model) {
  elman_translate_options options = elman_translate_options_default();
  const elman_search search = inner_model_const(model)->search;
  options.precision = model_precision(inner_model_const(model));
  if (search.beam > 0) {
    options.beam = search.beam;
    options.length_penalty = search.length_penalty;
  }
  options.replace_unknown = teaches_copying(&inner_model_const(model)->past.training);
  return options;
}

elman_status elman_ensemble_check(const elman_model *model, const elman_model *other,
                                  elman_error *error) {
  return models_have_same_words(inner_model_const(model), inner_model_const(other), error);
}

void elman_override_reach_add(elman_override_reach *reach, const elman_translate_options *options,
                              const elman_translation *translation) {
  for (; translation != NULL; translation = translation->next)
    override_reach_add(reach, options, translation->target_count, translation->source_count);
}

/* ---- options ---- */

static elman_status check_override(const elman_override *one, elman_error *error) {
  if ((unsigned)one->kind > ELMAN_OVERRIDE_CELL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "unknown kind of override %d", (int)one->kind);
  if (one->kind != ELMAN_OVERRIDE_CELL) return ELMAN_OK;
  return check_range("weight of an override", one->weight, 0, 1, error);
}

static elman_status check_overrides(const elman_translate_options *options, elman_error *error) {
  if (options->override_count > ELMAN_MAX_OVERRIDES)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "at most %d overrides are allowed, not %zu",
                ELMAN_MAX_OVERRIDES, options->override_count);
  elman_status status = ELMAN_OK;
  for (size_t i = 0; status == ELMAN_OK && i < options->override_count; i++)
    status = check_override(&options->overrides[i], error);
  return status;
}

static elman_status check_translate_options(const struct model *model,
                                            const elman_translate_options *options,
                                            elman_error *error) {
  elman_translate_options checked = *options;
  checked.without_scores = false; /* penalties from the model are no error */
  elman_status status =
      elman_options_check(ELMAN_SCOPES_TRANSLATE, &checked, NULL, ELMAN_NAMES_FIELD, error);
  if (status != ELMAN_OK) return status;
  if (options->replace_unknown && !model_writes_unknown(model))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the target uses BPE and has no unknown words to replace");
  if (options->ensemble_count > ELMAN_MAX_ENSEMBLE)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "an ensemble has at most %d models besides the first, not %zu", ELMAN_MAX_ENSEMBLE,
                options->ensemble_count);
  if (options->without_attention && options->self_attention)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "`self_attention` and `without_attention` cannot be combined");
  status = check_overrides(options, error);
  return status == ELMAN_OK ? ensemble_check(model, options, error) : status;
}

/* ---- state between calls ---- */

/* Use the current values that the search derives from the weights. Make the options refer to models
 * in the precision that the options name. */
static elman_status fit(elman_translator *translator, elman_translate_options *options,
                        elman_error *error) {
  struct translator *inner = &translator->inner;
  const elman_status status =
      model_views_set(&translator->views, translator->model, options, error);
  if (status != ELMAN_OK) return status;
  inner->model = translator->views.first;
  return model_screen(&inner->screen, inner->model, options, error);
}

/* Return the number of multiplications of one decoder step in the output layer. */
static double output_product(const struct model *model, const elman_translate_options *options) {
  return 2 * (double)model->config.hidden_size * (double)model->config.target_vocabulary *
         (double)(WORK_OF_SMALL_PRODUCTS / 2 * options->beam);
}

/* ---- sentences ---- */

struct outcomes {
  elman_translation **translations;
  elman_error *errors; /* the code is ELMAN_OK if there is a translation */
};

static elman_status pass_outcome(void *context, size_t number, struct translator *translator,
                                 size_t i, elman_error *error) {
  const struct outcomes *outcomes = context;
  const struct translator_item *item = &translator->items[i];
  outcomes->errors[number] = item->error;
  if (item->status != ELMAN_OK) return ELMAN_OK;
  return translation_create(&outcomes->translations[number], translator, i, error);
}

/* Return whether each sentence has a translation or an error of its own. */
static bool is_answered(elman_status status) {
  return status == ELMAN_OK || status == ELMAN_BAD_DATA;
}

static void drop_translations(struct outcomes *outcomes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    elman_translation_free(outcomes->translations[i]);
    outcomes->translations[i] = NULL;
  }
}

/* Return the first error of a sentence; its message then contains the number of the sentence. */
static elman_status first_error(const struct outcomes *outcomes, size_t count, elman_error *error) {
  for (size_t i = 0; i < count; i++) {
    const elman_error *problem = &outcomes->errors[i];
    if (problem->code != ELMAN_OK)
      return fail(error, problem->code, NULL, "sentence %zu: %.400s", i + 1, problem->message);
  }
  return ELMAN_OK;
}

static elman_status translate_many(struct outcomes *outcomes, elman_translator *translator,
                                   const elman_sentence *sentences, size_t count,
                                   const elman_translate_options *options, elman_error *error) {
  enum { BATCH_SIZE = 64 };
  elman_translate_options own = *options;
  elman_status status = fit(translator, &own, error);
  if (status != ELMAN_OK) return status;
  status = translate_all(&(struct translate_job){.model = translator->inner.model,
                                                 .screen = translator->inner.screen,
                                                 .only = &translator->inner,
                                                 .sentences = sentences,
                                                 .count = count,
                                                 .batch_size = BATCH_SIZE,
                                                 .options = &own,
                                                 .receive = pass_outcome,
                                                 .context = outcomes},
                         error);
  if (status == ELMAN_OK) status = first_error(outcomes, count, error);
  if (!is_answered(status)) drop_translations(outcomes, count);
  return status;
}

/* ---- texts ---- */

/* Set `problem`, the error of a text, to the error of its sentence k of `count`. The message names
 * the sentence. */
static void set_problem(elman_error *problem, const elman_error *of_sentence, size_t k,
                        size_t count, const elman_sentence *sentence) {
  enum { LONGEST = 60 };
  const struct text shown =
      text_beginning((struct text){sentence->text, sentence->length}, LONGEST);
  (void)fail(problem, of_sentence->code, of_sentence->where, "sentence %zu of %zu, \"%.*s%s\": %s",
             k + 1, count, (int)shown.length, shown.bytes,
             shown.length < sentence->length ? "..." : "", of_sentence->message);
}

/* Join the translations of the sentences of a text. If sentences have errors, the text gets the
 * first of these errors. */
static elman_status join_text(elman_translation **whole, elman_error *problem,
                              const struct outcomes *parts, const elman_sentence *text,
                              const elman_sentence *sentences, size_t count,
                              const elman_translate_options *options, elman_error *error) {
  *problem = (elman_error){.code = ELMAN_OK};
  for (size_t k = 0; k < count && problem->code == ELMAN_OK; k++)
    if (parts->errors[k].code != ELMAN_OK)
      set_problem(problem, &parts->errors[k], k, count, &sentences[k]);
  if (problem->code != ELMAN_OK) return ELMAN_OK;
  const elman_status status =
      texts_join(whole, text, sentences, parts->translations, count, options, problem);
  return is_answered(status) ? ELMAN_OK : fail_again(error, problem);
}

/* Join the translations of `parts`. The translation of a text with one sentence becomes the outcome
 * itself. */
static elman_status join_texts(struct outcomes *outcomes, const struct outcomes *parts,
                               const struct split_texts *split, const elman_sentence *texts,
                               const elman_translate_options *options, elman_error *error) {
  elman_status status = ELMAN_OK;
  for (size_t i = 0; i < split->texts && status == ELMAN_OK; i++) {
    const size_t first = split->firsts[i], count = split->firsts[i + 1] - first;
    const struct outcomes own = {parts->translations + first, parts->errors + first};
    if (count > 1) {
      status = join_text(&outcomes->translations[i], &outcomes->errors[i], &own, &texts[i],
                         split->sentences + first, count, options, error);
    } else {
      outcomes->translations[i] = own.translations[0];
      outcomes->errors[i] = own.errors[0];
      own.translations[0] = NULL;
    }
  }
  if (status == ELMAN_OK) return first_error(outcomes, split->texts, error);
  drop_translations(outcomes, split->texts);
  return status;
}

static elman_status translate_texts(struct outcomes *outcomes, elman_translator *translator,
                                    const struct split_texts *split, const elman_sentence *texts,
                                    const elman_translate_options *options, elman_error *error) {
  const size_t count = split->firsts[split->texts];
  if (!split->any) return translate_many(outcomes, translator, texts, count, options, error);
  struct outcomes parts = {calloc(count, sizeof *parts.translations),
                           calloc(count, sizeof *parts.errors)};
  elman_status status =
      parts.translations == NULL || parts.errors == NULL
          ? fail_no_memory(error)
          : translate_many(&parts, translator, split->sentences, count, options, error);
  if (is_answered(status)) status = join_texts(outcomes, &parts, split, texts, options, error);
  if (parts.translations != NULL) drop_translations(&parts, count);
  free(parts.translations);
  free(parts.errors);
  return status;
}

elman_status elman_translate_batch(elman_translation **translations, elman_error *errors,
                                   elman_translator *translator, const elman_sentence *sentences,
                                   size_t count, const elman_translate_options *options,
                                   elman_error *error) {
  const elman_translate_options defaults = elman_translate_options_default();
  const struct model *model = translator->model;
  struct outcomes outcomes = {translations, errors};
  struct split_texts split = {0};
  struct surroundings before;
  if (options == NULL) options = &defaults;
  for (size_t i = 0; i < count; i++) translations[i] = NULL;
  elman_status status = check_translate_options(model, options, error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++)
    if (sentences[i].prefix_count > 0 && sentences[i].reference != NULL)
      status = fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                    "sentence %zu has both a reference and a prefix; give only one of them", i + 1);
  if (status == ELMAN_OK && errors == NULL) {
    outcomes.errors = calloc(count + 1, sizeof *outcomes.errors);
    if (outcomes.errors == NULL) status = fail_no_memory(error);
  }
  if (status == ELMAN_OK) status = texts_split(&split, model, sentences, count, options, error);
  if (status == ELMAN_OK)
    status = enter_with(&before, &translator->team, options->threads,
                        output_product(model, options) * (double)split.firsts[count], error);
  if (status == ELMAN_OK) {
    status = translate_texts(&outcomes, translator, &split, sentences, options, error);
    leave(before);
  }
  texts_free(&split);
  if (errors == NULL) free(outcomes.errors);
  return status;
}

/* ---- one text ---- */

elman_status elman_translate(elman_translation **translation, elman_translator *translator,
                             const char *text, size_t length,
                             const elman_translate_options *options, elman_error *error) {
  const elman_sentence sentence = {.text = text, .length = length, .number = 1, .is_text = true};
  elman_error problem = {.code = ELMAN_OK};
  const elman_status status =
      elman_translate_batch(translation, &problem, translator, &sentence, 1, options, error);
  /* The error of a batch contains the number of the sentence. */
  return problem.code != ELMAN_OK ? fail_again(error, &problem) : status;
}

/* ---- evaluation ---- */

static elman_status check(const elman_model *model, const elman_evaluate_options *options,
                          elman_error *error) {
  if (options->batch_size == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the batch size must be at least 1, not 0");
  elman_translate_options one = options->translate;
  one.n_best = 1;
  if (one.split_sentences == ELMAN_SPLIT_ON)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "`split_sentences` must not be `on`: each side of a pair is one sentence");
  return check_translate_options(inner_model_const(model), &one, error);
}

static elman_status same_work(const elman_model *model, const elman_pairs *pairs,
                              const elman_evaluate_options *options, elman_error *error) {
  const elman_group *group = options->group;
  const elman_metric_options *metric = &options->metric;
  const uint64_t parts[] = {pairs_hash(pairs), options->batch_size, metric->lowercase,
                            metric->chrf_lowercase};
  const char *tokens = metric->bleu_tokens == NULL ? "" : metric->bleu_tokens;
  const elman_status status =
      same_model(group, inner_model_const(model), &options->translate, error);
  if (status != ELMAN_OK || group_size(group) == 1) return status;
  return group_same(
      group, hash_bytes(hash_bytes(HASH_START, parts, sizeof parts), tokens, strlen(tokens)),
      "the pairs or options differ from those of process 0; use the same for all processes", error);
}

/* All processes must call this function, even if they fail. */
static elman_status evaluate_in_precision(elman_scores *scores, const elman_model *model,
                                          const elman_pairs *pairs,
                                          const elman_evaluate_options *options,
                                          elman_error *error) {
  struct model_views views = {0};
  elman_evaluate_options own = *options;
  elman_status status = model_views_set(&views, inner_model_const(model), &own.translate, error);
  status = elman_group_agree(options->group, status, error);
  if (status == ELMAN_OK) status = evaluate(scores, views.first, pairs, NULL, &own, error);
  model_views_free(&views);
  return status;
}

elman_status elman_evaluate(elman_scores *scores, const elman_model *model,
                            const elman_pairs *pairs, const elman_evaluate_options *options,
                            elman_error *error) {
  const elman_evaluate_options defaults = elman_evaluate_options_default();
  elman_error own;
  if (options == NULL) options = &defaults;
  if (error == NULL) error = &own;
  struct surroundings before;
  elman_status status = check(model, options, error);
  if (status == ELMAN_OK) status = enter(&before, options->threads, INFINITY, error);
  const bool entered = status == ELMAN_OK;
  status = elman_group_agree(options->group, status, error);
  if (status == ELMAN_OK) status = same_work(model, pairs, options, error);
  if (status == ELMAN_OK) status = evaluate_in_precision(scores, model, pairs, options, error);
  if (entered) leave(before);
  return status;
}

/* ---- tuning the search ---- */

static double trial_score(const elman_search_trial *trial) {
  return trial->by_chrf ? trial->chrf : trial->bleu;
}

/* Return the best trial; if several are equally good, the first of them. */
static size_t best_trial(const elman_search_trial *trials, size_t count) {
  size_t best = 0;
  for (size_t i = 1; i < count; i++)
    if (trial_score(&trials[i]) > trial_score(&trials[best])) best = i;
  return best;
}

static elman_status try_search(elman_search_trial *trial, const elman_model *model,
                               const elman_pairs *pairs, const elman_evaluate_options *options,
                               elman_error *error) {
  elman_evaluate_options changed = *options;
  elman_scores scores;
  changed.translate.beam = trial->search.beam;
  changed.translate.length_penalty = trial->search.length_penalty;
  const elman_status status = elman_evaluate(&scores, model, pairs, &changed, error);
  if (status != ELMAN_OK) return status;
  trial->bleu = scores.metrics.bleu;
  trial->chrf = scores.metrics.chrf;
  trial->by_chrf = metrics_prefer_chrf(&scores.metrics, scores.sentences);
  return ELMAN_OK;
}

elman_status elman_tune_search(elman_search_trial *trials, elman_model *model,
                               const elman_pairs *pairs, const elman_evaluate_options *options,
                               elman_error *error) {
  static const elman_search searches[ELMAN_SEARCH_TRIALS] = {
      {1, 1}, {5, 0.6}, {5, 1}, {5, 1.4}, {10, 0}};
  const elman_evaluate_options defaults = elman_evaluate_options_default();
  const size_t last = ELMAN_SEARCH_TRIALS - 1;
  elman_status status = ELMAN_OK;
  if (options == NULL) options = &defaults;
  for (size_t i = 0; status == ELMAN_OK && i <= last; i++) {
    trials[i] = (elman_search_trial){.search = searches[i]};
    /* The first trial is greedy search, which ignores the penalty. */
    if (i == last)
      trials[i].search.length_penalty =
          trials[1 + best_trial(trials + 1, last - 1)].search.length_penalty;
    status = try_search(&trials[i], model, pairs, options, error);
  }
  if (status == ELMAN_OK)
    inner_model(model)->search = trials[best_trial(trials, ELMAN_SEARCH_TRIALS)].search;
  return status;
}
