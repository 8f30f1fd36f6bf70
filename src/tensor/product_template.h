/* One kernel of product.c. That file includes this one once per kind of vector, so this file has no
 * include guard. The including file defines these macros:
 *
 *   NAME(x)   x with the kernel's suffix
 *   TARGET    the function attribute that allows its instructions, or nothing
 *   VECTOR, LANES               the vector, and the number of its elements
 *   LOAD, STORE, SPLAT, FMA, ADD, MULTIPLY
 *   ROWS, VECTORS   size of a tile, whose ROWS · VECTORS sums fit the registers */

/* Callers pass constant `rows` and `vectors`, so that the sums stay in registers. The
 * multiplication by alpha stays under its condition: otherwise gcc keeps alpha in a register during
 * the sum, and moves a sum to memory. */
TARGET INLINE void NAME(tile)(struct product_tile t, size_t rows, size_t vectors) {
  VECTOR sums[ROWS][VECTORS];
  for (size_t r = 0; r < rows; r++)
    for (size_t v = 0; v < vectors; v++) sums[r][v] = SPLAT(0);
  for (size_t i = 0; i < t.k; i++, t.a += t.a_step, t.b += t.ldb) {
    VECTOR b[VECTORS];
    for (size_t v = 0; v < vectors; v++) b[v] = LOAD(t.b + v * LANES);
    for (size_t r = 0; r < rows; r++) {
      const VECTOR a = SPLAT(t.a[r * t.a_row]);
      for (size_t v = 0; v < vectors; v++) sums[r][v] = FMA(a, b[v], sums[r][v]);
    }
  }
  if (t.alpha != 1) {
    for (size_t r = 0; r < rows; r++)
      for (size_t v = 0; v < vectors; v++) sums[r][v] = MULTIPLY(SPLAT(t.alpha), sums[r][v]);
  }
  for (size_t r = 0; r < rows; r++) {
    for (size_t v = 0; v < vectors; v++) {
      real *to = t.c + r * t.ldc + v * LANES;
      STORE(to, t.add ? ADD(LOAD(to), sums[r][v]) : sums[r][v]);
    }
  }
}

TARGET INLINE void NAME(columns)(struct product_tile t, size_t rows, size_t vectors) {
#define TILES_OF(number)                                                                           \
  for (; rows >= (number); rows -= (number), t.a += (number)*t.a_row, t.c += (number)*t.ldc)       \
  NAME(tile)(t, number, vectors)
  TILES_OF(ROWS);
#if ROWS > 8
  TILES_OF(8);
#endif
  TILES_OF(4);
  TILES_OF(2);
  TILES_OF(1);
#undef TILES_OF
}

TARGET static void NAME(run)(struct product_tile t, size_t rows, size_t columns) {
  size_t column = 0;
  for (; column + VECTORS * LANES <= columns; column += VECTORS * LANES) {
    NAME(columns)(t, rows, VECTORS);
    t.b += VECTORS * LANES;
    t.c += VECTORS * LANES;
  }
  for (; column < columns; column += LANES) {
    NAME(columns)(t, rows, 1);
    t.b += LANES;
    t.c += LANES;
  }
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
#undef MULTIPLY
#undef ROWS
#undef VECTORS
