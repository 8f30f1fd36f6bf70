/* Reading of requests. A table of fields describes an object of JSON: the name, the type and the
 * range of each key. A key that the table lacks, a value of another type and a value out of range
 * are errors; no key is ignored. */
#ifndef ELMAN_JAVASCRIPT_REQUEST_H
#define ELMAN_JAVASCRIPT_REQUEST_H

#include <jansson.h>

#include "elman.h"

/* One key. Exactly one of the pointers from `count` to `object` determines type and destination; a
 * key that is absent leaves the destination unchanged. */
struct field {
  const char *name;
  bool needed;         /* the key must be present */
  size_t *count;       /* a whole number from `least` to `most` */
  uint64_t *seed;      /* a whole number from `least` to `most`, at most MAX_WHOLE */
  double *real;        /* a number from `least` to `most` */
  bool *flag;          /* true or false */
  const char **text;   /* a string without NUL */
  unsigned *index;     /* a string; the index of this string among `choice`(0), `choice`(1), … */
  const json_t **list; /* an array of at most `most` elements */
  const json_t **object;
  double least, most;
  const char *(*choice)(size_t index);
};

/* The whole numbers up to here are exact in JavaScript. */
#define MAX_WHOLE 9007199254740991.0

/* Fill an error, as printf does. */
__attribute__((format(printf, 3, 4))) elman_status
request_fail(elman_error *error, elman_status code, const char *format, ...);

/* Read the object into the destinations of the table. NULL is an object without keys. `prefix`
 * precedes the keys in messages; it is "" or, for example, "overrides[1]." */
elman_status read_fields(const struct field *fields, size_t count, const json_t *object,
                         const char *prefix, elman_error *error);
#define READ_FIELDS(fields, object, prefix, error)                                                 \
  read_fields(fields, sizeof(fields) / sizeof *(fields), object, prefix, error)

/* Read one value as the field describes it; `name` replaces the name of the field in messages. */
elman_status read_value(const struct field *field, const char *name, const json_t *value,
                        elman_error *error);

/* Refuse an unknown name, and suggest the nearest of the names, which end with NULL. */
elman_status refuse_name(const char *name, const char *const *names, const char *kind,
                         elman_error *error);

/* Write a value for a message, shortened to the buffer. elman.mjs sends what JSON cannot express,
 * such as NaN, as an object with the key "". */
void show_value(char *shown, size_t size, const json_t *value);

/* Return the first of the keys, which end with NULL, that the object has; NULL if it has none. */
const char *first_given(const json_t *object, const char *const *keys);

#endif
