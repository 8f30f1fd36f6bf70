/* The options of a search for translations. */
#include <stdlib.h>
#include <string.h>

#include "glue.h"

static const char *override_kind(size_t index) {
  static const char *const names[] = {[ELMAN_OVERRIDE_UNIFORM] = "uniform",
                                      [ELMAN_OVERRIDE_SHUFFLE] = "shuffle",
                                      [ELMAN_OVERRIDE_POSITION] = "position",
                                      [ELMAN_OVERRIDE_CELL] = "cell"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static elman_status read_override(elman_override *override, const json_t *from, size_t at,
                                  elman_error *error) {
  enum { MOST = 1000000 };
  static const char *const used[][4] = {[ELMAN_OVERRIDE_UNIFORM] = {NULL},
                                        [ELMAN_OVERRIDE_SHUFFLE] = {NULL},
                                        [ELMAN_OVERRIDE_POSITION] = {"column", NULL},
                                        [ELMAN_OVERRIDE_CELL] = {"row", "column", "weight", NULL}};
  static const char *const unused[][4] = {
      [ELMAN_OVERRIDE_UNIFORM] = {"row", "column", "weight", NULL},
      [ELMAN_OVERRIDE_SHUFFLE] = {"row", "column", "weight", NULL},
      [ELMAN_OVERRIDE_POSITION] = {"row", "weight", NULL},
      [ELMAN_OVERRIDE_CELL] = {NULL}};
  char name[32];
  const json_t *object = NULL;
  unsigned kind = 0;
  *override = (elman_override){0};
  const struct field element = {.object = &object};
  const struct field fields[] = {
      {.name = "kind", .needed = true, .index = &kind, .choice = override_kind},
      {.name = "row", .count = &override->row, .most = MOST},
      {.name = "column", .count = &override->column, .most = MOST},
      {.name = "weight", .real = &override->weight, .most = 1}};
  snprintf(name, sizeof name, "overrides[%zu]", at);
  elman_status status = read_value(&element, name, from, error);
  snprintf(name, sizeof name, "overrides[%zu].", at);
  if (status == ELMAN_OK) status = READ_FIELDS(fields, object, name, error);
  if (status != ELMAN_OK) return status;
  override->kind = (elman_override_kind)kind;
  const char *without_effect = first_given(object, unused[kind]);
  if (without_effect != NULL)
    return request_fail(error, ELMAN_INVALID_ARGUMENT,
                        "%s%s has no effect on an override of kind %s", name, without_effect,
                        override_kind(kind));
  for (const char *const *key = used[kind]; *key != NULL; key++)
    if (json_object_get(object, *key) == NULL)
      return request_fail(error, ELMAN_INVALID_ARGUMENT, "%s%s is missing", name, *key);
  return ELMAN_OK;
}

void search_options_free(struct search *search) {
  free(search->prefix);
}

static elman_status read_overrides(struct search *search, const json_t *list, elman_error *error) {
  const size_t count = json_array_size(list);
  elman_status status = ELMAN_OK;
  for (size_t i = 0; i < count && status == ELMAN_OK; i++)
    status = read_override(&search->overrides[i], json_array_get(list, i), i, error);
  search->options.overrides = search->overrides;
  search->options.override_count = count;
  return status;
}

elman_status read_prefix(struct search *search, const json_t *list, size_t count,
                         elman_error *error) {
  char name[32];
  size_t id;
  const struct field element = {.count = &id, .most = UINT32_MAX};
  search->prefix = calloc(count + 1, sizeof *search->prefix);
  if (search->prefix == NULL) return request_fail(error, ELMAN_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < count; i++) {
    snprintf(name, sizeof name, "prefix[%zu]", i);
    const elman_status status = read_value(&element, name, json_array_get(list, i), error);
    if (status != ELMAN_OK) return status;
    search->prefix[i] = (uint32_t)id;
  }
  search->sentence.prefix = search->prefix;
  search->sentence.prefix_count = count;
  return ELMAN_OK;
}

/* Rules of options that need or exclude each other. `given` are the options of the request. */
static elman_status check_search(struct search *search, const json_t *given, bool shows_scores,
                                 elman_error *error) {
  static const char *const ranking[] = {"length_penalty", "length_norm", "coverage_penalty", NULL};
  static const char *const searching[] = {
      "beam", "n_best", "equal_texts", "length_penalty", "length_norm", "coverage_penalty", NULL};
  static const char *const sampling[] = {"temperature", "top_k", NULL};
  static const char *const deciding[] = {"beam",           "n_best",      "equal_texts",
                                         "length_penalty", "length_norm", "coverage_penalty",
                                         "max_length",     "max_ratio",   "replace_unknown",
                                         "sample",         "prefix",      NULL};
  elman_translate_options *options = &search->options;
  const char *name;
  bool shuffles = false;
  for (size_t i = 0; i < options->override_count; i++)
    shuffles |= options->overrides[i].kind == ELMAN_OVERRIDE_SHUFFLE;
  if (search->sentence.reference != NULL && (name = first_given(given, deciding)) != NULL)
    return request_fail(error, ELMAN_INVALID_ARGUMENT,
                        "%s has no effect on a given reference; remove it", name);
  if (options->sample && (name = first_given(given, searching)) != NULL)
    return request_fail(error, ELMAN_INVALID_ARGUMENT, "sample cannot be combined with %s", name);
  if (!options->sample && (name = first_given(given, sampling)) != NULL)
    return request_fail(error, ELMAN_INVALID_ARGUMENT, "%s needs sample", name);
  if (!options->sample && !shuffles && json_object_get(given, "seed") != NULL)
    return request_fail(error, ELMAN_INVALID_ARGUMENT,
                        "seed has no effect without sample or an override of kind shuffle");
  if (json_object_get(given, "beam") == NULL && options->beam < options->n_best)
    options->beam = options->n_best;
  if (options->n_best > options->beam)
    return request_fail(error, ELMAN_INVALID_ARGUMENT, "n_best %zu needs a beam of %zu or more",
                        options->n_best, options->n_best);
  if (options->equal_texts && options->n_best == 1)
    return request_fail(error, ELMAN_INVALID_ARGUMENT, "equal_texts needs n_best above 1");
  if (json_object_get(given, "length_norm") != NULL && options->length_penalty == 0)
    return request_fail(error, ELMAN_INVALID_ARGUMENT,
                        "length_norm needs a length_penalty above 0");
  if (!shows_scores && options->beam == 1 && (name = first_given(given, ranking)) != NULL)
    return request_fail(error, ELMAN_INVALID_ARGUMENT,
                        "%s has no effect on greedy decoding; add a beam above 1", name);
  return ELMAN_OK;
}

elman_status read_search(struct search *search, const json_t *given, bool one_sentence,
                         elman_error *error) {
  enum { MAX_LENGTH = 1000000, MAX_PENALTY = 10, MAX_RATIO = 1000, MAX_TEMPERATURE = 100 };
  elman_translate_options *options = &search->options;
  const json_t *overrides = NULL, *prefix = NULL;
  unsigned norm = 0;
  uint64_t seed = 1;
  *search = (struct search){.options = elman_translate_options_default(), .sentence.number = 1};
  const struct field fields[] = {
      {.name = "beam", .count = &options->beam, .least = 1, .most = ELMAN_MAX_BEAM},
      {.name = "length_penalty", .real = &options->length_penalty, .most = MAX_PENALTY},
      {.name = "length_norm", .index = &norm, .choice = elman_length_norm_name},
      {.name = "coverage_penalty", .real = &options->coverage_penalty, .most = MAX_PENALTY},
      {.name = "max_length", .count = &options->max_length, .least = 1, .most = MAX_LENGTH},
      {.name = "max_ratio", .real = &options->max_ratio, .least = 0.01, .most = MAX_RATIO},
      {.name = "replace_unknown", .flag = &options->replace_unknown},
      {.name = "overrides", .list = &overrides, .most = ELMAN_MAX_OVERRIDES},
      {.name = "seed", .seed = &seed, .most = MAX_WHOLE},
      /* of one sentence */
      {.name = "n_best", .count = &options->n_best, .least = 1, .most = ELMAN_MAX_BEAM},
      {.name = "equal_texts", .flag = &options->equal_texts},
      {.name = "reference", .text = &search->sentence.reference},
      {.name = "prefix", .list = &prefix, .most = MAX_LENGTH},
      {.name = "self_attention", .flag = &options->self_attention},
      {.name = "sample", .flag = &options->sample},
      {.name = "temperature",
       .real = &options->temperature,
       .least = 0.01,
       .most = MAX_TEMPERATURE},
      {.name = "top_k", .count = &options->top_k, .most = ELMAN_MAX_TOP_K}};
  enum { ALL = sizeof fields / sizeof *fields, OF_ONE_SENTENCE = 8 };
  elman_status status =
      read_fields(fields, one_sentence ? ALL : ALL - OF_ONE_SENTENCE, given, "", error);
  if (status == ELMAN_OK) status = read_overrides(search, overrides, error);
  if (status == ELMAN_OK) status = read_prefix(search, prefix, json_array_size(prefix), error);
  if (status != ELMAN_OK) return status;
  options->length_norm = (elman_length_norm)norm;
  options->sample_seed = options->override_seed = seed;
  if (search->sentence.reference != NULL)
    search->sentence.reference_length = strlen(search->sentence.reference);
  return check_search(search, given, one_sentence, error);
}
