/* The part of Criterion that the tests use, without the shared memory that ThreadSanitizer does not
 * support. Each test runs in a process of its own; messages are not printed. */
#ifndef ELMAN_TESTS_TSAN_CRITERION_H
#define ELMAN_TESTS_TSAN_CRITERION_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct test_options {
  void (*init)(void), (*fini)(void);
  double timeout; /* left to ctest */
  int signal;     /* signal that ends the test; 0 = none */
};

struct test {
  const char *suite, *name;
  void (*run)(void);
  struct test *next;
  int signal;
};

static struct test *all_tests;
static struct test_options suite_options;

#define TestSuite(suite, ...)                                                                      \
  __attribute__((constructor)) static void suite##_options(void) {                                 \
    suite_options = (struct test_options){__VA_ARGS__};                                            \
  }                                                                                                \
  struct test /* takes the semicolon */

#define Test(suite, name, ...)                                                                     \
  static void suite##_##name##_run(void);                                                          \
  __attribute__((constructor)) static void suite##_##name##_add(void) {                            \
    static struct test test = {#suite, #name, suite##_##name##_run, NULL, 0};                      \
    test.signal = (struct test_options){__VA_ARGS__}.signal;                                       \
    test.next = all_tests;                                                                         \
    all_tests = &test;                                                                             \
  }                                                                                                \
  static void suite##_##name##_run(void)

static inline void check_that(bool holds, const char *what, const char *file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  exit(1);
}

#define cr_assert(condition, ...) check_that((condition), #condition, __FILE__, __LINE__)
#define cr_assert_not(condition, ...) cr_assert(!(condition))
#define cr_assert_eq(a, b, ...) cr_assert((a) == (b))
#define cr_assert_neq(a, b, ...) cr_assert((a) != (b))
#define cr_assert_gt(a, b, ...) cr_assert((a) > (b))
#define cr_assert_geq(a, b, ...) cr_assert((a) >= (b))
#define cr_assert_lt(a, b, ...) cr_assert((a) < (b))
#define cr_assert_leq(a, b, ...) cr_assert((a) <= (b))
#define cr_assert_null(a, ...) cr_assert((a) == NULL)
#define cr_assert_not_null(a, ...) cr_assert((a) != NULL)
#define cr_assert_str_eq(a, b, ...) cr_assert(strcmp(a, b) == 0)
#define cr_assert_arr_eq(a, b, size, ...) cr_assert(memcmp(a, b, size) == 0)
#define cr_assert_float_eq(a, b, most, ...) cr_assert((a) - (b) <= (most) && (b) - (a) <= (most))
#define cr_skip_test(...) exit(0)

static void run_test(const struct test *test) {
  if (suite_options.init != NULL) suite_options.init();
  test->run();
  if (suite_options.fini != NULL) suite_options.fini();
  exit(0);
}

/* Run all tests, or those whose name contains ELMAN_TESTS_ONLY; at least one. */
int main(void) {
  const char *only = getenv("ELMAN_TESTS_ONLY");
  int failed = 1;
  for (const struct test *test = all_tests; test != NULL && failed; test = test->next)
    if (only == NULL || strstr(test->name, only) != NULL) failed = 0;
  for (const struct test *test = all_tests; test != NULL; test = test->next) {
    int status = 1;
    if (only != NULL && strstr(test->name, only) == NULL) continue;
    const pid_t child = fork();
    if (child == 0) run_test(test);
    if (child > 0 && waitpid(child, &status, 0) == child &&
        (WIFSIGNALED(status) ? WTERMSIG(status) : -status) == test->signal)
      continue;
    fprintf(stderr, "%s::%s failed\n", test->suite, test->name);
    failed = 1;
  }
  return failed;
}

#endif
