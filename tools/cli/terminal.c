#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_is_capable(int descriptor) {
  const char *kind = getenv("TERM");
  return isatty(descriptor) && kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
}

bool terminal_has_color(int descriptor) {
  const char *no_color = getenv("NO_COLOR");
  return terminal_is_capable(descriptor) && (no_color == NULL || no_color[0] == '\0');
}

size_t terminal_width(int descriptor) {
  enum { USUAL = 80 };
  struct winsize size;
  if (!isatty(descriptor)) return 0;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return USUAL;
  return size.ws_col;
}
