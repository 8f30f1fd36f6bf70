#include "console/formats.h"

#include <stdbool.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "console/messages.h"

int report_suffix(const char *path, const struct formats *formats) {
  char suffixes[128] = "";
  size_t used = 0;
  for (size_t i = 0; formats->suffix(i) != NULL && used < sizeof suffixes; i++)
    used += (size_t)snprintf(suffixes + used, sizeof suffixes - used, " %s", formats->suffix(i));
  report(path, "the suffix names no format; take one of:%s", suffixes);
  return EX_USAGE;
}

static bool is_standard(const char *path) {
  return path == NULL || strcmp(path, "-") == 0;
}

/* A dot inside of the last part of the path. */
static bool has_suffix(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  const char *dot = strrchr(name, '.');
  return dot != NULL && dot > name && dot[1] != '\0';
}

static bool ends_with(const char *path, const char *suffix) {
  const size_t length = strlen(path), size = strlen(suffix);
  return length > size && strcmp(path + length - size, suffix) == 0;
}

const char *format_by_suffix(const struct formats *formats, const char *path) {
  for (size_t i = 0; formats->name(i) != NULL; i++)
    if (ends_with(path, formats->suffix(i))) return formats->name(i);
  return NULL;
}

int format_settle(const char **format, const struct formats *formats, const char *path) {
  if (*format != NULL || is_standard(path)) return EX_OK;
  *format = format_by_suffix(formats, path);
  return *format == NULL && has_suffix(path) ? report_suffix(path, formats) : EX_OK;
}

int format_check_terminal(const char *command, const char *format, const char *path) {
  if (!is_standard(path) || !isatty(STDOUT_FILENO) ||
      (strcmp(format, "npy") != 0 && strcmp(format, "png") != 0))
    return EX_OK;
  return report_usage(command, "%s is not text for a terminal; name a file by -o FILE", format);
}
