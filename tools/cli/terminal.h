/* What the terminal can do and the user allows. */
#ifndef ELMAN_CLI_TERMINAL_H
#define ELMAN_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* A terminal that understands escape sequences. */
bool terminal_is_capable(int descriptor);

/* The same, and NO_COLOR is not set. */
bool terminal_has_color(int descriptor);

/* Its columns; 0 where there is no terminal. */
size_t terminal_width(int descriptor);

#endif
