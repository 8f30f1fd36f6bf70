/* Settings of the service, which do not change while it runs. */
#ifndef ELMAN_CLI_SERVE_SETTINGS_H
#define ELMAN_CLI_SERVE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "elman.h"

/* The largest result of a text of /v1/translations in bytes, and the size of an answer beyond which
 * its further texts are refused. Attention grows with the square of the length. */
#define MAX_RESULT ((size_t)16 << 20)
#define MAX_ANSWER ((size_t)64 << 20)

/* Maximum bytes per token of a limit of tokens. A text that has more bytes is not split into
 * tokens, because even one token can have any number of bytes. */
enum { BYTES_PER_TOKEN = 32 };

struct serve_settings {
  size_t threads;         /* threads that translate; at least 1 */
  size_t batch_wait;      /* milliseconds */
  size_t max_body;        /* bytes of a request's body */
  size_t max_sentences;   /* sentences of a request */
  size_t max_tokens;      /* tokens of a sentence */
  size_t max_output;      /* tokens of a translation, a reference or a prefix */
  size_t max_beam;        /* beam size that a request may choose */
  size_t max_queue;       /* sentences waiting or being translated */
  size_t max_client;      /* max_queue of one client; 0 = no limit */
  size_t max_connections; /* open connections */
  size_t timeout;         /* seconds for a request to arrive, to be translated and to be sent */
  elman_precision
      precision; /* of all translations, if `precision_given`; otherwise each model has its own */
  bool precision_given;
  bool log_requests, log_texts;
  const char *const *hosts; /* (host_count): host names besides localhost and addresses */
  size_t host_count;
  const char *const *origins; /* (origin_count): other origins that may use the service */
  size_t origin_count;
};

#endif
