#include "serve/request.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Options of requests. */
enum {
  REQUEST_SCOPES = ELMAN_SCOPE_SEARCH | ELMAN_SCOPE_SCORE | ELMAN_SCOPE_LIST |
                   ELMAN_SCOPE_SAMPLING | ELMAN_SCOPE_SEED | ELMAN_SCOPE_TEXT
};

/* Ids below this are <unk>, <s> and </s>. */
enum { END_TOKEN = 2, SPECIAL_TOKENS = 3 };

/* ---- fields ---- */

/* Get a text. Keep *value if the field is absent or null. */
static bool get_text(const char **value, const json_t *object, const char *name,
                     struct problem *problem) {
  const json_t *field = json_object_get(object, name);
  if (field == NULL || json_is_null(field)) return true;
  if (!json_is_string(field)) return refuse(problem, BAD_REQUEST, "%s must be a text", name);
  *value = json_string_value(field);
  return true;
}

/* Refuse a request for the reason that the library states. */
static bool refuse_fault(struct problem *problem, const elman_error *error) {
  return refuse(problem, BAD_REQUEST, "%s", error->message);
}

/* Set the option of a row in the struct at `options`. Keep it if the field is absent or null. The
 * values of a form are texts. */
static bool get_option(const elman_option *row, void *options, const json_t *value,
                       enum body_type type, struct problem *problem) {
  elman_error error;
  if (value == NULL || json_is_null(value)) return true;
  const bool is_word = type == BODY_FORM && json_is_string(value);
  char *text = is_word ? strdup(json_string_value(value))
                       : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
  if (text == NULL) return refuse_memory(problem);
  const elman_status status = elman_option_set(
      row, options, text, is_word ? ELMAN_FORM_WORD : ELMAN_FORM_JSON, ELMAN_NAMES_FIELD, &error);
  free(text);
  return status == ELMAN_OK || refuse_fault(problem, &error);
}

/* Return the row of an option of requests with the limits of the service, or NULL. */
static const elman_option *limited_row(elman_option *limited, const char *name,
                                       const struct serve_settings *settings) {
  const elman_option *row = elman_option_find(REQUEST_SCOPES, name);
  if (row == NULL) return NULL;
  *limited = *row;
  if (strcmp(name, "beam") == 0 || strcmp(name, "n_best") == 0)
    limited->maximum = (double)settings->max_beam;
  if (strcmp(name, "max_length") == 0) limited->maximum = (double)settings->max_output;
  return limited;
}

/* ---- texts ---- */

/* Return text i of a field that is a text or an array of texts; NULL if it is no text. */
static const json_t *text_at(const json_t *field, size_t i) {
  const json_t *text = json_is_array(field) ? json_array_get(field, i) : field;
  return json_is_string(text) ? text : NULL;
}

/* Return whether the bytes are spaces only, ideographic ones included. */
static bool is_blank(const char *text, size_t length) {
  static const char ideographic[] = "\xE3\x80\x80";
  size_t at = 0;
  while (at < length) {
    if (length - at >= 3 && memcmp(text + at, ideographic, 3) == 0)
      at += 3;
    else if (text[at] != '\0' && strchr(" \t\r\n\v\f", text[at]) != NULL)
      at++;
    else
      return false;
  }
  return true;
}

/* Return the number of sentences of a piece that are translated by themselves. A place of an
 * override belongs to one sentence. */
static size_t count_sentences(const struct request *request, const elman_sentence *sentence) {
  const elman_translate_options *search = &request->search;
  bool whole = search->split_sentences == ELMAN_SPLIT_OFF || sentence->reference != NULL;
  for (size_t i = 0; i < search->override_count; i++)
    whole = whole || search->overrides[i].kind == ELMAN_OVERRIDE_POSITION ||
            search->overrides[i].kind == ELMAN_OVERRIDE_CELL;
  const size_t count = whole ? 1 : elman_find_sentences(NULL, 0, sentence->text, sentence->length);
  return count == 0 ? 1 : count;
}

/* Return the pieces of a text: its lines that are not blank, or one piece. `pieces` is NULL, or the
 * place for them. */
static size_t split_text(struct piece *pieces, const json_t *text, size_t item, bool lines) {
  const char *at = json_string_value(text);
  size_t count = 0, breaks = 0;
  for (bool more = lines; more;) {
    const size_t length = strcspn(at, "\n");
    if (!is_blank(at, length)) {
      if (pieces != NULL)
        pieces[count] = (struct piece){
            .sentence = {.text = at, .length = length}, .item = item, .breaks_before = breaks};
      count++;
      breaks = 0;
    }
    more = at[length] == '\n';
    breaks += more;
    at += length + 1;
  }
  if (count == 0 && pieces != NULL)
    *pieces = (struct piece){.sentence = {.text = json_string_value(text),
                                          .length = lines ? 0 : json_string_length(text)},
                             .item = item};
  if (count == 0) count = 1;
  if (pieces != NULL) pieces[count - 1].breaks_after = breaks;
  return count;
}

static size_t count_lines(const json_t *text) {
  size_t count = 1;
  for (const char *at = json_string_value(text); *at != '\0'; at++) count += *at == '\n';
  return count;
}

/* Check the texts, and set `items` and `count` of the request. `lines` states whether each line is
 * a sentence. Blank texts and lines are no sentences, but their number is limited, too, because
 * each translation contains them again. */
static bool count_pieces(struct request *request, const json_t *field, const char *name, bool lines,
                         size_t most, struct problem *problem) {
  enum { BLANK = 16 };
  size_t line_count = 0;
  if (field == NULL || json_is_null(field))
    return refuse(problem, BAD_REQUEST, "%s is missing; it is a text or an array of texts", name);
  request->is_array = json_is_array(field);
  request->items = request->is_array ? json_array_size(field) : 1;
  if (request->items == 0) return refuse(problem, BAD_REQUEST, "%s must not be empty", name);
  if (request->items / BLANK > most)
    return refuse(problem, TOO_LARGE, "the request has %zu texts; the limit is %zu", request->items,
                  BLANK * most);
  for (size_t i = 0; i < request->items; i++) {
    const json_t *text = text_at(field, i);
    if (text == NULL && request->is_array)
      return refuse(problem, BAD_REQUEST, "%s[%zu] must be a text", name, i);
    if (text == NULL)
      return refuse(problem, BAD_REQUEST, "%s must be a text or an array of texts", name);
    if (lines) line_count += count_lines(text);
    if (line_count > BLANK * most)
      return refuse(problem, TOO_LARGE, "the request has more than %zu lines", BLANK * most);
    const size_t count = split_text(NULL, text, i, lines);
    request->count += count;
  }
  request->pieces = calloc(request->count, sizeof *request->pieces);
  return request->pieces != NULL || refuse_memory(problem);
}

static bool get_pieces(struct request *request, const json_t *document, const char *name,
                       bool lines, const struct serve_settings *settings, struct problem *problem) {
  const json_t *field = json_object_get(document, name);
  size_t used = 0;
  if (!count_pieces(request, field, name, lines, settings->max_sentences, problem)) return false;
  for (size_t i = 0; i < request->items; i++)
    used += split_text(request->pieces + used, text_at(field, i), i, lines);
  for (size_t i = 0; i < request->count; i++) {
    request->pieces[i].sentence.number = i + 1;
    request->pieces[i].sentence.is_text = true;
  }
  return true;
}

/* Count the sentences of the pieces, after all is known that decides whether a text is split. */
static bool count_all_sentences(struct request *request, const struct serve_settings *settings,
                                struct problem *problem) {
  for (size_t i = 0; i < request->count; i++) {
    struct piece *piece = &request->pieces[i];
    piece->sentences = count_sentences(request, &piece->sentence);
    request->all += piece->sentences;
    if (!is_blank(piece->sentence.text, piece->sentence.length))
      request->sentences += piece->sentences;
  }
  return request->sentences <= settings->max_sentences ||
         refuse(problem, TOO_LARGE, "the request has %zu sentences; the limit is %zu",
                request->sentences, settings->max_sentences);
}

/* ---- POST /translate ---- */

static bool find_by_name(struct request *request, const char *name, const struct model_set *models,
                         struct problem *problem) {
  struct served_model *model = model_set_find(models, name);
  if (model == NULL)
    return refuse(problem, BAD_REQUEST, "there is no model %.64s; GET /v1/models lists the models",
                  name);
  request->model = served_model_hold(model);
  request->search = model->search;
  return true;
}

/* Return how many texts of the field are in the script of the model's source side. */
static size_t count_in_script(const struct served_model *model, const json_t *field) {
  const char *script = elman_model_get_info(model->model).source_script;
  const size_t count = json_is_array(field) ? json_array_size(field) : 1;
  size_t found = 0;
  for (size_t i = 0; i < count && script != NULL; i++) {
    const json_t *text = text_at(field, i);
    const char *own = text == NULL ? NULL : elman_text_script(json_string_value(text));
    found += own != NULL && strcmp(own, script) == 0;
  }
  return found;
}

/* Return the model between these languages whose source script most of the texts have. Return the
 * first of several, and NULL if there is none. */
static struct served_model *choose_model(const struct model_set *models, const char *source,
                                         const char *target, const json_t *field) {
  struct served_model *best = NULL;
  size_t most = 0;
  for (size_t i = 0; i < models->count; i++) {
    struct served_model *model = models->models[i];
    if (!served_model_translates(model, source, target)) continue;
    const size_t count = count_in_script(model, field);
    if (best == NULL || count > most) {
      best = model;
      most = count;
    }
  }
  return best;
}

static bool find_by_languages(struct request *request, const json_t *document,
                              const struct model_set *models, struct problem *problem) {
  const char *source = "auto", *target = NULL;
  if (!get_text(&source, document, "source", problem) ||
      !get_text(&target, document, "target", problem))
    return false;
  if (target == NULL) return refuse(problem, BAD_REQUEST, "target is missing; it is a language");
  const bool is_auto = strcmp(source, "auto") == 0;
  struct served_model *model =
      is_auto ? choose_model(models, source, target, json_object_get(document, "q"))
              : model_set_for(models, source, target);
  if (model == NULL)
    return refuse(problem, BAD_REQUEST,
                  "no model translates from %.32s to %.32s; GET /languages lists the languages",
                  source, target);
  return find_by_name(request, model->name, models, problem);
}

static bool read_translate(struct request *request, enum body_type type, const json_t *document,
                           const struct model_set *models, const struct serve_settings *settings,
                           struct problem *problem) {
  const char *format = "text", *name = NULL;
  const elman_option alternatives = {
      .name = "alternatives", .value = ELMAN_VALUE_SIZE, .maximum = (double)settings->max_beam - 1};
  size_t alternative_count = 0;
  if (!get_text(&request->token, document, "api_key", problem) ||
      !get_text(&name, document, "model", problem) ||
      !get_text(&format, document, "format", problem) ||
      !get_option(&alternatives, &alternative_count, json_object_get(document, alternatives.name),
                  type, problem))
    return false;
  if (strcmp(format, "text") != 0)
    return refuse(problem, BAD_REQUEST, "format must be text; other formats are not supported");
  if (!(name != NULL ? find_by_name(request, name, models, problem)
                     : find_by_languages(request, document, models, problem)))
    return false;
  request->search.n_best = alternative_count + 1;
  if (request->search.beam < request->search.n_best) request->search.beam = request->search.n_best;
  request->search.without_scores = true;
  request->search.without_attention = true;
  return get_option(elman_option_find(ELMAN_SCOPE_TEXT, "split_sentences"), &request->search,
                    json_object_get(document, "split_sentences"), type, problem) &&
         get_pieces(request, document, "q", true, settings, problem) &&
         count_all_sentences(request, settings, problem);
}

/* ---- POST /v1/translations ---- */

/* Complete a search that began with the values that the model stores: samples do not use these
 * values. */
static void complete_search(elman_translate_options *search, const bool *given) {
  const elman_translate_options plain = elman_translate_options_default();
  const bool is_beam_given = given[elman_option_find(REQUEST_SCOPES, "beam")->index];
  if (search->sample && !is_beam_given) search->beam = plain.beam;
  if (search->sample && !given[elman_option_find(REQUEST_SCOPES, "length_penalty")->index])
    search->length_penalty = plain.length_penalty;
  if (!is_beam_given && search->beam < search->n_best) search->beam = search->n_best;
}

/* Read the options of the search. Refuse every field whose name is neither one of these nor in
 * `others`. */
static bool read_search(struct request *request, bool *given, const json_t *document,
                        const struct serve_settings *settings, struct problem *problem) {
  static const char *const others[] = {"model",     "texts",   "references", "prefixes",
                                       "overrides", "include", "stream",     NULL};
  elman_translate_options *search = &request->search;
  elman_option limited;
  elman_error error;
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)document, name, value) {
    const elman_option *row = limited_row(&limited, name, settings);
    size_t i = 0;
    while (others[i] != NULL && strcmp(others[i], name) != 0) i++;
    if (others[i] != NULL) continue;
    if (row == NULL) {
      (void)elman_option_refuse(REQUEST_SCOPES, name, others, ELMAN_NAMES_FIELD, &error);
      return refuse_fault(problem, &error);
    }
    if (!get_option(row, search, value, BODY_JSON, problem)) return false;
    given[row->index] = !json_is_null(value);
  }
  complete_search(search, given);
  return true;
}

static bool read_overrides(struct request *request, const json_t *document,
                           struct problem *problem) {
  const json_t *list = json_object_get(document, "overrides");
  elman_error error;
  if (list == NULL || json_is_null(list)) return true;
  request->search.overrides = request->overrides;
  return elman_overrides_read(request->overrides, &request->search.override_count, list, &error) ==
             ELMAN_OK ||
         refuse_fault(problem, &error);
}

enum { WEIGHTS = ELMAN_JSON_ATTENTION | ELMAN_JSON_HEAD_ATTENTION | ELMAN_JSON_SELF_ATTENTION };

static bool read_include(struct request *request, const json_t *document, struct problem *problem) {
  static const struct {
    const char *name;
    unsigned parts;
  } rows[] = {{"scores", ELMAN_JSON_SCORES},
              {"tokens", ELMAN_JSON_SOURCE_TOKENS | ELMAN_JSON_TARGET_TOKENS},
              {"spans", ELMAN_JSON_SOURCE_SPANS | ELMAN_JSON_TARGET_SPANS},
              {"attention", ELMAN_JSON_ATTENTION},
              {"head_attention", ELMAN_JSON_HEAD_ATTENTION},
              {"self_attention", ELMAN_JSON_SELF_ATTENTION}};
  enum { ROWS = sizeof rows / sizeof *rows };
  const json_t *list = json_object_get(document, "include");
  request->include = ELMAN_JSON_TEXT;
  if (list == NULL || json_is_null(list)) return true;
  if (!json_is_array(list)) return refuse(problem, BAD_REQUEST, "include must be an array");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *name = json_string_value(json_array_get(list, i));
    size_t n = 0;
    while (name != NULL && n < ROWS && strcmp(rows[n].name, name) != 0) n++;
    if (name == NULL || n == ROWS)
      return refuse(
          problem, BAD_REQUEST,
          "include lists scores, tokens, spans, attention, head_attention and self_attention");
    request->include |= rows[n].parts;
  }
  return true;
}

/* Check an array with one element per text. Set *list to NULL if it is absent. */
static bool get_list(const json_t **list, const struct request *request, const json_t *document,
                     const char *name, struct problem *problem) {
  *list = json_object_get(document, name);
  if (*list == NULL || json_is_null(*list)) {
    *list = NULL;
    return true;
  }
  return (json_is_array(*list) && json_array_size(*list) == request->count) ||
         refuse(problem, BAD_REQUEST, "%s must be an array with one element for each text (%zu)",
                name, request->count);
}

/* Refuse a text that is certainly longer than the limit of tokens of a translation. */
static bool check_target_size(const char *name, size_t i, const json_t *text,
                              const struct serve_settings *settings, struct problem *problem) {
  const size_t most = settings->max_output * BYTES_PER_TOKEN;
  return json_string_length(text) <= most ||
         refuse(problem, BAD_REQUEST, "%s[%zu] has %zu bytes; the limit is %zu (%zu tokens)", name,
                i, json_string_length(text), most, settings->max_output);
}

static bool read_references(struct request *request, const json_t *document,
                            const struct serve_settings *settings, struct problem *problem) {
  const json_t *list;
  if (!get_list(&list, request, document, "references", problem)) return false;
  for (size_t i = 0; list != NULL && i < request->count; i++) {
    const json_t *reference = json_array_get(list, i);
    if (json_is_null(reference)) continue;
    if (!json_is_string(reference))
      return refuse(problem, BAD_REQUEST, "references[%zu] must be a text or null", i);
    if (!check_target_size("references", i, reference, settings, problem)) return false;
    request->pieces[i].sentence.reference = json_string_value(reference);
    request->pieces[i].sentence.reference_length = json_string_length(reference);
  }
  return true;
}

bool check_prefix(const struct request *request, size_t piece, const uint32_t *ids, size_t count,
                  struct problem *problem) {
  const elman_model_info info = elman_model_get_info(request->model->model);
  size_t ends = 0;
  for (size_t t = 0; t < count; t++) {
    if (ids[t] == END_TOKEN && ++ends < request->pieces[piece].sentences) continue;
    const bool special = ids[t] < SPECIAL_TOKENS && !(ids[t] == 0 && info.target_merges == 0);
    if (ids[t] >= info.target_vocabulary || special)
      return refuse(problem, BAD_REQUEST,
                    "prefixes[%zu]: token %zu has id %u, which no translation can contain", piece,
                    t + 1, ids[t]);
  }
  return true;
}

/* Append the ids of prefix i, an array, to those of the request. */
static bool append_ids(struct request *request, size_t used, size_t i, const json_t *prefix,
                       const struct serve_settings *settings, struct problem *problem) {
  const size_t count = json_array_size(prefix);
  if (count >= settings->max_output)
    return refuse(problem, BAD_REQUEST,
                  "prefixes[%zu] has %zu tokens; the limit of a translation is %zu", i, count,
                  settings->max_output);
  uint32_t *ids = reallocarray(request->prefixes, used + count + 1, sizeof *ids);
  if (ids == NULL) return refuse_memory(problem);
  request->prefixes = ids;
  for (size_t t = 0; t < count; t++) {
    const json_t *id = json_array_get(prefix, t);
    const json_int_t value = json_is_integer(id) ? json_integer_value(id) : -1;
    if (value < 0 || value > UINT32_MAX)
      return refuse(problem, BAD_REQUEST, "prefixes[%zu]: a token id must be a whole number", i);
    ids[used + t] = (uint32_t)value;
  }
  request->pieces[i].sentence.prefix_count = count;
  return check_prefix(request, i, ids + used, count, problem);
}

/* Read prefixes as token ids. Prefixes as text stay text, because the time to split them is that of
 * a translation. */
static bool read_prefixes(struct request *request, const json_t *document,
                          const struct serve_settings *settings, struct problem *problem) {
  const json_t *list;
  size_t used = 0, at = 0;
  if (!get_list(&list, request, document, "prefixes", problem)) return false;
  for (size_t i = 0; list != NULL && i < request->count; i++) {
    const json_t *prefix = json_array_get(list, i);
    struct piece *piece = &request->pieces[i];
    if (json_is_null(prefix)) continue;
    if (!json_is_string(prefix) && !json_is_array(prefix))
      return refuse(problem, BAD_REQUEST,
                    "prefixes[%zu] must be a text, an array of token ids or null", i);
    if (json_is_array(prefix) && !append_ids(request, used, i, prefix, settings, problem))
      return false;
    if (json_is_string(prefix) && !check_target_size("prefixes", i, prefix, settings, problem))
      return false;
    used += piece->sentence.prefix_count;
    if (json_is_string(prefix) && json_string_length(prefix) > 0) {
      piece->prefix = json_string_value(prefix);
      piece->prefix_length = json_string_length(prefix);
    }
    if (piece->sentence.reference != NULL &&
        (piece->prefix != NULL || piece->sentence.prefix_count > 0))
      return refuse(problem, BAD_REQUEST, "texts[%zu] has both a reference and a prefix", i);
  }
  for (size_t i = 0; i < request->count && used > 0; i++) {
    elman_sentence *sentence = &request->pieces[i].sentence;
    if (sentence->prefix_count > 0) sentence->prefix = request->prefixes + at;
    at += sentence->prefix_count;
  }
  return true;
}

static bool all_have_references(const struct request *request) {
  for (size_t i = 0; i < request->count; i++)
    if (request->pieces[i].sentence.reference == NULL) return false;
  return true;
}

/* Check the options of the search, after the parts of the answer are known. */
static bool check_search(struct request *request, bool *given, struct problem *problem) {
  elman_translate_options *search = &request->search;
  elman_error error;
  const bool is_scored = (request->include & ELMAN_JSON_SCORES) != 0;
  const unsigned unused = ELMAN_SCOPE_SEARCH | ELMAN_SCOPE_LIST | ELMAN_SCOPE_SAMPLING |
                          ELMAN_SCOPE_TEXT | (is_scored ? 0 : ELMAN_SCOPE_SCORE);
  search->self_attention = (request->include & ELMAN_JSON_SELF_ATTENTION) != 0;
  given[elman_option_find(ELMAN_SCOPE_WEIGHTS, "self_attention")->index] = search->self_attention;
  search->without_scores = !is_scored && search->n_best == 1;
  search->without_attention = (request->include & WEIGHTS) == 0;
  if (elman_options_check(ELMAN_SCOPES_TRANSLATE, search, given, ELMAN_NAMES_FIELD, &error) !=
          ELMAN_OK ||
      (all_have_references(request) &&
       elman_options_unused(unused, search, given, "all texts have references", ELMAN_NAMES_FIELD,
                            &error) != ELMAN_OK))
    return refuse_fault(problem, &error);
  for (size_t i = 0; i < request->count && search->split_sentences == ELMAN_SPLIT_ON; i++)
    if (request->pieces[i].sentence.reference != NULL)
      return refuse(problem, BAD_REQUEST,
                    "references[%zu] is the translation of one sentence, but split_sentences is on",
                    i);
  if (search->replace_unknown && !elman_model_get_info(request->model->model).writes_unknown)
    return refuse(problem, BAD_REQUEST,
                  "replace_unknown: the model uses subwords and has no unknown words");
  return true;
}

static bool read_translations(struct request *request, const json_t *document,
                              const struct model_set *models, const struct serve_settings *settings,
                              struct problem *problem) {
  static const elman_option stream = {
      .name = "stream", .value = ELMAN_VALUE_FLAG, .offset = offsetof(struct request, stream)};
  const char *name = models->models[0]->name;
  bool given[ELMAN_MAX_OPTIONS] = {false};
  return get_text(&name, document, "model", problem) &&
         find_by_name(request, name, models, problem) &&
         read_search(request, given, document, settings, problem) &&
         get_pieces(request, document, "texts", false, settings, problem) &&
         read_overrides(request, document, problem) && read_include(request, document, problem) &&
         get_option(&stream, request, json_object_get(document, stream.name), BODY_JSON, problem) &&
         read_references(request, document, settings, problem) &&
         count_all_sentences(request, settings, problem) &&
         read_prefixes(request, document, settings, problem) &&
         check_search(request, given, problem);
}

/* ---- cost ---- */

/* Return the token limit of a whole text. The limit of the settings applies to each sentence. It
 * applies to the text, too, if the answer has weights for all tokens of the text. */
static size_t most_tokens(const struct request *request, const struct serve_settings *settings) {
  return request->search.without_attention ? ELMAN_MAX_TOKENS : settings->max_tokens;
}

/* Estimate the tokens of a text: one for three bytes. */
static size_t estimate_tokens(size_t bytes, size_t most) {
  const size_t tokens = bytes / 3 + 1;
  return tokens < most ? tokens : most;
}

static size_t estimate_output(const struct request *request, const struct piece *piece,
                              size_t source, const struct serve_settings *settings) {
  const elman_translate_options *search = &request->search;
  const elman_sentence *sentence = &piece->sentence;
  const size_t most = settings->max_output;
  if (sentence->reference != NULL) return estimate_tokens(sentence->reference_length, most);
  size_t limit = search->max_length > 0 ? search->max_length : most;
  if (search->max_ratio > 0 && search->max_ratio * (double)source < (double)limit)
    limit = (size_t)(search->max_ratio * (double)source) + 1;
  if (search->max_length == 0 && !(search->max_ratio > 0)) limit = 2 * source + 10;
  limit +=
      piece->prefix != NULL ? estimate_tokens(piece->prefix_length, most) : sentence->prefix_count;
  return limit < most ? limit : most;
}

/* Estimate the work of each piece: the largest number of steps of its hypotheses. A step costs a
 * constant, and more for each source token, to which it attends. A text with several sentences has
 * weights for all its tokens, too, unless the answer contains none. */
static void estimate_costs(struct request *request, const struct serve_settings *settings) {
  enum { STEP = 256 };
  for (size_t i = 0; i < request->count; i++) {
    struct piece *piece = &request->pieces[i];
    const elman_sentence *sentence = &piece->sentence;
    const size_t beam = sentence->reference != NULL ? 1 : request->search.beam;
    const size_t sentences = piece->sentences;
    const size_t source = estimate_tokens(sentence->length, most_tokens(request, settings));
    const size_t each = source / sentences + 1;
    const size_t output = sentences * estimate_output(request, piece, each, settings);
    piece->cost = beam * output * (STEP + (request->search.without_attention ? each : source));
  }
}

/* ---- requests ---- */

/* Free what the request does not refer to: fields that are not in `names`, and arrays of ids. */
static void drop_others(json_t *document, const char *const *names) {
  const char *name;
  json_t *value, *prefixes = json_object_get(document, "prefixes");
  void *next;
  json_object_foreach_safe(document, next, name, value) {
    size_t i = 0;
    while (names[i] != NULL && strcmp(names[i], name) != 0) i++;
    if (names[i] == NULL) (void)json_object_del(document, name);
  }
  for (size_t i = 0; i < json_array_size(prefixes); i++)
    if (json_is_array(json_array_get(prefixes, i)))
      (void)json_array_set_new(prefixes, i, json_null());
}

bool request_parse(struct request *request, enum request_kind kind, enum body_type type,
                   const char *body, size_t size, const struct model_set *models,
                   const struct serve_settings *settings, struct problem *problem) {
  static const char *const kept[][4] = {
      [REQUEST_TRANSLATE] = {"q", "api_key", NULL},
      [REQUEST_TRANSLATIONS] = {"texts", "references", "prefixes", NULL}};
  *request = (struct request){.kind = kind};
  *problem = (struct problem){0};
  json_t *document = body_read(type, kind == REQUEST_TRANSLATE, body, size, problem);
  if (document == NULL) return false;
  request->document = document;
  const bool good = kind == REQUEST_TRANSLATE
                        ? read_translate(request, type, document, models, settings, problem)
                        : read_translations(request, document, models, settings, problem);
  if (good) {
    drop_others(document, kept[kind]);
    request->search.threads = 1;
    request->search.max_tokens = settings->max_tokens;
    request->search.max_bytes = most_tokens(request, settings) * BYTES_PER_TOKEN;
    request->search.max_output = settings->max_output;
    estimate_costs(request, settings);
    return true;
  }
  request_free(request);
  return false;
}

/* Return the number of the line of a piece within its text; 0 if the text has one line. */
static size_t line_of(const struct request *request, size_t piece) {
  const struct piece *pieces = request->pieces, *last = &pieces[request->count - 1];
  size_t first = piece, line = 1;
  while (first > 0 && pieces[first - 1].item == pieces[piece].item) first--;
  for (size_t i = first; i <= piece; i++) line += pieces[i].breaks_before;
  const bool lines = line > 1 || pieces[piece].breaks_after > 0 ||
                     (&pieces[piece] < last && pieces[piece + 1].item == pieces[piece].item);
  return lines ? line : 0;
}

bool has_lines(const struct request *request, size_t piece) {
  return line_of(request, piece) > 0;
}

void piece_name(char name[PIECE_NAME], const struct request *request, size_t piece) {
  const char *field = request->kind == REQUEST_TRANSLATE ? "q" : "texts";
  const size_t line = line_of(request, piece), item = request->pieces[piece].item;
  name[0] = '\0';
  if (request->is_array && line > 0)
    snprintf(name, PIECE_NAME, "%s[%zu], line %zu: ", field, item, line);
  else if (request->is_array)
    snprintf(name, PIECE_NAME, "%s[%zu]: ", field, item);
  else if (line > 0)
    snprintf(name, PIECE_NAME, "%s, line %zu: ", field, line);
}

bool requests_fit(const struct request *a, const struct request *b) {
  const elman_translate_options *x = &a->search, *y = &b->search;
  return a->model == b->model && !a->stream && !b->stream &&
         x->override_count + y->override_count == 0 && x->without_scores == y->without_scores &&
         x->without_attention == y->without_attention &&
         elman_options_equal(ELMAN_SCOPES_TRANSLATE, x, y);
}

void request_free(struct request *request) {
  served_model_release(request->model);
  free(request->pieces);
  free(request->prefixes);
  json_decref(request->document);
  *request = (struct request){.kind = request->kind};
}
