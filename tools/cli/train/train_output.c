#include "train/train_output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "console/messages.h"
#include "console/output.h"

/* Check that the files next to the model can be written. Their names are longer than the model's
 * name and may be too long. */
static int check_beside(const struct train_output *output) {
  struct stat info;
  char *kept;
  /* Do not check an existing or inaccessible checkpoint, which is reported when it is read. */
  const bool unread = output->train->checkpoint != NULL &&
                      stat(output->train->checkpoint, &info) != 0 &&
                      (errno == ENOENT || errno == ENAMETOOLONG);
  int code = unread ? output_check(output->train->checkpoint) : EX_OK;
  if (code != EX_OK || output->train->keep_last == 0) return code;
  if (asprintf(&kept, "%s.update%" PRIu64, output->train->output, UINT64_MAX) < 0)
    return report_no_memory();
  code = output_check(kept);
  free(kept);
  return code;
}

int train_output_claim(elman_lock **lock, const struct train_output *output) {
  if (lock != NULL) *lock = NULL;
  int code = output_check(output->train->output);
  if (code == EX_OK) code = check_beside(output);
  return code == EX_OK && lock != NULL ? output_claim(lock, output->train->output) : code;
}

/* Work of a training run that takes about a minute on two cores. */
static const double LONG_WORK = 1e12;

/* Describe a model, for example "a model trained for ...". */
static void describe(char *text, size_t size, const elman_history *history) {
  if (isinf(history->work))
    snprintf(text, size, "a model of another program");
  else if (history->updates == 0)
    snprintf(text, size, "a model");
  else
    snprintf(text, size, "a model trained for %" PRIu64 " epoch%s, %" PRIu64 " update%s",
             history->epochs, plural(history->epochs), history->updates, plural(history->updates));
}

/* Kinds of content at the path of the output model. */
enum found { NOTHING, A_MODEL, NO_MODEL };

/* Identify the content of `path`. An empty file, a device and a pipe count as nothing, because no
 * data can be lost. A model is a file that this version can read; *error states why another file is
 * not a model. Return an exit code; print a message if it is not 0. */
static int identify_file(enum found *found, elman_history *history, elman_error *error,
                         const char *path) {
  struct stat info;
  *found = NOTHING;
  if (stat(path, &info) != 0) {
    if (errno == ENOENT) return EX_OK;
    report(path, "cannot access the file: %m");
    return EX_CANTCREAT;
  }
  if (!S_ISREG(info.st_mode) || info.st_size == 0) return EX_OK;
  const elman_status status = elman_model_read_history(history, path, error);
  *found = status == ELMAN_OK ? A_MODEL : NO_MODEL;
  return status == ELMAN_OK || status == ELMAN_BAD_DATA ? EX_OK : report_error(error);
}

/* Refuse to overwrite a file that is not a model. Unless `any_model` is true, also refuse to
 * overwrite a model that took long to train, or that another program wrote. */
static int check_replaced(struct train_output *output, bool any_model) {
  enum found found;
  elman_history history;
  elman_error error;
  char description[128], message[MESSAGE_SIZE];
  const int code = identify_file(&found, &history, &error, output->train->output);
  if (code != EX_OK || found == NOTHING) return code;
  if (found == NO_MODEL && output_force) {
    snprintf(output->notice, TRAIN_NOTICE, "%s will be overwritten; it is not a model",
             output->train->output);
    return EX_OK;
  }
  if (found == NO_MODEL) {
    report(output->train->output,
           "is not a readable model and would be overwritten: %s; add --force to overwrite it, or "
           "name another file with --output",
           message_of_library(message, error.message));
    return EX_CANTCREAT;
  }
  if (any_model) return EX_OK;
  describe(description, sizeof description, &history);
  if (history.work > LONG_WORK && !output_force &&
      !output_is(output->init_from, output->train->output)) {
    report(output->train->output,
           "contains %s; add --force to overwrite it, or name another file with --output",
           description);
    return EX_CANTCREAT;
  }
  snprintf(output->notice, TRAIN_NOTICE, "%s will be overwritten; it contains %s",
           output->train->output, description);
  return EX_OK;
}

/* Refuse to replace a model with a tuned search by a model without one. */
static int check_search(const struct train_output *output) {
  enum found found;
  elman_history history;
  elman_error error;
  elman_model *model;
  const int code = identify_file(&found, &history, &error, output->train->output);
  if (code != EX_OK || found != A_MODEL || output->tunes_search || output_force ||
      output_is(output->init_from, output->train->output))
    return code;
  if (elman_model_load(&model, output->train->output, &error) != ELMAN_OK)
    return report_error(&error);
  const bool tuned = elman_model_get_info(model).search.beam > 0;
  elman_model_free(model);
  if (!tuned) return EX_OK;
  report(output->train->output,
         "was trained with --tune-search, and this run would remove the search; add --tune-search, "
         "or --force to remove it");
  return EX_USAGE;
}

/* Check for a model if --resume finds no checkpoint, and refuse to overwrite it. The user wants to
 * continue its training run, not to replace it by a new one. */
static int check_first(const struct train_output *output) {
  enum found found;
  elman_history history;
  elman_error error;
  const int code = identify_file(&found, &history, &error, output->train->output);
  if (code != EX_OK || found != A_MODEL || output_is(output->init_from, output->train->output))
    return code;
  report(
      output->train->checkpoint,
      "not found, so --resume cannot continue %s; remove --resume to train a new model, or train "
      "further from that model with --init-from %s",
      output->train->output, output->train->output);
  return EX_NOINPUT;
}

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

/* Refuse to delete the initial model, which a resumed run needs again. */
static int check_initial(const struct train_output *output) {
  const char *initial = output->init_from;
  uint64_t update;
  char *name;
  if (initial == NULL || output->train->keep_last == 0 ||
      !elman_snapshot_update(&update, base_of(initial), base_of(output->train->output)))
    return EX_OK;
  if (asprintf(&name, "%s.update%" PRIu64, output->train->output, update) < 0)
    return report_no_memory();
  const bool deleted = output_is(name, initial);
  free(name);
  if (!deleted) return EX_OK;
  report(initial, "is a snapshot of the output, which --keep-last would delete; copy it to another "
                  "name, or name another file with --output");
  return EX_CANTCREAT;
}

/* Refuse to delete a snapshot that took long to train. A new run with --keep-last deletes the
 * snapshots of earlier runs; without it, only report them. */
static int check_snapshots(const struct train_output *output) {
  elman_history longest;
  size_t count;
  elman_error error;
  char description[128];
  const int code = check_initial(output);
  if (code != EX_OK) return code;
  if (output->train->keep_last > 0 && output_force) return EX_OK;
  if (elman_snapshots_find(&longest, &count, output->train->output, &error) != ELMAN_OK)
    return output->train->keep_last > 0 ? report_error(&error) : EX_OK;
  if (output->train->keep_last == 0 && count > 0)
    note("%s.update*: %zu snapshot%s of an earlier run remain%s", output->train->output, count,
         plural(count), count == 1 ? "s" : "");
  if (output->train->keep_last == 0) return EX_OK;
  if (longest.work <= LONG_WORK) return EX_OK;
  describe(description, sizeof description, &longest);
  report(output->train->output,
         "--keep-last would delete %zu snapshot%s of an earlier run (%s.update*), among them %s; "
         "add --force to delete them, or name another file with --output",
         count, plural(count), output->train->output, description);
  return EX_CANTCREAT;
}

int train_output_check(struct train_output *output) {
  elman_error error;
  elman_checkpoint_state found = ELMAN_CHECKPOINT_NONE;
  if (output->train->checkpoint != NULL &&
      elman_checkpoint_get_state(&found, output->train->checkpoint, &error) != ELMAN_OK)
    return report_error(&error);
  if (output->train->resume && found != ELMAN_CHECKPOINT_NONE) {
    const int code = check_replaced(output, true);
    return code == EX_OK ? check_search(output) : code;
  }
  if (output->train->resume) {
    const int code = check_first(output);
    if (code != EX_OK) return code;
    note("no checkpoint found; training starts from the beginning");
  }
  output->replaces_checkpoint = found == ELMAN_CHECKPOINT_FINISHED;
  if (found != ELMAN_CHECKPOINT_UNFINISHED) {
    const int code = check_replaced(output, false);
    return code == EX_OK ? check_snapshots(output) : code;
  }
  report(output->train->checkpoint,
         "is the checkpoint of an unfinished run; add --resume to continue it, or remove the file");
  return EX_CANTCREAT;
}

/* Save the model in a new folder below `parent`. Return whether this succeeded. */
static bool save_below(const elman_model *model, const char *parent, const char *path) {
  char *folder, *name = NULL;
  if (asprintf(&folder, "%s/elman-XXXXXX", parent) < 0) return false;
  const bool made = mkdtemp(folder) != NULL;
  if (!made || asprintf(&name, "%s/%s", folder, base_of(path)) < 0) name = NULL;
  const bool saved = name != NULL && elman_model_save(model, name, NULL) == ELMAN_OK;
  if (saved)
    report(NULL, "wrote the model to %s instead; move it soon, because temporary files are deleted",
           name);
  else if (made)
    rmdir(folder);
  free(name);
  free(folder);
  return saved;
}

int train_output_save(const elman_model *model, const char *path, bool in_checkpoint) {
  elman_error error;
  if (elman_model_save(model, path, &error) == ELMAN_OK) return EX_OK;
  const int code = report_error(&error);
  const char *const parents[] = {getenv("TMPDIR"), "/tmp", "/var/tmp"};
  for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
    if (parents[i] != NULL && parents[i][0] != '\0' && save_below(model, parents[i], path))
      return code;
  report(NULL, "the model could not be written to a temporary folder either%s",
         in_checkpoint ? "; the checkpoint contains it: run the command again with --resume"
                       : " and is lost");
  return code;
}
