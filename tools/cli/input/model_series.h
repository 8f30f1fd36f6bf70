/* Models that are asked one after the other, each by itself: those named and, before each, those
 * that `train --keep-last` left beside it. */
#ifndef ELMAN_CLI_MODEL_SERIES_H
#define ELMAN_CLI_MODEL_SERIES_H

#include "options/command_line.h"

/* Starts from all zero. */
struct model_series {
  char **paths; /* owned, as are they */
  size_t count;
};

/* MODEL.update20, MODEL.update100, MODEL for each of the paths. Gives an exit code, after a message
 * if that is not 0; to be freed in any case. */
int model_series_list(struct model_series *series, const struct option_list *paths);
void model_series_free(struct model_series *series);

#endif
