#include "serve/served_models.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sysexits.h>

#include "console/messages.h"
#include "input/model_input.h"

/* ---- languages ---- */

const char *language_name(const char *code) {
  static const char *const names[][2] = {
      {"ar", "Arabic"},     {"bg", "Bulgarian"}, {"cs", "Czech"},      {"da", "Danish"},
      {"de", "German"},     {"el", "Greek"},     {"en", "English"},    {"eo", "Esperanto"},
      {"es", "Spanish"},    {"et", "Estonian"},  {"fa", "Persian"},    {"fi", "Finnish"},
      {"fr", "French"},     {"he", "Hebrew"},    {"hi", "Hindi"},      {"hu", "Hungarian"},
      {"id", "Indonesian"}, {"it", "Italian"},   {"ja", "Japanese"},   {"ko", "Korean"},
      {"nl", "Dutch"},      {"no", "Norwegian"}, {"pl", "Polish"},     {"pt", "Portuguese"},
      {"ro", "Romanian"},   {"ru", "Russian"},   {"sv", "Swedish"},    {"th", "Thai"},
      {"tr", "Turkish"},    {"uk", "Ukrainian"}, {"vi", "Vietnamese"}, {"zh", "Chinese"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcasecmp(names[i][0], code) == 0) return names[i][1];
  return code;
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

/* Return the length of the language code at the start of `text`: 2 or 3 letters; 0 if there is
 * none. */
static size_t code_length(const char *text) {
  const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz");
  return length == 2 || length == 3 ? length : 0;
}

/* Set the languages if the `length` bytes of `text` are a pair of codes, such as "zh-en". */
static bool set_languages(struct served_model *model, const char *text, size_t length) {
  const size_t first = code_length(text);
  if (first == 0 || text[first] != '-') return false;
  const size_t second = code_length(text + first + 1);
  if (second == 0 || first + 1 + second != length) return false;
  snprintf(model->languages[ELMAN_SOURCE], LANGUAGE_CODE, "%.*s", (int)first, text);
  snprintf(model->languages[ELMAN_TARGET], LANGUAGE_CODE, "%.*s", (int)second, text + first + 1);
  return true;
}

/* Find a pair of codes between the dots of a file name, such as everyday.zh-en.safetensors. */
static bool find_languages(struct served_model *model, const char *path) {
  const char *slash = strrchr(path, '/');
  for (const char *part = slash == NULL ? path : slash + 1; part != NULL;) {
    const size_t length = strcspn(part, ".");
    if (set_languages(model, part, length)) return true;
    part = part[length] == '.' ? part + length + 1 : NULL;
  }
  return false;
}

/* Only the side that is mostly Chinese has the normalization NFKC_WIDE. */
static void guess_language(struct served_model *model, elman_side side) {
  const elman_model_info info = elman_model_get_info(model->model);
  const elman_normalization normalization =
      side == ELMAN_SOURCE ? info.source_normalization : info.target_normalization;
  snprintf(model->languages[side], LANGUAGE_CODE, normalization == ELMAN_NFKC_WIDE ? "zh" : "en");
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
  if (!(named && set_languages(model, model->name, strlen(model->name))) &&
      !find_languages(model, model->path)) {
    guess_language(model, ELMAN_SOURCE);
    guess_language(model, ELMAN_TARGET);
  }
  if (!named)
    snprintf(model->name, sizeof model->name, "%s-%s", model->languages[ELMAN_SOURCE],
             model->languages[ELMAN_TARGET]);
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

struct served_model *model_set_for(const struct model_set *set, const char *source,
                                   const char *target) {
  for (size_t i = 0; i < set->count; i++) {
    struct served_model *model = set->models[i];
    if ((strcmp(source, "auto") == 0 || language_matches(model->languages[ELMAN_SOURCE], source)) &&
        language_matches(model->languages[ELMAN_TARGET], target))
      return model;
  }
  return NULL;
}
