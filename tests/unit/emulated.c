/* Criterion needs this file when an emulator runs the tests. */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <errno.h>
#include <unistd.h>

/* Time limits are meant for native runs, so disable them. */
ReportHook(PRE_ALL)(struct criterion_test_set *tests) {
  FOREACH_SET(struct criterion_suite_set * suite, tests->suites) {
    FOREACH_SET(struct criterion_test * test, suite->tests) test->data->timeout *= 10;
  }
}

/* Criterion executes the program again for every test. The kernel cannot do this for a program
 * built for another processor. This function replaces the C library's and executes the emulator. */
__attribute__((visibility("default"))) int execve(const char *path, char *const arguments[],
                                                  char *const environment[]) {
  enum { MOST = 64 };
  char *command[MOST] = {EMULATOR};
  size_t count = 0;
  while (command[count] != NULL) count++;
  command[count++] = (char *)path;
  for (size_t i = 0; arguments[i] != NULL && arguments[i + 1] != NULL; i++) {
    if (count == MOST - 1) {
      errno = E2BIG;
      return -1;
    }
    command[count++] = arguments[i + 1];
  }
  return execvpe(command[0], command, environment);
}
