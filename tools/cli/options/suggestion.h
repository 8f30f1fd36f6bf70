/* The nearest of the words that would have been valid. Start from all zero. */
#ifndef ELMAN_CLI_SUGGESTION_H
#define ELMAN_CLI_SUGGESTION_H

#include <stddef.h>

struct suggestion {
  const char *best; /* NULL while nothing offered is near enough */
  size_t distance;
};

void suggestion_offer(struct suggestion *suggestion, const char *typed, const char *candidate);

#endif
