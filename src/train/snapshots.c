#include "train/snapshots.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "model/ensemble.h"
#include "model/model_file.h"
#include "model/options.h"

static const char MIDDLE[] = ".update";

static elman_status name_of(char **path, const char *output, uint64_t update, elman_error *error) {
  if (asprintf(path, "%s%s%" PRIu64, output, MIDDLE, update) >= 0) return ELMAN_OK;
  *path = NULL;
  return fail_no_memory(error);
}

/* ---- snapshots of any run ---- */

struct updates {
  uint64_t *all;
  size_t count, capacity;
};

bool elman_snapshot_update(uint64_t *update, const char *name, const char *base) {
  const size_t length = strlen(base), middle = strlen(MIDDLE);
  if (strncmp(name, base, length) != 0 || strncmp(name + length, MIDDLE, middle) != 0) return false;
  const char *digits = name + length + middle;
  if (digits[0] < '1' || digits[0] > '9' || strspn(digits, "0123456789") != strlen(digits))
    return false;
  errno = 0;
  *update = strtoull(digits, NULL, 10);
  return errno == 0;
}

static elman_status read_folder(struct updates *updates, DIR *folder, const char *base,
                                elman_error *error) {
  const struct dirent *entry;
  uint64_t update;
  while ((entry = readdir(folder)) != NULL) {
    if (!elman_snapshot_update(&update, entry->d_name, base)) continue;
    const elman_status status = array_grow(&updates->all, &updates->capacity, updates->count + 1,
                                           sizeof *updates->all, error);
    if (status != ELMAN_OK) return status;
    updates->all[updates->count++] = update;
  }
  return ELMAN_OK;
}

static elman_status list_names(struct updates *updates, const char *output, elman_error *error) {
  char reason[128];
  const char *slash = strrchr(output, '/'), *base = slash == NULL ? output : slash + 1;
  char *path = slash == NULL ? strdup(".") : strndup(output, (size_t)(slash - output) + 1);
  if (path == NULL) return fail_no_memory(error);
  DIR *folder = opendir(path);
  const elman_status status = folder == NULL
                                  ? fail(error, ELMAN_CANNOT_CREATE, path,
                                         "cannot list snapshots: %s", REASON(errno, reason))
                                  : read_folder(updates, folder, base, error);
  if (folder != NULL) closedir(folder);
  free(path);
  return status;
}

/* Set *found to whether the file is a snapshot of this name, and *history to the history of its
 * model. Any other file with such a name belongs to the user, for example the final model of
 * another run. */
static elman_status is_snapshot(bool *found, elman_history *history, const char *path,
                                elman_error *error) {
  elman_error problem;
  struct stat info;
  *found = false;
  if (lstat(path, &info) != 0 || !S_ISREG(info.st_mode)) return ELMAN_OK;
  const elman_status status = model_read_snapshot(found, history, path, &problem);
  return status == ELMAN_NO_MEMORY ? fail_again(error, &problem) : ELMAN_OK;
}

/* List the snapshots. Find the history of the snapshot that took the most work. */
static elman_status list_snapshots(struct updates *updates, elman_history *longest,
                                   const char *output, elman_error *error) {
  elman_status status = list_names(updates, output, error);
  size_t count = 0;
  for (size_t i = 0; i < updates->count && status == ELMAN_OK; i++) {
    bool found = false;
    char *path;
    elman_history history;
    status = name_of(&path, output, updates->all[i], error);
    if (status == ELMAN_OK) status = is_snapshot(&found, &history, path, error);
    free(path);
    if (status != ELMAN_OK || !found) continue;
    if (history.work > longest->work) *longest = history;
    updates->all[count++] = updates->all[i];
  }
  updates->count = count;
  return status;
}

elman_status elman_snapshots_find(elman_history *longest, size_t *count, const char *output,
                                  elman_error *error) {
  struct updates updates = {0};
  elman_history found = {0};
  const elman_status status = list_snapshots(&updates, &found, output, error);
  free(updates.all);
  if (status != ELMAN_OK) return status;
  *longest = found;
  *count = updates.count;
  return status;
}

/* Remove a snapshot. If another file has replaced the snapshot, keep that file, because it belongs
 * to the user. */
static elman_status remove_snapshot(const char *output, uint64_t update, elman_error *error) {
  char reason[128], *path;
  elman_history history;
  bool found = false;
  elman_status status = name_of(&path, output, update, error);
  if (status == ELMAN_OK) status = is_snapshot(&found, &history, path, error);
  if (status == ELMAN_OK && found && unlink(path) != 0)
    status = fail(error, ELMAN_CANNOT_CREATE, path, "cannot delete a snapshot: %s",
                  REASON(errno, reason));
  free(path);
  return status;
}

elman_status snapshots_clear(size_t *removed, const char *output, elman_error *error) {
  struct updates updates = {0};
  elman_history longest = {0};
  elman_status status = list_snapshots(&updates, &longest, output, error);
  *removed = updates.count;
  for (size_t i = 0; i < updates.count && status == ELMAN_OK; i++)
    status = remove_snapshot(output, updates.all[i], error);
  free(updates.all);
  return status;
}

/* ---- snapshots of one run ---- */

void snapshots_free(struct snapshots *snapshots) {
  free(snapshots->own);
  snapshots->own = NULL;
  snapshots->count = snapshots->capacity = 0;
}

static bool has(const struct snapshots *snapshots, uint64_t update) {
  for (size_t i = 0; i < snapshots->count; i++)
    if (snapshots->own[i] == update) return true;
  return false;
}

static elman_status add(struct snapshots *snapshots, uint64_t update, elman_error *error) {
  if (has(snapshots, update)) return ELMAN_OK;
  const elman_status status = array_grow(&snapshots->own, &snapshots->capacity,
                                         snapshots->count + 1, sizeof *snapshots->own, error);
  if (status == ELMAN_OK) snapshots->own[snapshots->count++] = update;
  return status;
}

/* Set *same to whether the settings are equal. When memory runs out, set it to false. */
static elman_status same_settings(bool *same, const elman_train_settings *a,
                                  const elman_train_settings *b, elman_error *error) {
  json_t *left = json_object(), *right = json_object();
  const bool failed = left == NULL || right == NULL ||
                      options_to_json(left, ELMAN_SCOPE_TRAINING, a) != 0 ||
                      options_to_json(right, ELMAN_SCOPE_TRAINING, b) != 0;
  *same = !failed && json_equal(left, right);
  json_decref(left);
  json_decref(right);
  return failed ? fail_no_memory(error) : ELMAN_OK;
}

/* Set *own to whether this run wrote the snapshot. A damaged snapshot does not count as written by
 * this run. */
static elman_status is_own(bool *own, const char *path, uint64_t update, const struct model *model,
                           const elman_train_settings *settings, elman_error *error) {
  struct model *found;
  elman_error problem;
  elman_status status = model_load(&found, path, &problem);
  *own = false;
  if (status == ELMAN_BAD_DATA) return ELMAN_OK;
  if (status != ELMAN_OK) return fail_again(error, &problem);
  if (found->past.history.updates == model->past.history.updates + update &&
      models_have_same_shape(model, found, NULL) == ELMAN_OK)
    status = same_settings(own, &found->past.training, settings, error);
  model_free(found);
  return status;
}

elman_status snapshots_find_own(struct snapshots *snapshots, size_t *others,
                                const struct model *model, const elman_train_settings *settings,
                                elman_error *error) {
  struct updates updates = {0};
  elman_history longest = {0};
  elman_status status = list_snapshots(&updates, &longest, snapshots->output, error);
  *others = 0;
  for (size_t i = 0; i < updates.count && status == ELMAN_OK; i++) {
    bool own = false;
    char *path;
    status = name_of(&path, snapshots->output, updates.all[i], error);
    if (status == ELMAN_OK) status = is_own(&own, path, updates.all[i], model, settings, error);
    if (status == ELMAN_OK && own) status = add(snapshots, updates.all[i], error);
    *others += !own;
    free(path);
  }
  free(updates.all);
  return status;
}

/* Refuse to overwrite a file that the run did not write. */
static elman_status check_free(const struct snapshots *snapshots, const char *path, uint64_t update,
                               elman_error *error) {
  struct stat info;
  char reason[128];
  if (has(snapshots, update)) return ELMAN_OK;
  if (lstat(path, &info) == 0)
    return fail(error, ELMAN_CANNOT_CREATE, path,
                "exists, but this run did not write it; the snapshot is skipped; rename the file");
  if (errno == ENOENT) return ELMAN_OK;
  return fail(error, ELMAN_CANNOT_CREATE, path, "cannot access the file: %s",
              REASON(errno, reason));
}

/* List the file even if syncing the folder failed: it may be in place, and unlisted files are never
 * removed. */
elman_status snapshots_write(struct snapshots *snapshots, const struct model *model,
                             uint64_t update, elman_error *error) {
  char *path;
  struct stat info;
  elman_status status = name_of(&path, snapshots->output, update, error);
  if (status == ELMAN_OK) status = check_free(snapshots, path, update, error);
  const bool was_there = has(snapshots, update);
  if (status == ELMAN_OK) status = add(snapshots, update, error);
  if (status == ELMAN_OK) {
    status = model_save_snapshot(model, path, snapshots->output, error);
    if (status != ELMAN_OK && !was_there && lstat(path, &info) != 0 && errno == ENOENT)
      snapshots->count--;
  }
  free(path);
  return status;
}

static int latest_first(const void *a, const void *b) {
  const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left < right) - (left > right);
}

elman_status snapshots_prune(struct snapshots *snapshots, uint64_t update, elman_error *error) {
  elman_status status = ELMAN_OK;
  size_t left = 0, last = 0;
  if (snapshots->count > 0)
    qsort(snapshots->own, snapshots->count, sizeof *snapshots->own, latest_first);
  for (size_t i = 0; i < snapshots->count; i++) {
    const bool stays = last < snapshots->max;
    last += snapshots->own[i] <= update;
    if (!stays && status == ELMAN_OK)
      status = remove_snapshot(snapshots->output, snapshots->own[i], error);
    /* If removing failed, keep the snapshot in the list for the next call. */
    if (stays || status != ELMAN_OK) snapshots->own[left++] = snapshots->own[i];
  }
  snapshots->count = left;
  return status;
}
