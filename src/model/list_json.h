/* Lists of words and of whole numbers from JSON text, in the form in which a model file has them:
 * without white space and, but for a few words, without escapes. Building a tree of thousands of
 * small objects for them is what takes longest in opening a model file otherwise.
 *
 * False for anything else, be it wrong or merely written in another way: base/json.h has to look at
 * it. What is accepted means the same there. */
#ifndef ELMAN_MODEL_LIST_JSON_H
#define ELMAN_MODEL_LIST_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "vocab/tokens.h"

/* Exactly `count` strings, added to `list`. `json` is valid UTF-8. Also false when memory ran out;
 * `list` then holds what came before. */
bool list_json_words(struct tokens *list, size_t count, const char *json);

/* Exactly `count` numbers from 0 to 10^18 - 1. */
bool list_json_numbers(uint64_t *numbers, size_t count, const char *json);

#endif
