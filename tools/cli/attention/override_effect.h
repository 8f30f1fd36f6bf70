/* What changing the attention has done to translations. */
#ifndef ELMAN_CLI_OVERRIDE_EFFECT_H
#define ELMAN_CLI_OVERRIDE_EFFECT_H

#include "elman.h"

/* Starts from all zero. */
struct override_effect {
  size_t compared, same;             /* sentences; those whose best translation did not change */
  double log_probability;            /* gained, in all */
  size_t most_targets, most_sources; /* tokens of a matrix */
  bool reached[ELMAN_MOST_OVERRIDES];
};

/* Adds a sentence: its translations, and the best one with the attention as it is. */
void override_effect_add(struct override_effect *effect, const elman_translate_options *options,
                         const elman_translation *changed, const elman_translation *plain);

/* Tells it, unless there is an override that no matrix has a place for: that is reported, as one
 * given at `where`. Gives the exit code. */
int override_effect_note(const struct override_effect *effect,
                         const elman_translate_options *options, const char *where);

#endif
