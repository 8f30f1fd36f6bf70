/* Measures of a matrix of attention weights. */
#ifndef ELMAN_INSPECT_MEASURES_H
#define ELMAN_INSPECT_MEASURES_H

#include <stddef.h>

/* -sum w ln w over the n weights of a row, in nats: 0 for one position, ln n for all alike. */
double row_entropy(const float *weights, size_t n);

/* The sum of column s of `weights` (T,S): how often, in all, source token s was looked at. */
double column_sum(const float *weights, size_t T, size_t S, size_t s);

#endif
