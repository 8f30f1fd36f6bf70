#include "model/list_json.h"

#include "base/json.h"

enum { MOST_DIGITS = 18 };

/* Takes the bracket or comma in front of item `index`. */
static bool take_separator(const char **at, size_t index) {
  return *(*at)++ == (index == 0 ? '[' : ',');
}

static bool ends(const char *at, size_t count) {
  return count > 0 && at[0] == ']' && at[1] == '\0';
}

/* The end of the string that starts with the quote at `start`, or NULL. */
static const char *string_end(const char *start, bool *escapes) {
  *escapes = false;
  for (const char *at = start + 1; (unsigned char)*at >= ' '; at++) {
    if (*at == '"') return at + 1;
    if (*at != '\\') continue;
    *escapes = true;
    if (*++at == '\0') return NULL;
  }
  return NULL;
}

static bool add_escaped(struct tokens *list, const char *start, size_t length) {
  json_t *string;
  const bool added =
      read_json(&string, (struct text){start, length}, NULL) == ELMAN_OK &&
      json_is_string(string) &&
      tokens_add(list, (struct text){json_string_value(string), json_string_length(string)},
                 NULL) == ELMAN_OK;
  json_decref(string);
  return added;
}

bool list_json_words(struct tokens *list, size_t count, const char *json) {
  const char *at = json;
  for (size_t i = 0; i < count; i++) {
    if (!take_separator(&at, i) || *at != '"') return false;
    const char *start = at;
    bool escapes;
    at = string_end(start, &escapes);
    if (at == NULL) return false;
    const size_t length = (size_t)(at - start);
    if (escapes ? !add_escaped(list, start, length)
                : tokens_add(list, (struct text){start + 1, length - 2}, NULL) != ELMAN_OK)
      return false;
  }
  return ends(at, count);
}

bool list_json_numbers(uint64_t *numbers, size_t count, const char *json) {
  const char *at = json;
  for (size_t i = 0; i < count; i++) {
    if (!take_separator(&at, i)) return false;
    const char *start = at;
    uint64_t number = 0;
    while (*at >= '0' && *at <= '9' && at - start < MOST_DIGITS)
      number = number * 10 + (uint64_t)(*at++ - '0');
    if (at == start || (*start == '0' && at - start > 1)) return false;
    numbers[i] = number;
  }
  return ends(at, count);
}
