/* Snapshots next to an output file: which of them are kept. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "model/model_file.h"
#include "owned_values.h"
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

static struct model *load_named(const char *name) {
  struct model *model;
  char path[4096];
  snprintf(path, sizeof path, "%s/reference/%s.safetensors", getenv("TEST_DATA"), name);
  blas_set_up();
  cr_assert_eq(model_load(&model, path, NULL), ELMAN_OK);
  return model;
}

static struct model *load(void) {
  return load_named("model-dot");
}

/* Change the last byte, which is part of a weight. */
static void damage(const char *name) {
  FILE *file = fopen(name, "r+b");
  cr_assert(file != NULL && fseek(file, -1, SEEK_END) == 0);
  const int byte = getc(file);
  cr_assert(fseek(file, -1, SEEK_END) == 0 && putc(byte ^ 1, file) != EOF && fclose(file) == 0);
}

static void write_as(struct model *model, uint64_t before, uint64_t update, const char *name) {
  model->past.history.updates = before + update;
  cr_assert_eq(model_save_snapshot(model, name, NULL, NULL), ELMAN_OK);
}

static void copy(const char *from, const char *to) {
  char bytes[4096];
  size_t count;
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  cr_assert(in != NULL && out != NULL);
  while ((count = fread(bytes, 1, sizeof bytes, in)) > 0) fwrite(bytes, 1, count, out);
  cr_assert(fclose(in) == 0 && fclose(out) == 0);
}

Test(snapshots, new_run_deletes_snapshots_of_others) {
  static const char *const names[] = {"m.update9", "m.update10", "m.update100"};
  owned_model *model = load();
  elman_history longest;
  size_t removed, count;
  const uint64_t start = model->past.history.updates;
  write_as(model, 0, 9, names[0]);
  write_as(model, start + 7, 10, names[1]); /* trained further from another model */
  write_as(model, 0, 100, names[2]);
  copy(names[2], "m.update3");                                  /* a renamed copy */
  cr_assert_eq(model_save(model, "m.update4", NULL), ELMAN_OK); /* the final model of a user */
  make("m.update5");
  cr_assert_eq(symlink("m.update9", "m.update6"), 0);
  cr_assert_eq(mkdir("m.update7", 0777), 0);
  cr_assert_eq(elman_snapshots_find(&longest, &count, "./m", NULL), ELMAN_OK);
  cr_assert_eq(count, 3);
  cr_assert_eq(snapshots_clear(&removed, "./m", NULL), ELMAN_OK);
  cr_assert_eq(removed, 3);
  for (size_t i = 0; i < 3; i++) cr_assert(!is_there(names[i]));
  cr_assert(is_there("m.update3") && is_there("m.update4"));
  cr_assert(is_there("m.update5") && is_there("m.update7"));
  cr_assert_eq(each_entry(NULL), 5);
}

/* A completed snapshot is pruned later, whatever fails in between, and existing files are not
 * overwritten. */
Test(snapshots, only_own_snapshots_are_pruned) {
  owned_by(snapshots_free) struct snapshots snapshots = {.output = "m", .max = 1};
  owned_model *model = load();
  make("m.update7");
  cr_assert_eq(snapshots_write(&snapshots, model, 7, &why), ELMAN_CANNOT_CREATE);
  cr_assert_str_eq(why.where, "m.update7");
  cr_assert_eq(snapshots.count, 0);
  model->block[0] = (real)NAN; /* cannot be saved */
  cr_assert_neq(snapshots_write(&snapshots, model, 8, NULL), ELMAN_OK);
  cr_assert_eq(snapshots.count, 0);
  model->block[0] = 0;
  cr_assert_eq(snapshots_write(&snapshots, model, 9, NULL), ELMAN_OK);
  cr_assert_eq(snapshots_write(&snapshots, model, 9, NULL), ELMAN_OK,
               "its own snapshot may be overwritten");
  cr_assert_eq(snapshots_write(&snapshots, model, 10, NULL), ELMAN_OK);
  cr_assert_eq(snapshots_write(&snapshots, model, 8, NULL), ELMAN_OK);
  cr_assert_eq(unlink("m.update8"), 0); /* a user may delete it */
  cr_assert_eq(snapshots_prune(&snapshots, 10, NULL), ELMAN_OK);
  cr_assert_eq(snapshots.count, 1);
  cr_assert(is_there("m.update7") && !is_there("m.update9") && is_there("m.update10"));
  /* A file that replaced a snapshot is left. */
  cr_assert_eq(model_save(model, "m.update10", NULL), ELMAN_OK);
  cr_assert_eq(snapshots_write(&snapshots, model, 11, NULL), ELMAN_OK);
  cr_assert_eq(snapshots_prune(&snapshots, 11, NULL), ELMAN_OK);
  cr_assert(is_there("m.update10") && is_there("m.update11"));
}

/* A resumed run finds its own snapshots by their progress and settings. Later snapshots are kept,
 * and so are snapshots of other runs. */
Test(snapshots, resumed_run_keeps_its_last_snapshots) {
  static const char *const stay[] = {"m.update20", "m.update30", "m.update50",
                                     "m.update25", "m.update26", "m.update27",
                                     "m.update28", "m.update29", "m.update31"};
  owned_by(snapshots_free) struct snapshots snapshots = {.output = "m", .max = 2};
  owned_model *model = load();
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
  model->past.history.updates = start + 28;
  cr_assert_eq(model_save(model, "m.update28", NULL), ELMAN_OK); /* no snapshot */
  model->past = before;
  write_as(model, start, 29, "m.update29");
  damage("m.update29");
  model->past = before;
  owned_model *wider = load_named("model-gru");
  wider->past = before;
  write_as(wider, start, 31, "m.update31"); /* another shape */
  cr_assert_eq(snapshots_find_own(&snapshots, &others, model, &settings, NULL), ELMAN_OK);
  cr_assert_eq(others, 4);
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
  cr_assert_eq(elman_snapshots_find(&longest, &count, "m", NULL), ELMAN_OK);
  cr_assert_eq(count, 0);
  cr_assert_eq(longest.work, 0);
}

Test(snapshots, missing_folder_is_reported) {
  size_t removed;
  cr_assert_eq(snapshots_clear(&removed, "none/m", &why), ELMAN_CANNOT_CREATE);
  cr_assert_str_eq(why.where, "none/");
}
