/* The score of a translation, by which those of different lengths are compared: docs/beyond.md,
 * section 23. Wu et al., "Google's neural machine translation system", 2016, equation 14. */
#ifndef ELMAN_TRANSLATE_HYPOTHESIS_SCORE_H
#define ELMAN_TRANSLATE_HYPOTHESIS_SCORE_H

#include <stddef.h>

#include "elman/translate.h"

/* "power", "wu"; NULL past the last. */
const char *length_norm_name(size_t index);

/* log p of `count` tokens, divided by the power of their length                            (56) */
double score_of_length(double log_probability, size_t count,
                       const elman_translate_options *options);

/* No translation that begins with tokens of this log p, and has `limit` tokens at most, has a
 * score above this. */
double score_bound(double log_probability, size_t limit, const elman_translate_options *options);

/* The part of the coverage penalty that is a source token's: log min(coverage, 1), where `coverage`
 * is the sum of its attention weights                                                      (57) */
double score_of_coverage(double coverage);

#endif
