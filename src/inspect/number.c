#include "inspect/number.h"

#include <math.h>
#include <string.h>

/* The locale's decimal point, of whatever bytes, becomes a point. */
static void write_with_point(FILE *stream, const char *printed) {
  static const char plain[] = "0123456789+-einfa";
  const size_t whole = strspn(printed, plain);
  const char *rest = printed + whole;
  fprintf(stream, "%.*s", (int)whole, printed);
  if (*rest == '\0') return;
  fprintf(stream, ".%s", rest + strcspn(rest, plain));
}

void write_fixed(FILE *stream, double value, int decimals) {
  char printed[400]; /* the largest double has 309 digits before the point */
  snprintf(printed, sizeof printed, "%.*f", decimals, value);
  write_with_point(stream, printed);
}

void write_scientific(FILE *stream, double value, int decimals) {
  char printed[32];
  snprintf(printed, sizeof printed, "%.*e", decimals, value);
  write_with_point(stream, printed);
}

void write_json_real(FILE *stream, double value) {
  char printed[64];
  if (!isfinite(value)) {
    fputs("null", stream);
    return;
  }
  snprintf(printed, sizeof printed, "%.9g", value);
  write_with_point(stream, printed);
  if (printed[strspn(printed, "-0123456789")] == '\0') fputs(".0", stream);
}
