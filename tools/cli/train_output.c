#include "train_output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "messages.h"
#include "output.h"

int train_output_claim(elman_lock **lock, const struct train_output *output) {
  elman_error error;
  *lock = NULL;
  const int code = output_check(output->model);
  if (code != EX_OK) return code;
  if (elman_lock_take(lock, output->model, &error) != ELMAN_OK) return report_error(&error);
  if (elman_lock_problem(*lock) != NULL)
    note("%s: cannot be locked (%s); see to it that no other training writes there", output->model,
         elman_lock_problem(*lock));
  return EX_OK;
}

/* Some minutes of two cores. */
static const double LONG_WORK = 1e13;

/* "a model that has learnt ..." */
static void describe(char *text, size_t size, const elman_history *history) {
  if (history->updates == 0)
    snprintf(text, size, "a model");
  else
    snprintf(text, size, "a model that has learnt for %" PRIu64 " epoch%s, %" PRIu64 " update%s",
             history->epochs, plural(history->epochs), history->updates, plural(history->updates));
}

static int check_replaced(const struct train_output *output) {
  struct stat info;
  elman_history history;
  elman_error error;
  char description[128];
  if (stat(output->model, &info) != 0) {
    if (errno == ENOENT) return EX_OK;
    report(output->model, "cannot look at the file: %m");
    return EX_CANTCREAT;
  }
  if (!S_ISREG(info.st_mode)) return EX_OK;
  const elman_status status = elman_model_read_history(&history, output->model, &error);
  if (status == ELMAN_BAD_DATA) {
    snprintf(output->notice, TRAIN_NOTICE, "%s will be replaced; it is no model", output->model);
    return EX_OK;
  }
  if (status != ELMAN_OK) return report_error(&error);
  describe(description, sizeof description, &history);
  if (history.work > LONG_WORK && !output->force && !output_is(output->init_from, output->model)) {
    report(output->model, "holds %s; add --force to replace it, or name another file with --output",
           description);
    return EX_CANTCREAT;
  }
  snprintf(output->notice, TRAIN_NOTICE, "%s will be replaced; it holds %s", output->model,
           description);
  return EX_OK;
}

/* A new training that keeps models removes those of others. */
static int check_kept(const struct train_output *output) {
  elman_history longest;
  size_t count;
  elman_error error;
  char description[128];
  if (output->keep_last == 0 || output->force) return EX_OK;
  if (elman_kept_look(&longest, &count, output->model, &error) != ELMAN_OK)
    return report_error(&error);
  if (longest.work <= LONG_WORK) return EX_OK;
  describe(description, sizeof description, &longest);
  report(output->model,
         "--keep-last would remove %zu model%s of another training, %s.update*, and among them %s; "
         "add --force to remove them, or name another file with --output",
         count, plural(count), output->model, description);
  return EX_CANTCREAT;
}

int train_output_check(const struct train_output *output) {
  elman_error error;
  elman_checkpoint found = ELMAN_CHECKPOINT_NONE;
  if (output->checkpoint != NULL &&
      elman_checkpoint_look(&found, output->checkpoint, &error) != ELMAN_OK)
    return report_error(&error);
  if (output->resume && found != ELMAN_CHECKPOINT_NONE) return EX_OK;
  if (output->resume) note("no checkpoint; starting anew");
  *output->replaces_checkpoint = found == ELMAN_CHECKPOINT_FINISHED;
  if (found != ELMAN_CHECKPOINT_UNFINISHED) {
    const int code = check_replaced(output);
    return code == EX_OK ? check_kept(output) : code;
  }
  report(output->checkpoint, "holds a training that is not finished; add --resume to go on with "
                             "it, or remove the file");
  return EX_CANTCREAT;
}
