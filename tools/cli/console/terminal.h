/* Properties of the terminal, and a progress line. A terminal redraws it in place; elsewhere, such
 * as in a file of messages, a line is added every minute. */
#ifndef ELMAN_CLI_TERMINAL_H
#define ELMAN_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Return whether `descriptor` is a terminal that supports escape sequences, and NO_COLOR is not
 * set. */
bool terminal_has_color(int descriptor);

/* Return the number of columns; 0 if `descriptor` is not a terminal. */
size_t terminal_width(int descriptor);

struct progress {
  bool shown;      /* notes are printed */
  bool live;       /* the terminal can erase the line */
  bool drawn;      /* the line is on the screen */
  double drawn_at; /* time of the last line; at first the time of the start, unless `live` */
};

struct progress progress_start(void);

/* Return whether notes are printed and enough time has passed to draw again. */
bool progress_due(const struct progress *progress);

void progress_draw(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Erase the line, so that other output can be printed. */
void progress_erase(struct progress *progress);

#endif
