/* Errors are values. */
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

/* What became of a call. */
typedef enum elman_status {
  ELMAN_OK,
  ELMAN_INVALID_ARGUMENT, /* something was asked for that cannot be */
  ELMAN_BAD_DATA,         /* a corpus, text or model file does not hold what it should */
  ELMAN_NO_INPUT,         /* a file does not exist or cannot be opened */
  ELMAN_NO_MEMORY,
  ELMAN_CANNOT_CREATE, /* an output file cannot be created */
  ELMAN_IO,            /* reading or writing failed half-way */
  ELMAN_INTERRUPTED    /* a callback asked to stop; what was done so far is kept */
} elman_status;

/* Why a call failed: for the program, and for people. */
typedef struct elman_error {
  elman_status code;
  char message[512]; /* what was wrong and what to do, one line */
  char where[512];   /* "file:line" or "file", or empty */
} elman_error;

/* "0.1.0" */
ELMAN_API const char *elman_version(void);

ELMAN_END

#endif
