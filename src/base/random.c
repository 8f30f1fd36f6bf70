#include "base/random.h"

#include <math.h>

void random_words(uint32_t words[4], struct random_stream stream, uint64_t index) {
  uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), stream.which, stream.purpose};
  uint32_t key0 = (uint32_t)stream.seed, key1 = (uint32_t)(stream.seed >> 32);
  for (int round = 0; round < 10; round++) {
    const uint64_t product0 = UINT64_C(0xD2511F53) * counter[0];
    const uint64_t product1 = UINT64_C(0xCD9E8D57) * counter[2];
    const uint32_t next[4] = {(uint32_t)(product1 >> 32) ^ counter[1] ^ key0, (uint32_t)product1,
                              (uint32_t)(product0 >> 32) ^ counter[3] ^ key1, (uint32_t)product0};
    for (int i = 0; i < 4; i++) counter[i] = next[i];
    key0 += UINT32_C(0x9E3779B9);
    key1 += UINT32_C(0xBB67AE85);
  }
  for (int i = 0; i < 4; i++) words[i] = counter[i];
}

static double unit(uint32_t high, uint32_t low) {
  return (double)((((uint64_t)high << 32) | low) >> 11) * 0x1p-53;
}

uint64_t random_bits(struct random_stream stream, uint64_t index) {
  uint32_t words[4];
  random_words(words, stream, index);
  return ((uint64_t)words[0] << 32) | words[1];
}

double random_uniform(struct random_stream stream, uint64_t index) {
  uint32_t words[4];
  random_words(words, stream, index);
  return unit(words[0], words[1]);
}

/* Box and Muller 1958. 1 - u lies in (0, 1], so the logarithm is finite. */
double random_normal(struct random_stream stream, uint64_t index) {
  const double two_pi = 6.283185307179586;
  uint32_t words[4];
  random_words(words, stream, index);
  return sqrt(-2 * log(1 - unit(words[0], words[1]))) * cos(two_pi * unit(words[2], words[3]));
}

/* The high word of a 128-bit product; the bias is below bound / 2^64. */
uint64_t random_below(struct random_stream stream, uint64_t index, uint64_t bound) {
  __extension__ typedef unsigned __int128 wide;
  return (uint64_t)(((wide)random_bits(stream, index) * bound) >> 64);
}
