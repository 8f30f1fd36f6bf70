/* JSON text to the values of the JSON library and back, with failures that are exact.
 *
 * The library's own parser does not distinguish a failed allocation from wrong text, and may lose
 * bytes of a token for one; its json_dumps may leave out the name of an entry. Only its
 * constructors are used here, and a dump that keeps its own account of failures. */
#ifndef ELMAN_BASE_JSON_H
#define ELMAN_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

/* One value with white space around it, as RFC 8259 has it; *value is to be json_decref'ed, or
 * NULL. ELMAN_BAD_DATA, with the byte and what is wrong there, for anything else, and for a name
 * given twice, U+0000, a number beyond its type or of more than 255 characters, and more than 100
 * values within each other. Otherwise ELMAN_NO_MEMORY. */
elman_status read_json(json_t **value, struct text text, elman_error *error) CHECKED;

/* An item of a list: a string, a whole number, or something else. */
struct json_item {
  struct text string; /* without bytes if it is none; valid during the call */
  bool whole;
  json_int_t number;
};
typedef elman_status json_receive(void *context, size_t index, const struct json_item *item,
                                  elman_error *error);

/* Hands on what is in a list without making a value of each: a vocabulary has thousands. *count is
 * their number, or 0 of a value that is no list. `text` must be valid UTF-8, otherwise as
 * read_json; an error of `receive` ends it too. */
elman_status read_json_list(size_t *count, struct text text, json_receive *receive, void *context,
                            elman_error *error) CHECKED;

/* The value as text, to be freed; NULL when memory ran out. `flags` are those of json_dumps. */
char *write_json(const json_t *value, size_t flags);

/* The largest count that a file may hold: every reader of JSON has whole numbers up to 2^53
 * exactly, and sums of them do not wrap. Both readers and writers keep to it. */
#define MAX_COUNT ((uint64_t)1 << 53)

/* The lesser of a + b and MAX_COUNT. */
static inline uint64_t add_counts(uint64_t a, uint64_t b) {
  return a > MAX_COUNT || b > MAX_COUNT - a ? MAX_COUNT : a + b;
}

/* One entry of an object, and where its value goes: to the one pointer that is not NULL. */
struct json_field {
  const char *key;
  json_int_t *integer;
  double *number; /* an integer will do */
  bool *truth;
  const char **string; /* lives as long as the object */
  bool optional;       /* what it points to stays as it is if the entry is missing */
};

/* Whether `object` is one, with these entries and no others. Allocates nothing. */
bool read_json_fields(const struct json_field *fields, size_t count, const json_t *object);

#endif
