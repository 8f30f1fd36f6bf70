#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"

#pragma weak fuzz_make_seed

static int in_memory = -1;

const char *fuzz_file(const void *bytes, size_t size) {
  static char path[64];
  if (in_memory < 0) {
    in_memory = memfd_create("fuzz", MFD_CLOEXEC);
    REQUIRE(in_memory >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", in_memory);
  }
  /* Writing to the path starts at the offset of the descriptor, so reset it. */
  REQUIRE(ftruncate(in_memory, 0) == 0 && lseek(in_memory, 0, SEEK_SET) == 0);
  REQUIRE(pwrite(in_memory, bytes, size, 0) == (ssize_t)size);
  return path;
}

size_t fuzz_file_content(uint8_t *into, size_t most) {
  const ssize_t size = pread(in_memory, into, most, 0);
  REQUIRE(size >= 0);
  return (size_t)size;
}

size_t fuzz_seed(uint8_t into[FUZZ_MOST], size_t number) {
  static uint8_t seeds[FUZZ_SEEDS][FUZZ_MOST];
  static size_t sizes[FUZZ_SEEDS];
  if (sizes[0] == 0) {
    for (size_t i = 0; i < FUZZ_SEEDS; i++) sizes[i] = fuzz_make_seed(seeds[i], FUZZ_MOST, i);
    REQUIRE(sizes[0] > 0 && sizes[FUZZ_SEEDS - 1] == 0);
  }
  if (number >= FUZZ_SEEDS) return 0;
  memcpy(into, seeds[number], sizes[number]);
  return sizes[number];
}

uint8_t fuzz_take_byte(const uint8_t **bytes, size_t *size) {
  if (*size == 0) return 0;
  --*size;
  return *(*bytes)++;
}

bool fuzz_one_in(size_t n, const uint8_t *bytes, size_t size) {
  uint32_t hash = 2166136261; /* FNV-1a */
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 16777619;
  return (hash >> 8) % n == 0;
}

struct text fuzz_text(const uint8_t *bytes, size_t size) {
  struct text text = {(const char *)bytes, size};
  text.length = text_valid_prefix(text);
  return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzz_one(bytes, size);
  return 0;
}
