/* One kernel of product.c. That file includes this one once per kind of vector, so this file has no
 * include guard. The including file defines these macros:
 *
 *   NAME(x)   x with the kernel's suffix
 *   TARGET    the function attribute that allows its instructions, or nothing
 *   VECTOR, LANES               the vector, and the number of its elements
 *   LOAD, STORE, SPLAT, FMA, ADD
 *   ROWS, VECTORS   size of a tile, whose ROWS · VECTORS sums fit the registers */

/* Callers pass a constant `rows`, so that the sums stay in registers. */
TARGET INLINE void NAME(tile)(struct product_tile t, size_t rows) {
  VECTOR sums[ROWS][VECTORS];
  for (size_t r = 0; r < rows; r++)
    for (size_t v = 0; v < VECTORS; v++) sums[r][v] = SPLAT(0);
  for (size_t i = 0; i < t.k; i++) {
    VECTOR b[VECTORS];
    for (size_t v = 0; v < VECTORS; v++) b[v] = LOAD(t.panel + (i * VECTORS + v) * LANES);
    for (size_t r = 0; r < rows; r++) {
      const VECTOR a = SPLAT(t.a[r * t.lda + i]);
      for (size_t v = 0; v < VECTORS; v++) sums[r][v] = FMA(a, b[v], sums[r][v]);
    }
  }
  for (size_t r = 0; r < rows; r++) {
    for (size_t v = 0; v < VECTORS; v++) {
      real *to = t.c + r * t.ldc + v * LANES;
      STORE(to, t.add ? ADD(LOAD(to), sums[r][v]) : sums[r][v]);
    }
  }
}

TARGET static void NAME(run)(struct product_tile t, size_t rows) {
#define TILES_OF(number)                                                                           \
  for (; rows >= (number); rows -= (number), t.a += (number)*t.lda, t.c += (number)*t.ldc)         \
  NAME(tile)(t, number)
  TILES_OF(ROWS);
#if ROWS > 8
  TILES_OF(8);
#endif
  TILES_OF(4);
  TILES_OF(2);
  TILES_OF(1);
#undef TILES_OF
}

#undef NAME
#undef TARGET
#undef VECTOR
#undef LANES
#undef LOAD
#undef STORE
#undef SPLAT
#undef FMA
#undef ADD
#undef ROWS
#undef VECTORS
