#include "console/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "console/messages.h"

static const double SECONDS_BETWEEN = 0.1, SECONDS_BETWEEN_LINES = 60;

/* Return whether `descriptor` is a terminal that supports escape sequences. */
static bool is_capable(int descriptor) {
  const char *kind = getenv("TERM");
  return isatty(descriptor) && kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
}

bool terminal_has_color(int descriptor) {
  const char *no_color = getenv("NO_COLOR");
  return is_capable(descriptor) && (no_color == NULL || no_color[0] == '\0');
}

size_t terminal_width(int descriptor) {
  enum { USUAL = 80 };
  struct winsize size;
  if (!isatty(descriptor)) return 0;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return USUAL;
  return size.ws_col;
}

struct progress progress_start(void) {
  const bool live = is_capable(STDERR_FILENO);
  return (struct progress){
      .shown = notes_shown(), .live = live, .drawn_at = live ? -SECONDS_BETWEEN : now()};
}

bool progress_due(const struct progress *progress) {
  const double between = progress->live ? SECONDS_BETWEEN : SECONDS_BETWEEN_LINES;
  return progress->shown && now() - progress->drawn_at >= between;
}

void progress_draw(struct progress *progress, const char *format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  progress->drawn_at = now();
  if (!progress->live) {
    note("%s", line);
    return;
  }
  /* Cut the line to the terminal's width: a line that wraps could not be erased. */
  fprintf(stderr, "\r\033[K%.*s", (int)terminal_width(STDERR_FILENO) - 1, line);
  fflush(stderr);
  progress->drawn = true;
}

void progress_erase(struct progress *progress) {
  if (!progress->drawn) return;
  fputs("\r\033[K", stderr);
  progress->drawn = false;
}
