/* Snapshots: models that a run keeps next to its output file. OUTPUT.update400 is the model of
 * update 400. */
#ifndef ELMAN_TRAIN_SNAPSHOTS_H
#define ELMAN_TRAIN_SNAPSHOTS_H

#include <stdint.h>

#include "model/model.h"

/* The snapshots of one run. A struct in which only the first two fields are set has no
 * snapshots. */
struct snapshots {
  const char *output;
  size_t max;    /* maximum number of snapshots to keep, at least 1 */
  uint64_t *own; /* update numbers of the snapshots; owned */
  size_t count, capacity;
};
void snapshots_free(struct snapshots *snapshots);

/* Remove all snapshots at the start of a new run. Set *removed to their number. */
elman_status snapshots_clear(size_t *removed, const char *output, elman_error *error) CHECKED;

/* Find the run's own snapshots when it is resumed, including snapshots of later updates that an
 * earlier run may have written. A snapshot belongs to the run if it has the shape of `model`, the
 * same settings, and as many updates as its name says, counted from the history of `model`. Set
 * *others to the number of other snapshots, which stay. */
elman_status snapshots_find_own(struct snapshots *snapshots, size_t *others,
                                const struct model *model, const elman_train_settings *settings,
                                elman_error *error) CHECKED;

/* Write the model of an update as a snapshot. If the output exists, use its permissions. If a file
 * with the snapshot's name exists and the run did not write it, return ELMAN_CANNOT_CREATE. Once
 * its file is in place, a snapshot belongs to the run, even after an error. */
elman_status snapshots_write(struct snapshots *snapshots, const struct model *model,
                             uint64_t update, elman_error *error) CHECKED;

/* Remove the run's own snapshots of updates up to `update`, except for the last `max` of them. */
elman_status snapshots_prune(struct snapshots *snapshots, uint64_t update,
                             elman_error *error) CHECKED;

#endif
