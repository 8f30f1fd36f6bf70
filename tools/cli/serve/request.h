/* Requests: what a client wants to have translated. The parsers read bytes from strangers; a fault
 * is an answer to the client and never ends the service. */
#ifndef ELMAN_CLI_REQUEST_H
#define ELMAN_CLI_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elman.h"
#include "serve/serve_settings.h"
#include "serve/served_models.h"

/* A refusal: an HTTP status from 400, and a message of one line for the client. */
struct problem {
  unsigned status; /* 0 = none */
  char message[640];
};

/* Set the problem and return false. */
bool refuse(struct problem *problem, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum request_kind {
  REQUEST_TRANSLATE,   /* POST /translate, as LibreTranslate has it */
  REQUEST_TRANSLATIONS /* POST /v1/translations */
};

/* Parts of an answer of /v1/translations besides the text. */
enum include {
  INCLUDE_SCORES = 1,
  INCLUDE_TOKENS = 2,
  INCLUDE_PLACES = 4,
  INCLUDE_ATTENTION = 8,
  INCLUDE_HEADS = 16,
  INCLUDE_SELF_ATTENTION = 32
};

/* A text to be translated as one sentence. */
struct piece {
  elman_sentence sentence;
  size_t item; /* index of the text of the request, of which this is a line */
};

struct request {
  enum request_kind kind;
  struct served_model *model; /* held */
  elman_translate_options search;
  elman_override overrides[ELMAN_MAX_OVERRIDES];
  struct piece *pieces; /* (count) */
  size_t count;
  size_t items;      /* number of texts */
  bool is_array;     /* the texts are an array, so the answer is an array */
  bool stream;       /* answer by server-sent events */
  unsigned include;  /* bits of enum include */
  const char *token; /* api_key of the request; NULL = none */
  void *document;    /* memory of the texts */
  uint32_t *prefixes;
};

/* Types of a body. */
enum body_type { BODY_JSON, BODY_FORM, BODY_OTHER };

/* Return the type that a Content-Type names; NULL is BODY_OTHER. */
enum body_type body_type_of(const char *content_type);

/* Parse a body of `size` bytes. The request is complete, or has no memory and `problem` is set. */
bool request_parse(struct request *request, enum request_kind kind, enum body_type type,
                   const char *body, size_t size, const struct model_set *models,
                   const struct serve_settings *settings, struct problem *problem);
void request_free(struct request *request);

#endif
