/* One finished translation and what the decoder looked at. */
#ifndef ELMAN_INSPECT_TRANSLATION_H
#define ELMAN_INSPECT_TRANSLATION_H

#include <stdbool.h>

#include "tensor/real.h"

struct translation {
  const char *text;
  double log_probability;           /* natural logarithm, summed over the target tokens */
  double score;                     /* what the search ordered hypotheses by; larger is better */
  size_t source_count;              /* S */
  size_t target_count;              /* T */
  const char *const *source_tokens; /* (S), as they were written */
  const bool *source_known;         /* (S): false where the vocabulary lacks the token */
  const char *const *target_tokens; /* (T), with "</s>" at the end if the decoder ended */
  const real *attention;            /* (T,S) */
};

#endif
