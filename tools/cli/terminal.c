#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool terminal_is_capable(int descriptor) {
  const char *kind = getenv("TERM");
  return isatty(descriptor) && kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
}

bool terminal_has_color(int descriptor) {
  const char *no_color = getenv("NO_COLOR");
  return terminal_is_capable(descriptor) && (no_color == NULL || no_color[0] == '\0');
}
