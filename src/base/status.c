#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Remove a UTF-8 sequence that snprintf truncated at the end of `text`, an array of `size` bytes.
 * Keep any other invalid text, such as the name of a file. */
static void drop_partial_character(char *text, size_t size) {
  if (strlen(text) + 1 < size) return;
  size_t end = strlen(text);
  size_t start = end;
  while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) start--;
  if (start == 0) return;
  const unsigned char lead = (unsigned char)text[start - 1];
  const size_t want = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (end - (start - 1) < want) text[start - 1] = '\0';
}

elman_status fail(elman_error *error, elman_status code, const char *where, const char *format,
                  ...) {
  if (error == NULL) return code;
  error->code = code;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  snprintf(error->where, sizeof error->where, "%s", where == NULL ? "" : where);
  drop_partial_character(error->message, sizeof error->message);
  drop_partial_character(error->where, sizeof error->where);
  return code;
}

elman_status fail_no_memory(elman_error *error) {
  return fail(error, ELMAN_NO_MEMORY, NULL, "out of memory");
}

elman_status check_range(const char *name, double value, double minimum, double maximum,
                         elman_error *error) {
  if (value >= minimum && value <= maximum) return ELMAN_OK;
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the %s must be between %.9g and %.9g, not %.9g",
              name, minimum, maximum, value);
}

elman_status fail_again(elman_error *error, const elman_error *kept) {
  if (error != NULL) *error = *kept;
  return kept->code;
}
