/* Common code of the fuzzing targets. `tools/fuzz` runs them with libFuzzer; otherwise replay.c
 * is their main(), and the ordinary tests run them on earlier findings. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct text;

/* Process the bytes as the program processes a file or text of the target's kind. Return false if
 * they are refused. A violated guarantee aborts the process. */
bool fuzz_one(const uint8_t *bytes, size_t size);

/* For targets with their own mutator: make valid file `number`, from 0, in the program's current
 * format. Return its size, or 0 past the last. */
size_t fuzz_make_seed(uint8_t *into, size_t most, size_t number);

/* Return file `number` of fuzz_make_seed; the first call makes all files. */
enum { FUZZ_MOST = 1 << 15, FUZZ_SEEDS = 24 };
size_t fuzz_seed(uint8_t into[FUZZ_MOST], size_t number);

#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      dprintf(2, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                    \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

/* Return the name of a file in memory with these bytes, valid until the next call. */
const char *fuzz_file(const void *bytes, size_t size);
/* Read the current content of that file; return its size, at most `most`. */
size_t fuzz_file_content(uint8_t *into, size_t most);

/* Remove and return the first byte, which chooses options; 0 at the end. */
uint8_t fuzz_take_byte(const uint8_t **bytes, size_t *size);

/* Return true for one input in `n`, by a hash of its bytes; for checks that take long. */
bool fuzz_one_in(size_t n, const uint8_t *bytes, size_t size);

/* Return the bytes before the first that is not UTF-8. */
struct text fuzz_text(const uint8_t *bytes, size_t size);

/* Functions that libFuzzer calls or provides. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

#endif
