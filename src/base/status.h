/* Errors are values: a code that must be looked at, and a message with what, where and what to do.
 */
#ifndef ELMAN_BASE_STATUS_H
#define ELMAN_BASE_STATUS_H

#define CHECKED __attribute__((warn_unused_result))

/* The order is that of elman_status in the public header; src/api asserts it. */
enum status {
  STATUS_OK,
  STATUS_INVALID_ARGUMENT, /* the caller asked for something that cannot be */
  STATUS_BAD_DATA,         /* a corpus or model file that does not hold what it should */
  STATUS_NO_INPUT,         /* a file that does not exist or cannot be opened */
  STATUS_NO_MEMORY,
  STATUS_CANNOT_CREATE, /* an output file that cannot be created */
  STATUS_IO,            /* reading or writing failed half-way */
  STATUS_INTERRUPTED    /* the caller's own callback asked to stop */
};

struct error {
  enum status code;
  char message[512]; /* UTF-8, one line, no full stop at the end */
  char where[512];   /* "file:line", "file, byte n", or empty */
};

/* Fills `error` (NULL is allowed) and returns `code`, so that callers write `return fail(...)`.
 * `where` may be NULL. Text that is too long is cut at a character boundary. */
enum status fail(struct error *error, enum status code, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

enum status fail_no_memory(struct error *error);

#endif
