/* What a fuzzing target is made of. `tools/fuzz` runs them with libFuzzer; everywhere else replay.c
 * is their main(), and the ordinary tests hold them to what was found before. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct text;

/* Does with any bytes what the program does with a file, or text, of the target's kind. False if
 * they were refused; a promise that does not hold ends the process. */
bool fuzz_one(const uint8_t *bytes, size_t size);

/* Targets with a mutator of their own: makes valid files, as the program writes them now, from
 * number 0 on. Gives a size, or 0 past the last. */
size_t fuzz_make_seed(uint8_t *into, size_t most, size_t number);

/* The same; all are made before anything else is done. */
enum { FUZZ_MOST = 1 << 15, FUZZ_SEEDS = 16 };
size_t fuzz_seed(uint8_t into[FUZZ_MOST], size_t number);

#define REQUIRE(condition)                                                                         \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      dprintf(2, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                    \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

/* The name of a file in memory that holds these bytes, until the next call. */
const char *fuzz_file(const void *bytes, size_t size);
/* Its content, as it is now; the size, at most `most`. */
size_t fuzz_file_content(uint8_t *into, size_t most);

/* Takes the first byte off, to choose options by; 0 at the end. */
uint8_t fuzz_take_byte(const uint8_t **bytes, size_t *size);

/* The same for the same bytes, for what would take too long to be done each time. */
bool fuzz_one_in(size_t n, const uint8_t *bytes, size_t size);

/* The bytes up to the first that is not UTF-8. */
struct text fuzz_text(const uint8_t *bytes, size_t size);

/* libFuzzer's names. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

#endif
