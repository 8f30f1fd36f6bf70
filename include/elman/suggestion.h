/* Suggestions for a name that does not exist: an option, a field, a command or a choice. */
#ifndef ELMAN_SUGGESTION_H
#define ELMAN_SUGGESTION_H

#include "elman/status.h"

ELMAN_BEGIN

/* The valid name that a user probably meant. The caller initializes the struct to zero. */
typedef struct elman_suggestion {
  const char *best; /* NULL until a candidate is similar enough */
  size_t distance;  /* 0: the candidate differs only in case, '-' and '_', or `typed` is its name in
                       other programs */
} elman_suggestion;

/* Offer a valid name in place of the unknown name `typed`. Keep it if it is more similar to `typed`
 * than the candidates before it. `typed` may be an abbreviation ("attn"), a name with an additional
 * word ("num_layers"), a name with a typing error, or the name of the same thing in other programs
 * ("bahdanau" for "additive"). If elman_suggestion_reason returns a reason, keep only a candidate
 * of distance 0. The struct borrows `candidate`. */
ELMAN_API void elman_suggestion_offer(elman_suggestion *suggestion, const char *typed,
                                      const char *candidate);

/* Return why nothing corresponds to the option `typed` of other programs, for example "elman
 * computes on the processor" for "gpu"; NULL if nothing is known about it. */
ELMAN_API const char *elman_suggestion_reason(const char *typed);

ELMAN_END

#endif
