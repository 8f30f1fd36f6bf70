/* Snapshots: models that a training keeps beside its output. OUTPUT.update400 is the model of
 * update 400. */
#ifndef ELMAN_TRAIN_SNAPSHOTS_H
#define ELMAN_TRAIN_SNAPSHOTS_H

#include <stdint.h>

#include "model/model.h"

/* The snapshots of one training; all zero except the first two = none. */
struct snapshots {
  const char *output;
  size_t most;   /* that stay */
  uint64_t *own; /* their updates; owned */
  size_t count, capacity;
};
void snapshots_free(struct snapshots *snapshots);

/* Whether `name` is that of a snapshot beside the output `base`, as snapshots_write composes it. */
bool snapshot_parse_name(uint64_t *update, const char *name, const char *base);

/* The number of snapshots, of any training, and the history of the one that took the most work. A
 * file of such a name does not count if it is no model or has fewer updates. */
elman_status snapshots_find(elman_history *longest, size_t *count, const char *output,
                            elman_error *error) CHECKED;

/* At the start of a new training: removes and counts all snapshots. */
elman_status snapshots_clear(size_t *removed, const char *output, elman_error *error) CHECKED;

/* When a training is resumed: finds its own snapshots, also of later updates, which an earlier run
 * may have made. They have the shape of `model`, whose history is from before the training, the
 * same settings, and as many updates as their names say. *others counts the rest, which stay. */
elman_status snapshots_find_own(struct snapshots *snapshots, size_t *others,
                                const struct model *model, const elman_train_settings *settings,
                                elman_error *error) CHECKED;

/* Writes the model of an update with the permissions of the output, if that exists. If a file of
 * that name is not the training's own: ELMAN_CANNOT_CREATE. A snapshot that is in place belongs to
 * the training even after an error. */
elman_status snapshots_write(struct snapshots *snapshots, const struct model *model,
                             uint64_t update, elman_error *error) CHECKED;

/* Removes its own snapshots up to `update`, except the last `most` of them. */
elman_status snapshots_prune(struct snapshots *snapshots, uint64_t update,
                             elman_error *error) CHECKED;

#endif
