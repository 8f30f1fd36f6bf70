/* Status codes and error messages. Every call that can fail returns a status. */
#ifndef ELMAN_STATUS_H
#define ELMAN_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
#define ELMAN_BEGIN extern "C" {
#define ELMAN_END }
#else
#define ELMAN_BEGIN
#define ELMAN_END
#endif

#define ELMAN_API __attribute__((visibility("default")))
#define ELMAN_CHECKED __attribute__((visibility("default"), warn_unused_result))

ELMAN_BEGIN

/* The result of a call. */
typedef enum elman_status {
  ELMAN_OK,
  ELMAN_INVALID_ARGUMENT, /* an argument or option has an invalid value */
  ELMAN_BAD_DATA,         /* a corpus, text or model file has invalid content */
  ELMAN_NO_INPUT,         /* a file does not exist or cannot be opened */
  ELMAN_NO_MEMORY,
  ELMAN_CANNOT_CREATE, /* an output file cannot be created */
  ELMAN_IO,            /* an open file cannot be read or written */
  ELMAN_INTERRUPTED    /* a callback stopped the call; its results so far are kept */
} elman_status;

/* The reason why a call failed: a code for programs, a message for people. */
typedef struct elman_error {
  elman_status code;
  char message[512]; /* one line: the fault and the remedy; names of options stand in backquotes,
                        which elman_option_write_message replaces */
  char where[512];   /* the place, such as "file:line", "file" or "reference"; may be empty */
} elman_error;

ELMAN_END

#endif
