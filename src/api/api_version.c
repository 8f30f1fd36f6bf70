#include "base/status.h"
#include "elman/version.h"

const char *elman_version(void) {
  return ELMAN_VERSION;
}

unsigned elman_version_number(void) {
  return ELMAN_VERSION_NUMBER;
}

elman_status elman_version_check(unsigned headers, elman_error *error) {
  const unsigned major = headers / 10000, minor = headers / 100 % 100, patch = headers % 100;
  const bool fits = major == ELMAN_VERSION_MAJOR && (major > 0 || minor == ELMAN_VERSION_MINOR) &&
                    headers <= ELMAN_VERSION_NUMBER;
  return fits ? ELMAN_OK
              : fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                     "the program was compiled for elman %u.%u.%u, but the library is "
                     "elman " ELMAN_VERSION
                     "; compile the program again, or install the library that it was compiled for",
                     major, minor, patch);
}
