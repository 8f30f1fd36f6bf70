#include "base/xxh64.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are read as they lie in memory");

static const uint64_t P1 = UINT64_C(0x9E3779B185EBCA87), P2 = UINT64_C(0xC2B2AE3D27D4EB4F),
                      P3 = UINT64_C(0x165667B19E3779F9), P4 = UINT64_C(0x85EBCA77C2B2AE63),
                      P5 = UINT64_C(0x27D4EB2F165667C5);

static uint64_t rotate(uint64_t word, int by) {
  return word << by | word >> (64 - by);
}

static uint64_t word_at(const unsigned char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

static uint64_t half_word_at(const unsigned char *at) {
  uint32_t half;
  memcpy(&half, at, sizeof half);
  return half;
}

static uint64_t round_of(uint64_t lane, uint64_t word) {
  return rotate(lane + word * P2, 31) * P1;
}

void xxh64_start(struct xxh64 *sum) {
  *sum = (struct xxh64){.lanes = {P1 + P2, P2, 0, 0 - P1}};
}

static void add_stripes(struct xxh64 *sum, const unsigned char *at, size_t stripes) {
  uint64_t a = sum->lanes[0], b = sum->lanes[1], c = sum->lanes[2], d = sum->lanes[3];
  for (size_t i = 0; i < stripes; i++, at += XXH64_STRIPE) {
    a = round_of(a, word_at(at));
    b = round_of(b, word_at(at + 8));
    c = round_of(c, word_at(at + 16));
    d = round_of(d, word_at(at + 24));
  }
  memcpy(sum->lanes, (uint64_t[]){a, b, c, d}, sizeof sum->lanes);
}

void xxh64_add(struct xxh64 *sum, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  const size_t held = sum->total % XXH64_STRIPE;
  sum->total += size;
  if (held > 0) {
    const size_t room = XXH64_STRIPE - held, copied = size < room ? size : room;
    if (copied > 0) memcpy(sum->rest + held, at, copied);
    if (copied < room) return;
    add_stripes(sum, sum->rest, 1);
    at += copied;
    size -= copied;
  }
  const size_t stripes = size / XXH64_STRIPE, left = size % XXH64_STRIPE;
  add_stripes(sum, at, stripes);
  if (left > 0) memcpy(sum->rest, at + stripes * XXH64_STRIPE, left);
}

static uint64_t add_rest(uint64_t hash, const unsigned char *at, size_t size) {
  for (; size >= 8; at += 8, size -= 8)
    hash = rotate(hash ^ round_of(0, word_at(at)), 27) * P1 + P4;
  for (; size >= 4; at += 4, size -= 4) hash = rotate(hash ^ half_word_at(at) * P1, 23) * P2 + P3;
  for (; size > 0; at++, size--) hash = rotate(hash ^ *at * P5, 11) * P1;
  return hash;
}

static uint64_t finish(uint64_t hash) {
  hash = (hash ^ hash >> 33) * P2;
  hash = (hash ^ hash >> 29) * P3;
  return hash ^ hash >> 32;
}

uint64_t xxh64_value(const struct xxh64 *sum) {
  static const int turns[XXH64_LANES] = {1, 7, 12, 18};
  uint64_t hash = P5; /* initial value for less than one stripe */
  if (sum->total >= XXH64_STRIPE) {
    hash = 0;
    for (int i = 0; i < XXH64_LANES; i++) hash += rotate(sum->lanes[i], turns[i]);
    for (int i = 0; i < XXH64_LANES; i++) hash = (hash ^ round_of(0, sum->lanes[i])) * P1 + P4;
  }
  return finish(add_rest(hash + sum->total, sum->rest, sum->total % XXH64_STRIPE));
}

uint64_t xxh64_of(const void *bytes, size_t size) {
  if (size < XXH64_STRIPE) return finish(add_rest(P5 + size, bytes, size));
  struct xxh64 sum;
  xxh64_start(&sum);
  xxh64_add(&sum, bytes, size);
  return xxh64_value(&sum);
}
