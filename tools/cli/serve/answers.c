#include "serve/answers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "console/json_output.h"

/* ---- text in memory ---- */

FILE *answer_begin(struct answer *answer) {
  *answer = (struct answer){0};
  return open_memstream(&answer->text, &answer->size);
}

struct answer answer_end(FILE *stream, struct answer *answer) {
  const bool failed = ferror(stream) != 0;
  if (fclose(stream) == 0 && !failed) return *answer;
  free(answer->text);
  return (struct answer){0};
}

struct writing {
  struct json json;
  struct answer answer;
};

/* Return whether writing can begin. */
static bool begin(struct writing *writing) {
  writing->json = (struct json){.stream = answer_begin(&writing->answer)};
  return writing->json.stream != NULL;
}

static struct answer end(struct writing *writing) {
  return answer_end(writing->json.stream, &writing->answer);
}

static size_t size_so_far(const struct writing *writing) {
  const long at = ftell(writing->json.stream);
  return at < 0 ? 0 : (size_t)at;
}

/* ---- small answers ---- */

struct answer answer_problem(const struct problem *problem) {
  struct writing writing;
  if (!begin(&writing)) return (struct answer){0};
  json_print(&writing.json, "{error %s}\n", problem->message);
  return end(&writing);
}

struct answer answer_health(const struct model_set *models, bool draining) {
  struct writing writing;
  if (!begin(&writing)) return (struct answer){0};
  json_print(&writing.json, "{status %s version %s models %zu}\n", draining ? "ending" : "ok",
             elman_version(), models->count);
  return end(&writing);
}

/* Return whether an earlier model has this language on either side. */
static bool is_listed(const struct model_set *models, size_t count, unsigned side,
                      const char *code) {
  for (size_t i = 0; i <= count && i < models->count; i++)
    for (unsigned other = 0; other < (i == count ? side : 2); other++)
      if (strcmp(models->models[i]->languages[other].code, code) == 0) return true;
  return false;
}

static void write_language(struct json *json, const struct model_set *models, const char *code) {
  json_print(json, "{code %s name %s targets [", code, language_name(code));
  for (size_t i = 0; i < models->count; i++) {
    const char *target = models->models[i]->languages[ELMAN_TARGET].code;
    bool seen = strcmp(models->models[i]->languages[ELMAN_SOURCE].code, code) != 0;
    for (size_t j = 0; j < i && !seen; j++)
      seen = strcmp(models->models[j]->languages[ELMAN_SOURCE].code, code) == 0 &&
             strcmp(models->models[j]->languages[ELMAN_TARGET].code, target) == 0;
    if (!seen) json_text(json, NULL, target);
  }
  json_print(json, "]}");
}

struct answer answer_languages(const struct model_set *models) {
  struct writing writing;
  if (!begin(&writing)) return (struct answer){0};
  json_print(&writing.json, "[");
  for (size_t i = 0; i < models->count; i++)
    for (unsigned side = 0; side < 2; side++)
      if (!is_listed(models, i, side, models->models[i]->languages[side].code))
        write_language(&writing.json, models, models->models[i]->languages[side].code);
  json_print(&writing.json, "]\n");
  return end(&writing);
}

struct answer answer_models(const struct model_set *models, const struct serve_settings *settings) {
  struct writing writing;
  if (!begin(&writing)) return (struct answer){0};
  json_print(&writing.json, "{version %s max_beam %zu max_output %zu models [", elman_version(),
             settings->max_beam, settings->max_output);
  for (size_t i = 0; i < models->count; i++) {
    const struct served_model *model = models->models[i];
    const elman_model_info info = elman_model_get_info(model->model);
    json_print(&writing.json,
               "{name %s source %s target %s parameters %zu source_vocabulary %zu "
               "target_vocabulary %zu beam %zu length_penalty %g precision %s}",
               model->name, model->languages[ELMAN_SOURCE].code,
               model->languages[ELMAN_TARGET].code, info.parameters, info.source_vocabulary,
               info.target_vocabulary, model->search.beam, model->search.length_penalty,
               elman_precision_name(model->search.precision));
  }
  json_print(&writing.json, "]}\n");
  return end(&writing);
}

/* ---- translations ---- */

struct answer answer_failure(size_t number, const char *message) {
  struct writing writing;
  if (!begin(&writing)) return (struct answer){0};
  json_print(&writing.json, "{index %zu error %s}", number, message);
  return end(&writing);
}

/* Parts of the source, which all translations of a text share. */
enum { SOURCE_PARTS = ELMAN_JSON_SOURCE_TOKENS | ELMAN_JSON_SOURCE_SPANS };

struct answer answer_translations(const struct request *request, size_t number,
                                  const elman_translation *translation) {
  struct writing writing;
  if (!begin(&writing)) return (struct answer){0};
  json_print(&writing.json, "{index %zu", number);
  json_warning(&writing.json, request->model->model, translation);
  if ((request->include & SOURCE_PARTS) != 0)
    json_translation(&writing.json, translation, request->include & SOURCE_PARTS);
  json_print(&writing.json, "translations [");
  for (const elman_translation *one = translation; one != NULL; one = one->next) {
    json_print(&writing.json, "{");
    json_translation(&writing.json, one, request->include & ~(unsigned)SOURCE_PARTS);
    json_print(&writing.json, "}");
    if (size_so_far(&writing) <= MAX_RESULT) continue;
    free(end(&writing).text);
    return answer_failure(number, "the answer is too large; include less, or split the text");
  }
  json_print(&writing.json, "]}");
  return end(&writing);
}

struct answer answer_texts(const elman_model *model, const elman_translation *translation) {
  const elman_warning warning = elman_translation_warning(model, translation);
  const char *kind =
      warning.kind == ELMAN_WARNING_NONE ? "" : elman_warning_kind_name(warning.kind);
  struct answer answer = {.size = strlen(kind) + strlen(warning.message) + 2};
  for (const elman_translation *one = translation; one != NULL; one = one->next)
    answer.size += strlen(one->text) + 1;
  char *at = answer.text = malloc(answer.size);
  if (at == NULL) return answer;
  at = stpcpy(at, kind) + 1;
  at = stpcpy(at, warning.message) + 1;
  for (const elman_translation *one = translation; one != NULL; one = one->next)
    at = stpcpy(at, one->text) + 1;
  return answer;
}

/* Return the length of a text without the replacement characters at its end: the bytes of a
 * character that is not complete yet. */
static size_t complete_length(const char *text) {
  static const char replacement[] = "\xEF\xBF\xBD";
  size_t length = strlen(text);
  while (length >= 3 && memcmp(text + length - 3, replacement, 3) == 0) length -= 3;
  return length;
}

struct answer answer_partial(const struct request *request, size_t number,
                             const elman_partial *partial) {
  const elman_model *model = request->model->model;
  elman_encoding *encoding;
  elman_error error;
  struct writing writing;
  if (elman_decode(&encoding, model, ELMAN_TARGET, partial->ids, partial->count, &error) !=
      ELMAN_OK)
    return (struct answer){0};
  if (!begin(&writing)) {
    elman_encoding_free(encoding);
    return (struct answer){0};
  }
  const uint32_t id = partial->ids[partial->count - 1];
  char *text = strndup(encoding->text, complete_length(encoding->text));
  json_print(&writing.json, "{index %zu", number);
  if (request->pieces[number].sentences > 1)
    json_print(&writing.json, "sentence %zu", partial->part);
  json_print(&writing.json, "tokens %zu id %" PRIu64 " token %s text %s}", partial->count,
             (uint64_t)id, elman_model_get_token(model, ELMAN_TARGET, id, NULL, NULL),
             text == NULL ? "" : text);
  elman_encoding_free(encoding);
  free(text);
  return end(&writing);
}

/* ---- whole requests ---- */

/* The texts of a result of /translate: the kind and the message of the warning, then the
 * hypotheses. */
enum { WARNING_KIND, WARNING_MESSAGE, HYPOTHESES };

/* Return text n of a result, or its last text if it has fewer. */
static const char *nth_text(const struct answer *result, size_t n) {
  const char *text = result->text, *last = text;
  for (size_t i = 0; i <= n && text < result->text + result->size; i++) {
    last = text;
    text += strlen(text) + 1;
  }
  return last;
}

static size_t count_hypotheses(const struct answer *result) {
  size_t count = 0;
  for (size_t i = 0; i < result->size; i++) count += result->text[i] == '\0';
  return count - HYPOTHESES;
}

/* Join hypothesis n of the lines of an item. Return NULL if memory runs out. */
static char *join_lines(const struct request *request, const struct answer *results, size_t first,
                        size_t n) {
  struct answer joined;
  FILE *stream = answer_begin(&joined);
  if (stream == NULL) return NULL;
  const size_t item = request->pieces[first].item;
  for (size_t i = first; i < request->count && request->pieces[i].item == item; i++) {
    const struct piece *piece = &request->pieces[i];
    for (size_t k = 0; k < piece->breaks_before; k++) putc('\n', stream);
    fputs(nth_text(&results[i], HYPOTHESES + n), stream);
    for (size_t k = 0; k < piece->breaks_after; k++) putc('\n', stream);
  }
  return answer_end(stream, &joined).text;
}

/* Return the number of hypotheses of an item: the most that one of its lines has. */
static size_t hypotheses_of(const struct request *request, const struct answer *results,
                            size_t first) {
  size_t count = 1;
  for (size_t i = first;
       i < request->count && request->pieces[i].item == request->pieces[first].item; i++) {
    const size_t texts = count_hypotheses(&results[i]);
    if (texts > count) count = texts;
  }
  return count;
}

/* Write hypotheses `from` to `to` - 1 of an item. Return false if memory runs out. */
static bool write_hypotheses(struct json *json, const char *key, const struct request *request,
                             const struct answer *results, size_t first, size_t from, size_t to) {
  for (size_t n = from; n < to; n++) {
    char *text = join_lines(request, results, first, n);
    if (text == NULL) return false;
    json_text(json, key, text);
    free(text);
  }
  return true;
}

static bool is_first(const struct request *request, size_t i) {
  return i == 0 || request->pieces[i].item != request->pieces[i - 1].item;
}

/* Return the first piece of an item that has a warning; request->count if there is none. */
static size_t warned_piece(const struct request *request, const struct answer *results,
                           size_t first) {
  for (size_t i = first;
       i < request->count && request->pieces[i].item == request->pieces[first].item; i++)
    if (nth_text(&results[i], WARNING_KIND)[0] != '\0') return i;
  return request->count;
}

/* Write the warning of an item, or null as an element of an array. */
static void write_warning(struct json *json, const char *key, const struct request *request,
                          const struct answer *results, size_t first) {
  const size_t at = warned_piece(request, results, first);
  if (at == request->count) {
    if (key == NULL) json_text(json, NULL, NULL);
    return;
  }
  const char *kind = nth_text(&results[at], WARNING_KIND);
  char message[PIECE_NAME + ELMAN_WARNING_SIZE], place[PIECE_NAME] = "";
  if (has_lines(request, at)) piece_name(place, request, at);
  snprintf(message, sizeof message, "%s%s", place, nth_text(&results[at], WARNING_MESSAGE));
  json_print(json, key == NULL ? "{kind %s message %s}" : "warning {kind %s message %s}", kind,
             message);
}

static void write_warnings(struct json *json, const struct request *request,
                           const struct answer *results) {
  bool any = false;
  if (!request->is_array) {
    write_warning(json, "warning", request, results, 0);
    return;
  }
  for (size_t i = 0; i < request->count && !any; i++)
    any = is_first(request, i) && warned_piece(request, results, i) < request->count;
  if (!any) return;
  json_print(json, "warnings [");
  for (size_t i = 0; i < request->count; i++)
    if (is_first(request, i)) write_warning(json, NULL, request, results, i);
  json_print(json, "]");
}

/* {"translatedText": TEXT or [TEXT…], "alternatives": [TEXT…] or [[TEXT…]…], "warning": WARNING or
 * "warnings": [WARNING or null…]} */
static bool write_translate(struct json *json, const struct request *request,
                            const struct answer *results) {
  static const char key[] = "translatedText";
  const bool array = request->is_array;
  bool good = true;
  json_print(json, array ? "{translatedText [" : "{");
  for (size_t i = 0; i < request->count && good; i++)
    if (is_first(request, i))
      good = write_hypotheses(json, array ? NULL : key, request, results, i, 0, 1);
  if (array) json_print(json, "]");
  if (request->search.n_best > 1) {
    json_print(json, array ? "alternatives [[" : "alternatives [");
    for (size_t i = 0; i < request->count && good; i++) {
      if (!is_first(request, i)) continue;
      if (i > 0) json_print(json, "] [");
      good =
          write_hypotheses(json, NULL, request, results, i, 1, hypotheses_of(request, results, i));
    }
    json_print(json, array ? "]]" : "]");
  }
  write_warnings(json, request, results);
  json_print(json, "}\n");
  return good;
}

static void write_results(struct json *json, const struct request *request,
                          const struct answer *results) {
  json_print(json, "{model %s results [", request->model->name);
  for (size_t i = 0; i < request->count; i++) {
    if (i > 0) putc(',', json->stream);
    fputs(results[i].text, json->stream);
  }
  json_print(json, "]}\n");
}

struct answer answer_request(const struct request *request, const struct answer *results) {
  struct writing writing;
  bool good = true;
  if (!begin(&writing)) return (struct answer){0};
  if (request->kind == REQUEST_TRANSLATE)
    good = write_translate(&writing.json, request, results);
  else
    write_results(&writing.json, request, results);
  struct answer answer = end(&writing);
  if (good) return answer;
  free(answer.text);
  return (struct answer){0};
}
