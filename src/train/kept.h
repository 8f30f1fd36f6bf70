/* Models that are kept on the way, beside the output: OUTPUT.update400 is the model of update 400.
 */
#ifndef ELMAN_TRAIN_KEPT_H
#define ELMAN_TRAIN_KEPT_H

#include <stdint.h>

#include "model/model.h"

/* Writes the model of an update; its permissions are those of the output, if that is there. */
elman_status kept_write(const struct model *model, const char *output, uint64_t update,
                        elman_error *error) CHECKED;

/* How many there are, and the history of the one that took the most work. What is no model, or
 * cannot be opened, counts and took none. */
elman_status kept_look(elman_history *longest, size_t *count, const char *output,
                       elman_error *error) CHECKED;

/* Removes those of updates after `update`, which belong to another training or will be made again,
 * and of the others all but the last `most`. *removed counts the former. */
elman_status kept_prune(size_t *removed, const char *output, uint64_t update, size_t most,
                        elman_error *error) CHECKED;

#endif
