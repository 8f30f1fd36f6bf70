/* Requests: the texts that a client sends for translation. The bytes come from unknown clients. A
 * fault in them leads to an answer to the client, and never ends the service. */
#ifndef ELMAN_CLI_REQUEST_H
#define ELMAN_CLI_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elman.h"
#include "serve/body.h"
#include "serve/serve_settings.h"
#include "serve/served_models.h"

enum request_kind {
  REQUEST_TRANSLATE,   /* POST /translate, as in LibreTranslate */
  REQUEST_TRANSLATIONS /* POST /v1/translations */
};

/* A text, or a line of a text. */
struct piece {
  elman_sentence sentence;
  size_t sentences; /* sentences that are translated by themselves, at least 1 */
  size_t item;      /* index of the text of the request, of which this is a line */
  size_t breaks_before, breaks_after; /* line ends of the text around the line */
  const char *prefix;                 /* prefix as text, which the translator splits; NULL = none */
  size_t prefix_length;
  size_t cost; /* estimated work, the same unit for all requests; see request.c */
};

struct request {
  enum request_kind kind;
  struct served_model *model; /* held */
  elman_translate_options search;
  elman_override overrides[ELMAN_MAX_OVERRIDES];
  struct piece *pieces; /* (count) */
  size_t count;
  size_t sentences;  /* number of sentences of pieces that are not blank */
  size_t all;        /* sum of `sentences` of all pieces */
  size_t items;      /* number of texts */
  bool is_array;     /* the texts are an array, so the answer is an array */
  bool stream;       /* answer by server-sent events */
  unsigned include;  /* parts of the answer: bits of elman_json_part */
  const char *token; /* api_key of the request; NULL = none */
  void *document;    /* memory of the texts */
  uint32_t *prefixes;
};

/* Parse a body of `size` bytes. Afterwards the request is complete, or it owns no memory and
 * `problem` is set. */
bool request_parse(struct request *request, enum request_kind kind, enum body_type type,
                   const char *body, size_t size, const struct model_set *models,
                   const struct serve_settings *settings, struct problem *problem);
void request_free(struct request *request);

/* Return whether the text of a piece has several lines. */
bool has_lines(const struct request *request, size_t piece);

/* Name the text of a piece, such as "q[3], line 2: ", if the request has several. */
enum { PIECE_NAME = 64 };
void piece_name(char name[PIECE_NAME], const struct request *request, size_t piece);

/* Check ids of a prefix. Refuse what elman_translate_batch refuses for a whole batch, so that no
 * other request fails. `piece` is the index of its text. */
bool check_prefix(const struct request *request, size_t piece, const uint32_t *ids, size_t count,
                  struct problem *problem);

/* Return whether sentences of both requests can be translated in one call. */
bool requests_fit(const struct request *a, const struct request *b);

#endif
