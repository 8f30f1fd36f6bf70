#include "options/suggestion.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST_WORD = 32 };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Letters inserted, deleted, replaced or swapped with their neighbour, as typing errors are. */
static size_t edit_distance(const char *a, size_t length_a, const char *b, size_t length_b) {
  size_t d[LONGEST_WORD + 1][LONGEST_WORD + 1];
  for (size_t i = 0; i <= length_a; i++) d[i][0] = i;
  for (size_t j = 0; j <= length_b; j++) d[0][j] = j;
  for (size_t i = 1; i <= length_a; i++) {
    for (size_t j = 1; j <= length_b; j++) {
      d[i][j] = smaller(d[i - 1][j] + 1, d[i][j - 1] + 1);
      d[i][j] = smaller(d[i][j], d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[length_a][length_b];
}

/* Whether all letters are there in their order, after the same first one: "attn" for "attention".
 */
static bool abbreviates(const char *typed, const char *candidate) {
  enum { FEWEST = 3 };
  if (strlen(typed) < FEWEST || typed[0] != candidate[0]) return false;
  for (; *typed != '\0' && *candidate != '\0'; candidate++) typed += *typed == *candidate;
  return *typed == '\0';
}

void suggestion_offer(struct suggestion *suggestion, const char *typed, const char *candidate) {
  const size_t length = strlen(typed), candidate_length = strlen(candidate);
  if (length == 0 || length > LONGEST_WORD || candidate_length > LONGEST_WORD) return;
  /* "hidden" for "hidden-size" is many letters away and still what was meant. */
  const size_t distance =
      (length > 1 && strncmp(typed, candidate, length) == 0) || abbreviates(typed, candidate)
          ? 1
          : edit_distance(typed, length, candidate, candidate_length);
  if (distance > 1 + length / 4) return;
  if (suggestion->best != NULL && distance >= suggestion->distance) return;
  suggestion->best = candidate;
  suggestion->distance = distance;
}
