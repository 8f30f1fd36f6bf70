/* Errors are values: a code that must be looked at, and a message: what, where, what to do. */
#ifndef ELMAN_BASE_STATUS_H
#define ELMAN_BASE_STATUS_H

#include "elman/status.h"

#define CHECKED __attribute__((warn_unused_result))

/* Fills `error` (NULL is allowed) and returns `code`, so that callers write `return fail(...)`.
 * `where` may be NULL. Text that is too long is cut at a character boundary. */
elman_status fail(elman_error *error, elman_status code, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

elman_status fail_no_memory(elman_error *error);

/* Behind a noun that is counted: "1 pair", "2 pairs". */
static inline const char *plural_ending(size_t count) {
  return count == 1 ? "" : "s";
}

/* Hands an error on that was kept elsewhere. */
elman_status fail_again(elman_error *error, const elman_error *kept);

#endif
