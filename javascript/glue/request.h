/* Reading of requests. A key that nothing reads, a value of another type and a value out of range
 * are errors; no key is ignored. elman.mjs writes the keys as the library does: length_penalty for
 * lengthPenalty. Messages name them as JavaScript does. */
#ifndef ELMAN_JAVASCRIPT_REQUEST_H
#define ELMAN_JAVASCRIPT_REQUEST_H

#include <jansson.h>

#include "elman.h"

/* Fill an error, as printf does. */
__attribute__((format(printf, 3, 4))) elman_status
request_fail(elman_error *error, elman_status code, const char *format, ...);

/* Return a value as JSON text, or NULL if memory is exhausted. elman.mjs sends what JSON cannot
 * express, such as NaN, as an object with the key ""; its text is NaN. The caller frees the text.
 */
char *value_text(const json_t *value);

/* Set an option of the library. */
elman_status read_option(const elman_option *row, void *fields, const json_t *value,
                         elman_error *error);

/* Refuse a key that is no option of these scopes and none of `others`, which NULL ends. */
elman_status refuse_key(unsigned scopes, const char *key, const char *const *others,
                        elman_error *error);

/* One key. Exactly one of the pointers determines type and destination; a key that is absent leaves
 * the destination unchanged. */
struct field {
  const char *name;
  bool needed;         /* the key must be present */
  size_t *count;       /* a whole number from `least` to `most` */
  double *real;        /* a number from `least` to `most` */
  bool *flag;          /* true or false */
  const char **text;   /* a string without NUL */
  const json_t **list; /* an array of at most `most` elements */
  const json_t **object;
  double least, most;
};

/* Read the keys of an object into the destinations of the fields. NULL is an object without keys.
 * Other keys must be options of these scopes, which the caller reads, or are refused. */
elman_status read_fields(const struct field *fields, size_t count, unsigned scopes,
                         const json_t *object, elman_error *error);
#define READ_FIELDS(fields, object, error)                                                         \
  read_fields(fields, sizeof(fields) / sizeof *(fields), 0, object, error)

/* Read one value as the field describes it. */
elman_status read_value(const struct field *field, const json_t *value, elman_error *error);

#endif
