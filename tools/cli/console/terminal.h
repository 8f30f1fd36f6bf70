/* The terminal: what it can do and the user allows, and a line on it that is drawn again and again.
 * Elsewhere nothing is drawn. */
#ifndef ELMAN_CLI_TERMINAL_H
#define ELMAN_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* A terminal that understands escape sequences, and NO_COLOR is not set. */
bool terminal_has_color(int descriptor);

/* Its columns; 0 where there is no terminal. */
size_t terminal_width(int descriptor);

struct progress {
  bool live;  /* notes are shown, on a terminal that can erase a line */
  bool drawn; /* the line is on the screen */
  double drawn_at;
};

struct progress progress_start(void);

/* Whether it is time to draw again. */
bool progress_due(const struct progress *progress);

void progress_draw(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes room for other output. */
void progress_erase(struct progress *progress);

#endif
