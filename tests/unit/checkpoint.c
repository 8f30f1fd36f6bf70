/* Checkpoints with contents that no training run could have written. */
#include "train/checkpoint.h"

#include "check.h"
#include "folder.h"
#include "model/model_file.h"
#include "tensor/blas_kernels.h"

TestSuite(checkpoint, .init = enter_folder, .fini = leave_folder);

static struct trainer trainer;
static elman_train_options options;

static void begin(void) {
  struct model *model;
  char path[4096];
  snprintf(path, sizeof path, "%s/reference/model-dot.safetensors", getenv("TEST_DATA"));
  blas_set_up();
  cr_assert_eq(model_load(&model, path, NULL), ELMAN_OK);
  options = (elman_train_options){
      .batch_size = 4, .shards = 1, .learning_rate = 0.001, .checkpoint = "checkpoint"};
  cr_assert_eq(trainer_create(&trainer, model, &options, NULL), ELMAN_OK);
  trainer.corpus.ids = 1;
}

static void end(void) {
  model_free(trainer.model);
  trainer_free(&trainer);
}

/* Schedules only lower the learning rate. A factor of 1e300 would make every weight infinite. */
Test(checkpoint, impossible_rate_is_rejected) {
  static const struct {
    double factor;
    elman_status status;
  } cases[] = {{0, ELMAN_OK},          {0.25, ELMAN_OK},      {1, ELMAN_OK},
               {-0.5, ELMAN_BAD_DATA}, {1.5, ELMAN_BAD_DATA}, {1e300, ELMAN_BAD_DATA}};
  begin();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool found;
    trainer.state.epoch = 1;
    trainer.state.rate_factor = cases[i].factor;
    cr_assert_eq(checkpoint_save(&trainer, NULL), ELMAN_OK);
    cr_assert_eq(checkpoint_load(&trainer, &found, NULL), cases[i].status, "%g", cases[i].factor);
  }
  end();
}

/* A checkpoint that could not be read is not written. tests/cli/metadata.sh tests reading. */
Test(checkpoint, impossible_counts_are_rejected) {
  static const struct training_state good = {
      .update = 5, .validated = 5, .epoch = 2, .position = 1, .rate_factor = 1};
  enum { CASES = 9 };
  struct training_state states[CASES];
  bool found;
  begin();
  for (size_t i = 0; i < CASES; i++) states[i] = good;
  states[1].epoch = 0;
  states[2].position = SIZE_MAX;
  states[3].epoch_tokens = SIZE_MAX;
  states[4].failures = SIZE_MAX;
  states[5].skipped = SIZE_MAX;
  states[6].stale = SIZE_MAX;
  states[7].validated = good.update + 1;
  states[8].update = states[8].validated = SIZE_MAX;
  for (size_t i = 0; i < CASES; i++) {
    trainer.state = states[i];
    const elman_status status = checkpoint_save(&trainer, &why);
    cr_assert_eq(status, i == 0 ? ELMAN_OK : ELMAN_INVALID_ARGUMENT, "case %zu: %s", i,
                 why.message);
    cr_assert_eq(checkpoint_load(&trainer, &found, NULL), ELMAN_OK,
                 "case %zu: what was there before", i);
  }
  end();
}

/* Overwrite a part of the header with text of equal length. */
static void replace_in_header(const char *part, const char *with) {
  size_t length;
  owned char *bytes = get_bytes("checkpoint", &length);
  char *found = memmem(bytes, length, part, strlen(part));
  cr_assert_not_null(found, "%s", part);
  memcpy(found, with, strlen(with));
  put_bytes("checkpoint", bytes, length);
}

/* No version writes these hashes. A file without its checksum is accepted as written by another
 * tool. */
Test(checkpoint, malformed_hashes_are_rejected) {
  static const char *const wrong[] = {"000000000000000g", "00000000-0000001", "0x00000000000000",
                                      "               0"};
  bool found;
  begin();
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    cr_assert_eq(checkpoint_save(&trainer, NULL), ELMAN_OK);
    replace_in_header("elman.checksum", "other.checksum");
    succeeds(checkpoint_load(&trainer, &found, &why));
    replace_in_header("0000000000000000", wrong[i]);
    cr_assert_eq(checkpoint_load(&trainer, &found, &why), ELMAN_BAD_DATA, "%s", wrong[i]);
  }
  end();
}

/* Such a checkpoint would replace a good one and could not be read. */
Test(checkpoint, non_finite_moment_is_rejected) {
  bool found;
  begin();
  trainer.state.epoch = 1;
  trainer.state.update = 5;
  trainer.state.rate_factor = 1;
  cr_assert_eq(checkpoint_save(&trainer, NULL), ELMAN_OK);
  trainer.state.update = 6;
  trainer.optimizer.blocks.v[0] = (real)INFINITY;
  cr_assert_eq(checkpoint_save(&trainer, NULL), ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(checkpoint_load(&trainer, &found, NULL), ELMAN_OK);
  cr_assert_eq(trainer.state.update, 5);
  end();
}
