#include "serve/served_models.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sysexits.h>

#include "console/messages.h"
#include "input/languages.h"
#include "input/model_input.h"

/* ---- languages ---- */

const char *language_name(const char *code) {
  const char *name = elman_language_name(code);
  return name == NULL ? code : name;
}

static size_t main_part(const char *code) {
  return strcspn(code, "-_");
}

static bool language_matches(const char *code, const char *wanted) {
  const size_t length = main_part(code);
  if (length != main_part(wanted) || strncasecmp(code, wanted, length) != 0) return false;
  return code[length] == '\0' || wanted[length] == '\0' ||
         strcasecmp(code + length + 1, wanted + length + 1) == 0;
}

static bool is_complete(const elman_language pair[2]) {
  return pair[ELMAN_SOURCE].code[0] != '\0' && pair[ELMAN_TARGET].code[0] != '\0';
}

/* Set the languages that are still unknown. */
static void fill(struct served_model *model, const elman_language pair[2]) {
  for (int side = 0; side < 2; side++)
    if (model->languages[side].code[0] == '\0') model->languages[side] = pair[side];
}

/* Set unknown languages by the scripts that only one language uses. The same script on both sides
 * identifies no language, because a model that translates has two languages. */
static void fill_by_script(struct served_model *model, const elman_model_info *info) {
  const char *codes[] = {elman_language_of_script(info->source_script),
                         elman_language_of_script(info->target_script)};
  for (int side = 0; side < 2; side++) {
    elman_language *language = &model->languages[side];
    const char *other = codes[1 - side] != NULL && model->languages[1 - side].code[0] == '\0'
                            ? codes[1 - side]
                            : model->languages[1 - side].code;
    if (language->code[0] == '\0' && codes[side] != NULL && strcmp(codes[side], other) != 0)
      (void)elman_language_parse(language, codes[side]);
  }
}

/* Report that the name of a model contradicts its file. */
static void note_contradiction(const struct served_model *model, const elman_language stored[2]) {
  for (int side = 0; side < 2; side++)
    if (stored[side].code[0] != '\0' &&
        !language_matches(model->languages[side].code, stored[side].code))
      note("serve: the %s language of %s is %s; the name %s given with --model overrides it",
           side == ELMAN_SOURCE ? "source" : "target", model->path, stored[side].code, model->name);
}

/* Set the languages, in this order: from the name, if its codes are listed; from the model; from
 * the name of the file; from the scripts; from the name if its codes are not listed. Return false
 * if a language remains unknown. */
static bool find_languages(struct served_model *model, bool named) {
  const elman_model_info info = elman_model_get_info(model->model);
  const elman_language stored[] = {info.source_language, info.target_language};
  elman_language pair[2];
  if (named && languages_of_known_pair(pair, model->name)) {
    fill(model, pair);
    note_contradiction(model, stored);
    return true;
  }
  fill(model, stored);
  if (!is_complete(model->languages) && languages_of_file(pair, model->path)) fill(model, pair);
  if (!is_complete(model->languages)) fill_by_script(model, &info);
  if (!is_complete(model->languages) && named && languages_of_pair(pair, model->name))
    fill(model, pair);
  return is_complete(model->languages);
}

static int refuse_languages(const struct served_model *model) {
  const char *file = model->path;
  const bool source = model->languages[ELMAN_SOURCE].code[0] == '\0';
  const bool target = model->languages[ELMAN_TARGET].code[0] == '\0';
  report(
      "serve",
      "%s does not state its %s; name both languages with -m, as in '-m en-de=%s' for English into "
      "German, or train the model with --source-language and --target-language",
      file,
      source && target ? "languages"
      : source         ? "source language"
                       : "target language",
      file);
  return EX_USAGE;
}

/* ---- one model ---- */

static bool is_name(const char *text, size_t length) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return length > 0 && strspn(text, allowed) >= length;
}

/* Split NAME=FILE. Without a name, the languages are the name. */
static int parse_value(struct served_model *model, const char *value, bool *named) {
  const char *equals = strchr(value, '=');
  const size_t length = equals == NULL ? 0 : (size_t)(equals - value);
  *named = equals != NULL && is_name(value, length);
  model->path = *named ? equals + 1 : value;
  if (!*named) return EX_OK;
  if (length > MODEL_NAME || model->path[0] == '\0') {
    report("serve",
           length > MODEL_NAME ? "--model: the name in '%s' has more than %d characters"
                               : "--model: '%s' names no file",
           value, MODEL_NAME);
    return EX_USAGE;
  }
  snprintf(model->name, sizeof model->name, "%.*s", (int)length, value);
  return EX_OK;
}

static atomic_size_t in_memory;

size_t served_models_in_memory(void) {
  return atomic_load(&in_memory);
}

static int load(struct served_model **out, const char *value) {
  bool named;
  struct served_model *model = calloc(1, sizeof *model);
  if (model == NULL) return report_no_memory();
  atomic_init(&model->holders, 1);
  int code = parse_value(model, value, &named);
  if (code == EX_OK) code = model_open(&model->model, model->path);
  if (code != EX_OK) {
    free(model);
    return code;
  }
  (void)atomic_fetch_add(&in_memory, 1);
  model->search = elman_model_translate_options(model->model);
  if (!find_languages(model, named)) {
    code = refuse_languages(model);
    served_model_release(model);
    return code;
  }
  if (!named)
    snprintf(model->name, sizeof model->name, "%s-%s", model->languages[ELMAN_SOURCE].code,
             model->languages[ELMAN_TARGET].code);
  *out = model;
  return EX_OK;
}

struct served_model *served_model_hold(struct served_model *model) {
  atomic_fetch_add(&model->holders, 1);
  return model;
}

void served_model_release(struct served_model *model) {
  if (model == NULL || atomic_fetch_sub(&model->holders, 1) > 1) return;
  elman_model_free(model->model);
  free(model);
  (void)atomic_fetch_sub(&in_memory, 1);
}

/* ---- all models ---- */

int model_set_load(struct model_set *set, const struct option_list *values,
                   const elman_precision *precision) {
  int code = EX_OK;
  *set = (struct model_set){.count = 0};
  for (size_t i = 0; i < values->count && code == EX_OK; i++) {
    struct served_model *model = NULL;
    code = load(&model, values->words[i]);
    if (code != EX_OK) break;
    if (precision != NULL) model->search.precision = *precision;
    const struct served_model *other = model_set_find(set, model->name);
    set->models[set->count++] = model;
    if (other == NULL) continue;
    report("serve", "both %s and %s have the name %s; name them with -m NAME=FILE", other->path,
           model->path, model->name);
    code = EX_USAGE;
  }
  if (code != EX_OK) model_set_retire(set);
  return code;
}

void model_set_retire(struct model_set *set) {
  for (size_t i = 0; i < set->count; i++) {
    atomic_store(&set->models[i]->retired, true);
    served_model_release(set->models[i]);
  }
  set->count = 0;
}

struct served_model *model_set_find(const struct model_set *set, const char *name) {
  for (size_t i = 0; i < set->count; i++)
    if (strcmp(set->models[i]->name, name) == 0) return set->models[i];
  return NULL;
}

bool served_model_translates(const struct served_model *model, const char *source,
                             const char *target) {
  return (strcmp(source, "auto") == 0 ||
          language_matches(model->languages[ELMAN_SOURCE].code, source)) &&
         language_matches(model->languages[ELMAN_TARGET].code, target);
}

struct served_model *model_set_for(const struct model_set *set, const char *source,
                                   const char *target) {
  for (size_t i = 0; i < set->count; i++)
    if (served_model_translates(set->models[i], source, target)) return set->models[i];
  return NULL;
}
