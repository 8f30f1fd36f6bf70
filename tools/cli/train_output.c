#include "train_output.h"

#include <sysexits.h>

#include "messages.h"
#include "output.h"

int train_output_claim(elman_lock **lock, const struct train_output *output) {
  elman_error error;
  *lock = NULL;
  const int code = output_check(output->model);
  if (code != EX_OK) return code;
  if (elman_lock_take(lock, output->model, &error) != ELMAN_OK) return report_error(&error);
  if (elman_lock_problem(*lock) != NULL && !output->quiet)
    note("%s: cannot be locked (%s); see to it that no other training writes there", output->model,
         elman_lock_problem(*lock));
  return EX_OK;
}

int train_output_check(const struct train_output *output) {
  elman_error error;
  elman_checkpoint found;
  if (elman_checkpoint_look(&found, output->checkpoint, &error) != ELMAN_OK)
    return report_error(&error);
  if (output->resume) {
    if (found == ELMAN_CHECKPOINT_NONE && !output->quiet) note("no checkpoint; starting anew");
    return EX_OK;
  }
  if (found != ELMAN_CHECKPOINT_UNFINISHED) return EX_OK;
  report(output->checkpoint, "holds a training that is not finished; add --resume to go on with "
                             "it, or remove the file");
  return EX_CANTCREAT;
}
