#include "tensor/tiles.h"

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__)
#include <cpuid.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

bool tiles_in_processor(enum tile_numbers numbers) {
  enum { BFLOAT16 = 1 << 22, TILES = 1 << 24, BYTES = 1 << 25 };
  const unsigned needed = TILES | (numbers == TILES_OF_BYTES ? BYTES : BFLOAT16);
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & needed) == needed;
}

bool tiles_permitted(void) {
  enum { NOT_ASKED, GRANTED, REFUSED };
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* ARCH_REQ_XCOMP_PERM, XTILE_DATA */
  static _Atomic int answer = NOT_ASKED;
  int found = atomic_load(&answer);
  if (found == NOT_ASKED) {
    found = syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0 ? GRANTED : REFUSED;
    atomic_store(&answer, found);
  }
  return found == GRANTED;
}
#else
bool tiles_in_processor(enum tile_numbers numbers) {
  (void)numbers;
  return false;
}

bool tiles_permitted(void) {
  return false;
}
#endif
