/* Snapshots next to an output file: which of them are kept. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "model/model_file.h"
#include "tensor/blas_kernels.h"
#include "train/snapshots.h"

TestSuite(snapshots, .init = enter_folder, .fini = leave_folder);

static void make(const char *name) {
  FILE *file = fopen(name, "w");
  cr_assert(file != NULL && fclose(file) == 0);
}

static bool is_there(const char *name) {
  return access(name, F_OK) == 0;
}

static struct model *load(void) {
  struct model *model;
  char path[4096];
  snprintf(path, sizeof path, "%s/reference/model-dot.safetensors", getenv("TEST_DATA"));
  blas_set_up();
  cr_assert_eq(model_load(&model, path, NULL), ELMAN_OK);
  return model;
}

static void write_as(struct model *model, uint64_t before, uint64_t update, const char *name) {
  model->past.training_known = true;
  model->past.history.updates = before + update;
  cr_assert_eq(model_save(model, name, NULL), ELMAN_OK);
}

Test(snapshots, new_run_deletes_snapshots_of_others) {
  static const char *const names[] = {"m.update9", "m.update10", "m.update100"};
  struct model *model = load();
  elman_history longest;
  size_t removed, count;
  const uint64_t start = model->past.history.updates;
  write_as(model, 0, 9, names[0]);
  write_as(model, start + 7, 10, names[1]); /* trained further from another model */
  write_as(model, 0, 100, names[2]);
  write_as(model, 0, 3, "m.update4"); /* another model that has the name of a snapshot */
  make("m.update5");
  cr_assert_eq(symlink("m.update9", "m.update6"), 0);
  cr_assert_eq(mkdir("m.update7", 0777), 0);
  cr_assert_eq(snapshots_find(&longest, &count, "./m", NULL), ELMAN_OK);
  cr_assert_eq(count, 3);
  cr_assert_eq(snapshots_clear(&removed, "./m", NULL), ELMAN_OK);
  cr_assert_eq(removed, 3);
  for (size_t i = 0; i < 3; i++) cr_assert(!is_there(names[i]));
  cr_assert(is_there("m.update4") && is_there("m.update5") && is_there("m.update7"));
  cr_assert_eq(each_entry(NULL), 4);
  model_free(model);
}

/* A completed snapshot is pruned later, whatever fails in between, and existing files are not
 * overwritten. */
Test(snapshots, only_own_snapshots_are_pruned) {
  struct snapshots snapshots = {.output = "m", .max = 1};
  struct model *model = load();
  elman_error error;
  make("m.update7");
  cr_assert_eq(snapshots_write(&snapshots, model, 7, &error), ELMAN_CANNOT_CREATE);
  cr_assert_str_eq(error.where, "m.update7");
  cr_assert_eq(snapshots.count, 0);
  model->block[0] = (real)NAN; /* cannot be saved */
  cr_assert_neq(snapshots_write(&snapshots, model, 8, NULL), ELMAN_OK);
  cr_assert_eq(snapshots.count, 0);
  model->block[0] = 0;
  cr_assert_eq(snapshots_write(&snapshots, model, 9, NULL), ELMAN_OK);
  cr_assert_eq(snapshots_write(&snapshots, model, 9, NULL), ELMAN_OK,
               "its own snapshot may be overwritten");
  cr_assert_eq(snapshots_write(&snapshots, model, 10, NULL), ELMAN_OK);
  cr_assert_eq(snapshots_prune(&snapshots, 10, NULL), ELMAN_OK);
  cr_assert(is_there("m.update7") && !is_there("m.update9") && is_there("m.update10"));
  snapshots_free(&snapshots);
  model_free(model);
}

/* A resumed run finds its own snapshots by their progress and settings. Later snapshots are kept,
 * and so are snapshots of other runs. */
Test(snapshots, resumed_run_keeps_its_last_snapshots) {
  static const char *const stay[] = {"m.update20", "m.update30", "m.update50",
                                     "m.update25", "m.update26", "m.update27"};
  struct snapshots snapshots = {.output = "m", .max = 2};
  struct model *model = load();
  const struct model_past before = model->past;
  const elman_train_settings settings = before.training;
  const uint64_t start = before.history.updates;
  size_t others;
  write_as(model, start, 9, "m.update9");
  write_as(model, start, 20, "m.update20");
  write_as(model, start, 50, "m.update50");
  write_as(model, start, 99, "m.update25"); /* another update */
  model->past.training.seed++;
  write_as(model, start, 26, "m.update26"); /* other settings */
  make("m.update27");                       /* no model */
  model->past = before;
  cr_assert_eq(snapshots_find_own(&snapshots, &others, model, &settings, NULL), ELMAN_OK);
  cr_assert_eq(others, 3);
  cr_assert_eq(snapshots.count, 3);
  cr_assert_eq(snapshots_write(&snapshots, model, 30, NULL), ELMAN_OK);
  cr_assert_eq(snapshots_prune(&snapshots, 30, NULL), ELMAN_OK);
  cr_assert(!is_there("m.update9"));
  for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
    cr_assert(is_there(stay[i]), "%s", stay[i]);
  cr_assert_eq(snapshots_write(&snapshots, model, 50, NULL), ELMAN_OK);
  cr_assert_eq(snapshots_prune(&snapshots, 50, NULL), ELMAN_OK);
  cr_assert(!is_there("m.update20") && is_there("m.update30") && is_there("m.update50"));
  cr_assert_eq(snapshots.count, 2);
  snapshots_free(&snapshots);
  model_free(model);
}

/* Names of another form are not snapshots. */
Test(snapshots, other_files_are_kept) {
  static const char *const names[] = {"m.update",   "m.update0",  "m.update07",
                                      "m.update7x", "m.update-7", "m.update99999999999999999999",
                                      "mm.update7", "m.updates7", "m",
                                      "m.Update7",  "m.update 7", "n.update7"};
  size_t removed;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) make(names[i]);
  cr_assert_eq(snapshots_clear(&removed, "m", NULL), ELMAN_OK);
  cr_assert_eq(removed, 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) cr_assert(is_there(names[i]));
}

Test(snapshots, non_models_are_not_counted) {
  elman_history longest = {.work = 1};
  size_t count;
  make("m.update7");
  make("m.update8");
  make("m.updates8");
  cr_assert_eq(snapshots_find(&longest, &count, "m", NULL), ELMAN_OK);
  cr_assert_eq(count, 0);
  cr_assert_eq(longest.work, 0);
}

Test(snapshots, missing_folder_is_reported) {
  size_t removed;
  elman_error error;
  cr_assert_eq(snapshots_clear(&removed, "none/m", &error), ELMAN_CANNOT_CREATE);
  cr_assert_str_eq(error.where, "none/");
}
