/* The peak rate of fused multiply-add, to which the rates of products are compared. */
#ifndef ELMAN_TESTS_FMA_PEAK_H
#define ELMAN_TESTS_FMA_PEAK_H

#include <stddef.h>

/* Run n steps of independent fused multiply-adds on registers. Return their sum, so that compilers
 * keep them. */
float fma_peak_run(size_t n);

/* Return the floating-point operations of n steps. */
double fma_peak_work(size_t n);

#endif
