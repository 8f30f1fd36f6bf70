#include "options/number_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool parse_whole_number(const char *text, uint64_t *number) {
  if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text)) return false;
  errno = 0;
  const unsigned long long parsed = strtoull(text, NULL, 10);
  if (errno != 0 || parsed > UINT64_MAX) return false;
  *number = parsed;
  return true;
}

const char *take_decimal(double *number, const char *text) {
  char *end;
  *number = strtod(text, &end);
  return end > text && end == text + strspn(text, "0123456789.") ? end : NULL;
}

bool parse_real(const char *text, double *number) {
  /* Keeps out what strtod also reads: spaces, "inf", "nan", hexadecimal. */
  if (text[0] == '\0' || strspn(text, "0123456789.eE+-") != strlen(text)) return false;
  char *end;
  *number = strtod(text, &end);
  return *end == '\0' && isfinite(*number);
}
