/* Scores on the dev pairs while a training lasts: the best weights so far, the schedule, the end.
 */
#ifndef ELMAN_TRAIN_VALIDATE_H
#define ELMAN_TRAIN_VALIDATE_H

#include "corpus/corpus.h"
#include "train/trainer.h"

/* After an update. `batches` are those of an epoch. */
bool validation_is_due(const struct trainer *trainer, const elman_train_options *options,
                       size_t batches);

/* Whether the last of all updates was done and is still to be validated although that is not due,
 * or what was learnt since the last validation would be left out unseen. */
bool validation_ends(const struct trainer *trainer, const elman_train_options *options,
                     size_t batches, size_t epochs);

/* Scores the average, where there is one, else the weights, and keeps them if they are the best;
 * `dev` holds the options' dev pairs as ids. What is told of it goes to *report. `at_end`: for
 * validation_ends, which decides between these weights and the best before only. */
elman_status validate(elman_validation *report, struct trainer *trainer,
                      const elman_train_options *options, const struct corpus *dev, bool at_end,
                      elman_error *error) CHECKED;

bool patience_is_over(const struct trainer *trainer, const elman_train_options *options);

#endif
