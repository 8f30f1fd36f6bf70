/* Models that are kept on the way, beside the output: OUTPUT.update400 is the model of update 400.
 */
#ifndef ELMAN_TRAIN_KEPT_H
#define ELMAN_TRAIN_KEPT_H

#include <stdint.h>

#include "model/model.h"

/* Those of one training. Zero but for the first two, it has none. */
struct kept {
  const char *output;
  size_t most;   /* that stay */
  uint64_t *own; /* their updates; owned */
  size_t count, capacity;
};
void kept_free(struct kept *kept);

/* Whether `name` is that of a kept model, as kept_write writes it beside the output `base`. */
bool kept_parse_name(uint64_t *update, const char *name, const char *base);

/* How many there are, whoever kept them, and the history of the one that took the most work. A file
 * of such a name that is no model, or one that has learnt for fewer updates, is none. */
elman_status kept_look(elman_history *longest, size_t *count, const char *output,
                       elman_error *error) CHECKED;

/* Where training begins: all that are there are of others. Removes and counts them. */
elman_status kept_clear(size_t *removed, const char *output, elman_error *error) CHECKED;

/* Where training goes on: finds its own, of updates to come, too, if they had been made before.
 * Those are models like `model`, whose history is from before the training, learnt with these
 * settings for just so many updates as their names say. *others counts the rest, which stay. */
elman_status kept_find(struct kept *kept, size_t *others, const struct model *model,
                       const elman_train_settings *settings, elman_error *error) CHECKED;

/* Writes the model of an update; its permissions are those of the output, if that is there. A file
 * of that name that is none of its own is ELMAN_CANNOT_CREATE. One that is in place is its own even
 * after an error. */
elman_status kept_write(struct kept *kept, const struct model *model, uint64_t update,
                        elman_error *error) CHECKED;

/* Removes its own up to `update`, but for the last of them. */
elman_status kept_prune(struct kept *kept, uint64_t update, elman_error *error) CHECKED;

#endif
