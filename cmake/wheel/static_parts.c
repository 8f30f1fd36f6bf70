/* Compiled into the shared library if it contains static libraries (ELMAN_STATIC_PARTS). Debian
 * compiles static libraries for programs. jansson reads the address of `stdin` relative to its
 * code, which in a shared library cannot refer to a variable of the C library. expat calls
 * arc4random_buf, which the GNU C library has only since 2.36. With --wrap, the linker replaces
 * both by the definitions below. */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

extern FILE *__real_stdin;
__attribute__((visibility("hidden"))) FILE *__wrap_stdin;

__attribute__((constructor)) static void copy_standard_input(void) {
  __wrap_stdin = __real_stdin;
}

/* Fill `bytes` for the seeds of expat's hash tables, which need no secrecy if the system has no
 * random bytes yet. */
__attribute__((visibility("hidden"))) void __wrap_arc4random_buf(void *bytes, size_t size);
void __wrap_arc4random_buf(void *bytes, size_t size) {
  memset(bytes, 0, size);
  for (size_t done = 0; done < size;) {
    const ssize_t got = getrandom((char *)bytes + done, size - done, GRND_NONBLOCK);
    if (got <= 0) return;
    done += (size_t)got;
  }
}
