/* One finished translation and what the decoder looked at. */
#ifndef ELMAN_INSPECT_TRANSLATION_H
#define ELMAN_INSPECT_TRANSLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensor/real.h"

struct translation {
  const char *text;
  const char *source;               /* the text as it was given */
  double log_probability;           /* natural logarithm, summed over the target tokens */
  double score;                     /* what the search ordered hypotheses by; larger is better */
  size_t source_count;              /* S */
  size_t target_count;              /* T */
  size_t heads;                     /* matrices of weights, at least 1 */
  const char *const *source_tokens; /* (S), without marks; also unknown words */
  const uint32_t *source_ids;       /* (S); 0 = unknown */
  const bool *source_known;         /* (S): false where the vocabulary lacks the token */
  const size_t *source_starts, *source_ends; /* (S): token s is bytes [start, end) of `source` */
  const char *const *target_tokens;          /* (T), with "</s>" at the end if `ended` */
  const uint32_t *target_ids;                /* (T): what the decoder said */
  const size_t *target_starts, *target_ends; /* (T): likewise in `text`; "</s>" has no byte */
  bool ended;                 /* the decoder ended by itself: the last token is "</s>" */
  bool forced;                /* it had to give a reference */
  const real *attention;      /* (T,S): the average of the heads */
  const real *head_attention; /* (heads,T,S) */
};

#endif
