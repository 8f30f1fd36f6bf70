/* Settings that go together, chosen by one word. Options given beside it change single ones. */
#ifndef ELMAN_CLI_PRESETS_H
#define ELMAN_CLI_PRESETS_H

#include "elman.h"

/* From index 0 up; NULL past the last. */
const char *preset_name(size_t index);

/* Looks for --preset among the arguments, before they are parsed, and sets what it stands for. A
 * name that does not exist is left to the parser. */
void preset_apply(int argc, char **argv, elman_model_options *model, elman_train_options *train);

#endif
