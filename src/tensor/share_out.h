/* Loops whose items OpenMP's threads share out, each thread a stretch of them.
 *
 * An OpenMP region takes memory and wakes threads even where its `if` says that one thread does it
 * all: a microsecond or more, as long as a small product. So small loops must not ask at all, and
 * neither must those that are part of an item already. */
#ifndef ELMAN_TENSOR_SHARE_OUT_H
#define ELMAN_TENSOR_SHARE_OUT_H

#include <omp.h>
#include <stdbool.h>
#include <stddef.h>

typedef void work_item(const void *context, size_t i);

/* item(context, i) for every i < count, in any order; `worth_it`: there is enough work for
 * threads. */
static inline void share_out(size_t count, bool worth_it, work_item *item, const void *context) {
  if (!worth_it || count == 1 || omp_in_parallel()) {
    for (size_t i = 0; i < count; i++) item(context, i);
    return;
  }
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++) item(context, i);
}

#endif
