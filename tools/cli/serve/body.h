/* The body of a request: from bytes to fields. The bytes come from unknown clients. A fault in them
 * leads to an answer to the client, and never ends the service. */
#ifndef ELMAN_CLI_BODY_H
#define ELMAN_CLI_BODY_H

#include <stdbool.h>
#include <stddef.h>

struct json_t; /* of jansson */

/* Statuses of HTTP. */
enum status {
  GOOD = 200,
  NO_CONTENT = 204,
  BAD_REQUEST = 400,
  UNAUTHORIZED = 401,
  FORBIDDEN = 403,
  NOT_FOUND = 404,
  BAD_METHOD = 405,
  TOO_LARGE = 413,
  LONG_PATH = 414,
  BAD_TYPE = 415,
  TOO_MANY = 429,
  LARGE_HEAD = 431,
  UNAVAILABLE = 503
};

/* A refusal: an HTTP status from 400, and a message of one line for the client. */
struct problem {
  unsigned status; /* 0 = none */
  char message[640];
};

/* Set the problem and return false. */
bool refuse(struct problem *problem, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuse a request because memory runs out, and return false. */
bool refuse_memory(struct problem *problem);

/* Types of a body. */
enum body_type { BODY_JSON, BODY_FORM, BODY_OTHER, BODY_NOT_UTF8 };

/* Return the type that a Content-Type names; NULL is BODY_OTHER, and BODY_NOT_UTF8 has a charset
 * other than UTF-8 and ASCII. */
enum body_type body_type_of(const char *content_type);

/* Read the fields of a body. The fields of a form are texts or arrays of texts; `forms` states
 * whether a form is permitted. Return NULL after an error. */
struct json_t *body_read(enum body_type type, bool forms, const char *bytes, size_t size,
                         struct problem *problem);

#endif
