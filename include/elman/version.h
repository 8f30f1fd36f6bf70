/* The version of the headers, and of the library that a program runs with. CMakeLists.txt reads the
 * three numbers; docs/versions.md states which versions fit together. */
#ifndef ELMAN_VERSION_H
#define ELMAN_VERSION_H

#include "elman/status.h"

ELMAN_BEGIN
/* The three numbers of the version of the headers. */
#define ELMAN_VERSION_MAJOR 0
#define ELMAN_VERSION_MINOR 1
#define ELMAN_VERSION_PATCH 0
/* A version as one number that grows, such as 102 for 0.1.2, for conditions in programs. */
#define ELMAN_VERSION_OF(major, minor, patch) (10000 * (major) + 100 * (minor) + (patch))
/* The version of the headers as one number. */
#define ELMAN_VERSION_NUMBER                                                                       \
  ELMAN_VERSION_OF(ELMAN_VERSION_MAJOR, ELMAN_VERSION_MINOR, ELMAN_VERSION_PATCH)
/* A number as text. */
#define ELMAN_VERSION_TEXT_OF(number) #number
/* The value of a macro as text. */
#define ELMAN_VERSION_TEXT(number) ELMAN_VERSION_TEXT_OF(number)
/* The version of the headers as text, such as "0.1.2". */
#define ELMAN_VERSION                                                                              \
  ELMAN_VERSION_TEXT(ELMAN_VERSION_MAJOR)                                                          \
  "." ELMAN_VERSION_TEXT(ELMAN_VERSION_MINOR) "." ELMAN_VERSION_TEXT(ELMAN_VERSION_PATCH)
/* Return the version of the library, as ELMAN_VERSION and as ELMAN_VERSION_NUMBER. */
ELMAN_API const char *elman_version(void);
ELMAN_API unsigned elman_version_number(void);

/* Return ELMAN_INVALID_ARGUMENT unless this library suits a program that was compiled with the
 * headers of version `headers`. The program passes its ELMAN_VERSION_NUMBER. The library must not
 * be older than the headers. It may differ from them in the patch only; from version 1.0 on, it may
 * also differ in the minor version. */
ELMAN_CHECKED elman_status elman_version_check(unsigned headers, elman_error *error);

ELMAN_END

#endif
