/* Numbers below the smallest normal one are taken as zero while the library computes.
 *
 * Adam's moments of rare words decay towards zero and would stay at the smallest denormal for ever,
 * where every operation on them takes many times as long. */
#ifndef ELMAN_TENSOR_DENORMALS_H
#define ELMAN_TENSOR_DENORMALS_H

/* Switches this thread over, and with it those that it starts from now on; returns the state to
 * give back. */
unsigned denormals_to_zero(void);
void denormals_restore(unsigned state);

#endif
