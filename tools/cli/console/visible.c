#include "console/visible.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "elman.h"

void print_visible(FILE *stream, const char *text) {
  print_visible_bytes(stream, text, strlen(text));
}

void print_visible_bytes(FILE *stream, const char *text, size_t length) {
  uint32_t code;
  for (size_t i = 0, size; i < length; i += size) {
    size = elman_unsafe_character(&code, text + i, length - i);
    if (size > 0) {
      fprintf(stream, "\\u{%" PRIX32 "}", code);
    } else {
      putc((unsigned char)text[i], stream);
      size = 1;
    }
  }
}

bool stream_is_terminal(FILE *stream) {
  const int write_error = errno; /* of an earlier write: isatty sets errno for all but terminals */
  const int descriptor = fileno(stream); /* a file that is replaced as a whole has none */
  const bool is_terminal = descriptor >= 0 && isatty(descriptor);
  errno = write_error;
  return is_terminal;
}

void print_data(FILE *stream, const char *text) {
  print_data_for(stream, text, stream_is_terminal(stream));
}

void print_data_for(FILE *stream, const char *text, bool terminal) {
  if (terminal)
    print_visible(stream, text);
  else
    fputs(text, stream);
}
