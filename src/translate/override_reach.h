/* Overrides of cells that lie outside every matrix of attention weights. */
#ifndef ELMAN_TRANSLATE_OVERRIDE_REACH_H
#define ELMAN_TRANSLATE_OVERRIDE_REACH_H

#include "base/status.h"
#include "elman/translate.h"

/* Record a matrix with `targets` rows and `sources` columns. */
void override_reach_add(elman_override_reach *reach, const elman_translate_options *options,
                        size_t targets, size_t sources);

#endif
