/* Settings that go together, chosen by one word. Options given beside it change single ones. */
#ifndef ELMAN_CLI_PRESETS_H
#define ELMAN_CLI_PRESETS_H

#include "options.h"

/* From index 0 up; NULL past the last. */
const char *preset_name(size_t index);

/* Makes what the --preset among the arguments stands for the default of `options`, before they are
 * parsed. A name that does not exist is left to the parser. */
void preset_apply(int argc, char **argv, struct option *options);

#endif
