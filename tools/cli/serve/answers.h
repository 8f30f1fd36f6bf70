/* Answers in JSON. A function that returns text returns NULL if memory runs out; the caller frees
 * the text. */
#ifndef ELMAN_CLI_ANSWERS_H
#define ELMAN_CLI_ANSWERS_H

#include "serve/request.h"

/* Text of `size` bytes, owned. */
struct answer {
  char *text;
  size_t size;
};

/* Begin to write an answer to a stream; NULL if memory runs out. */
FILE *answer_begin(struct answer *answer);
struct answer answer_end(FILE *stream, struct answer *answer);

/* {"error": MESSAGE} */
struct answer answer_problem(const struct problem *problem);

/* GET /health, GET /languages and GET /v1/models; the settings state what a request may choose */
struct answer answer_health(const struct model_set *models, bool draining);
struct answer answer_languages(const struct model_set *models);
struct answer answer_models(const struct model_set *models, const struct serve_settings *settings);

/* The result of one text of /v1/translations; `number` counts the texts from 0. If the result would
 * be larger than MAX_RESULT bytes, it is an error instead. */
struct answer answer_translations(const struct request *request, size_t number,
                                  const elman_translation *translation);
struct answer answer_failure(size_t number, const char *message);

/* Make the whole answer of a request from the results of its pieces. For /translate, a result is
 * plain text: a warning and the translations, each followed by a NUL. For /v1/translations, a
 * result is JSON. */
struct answer answer_request(const struct request *request, const struct answer *results);

/* The result of a piece of /translate. */
struct answer answer_texts(const elman_model *model, const elman_translation *translation);

/* A token that the search has added, as the data of an event. */
struct answer answer_partial(const struct request *request, size_t number,
                             const elman_partial *partial);

#endif
