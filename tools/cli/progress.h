/* One line on a terminal that is drawn again and again. Elsewhere nothing is drawn. */
#ifndef ELMAN_CLI_PROGRESS_H
#define ELMAN_CLI_PROGRESS_H

#include <stdbool.h>

struct progress {
  bool live;  /* standard error is a terminal that can erase a line */
  bool drawn; /* the line is on the screen */
  double drawn_at;
};

struct progress progress_start(bool quiet);

/* Whether it is time to draw again. */
bool progress_due(const struct progress *progress);

void progress_draw(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Makes room for other output. */
void progress_erase(struct progress *progress);

/* Seconds on a clock that never jumps. */
double now(void);

#endif
