#include "format_suffix.h"

#include <stdbool.h>
#include <string.h>
#include <sysexits.h>

#include "elman.h"
#include "messages.h"

int report_suffix(const char *path) {
  char suffixes[128] = "";
  size_t used = 0;
  for (size_t i = 0; elman_format_suffix(i) != NULL && used < sizeof suffixes; i++)
    used +=
        (size_t)snprintf(suffixes + used, sizeof suffixes - used, " %s", elman_format_suffix(i));
  report(path, "the suffix names no format; take one of:%s", suffixes);
  return EX_USAGE;
}

/* A dot inside of the last part of the path. */
static bool has_suffix(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  const char *dot = strrchr(name, '.');
  return dot != NULL && dot > name && dot[1] != '\0';
}

int format_settle(const char **format, const char *path) {
  if (*format != NULL || path == NULL || strcmp(path, "-") == 0) return EX_OK;
  *format = elman_format_of_path(path);
  return *format == NULL && has_suffix(path) ? report_suffix(path) : EX_OK;
}
