/* What the terminal can do and the user allows. */
#ifndef ELMAN_CLI_TERMINAL_H
#define ELMAN_CLI_TERMINAL_H

#include <stdbool.h>

/* A terminal that understands escape sequences. */
bool terminal_is_capable(int descriptor);

/* The same, and NO_COLOR is not set. */
bool terminal_has_color(int descriptor);

#endif
