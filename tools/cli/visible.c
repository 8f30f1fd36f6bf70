#include "visible.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static bool is_control(long code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x61c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static bool continues(char byte) {
  return ((unsigned char)byte & 0xc0) == 0x80;
}

long control_at(const char *text, size_t length, size_t *size) {
  const unsigned char lead = (unsigned char)text[0];
  long code = -1;
  if (lead < 0x80) {
    *size = 1;
    code = lead;
  } else if ((lead & 0xe0) == 0xc0 && length >= 2 && continues(text[1])) {
    *size = 2;
    code = (lead & 0x1fL) << 6 | (text[1] & 0x3f);
  } else if ((lead & 0xf0) == 0xe0 && length >= 3 && continues(text[1]) && continues(text[2])) {
    *size = 3;
    code = (lead & 0xfL) << 12 | (text[1] & 0x3fL) << 6 | (text[2] & 0x3f);
  }
  return code >= 0 && is_control(code) ? code : -1;
}

void print_visible(FILE *stream, const char *text) {
  print_visible_bytes(stream, text, strlen(text));
}

void print_visible_bytes(FILE *stream, const char *text, size_t length) {
  size_t size;
  for (size_t i = 0; i < length; i += size) {
    const long code = control_at(text + i, length - i, &size);
    if (code >= 0) {
      fprintf(stream, "\\u{%lX}", (unsigned long)code);
    } else {
      putc((unsigned char)text[i], stream);
      size = 1;
    }
  }
}

void print_data(FILE *stream, const char *text) {
  const int write_error = errno; /* of an earlier write: isatty sets errno for all but terminals */
  const int descriptor = fileno(stream); /* a file that is replaced as a whole has none */
  const bool is_terminal = descriptor >= 0 && isatty(descriptor);
  errno = write_error;
  if (is_terminal)
    print_visible(stream, text);
  else
    fputs(text, stream);
}
