/* Conversion between JSON text and values of the library Jansson, with exact error reports.
 *
 * Jansson's own parser ignores failed allocations within a token, so that bytes are lost, and its
 * json_dumps can omit the name of an entry. This module therefore uses only Jansson's constructors,
 * and a dump callback that records failures. */
#ifndef ELMAN_BASE_JSON_H
#define ELMAN_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

/* Parse one value (RFC 8259), as elman_json_read does. */
elman_status read_json(json_t **value, struct text text, elman_error *error) CHECKED;

/* An item of a list: a string, an integer, or anything else. */
struct json_item {
  struct text string; /* empty if the item is no string; valid during the call */
  bool whole;
  json_int_t number;
};
typedef elman_status json_receive(void *context, size_t index, const struct json_item *item,
                                  elman_error *error);

/* Call `receive` for each item of a list. Allocate no value per item, because a vocabulary has
 * thousands. Set *count to the number of items, 0 if the value is no list. `text` must be valid
 * UTF-8. An error of `receive` ends the call; other errors are as in read_json. */
elman_status read_json_list(size_t *count, struct text text, json_receive *receive, void *context,
                            elman_error *error) CHECKED;

/* Return the value as text, which the caller frees; NULL if memory is exhausted. `flags` are
 * those of json_dumps. */
char *write_json(const json_t *value, size_t flags);

/* The largest count in a file. All JSON readers represent integers up to 2^53 exactly, and sums of
 * such counts do not overflow. The readers and writers of this library enforce the limit. */
#define MAX_COUNT ((uint64_t)1 << 53)

/* Return min(a + b, MAX_COUNT). */
static inline uint64_t add_counts(uint64_t a, uint64_t b) {
  return a > MAX_COUNT || b > MAX_COUNT - a ? MAX_COUNT : a + b;
}

/* One entry of an object. Exactly one pointer is not NULL: the destination of the value. */
struct json_field {
  const char *key;
  json_int_t *integer;
  double *number; /* accepts integers */
  bool *truth;
  const char **string; /* the string is valid as long as the object */
};

/* A fault: the words that follow the name of an object and state why its reader refuses an
 * entry. */
enum { JSON_FAULT_SIZE = 128 };

/* Format that the entry `key` is missing, or that its value is wrong. */
void json_fault_of(char fault[JSON_FAULT_SIZE], const json_t *object, const char *key);

/* Format that the entry `key` is unknown to every reader. */
void json_fault_unknown(char fault[JSON_FAULT_SIZE], const char *key);

/* Read the entries of `object`. Return true if it has exactly these entries; otherwise, format the
 * first fault. */
bool read_json_fields(char fault[JSON_FAULT_SIZE], const struct json_field *fields, size_t count,
                      json_t *object);

#endif
