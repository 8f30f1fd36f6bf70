/* The valid name that is most similar to an unknown one; elman/suggestion.h is the public form. */
#ifndef ELMAN_BASE_SUGGESTION_H
#define ELMAN_BASE_SUGGESTION_H

#include "elman/suggestion.h"

void suggestion_offer(elman_suggestion *suggestion, const char *typed, const char *candidate);
const char *suggestion_reason(const char *typed);

#endif
