/* A body of POST /translate or /v1/translations, a header, or the bytes of a connection, from a
 * stranger. The first byte chooses the parser. A refused body has a status and a message; an
 * accepted one can be translated, and its answer is JSON. */
#include <jansson.h>
#include <string.h>

#include "fuzz.h"
#include "serve/answers.h"
#include "serve/guard.h"
#include "serve/head.h"
#include "serve/request.h"

static const struct serve_settings settings = {
    .max_body = 4096, .max_sentences = 8, .max_tokens = 20, .max_output = 10, .max_beam = 3};

/* Blank texts are no sentences. */
enum { MOST_PIECES = 8 * 17 };

/* Return the only model, of some hundred parameters. It is never freed. */
static const struct model_set *models(void) {
  static const char text[] = "我 爱 学习\tI love it\n他 喝 茶\tHe, too\n她 喝\tShe does\n我\tI\n";
  static struct served_model model = {.name = "zh-en", .languages = {{"zh"}, {"en"}}};
  static struct model_set set = {{&model}, 1};
  if (model.model != NULL) return &set;
  const char *const file = fuzz_file(text, sizeof text - 1);
  elman_pairs_options options = elman_pairs_options_default();
  elman_model_options sizes = elman_model_options_default();
  elman_pairs *pairs;
  options.files = &file;
  options.file_count = 1;
  sizes.hidden_size = sizes.embedding_size = 4;
  REQUIRE(elman_pairs_read(&pairs, &options, NULL) == ELMAN_OK);
  REQUIRE(elman_model_create(&model.model, pairs, &sizes, NULL, NULL) == ELMAN_OK);
  elman_pairs_free(pairs);
  model.search = elman_model_translate_options(model.model);
  atomic_init(&model.holders, 1);
  return &set;
}

/* Check that an accepted request fails for no reason except its texts. */
static void translate(const struct request *request) {
  elman_translator *translator;
  elman_error error = {.message = ""}, errors[MOST_PIECES];
  elman_translation *translations[MOST_PIECES];
  elman_sentence sentences[MOST_PIECES];
  struct answer results[MOST_PIECES];
  const elman_translate_options search = request->search;
  for (size_t i = 0; i < request->count; i++) sentences[i] = request->pieces[i].sentence;
  REQUIRE(elman_translator_create(&translator, request->model->model, &error) == ELMAN_OK);
  const elman_status status = elman_translate_batch(translations, errors, translator, sentences,
                                                    request->count, &search, &error);
  REQUIRE(status == ELMAN_OK || status == ELMAN_BAD_DATA);
  bool all = true;
  for (size_t i = 0; i < request->count; i++) {
    const elman_translation *one = translations[i];
    all = all && one != NULL;
    if (one == NULL)
      results[i] = answer_failure(i, errors[i].message);
    else
      results[i] = request->kind == REQUEST_TRANSLATE ? answer_texts(request->model->model, one)
                                                      : answer_translations(request, i, one);
    REQUIRE(results[i].text != NULL);
    elman_translation_free(translations[i]);
  }
  if (all || request->kind == REQUEST_TRANSLATIONS) {
    const struct answer answer = answer_request(request, results);
    json_t *json = json_loadb(answer.text, answer.size, JSON_REJECT_DUPLICATES, NULL);
    REQUIRE(json_is_object(json));
    json_decref(json);
    free(answer.text);
  }
  for (size_t i = 0; i < request->count; i++) free(results[i].text);
  elman_translator_free(translator);
}

static bool parse(enum request_kind kind, enum body_type type, const char *body, size_t size) {
  struct request request;
  struct problem problem;
  const struct model_set *set = models();
  if (!request_parse(&request, kind, type, body, size, set, &settings, &problem)) {
    REQUIRE(problem.status >= 400 && problem.status < 500 && problem.message[0] != '\0');
    const struct answer answer = answer_problem(&problem);
    json_t *json = json_loadb(answer.text, answer.size, 0, NULL);
    REQUIRE(json_is_string(json_object_get(json, "error")));
    json_decref(json);
    free(answer.text);
    return false;
  }
  REQUIRE(request.count > 0 && request.count <= MOST_PIECES);
  REQUIRE(request.sentences <= settings.max_sentences);
  translate(&request);
  request_free(&request);
  return true;
}

/* A header that is accepted names this machine or has the form of an address. */
static bool check_headers(char *text) {
  char *second = strchr(text, '\n');
  if (second != NULL) *second++ = '\0';
  (void)body_type_of(text);
  (void)bearer_token(text);
  const bool host = host_is_allowed(text, &settings);
  if (host)
    REQUIRE(strspn(text, "0123456789abcdefABCDEF.:[]") == strlen(text) ||
            strcasestr(text, "localhost") != NULL);
  if (second == NULL) return host;
  const enum origin origin = origin_of(second, text, &settings);
  REQUIRE(origin != ORIGIN_LISTED);
  if (origin == ORIGIN_OWN) REQUIRE(strcasestr(second, text) != NULL);
  return host && origin == ORIGIN_OWN;
}

/* The result does not depend on how the bytes are divided. */
static bool check_head(const char *text, size_t size) {
  struct request_head whole = {0}, parts = {0};
  head_scan(&whole, text, size);
  for (size_t i = 0; i < size; i++) head_scan(&parts, text + i, 1);
  REQUIRE(whole.count == parts.count && whole.fault == parts.fault);
  REQUIRE(whole.count == 0 || memmem(text, size, "\r\n\r\n", 4) != NULL);
  return whole.count > 0;
}

bool fuzz_one(const uint8_t *bytes, size_t size) {
  const unsigned choice = fuzz_take_byte(&bytes, &size) % 8;
  char *text = malloc(size + 1);
  REQUIRE(text != NULL);
  if (size > 0) memcpy(text, bytes, size);
  text[size] = '\0';
  bool good;
  if (choice >= 4)
    good = check_head(text, size);
  else if (choice == 3)
    good = check_headers(text);
  else
    good = parse(choice == 2 ? REQUEST_TRANSLATIONS : REQUEST_TRANSLATE,
                 choice == 1 ? BODY_FORM : BODY_JSON, text, size);
  free(text);
  return good;
}
