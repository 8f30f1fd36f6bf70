#include "base/random.h"

#include <math.h>

#include "base/portable_math.h"

/* Compute ten rounds for `count` indices at once. Each word of the counters has its own array, so
 * the compiler vectorizes the loops if `count` is constant. */
static inline __attribute__((always_inline)) void
philox(uint32_t *restrict words, struct random_stream stream, uint64_t first, size_t count) {
  uint32_t counter[4][RANDOM_MANY];
  for (size_t i = 0; i < count; i++) {
    counter[0][i] = (uint32_t)(first + i);
    counter[1][i] = (uint32_t)((first + i) >> 32);
    counter[2][i] = stream.which;
    counter[3][i] = stream.purpose;
  }
  uint32_t key0 = (uint32_t)stream.seed, key1 = (uint32_t)(stream.seed >> 32);
  for (int round = 0; round < 10; round++) {
    for (size_t i = 0; i < count; i++) {
      const uint64_t product0 = UINT64_C(0xD2511F53) * counter[0][i];
      const uint64_t product1 = UINT64_C(0xCD9E8D57) * counter[2][i];
      counter[0][i] = (uint32_t)(product1 >> 32) ^ counter[1][i] ^ key0;
      counter[1][i] = (uint32_t)product1;
      counter[2][i] = (uint32_t)(product0 >> 32) ^ counter[3][i] ^ key1;
      counter[3][i] = (uint32_t)product0;
    }
    key0 += UINT32_C(0x9E3779B9);
    key1 += UINT32_C(0xBB67AE85);
  }
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < 4; k++) words[4 * i + k] = counter[k][i];
}

void random_words(uint32_t words[4], struct random_stream stream, uint64_t index) {
  philox(words, stream, index, 1);
}

void random_many(uint32_t *words, struct random_stream stream, uint64_t first, size_t count) {
  if (count == RANDOM_MANY)
    philox(words, stream, first, RANDOM_MANY);
  else
    for (size_t i = 0; i < count; i++) random_words(words + 4 * i, stream, first + i);
}

static double unit(uint32_t high, uint32_t low) {
  return (double)((((uint64_t)high << 32) | low) >> 11) * 0x1p-53;
}

/* Return the first 64 of the 128 bits. */
static uint64_t random_bits(struct random_stream stream, uint64_t index) {
  uint32_t words[4];
  random_words(words, stream, index);
  return ((uint64_t)words[0] << 32) | words[1];
}

double random_uniform(struct random_stream stream, uint64_t index) {
  uint32_t words[4];
  random_words(words, stream, index);
  return unit(words[0], words[1]);
}

/* Use the method of Box and Muller, 1958. 1 - u is in (0, 1], so the logarithm is finite. */
double random_normal(struct random_stream stream, uint64_t index) {
  uint32_t words[4];
  random_words(words, stream, index);
  const double radius = sqrt(-2 * portable_log(1 - unit(words[0], words[1])));
  return radius * portable_cos_turns(unit(words[2], words[3]));
}

/* Return the high word of a 128-bit product. The bias of the result is below bound / 2^64. */
uint64_t random_below(struct random_stream stream, uint64_t index, uint64_t bound) {
  __extension__ typedef unsigned __int128 wide;
  return (uint64_t)(((wide)random_bits(stream, index) * bound) >> 64);
}
