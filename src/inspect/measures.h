/* Measures of a matrix of attention weights. */
#ifndef ELMAN_INSPECT_MEASURES_H
#define ELMAN_INSPECT_MEASURES_H

#include <stddef.h>

/* Entropy in nats of the n weights of a row divided by their sum Z, since those of local attention
 * and beside a sentinel do not sum to 1: -sum (w/Z) ln (w/Z), 0 for one position, ln n for all
 * alike, 0 where all are 0. */
double row_entropy(const float *weights, size_t n);

/* Keys 0 to n - 1 in segments of `length`, the last of which may be shorter: how many segments,
 * none where there is no length, and the key behind the last of each, unless `ends` is NULL. */
size_t segments_of_length(size_t *ends, size_t n, size_t length);

/* The sums of a row's weights in segments that end there. */
void row_segments(float *segments, const float *weights, const size_t *ends, size_t count);

/* The sum of column s of `weights` (T,S): how often, in all, source token s was looked at. */
double column_sum(const float *weights, size_t T, size_t S, size_t s);

#endif
