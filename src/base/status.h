/* Errors as values: a code that the caller must check, and a message that states the place, the
 * problem and the remedy. */
#ifndef ELMAN_BASE_STATUS_H
#define ELMAN_BASE_STATUS_H

#include "elman/status.h"

#define CHECKED __attribute__((warn_unused_result))

/* Fill `error`, which may be NULL, and return `code`, so that callers can write `return
 * fail(...)`. `where` may be NULL. A message that is too long is truncated at a character
 * boundary. */
elman_status fail(elman_error *error, elman_status code, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

elman_status fail_no_memory(elman_error *error);

/* Check that minimum <= value <= maximum; NaN is an error. The message contains `name`, the name of
 * the value. */
elman_status check_range(const char *name, double value, double minimum, double maximum,
                         elman_error *error);

/* Return the plural ending of a noun after a count, as in "1 pair", "2 pairs". */
static inline const char *plural_ending(size_t count) {
  return count == 1 ? "" : "s";
}

/* Return the verb after a count, as in "1 of 3 words is", "2 of 3 words are". */
static inline const char *plural_is(size_t count) {
  return count == 1 ? "is" : "are";
}

/* Copy a stored error to `error` and return its code. */
elman_status fail_again(elman_error *error, const elman_error *kept);

#endif
