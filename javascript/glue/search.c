/* The options of a search for translations. */
#include <stdlib.h>
#include <string.h>

#include "glue.h"

void search_options_free(struct search *search) {
  free(search->prefix);
}

/* Replace each value that JSON cannot express by its text, which messages of the library show. */
static void express(const json_t *from) {
  json_t *value = (json_t *)(uintptr_t)from;
  const char *key;
  json_t *element;
  void *next;
  size_t i;
  json_array_foreach(value, i, element) express(element);
  json_object_foreach_safe(value, next, key, element) {
    json_t *text = json_object_get(element, "");
    if (text != NULL) (void)json_object_set(value, key, text);
  }
}

static elman_status read_overrides(struct search *search, const json_t *list, elman_error *error) {
  if (list == NULL) return ELMAN_OK;
  express(list);
  search->options.overrides = search->overrides;
  return elman_overrides_read(search->overrides, &search->options.override_count, list, error);
}

elman_status read_prefix(struct search *search, const json_t *list, size_t count,
                         elman_error *error) {
  char name[32];
  size_t id;
  const struct field element = {.name = name, .count = &id, .most = UINT32_MAX};
  search->prefix = calloc(count + 1, sizeof *search->prefix);
  if (search->prefix == NULL) return request_fail(error, ELMAN_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < count; i++) {
    snprintf(name, sizeof name, "prefix[%zu]", i);
    const elman_status status = read_value(&element, json_array_get(list, i), error);
    if (status != ELMAN_OK) return status;
    search->prefix[i] = (uint32_t)id;
  }
  search->sentence.prefix = search->prefix;
  search->sentence.prefix_count = count;
  return ELMAN_OK;
}

/* Complete a search and check its options. `given` are those of the request. */
static elman_status check_search(struct search *search, const bool *given, bool shows_scores,
                                 elman_error *error) {
  enum {
    OF_SEARCH = ELMAN_SCOPE_SEARCH | ELMAN_SCOPE_LIST | ELMAN_SCOPE_SAMPLING | ELMAN_SCOPE_TEXT
  };
  static const char reason[] = "a reference is given";
  elman_translate_options *options = &search->options;
  const bool is_forced = search->sentence.reference != NULL;
  if (!given[elman_option_find(ELMAN_SCOPE_SEARCH, "beam")->index] &&
      options->beam < options->n_best)
    options->beam = options->n_best;
  options->without_scores = !shows_scores;
  elman_status status =
      elman_options_check(ELMAN_SCOPES_TRANSLATE, options, given, ELMAN_NAMES_CAMEL, error);
  options->without_scores = false;
  if (status == ELMAN_OK && is_forced)
    status = elman_options_unused(OF_SEARCH, options, given, reason, ELMAN_NAMES_CAMEL, error);
  if (status == ELMAN_OK && is_forced && search->prefix != NULL)
    return request_fail(error, ELMAN_INVALID_ARGUMENT, "prefix has no effect: %s", reason);
  return status;
}

elman_status read_search(struct search *search, const elman_model *model, const json_t *object,
                         bool of_text, elman_error *error) {
  enum { MAX_PREFIX = 1000000, OF_TEXT = 2 };
  const unsigned scopes =
      ELMAN_SCOPE_SEARCH | ELMAN_SCOPE_SCORE | ELMAN_SCOPE_SEED | ELMAN_SCOPE_PRECISION |
      (of_text ? ELMAN_SCOPE_TEXT | ELMAN_SCOPE_LIST | ELMAN_SCOPE_SAMPLING | ELMAN_SCOPE_WEIGHTS
               : 0U);
  const json_t *overrides = NULL, *prefix = NULL;
  bool given[ELMAN_MAX_OPTIONS] = {false};
  const elman_translate_options named = elman_model_translate_options(model);
  *search = (struct search){.options = elman_translate_options_default(), .sentence.number = 1};
  search->options.replace_unknown = named.replace_unknown;
  search->options.precision = named.precision;
  const struct field fields[] = {
      {.name = "overrides", .list = &overrides, .most = ELMAN_MAX_OVERRIDES},
      {.name = "reference", .text = &search->sentence.reference},
      {.name = "prefix", .list = &prefix, .most = MAX_PREFIX}};
  enum { ALL = sizeof fields / sizeof *fields };
  elman_status status = read_fields(fields, of_text ? ALL : ALL - OF_TEXT, scopes, object, error);
  if (status == ELMAN_OK) status = read_options(scopes, &search->options, given, object, error);
  if (status == ELMAN_OK) status = read_overrides(search, overrides, error);
  if (status == ELMAN_OK && prefix != NULL)
    status = read_prefix(search, prefix, json_array_size(prefix), error);
  if (search->sentence.reference != NULL)
    search->sentence.reference_length = strlen(search->sentence.reference);
  return status == ELMAN_OK ? check_search(search, given, of_text, error) : status;
}
