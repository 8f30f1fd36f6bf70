#include "tensor/dropout.h"

struct dropout dropout_site(struct dropout dropout, unsigned site) {
  dropout.stream.purpose |= (uint32_t)(site + 1) << 8;
  return dropout;
}

void dropout_apply(real *x, size_t n, uint64_t first, struct dropout dropout) {
  if (dropout.probability <= 0) return;
  const real scale = (real)(1 / (1 - dropout.probability));
  const uint32_t threshold = (uint32_t)(dropout.probability * 0x1p32);
  uint32_t words[4];
  for (size_t i = 0; i < n; i++) {
    const uint64_t position = first + i;
    if (i == 0 || position % 4 == 0) random_words(words, dropout.stream, position / 4);
    x[i] *= words[position % 4] < threshold ? 0 : scale;
  }
}
