/* Screening of an output layer. */
#ifndef ELMAN_TESTS_SCREENING_H
#define ELMAN_TESTS_SCREENING_H

#include "check.h"
#include "tensor/screen.h"

enum { NEVER = 1 };

static inline struct screened_layer layer_of(const real *weight, const real *bias, size_t V,
                                             size_t F) {
  return (struct screened_layer){weight, bias, V, F, NEVER, false};
}

/* Find the tokens (n) that screening with this kernel returns for features (n,F), in one call or
 * row by row. */
static inline void find_largest(size_t *largest, const struct quantized_kernel *kernel,
                                struct screened_layer layer, const real *features, size_t n,
                                bool row_by_row) {
  owned_by(screen_free) struct screen screen;
  struct screen_scratch scratch = {0};
  struct arena measured = {0}, arena = {0};
  cr_assert_eq(screen_create(&screen, layer, kernel, NULL), ELMAN_OK);
  screen_scratch_allocate(&scratch, &measured, &screen, n);
  cr_assert_eq(arena_reserve(&arena, &measured, NULL), ELMAN_OK);
  screen_scratch_allocate(&scratch, &arena, &screen, n);
  if (!row_by_row) screen_largest(largest, &screen, &scratch, features, n);
  for (size_t r = 0; row_by_row && r < n; r++)
    screen_largest(largest + r, &screen, &scratch, features + r * layer.F, 1);
  arena_free(&arena);
}

#endif
