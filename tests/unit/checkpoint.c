/* Checkpoints that do not hold what a training could have left. */
#include "train/checkpoint.h"

#include "check.h"
#include "folder.h"
#include "model/model_file.h"
#include "tensor/blas.h"

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
}

static void end(void) {
  model_free(trainer.model);
  trainer_free(&trainer);
}

/* Schedules only lower the rate. A factor of 1e300 would make every weight infinite. */
Test(checkpoint, rate_that_no_schedule_gives) {
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
    cr_assert_eq(checkpoint_save(&trainer, &options, (struct corpus_hashes){.ids = 1}, NULL),
                 ELMAN_OK);
    cr_assert_eq(
        checkpoint_load(&trainer, &options, (struct corpus_hashes){.ids = 1}, &found, NULL),
        cases[i].status, "%g", cases[i].factor);
  }
  end();
}

/* It would take the place of a good one, and could not be read. */
Test(checkpoint, moment_that_is_not_finite) {
  bool found;
  begin();
  trainer.state.epoch = 1;
  trainer.state.update = 5;
  trainer.state.rate_factor = 1;
  cr_assert_eq(checkpoint_save(&trainer, &options, (struct corpus_hashes){.ids = 1}, NULL),
               ELMAN_OK);
  trainer.state.update = 6;
  trainer.v[0] = (real)INFINITY;
  cr_assert_eq(checkpoint_save(&trainer, &options, (struct corpus_hashes){.ids = 1}, NULL),
               ELMAN_INVALID_ARGUMENT);
  cr_assert_eq(checkpoint_load(&trainer, &options, (struct corpus_hashes){.ids = 1}, &found, NULL),
               ELMAN_OK);
  cr_assert_eq(trainer.state.update, 5);
  end();
}
