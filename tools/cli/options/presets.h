/* Settings that go together, chosen by one word. Options given beside it change single ones. */
#ifndef ELMAN_CLI_PRESETS_H
#define ELMAN_CLI_PRESETS_H

#include <stddef.h>

/* From index 0 up; NULL past the last. */
const char *preset_name(size_t index);

/* What it stands for, as `settings` of struct option says it. */
const char *preset_settings(size_t index);

#endif
