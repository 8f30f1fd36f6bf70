/* A whole training run, as elman_train does it, on an encoded corpus. */
#ifndef ELMAN_TESTS_WHOLE_RUN_H
#define ELMAN_TESTS_WHOLE_RUN_H

#include "base/group.h"
#include "train/loop.h"

/* Return the status of the run. If this is ELMAN_OK or ELMAN_INTERRUPTED, but ending the run fails,
 * return that error. */
static inline elman_status trainer_run(struct model *model, const struct corpus *corpus,
                                       const elman_train_options *options, elman_error *error) {
  elman_training *run;
  elman_error problem;
  elman_status status = run_create(&run, options, error);
  status = elman_group_agree(options->group, status, error);
  if (status == ELMAN_OK) status = run_begin(run, model, corpus, error);
  if (status != ELMAN_OK) {
    elman_training_free(run);
    return status;
  }
  status = run_advance(run, SIZE_MAX, error);
  const elman_status end = run_finish(run, &problem);
  if (end != ELMAN_OK && (status == ELMAN_OK || status == ELMAN_INTERRUPTED))
    status = fail_again(error, &problem);
  elman_training_free(run);
  return status;
}

#endif
