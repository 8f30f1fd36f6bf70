/* main() of a target without libFuzzer:
 *
 *   fuzz_TARGET FILE...                  run each file once
 *   fuzz_TARGET --mutations N [SEED]     run files of fuzz_seed, changed by the target's mutator
 */
#include <signal.h>
#include <string.h>

#include "fuzz.h"

#pragma weak LLVMFuzzerCustomMutator

static uint64_t state = 1;

static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth's */
  return (uint32_t)((state >> 32) % below);
}

/* A simple version of libFuzzer's function. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most) {
  (void)most;
  if (size == 0) return 0;
  uint8_t *at = &bytes[draw((uint32_t)size)];
  switch (draw(3)) {
  case 0:
    *at ^= (uint8_t)(1u << draw(8));
    break;
  case 1:
    *at = (uint8_t)draw(256);
    break;
  default:
    *at = bytes[draw((uint32_t)size)];
    break;
  }
  return size;
}

static int replay(const char *path) {
  static uint8_t bytes[FUZZ_MOST];
  FILE *stream = fopen(path, "rb");
  if (stream == NULL) {
    perror(path);
    return 1;
  }
  const size_t size = fread(bytes, 1, sizeof bytes, stream);
  fclose(stream);
  /* Memory of exactly this size, so that AddressSanitizer detects a read past the end. */
  uint8_t *exact = malloc(size > 0 ? size : 1);
  REQUIRE(exact != NULL);
  memcpy(exact, bytes, size);
  fprintf(stderr, "%s: %s\n", path, fuzz_one(exact, size) ? "taken" : "refused");
  free(exact);
  return 0;
}

/* The input of the current run; written to a file after an abort, for replay(). */
static uint8_t current[FUZZ_MOST];
static size_t current_size;

static void keep(int signal_number) {
  (void)signal_number;
  FILE *stream = fopen("crash", "wb");
  if (stream == NULL) return;
  fwrite(current, 1, current_size, stream);
  fclose(stream);
}

static int mutate(unsigned long count, uint64_t seed) {
  unsigned long taken = 0, seeds = 0;
  while ((current_size = fuzz_seed(current, seeds)) > 0) {
    REQUIRE(fuzz_one(current, current_size));
    seeds++;
  }
  state = seed;
  for (unsigned long i = 0; i < count; i++) {
    current_size = fuzz_seed(current, i % seeds);
    current_size = LLVMFuzzerCustomMutator(current, current_size, FUZZ_MOST, draw(UINT32_MAX));
    taken += fuzz_one(current, current_size);
  }
  printf("%lu mutated files: %lu refused, %lu taken\n", count, count - taken, taken);
  /* If all files, or none, are refused, the mutator tests nothing. */
  return taken > 0 && taken < count ? 0 : 1;
}

int main(int argc, char **argv) {
  int code = 0;
  if (argc > 2 && strcmp(argv[1], "--mutations") == 0) {
    if (LLVMFuzzerCustomMutator == NULL) return 64;
    signal(SIGABRT, keep);
    return mutate(strtoul(argv[2], NULL, 10), argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
  }
  for (int i = 1; i < argc; i++) code |= replay(argv[i]);
  return code;
}
