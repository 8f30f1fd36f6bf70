/* One kernel of few_rows.c. That file includes this one once per vector size, so this file has no
 * include guard. The including file defines these macros:
 *
 *   NAME(x)   x with the kernel's suffix
 *   TARGET    the function attribute that allows its instructions, or nothing
 *   BYTES     size of a vector
 *   ROWS, OUTPUTS   size of a block, whose ROWS · OUTPUTS sums fit the registers; ROWS is 6 */

/* A vector that may be unaligned and may alias an array. */
typedef real NAME(vector) __attribute__((vector_size(BYTES), aligned(sizeof(real)), may_alias));

TARGET INLINE real NAME(sum_of_lanes)(const NAME(vector) * vector) {
  real lanes[BYTES / sizeof(real)];
  memcpy(lanes, vector, sizeof lanes);
  for (size_t half = BYTES / sizeof(real) / 2; half > 0; half /= 2)
    for (size_t j = 0; j < half; j++) lanes[j] += lanes[j + half];
  return lanes[0];
}

/* Callers pass constant `rows` and `outputs`, so that the sums stay in registers. */
TARGET INLINE void NAME(block)(struct few_rows y, const real *x, const real *weight, size_t rows,
                               size_t outputs, size_t in) {
  enum { LANES = BYTES / sizeof(real) };
  NAME(vector) sums[ROWS * OUTPUTS];
  size_t k = 0;
  for (size_t i = 0; i < rows * outputs; i++) sums[i] = (NAME(vector)){0};
  for (; k + LANES <= in; k += LANES) {
    NAME(vector) w[OUTPUTS];
    for (size_t o = 0; o < outputs; o++) {
      w[o] = *(const NAME(vector) *)(const void *)(weight + o * in + k);
      /* Prefetch the next block, because a row of weights is too short for the hardware prefetcher.
       * Prefetching beyond the end is harmless. */
      __builtin_prefetch(weight + (o + outputs) * in + k);
    }
    for (size_t r = 0; r < rows; r++) {
      const NAME(vector) f = *(const NAME(vector) *)(const void *)(x + r * in + k);
      for (size_t o = 0; o < outputs; o++) sums[r * outputs + o] += f * w[o];
    }
  }
  for (size_t r = 0; r < rows; r++) {
    for (size_t o = 0; o < outputs; o++) {
      real sum = NAME(sum_of_lanes)(&sums[r * outputs + o]);
      for (size_t i = k; i < in; i++) sum += x[r * in + i] * weight[o * in + i];
      real *at = y.rows + r * y.ld + o;
      *at = y.add ? *at + sum : sum;
    }
  }
}

TARGET INLINE void NAME(rows)(struct few_rows y, const real *x, const real *weight, size_t rows,
                              size_t in, size_t out) {
  size_t o = 0;
  for (; o + OUTPUTS <= out; o += OUTPUTS, y.rows += OUTPUTS)
    NAME(block)(y, x, weight + o * in, rows, OUTPUTS, in);
  for (; o < out; o++, y.rows++) NAME(block)(y, x, weight + o * in, rows, 1, in);
}

TARGET static void NAME(run)(struct few_rows y, const real *x, const real *weight, size_t n,
                             size_t in, size_t out) {
  for (; n >= ROWS; n -= ROWS, x += ROWS * in, y.rows += ROWS * y.ld)
    NAME(rows)(y, x, weight, ROWS, in, out);
  _Static_assert(ROWS == 6, "a case for each number of rows");
#define CALL(number) NAME(rows)(y, x, weight, number, in, out)
  switch (n) { CASES_TO_6(CALL) }
#undef CALL
}

#undef NAME
#undef TARGET
#undef BYTES
#undef OUTPUTS
