#include "tensor/dropout.h"

/* Layout of the `purpose` of a stream: the purpose, the site and the part, from the lowest bits
 * up. */
enum { SITE_BITS = 8, PART_BITS = 20 };

struct random_stream dropout_stream(uint64_t seed, uint64_t update, size_t part) {
  return (struct random_stream){seed, RANDOM_DROPOUT | (uint32_t)part << PART_BITS,
                                (uint32_t)update};
}

struct dropout dropout_site(struct dropout dropout, unsigned site) {
  dropout.stream.purpose |= (uint32_t)(site + 1) << SITE_BITS;
  return dropout;
}

static void keep_or_drop(real *x, const uint32_t *words, size_t n, uint32_t threshold, real scale) {
  for (size_t i = 0; i < n; i++) x[i] *= words[i] < threshold ? 0 : scale;
}

void dropout_apply(real *x, size_t n, uint64_t first, struct dropout dropout) {
  if (dropout.probability <= 0) return;
  const real scale = (real)(1 / (1 - dropout.probability));
  const uint32_t threshold = (uint32_t)(dropout.probability * 0x1p32);
  uint32_t words[4 * RANDOM_MANY];
  for (size_t i = 0; i < n;) {
    /* Every index yields four words; the word for x[0] may be any of them. */
    const size_t skipped = (first + i) % 4, indices = (skipped + (n - i) + 3) / 4;
    const size_t count = indices < RANDOM_MANY ? indices : (size_t)RANDOM_MANY;
    const size_t some = 4 * count - skipped < n - i ? 4 * count - skipped : n - i;
    random_many(words, dropout.stream, (first + i) / 4, count);
    keep_or_drop(x + i, words + skipped, some, threshold, scale);
    i += some;
  }
}
