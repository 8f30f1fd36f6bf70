/* Values that are released at the end of the block that declares them, so that no test repeats it:
 * `owned T *x` points to memory of malloc(), `owned_by(f) T x` is released by f(&x). */
#ifndef ELMAN_TESTS_OWNED_H
#define ELMAN_TESTS_OWNED_H

#include <stdlib.h>
#include <string.h>

#include "outcome.h"

#define owned_by(function) __attribute__((cleanup(function)))
#define owned owned_by(release_memory)

static inline void release_memory(void *pointer) {
  void *memory;
  memcpy(&memory, pointer, sizeof memory);
  free(memory);
}

/* Define a function that releases an object through the address of the pointer to it. */
#define RELEASE(name, type, function)                                                              \
  static inline void release_##name(type **pointer) {                                              \
    function(*pointer);                                                                            \
  }                                                                                                \
  struct owned_##name /* takes the semicolon */

#endif
