/* A checkpoint is refused with a message or loaded with finite numbers. Then training continues, or
 * fails with a message. */
#include <math.h>

#include "fuzz.h"
#include "small_model.h"
#include "train/checkpoint.h"
#include "train/loop.h"

enum { EPOCHS = 3, BATCH = 2, UPDATES = 3 };

static struct trainer trainer;
static elman_train_options options;
static struct corpus corpus;

static bool go_on(void *context, const elman_validation *report) {
  (void)context;
  REQUIRE(report->epoch > 0);
  return true;
}

static void set_up(void) {
  if (trainer.model != NULL) return;
  elman_pairs *pairs = small_pairs();
  struct model *model = small_model((struct model_config){.layers = 1, .attention_heads = 1});
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  REQUIRE(corpus_encode(&corpus, pairs, &source, &target, &(struct encoding_options){0}, NULL) ==
          ELMAN_OK);
  options = (elman_train_options){.epochs = EPOCHS,
                                  .batch_size = BATCH,
                                  .shards = 1,
                                  .learning_rate = 0.001,
                                  .average = 0.9,
                                  .dev = (const elman_pairs *)pairs,
                                  .seed = 1,
                                  .resume = true,
                                  .validated = go_on};
  REQUIRE(trainer_create(&trainer, model, &options, NULL) == ELMAN_OK);
  trainer.corpus = corpus_hashes_of(&corpus);
}

static const struct training_state states[] = {
    {.epoch = 1, .rate_factor = 1},
    {.epoch = 2,
     .update = 3,
     .position = 1,
     .epoch_tokens = 5,
     .epoch_loss = 9,
     .has_best = true,
     .best_score = 3,
     .best_loss = 2,
     .stale = 1,
     .rate_factor = 0.5},
    {.epoch = 3, .update = 6, .position = 2, .has_best = true, .finished = true, .rate_factor = 1}};

size_t fuzz_make_seed(uint8_t *into, size_t most, size_t number) {
  if (number >= sizeof states / sizeof *states) return 0;
  set_up();
  trainer.state = states[number];
  options.checkpoint = fuzz_file("", 0);
  REQUIRE(checkpoint_save(&trainer, NULL) == ELMAN_OK);
  return fuzz_file_content(into, most);
}

static void require_finite(const real *block) {
  for (size_t i = 0; i < trainer.model->table.block; i++) REQUIRE(isfinite(block[i]));
}

/* Parameters can be too large for an update. */
static void train_on(void) {
  elman_error error = {.message = ""};
  elman_training *run;
  elman_status status = run_create(&run, &options, &error);
  if (status == ELMAN_OK) status = run_begin(run, trainer.model, &corpus, &error);
  if (status == ELMAN_OK) {
    status = run_advance(run, UPDATES, &error);
    const elman_status end = run_finish(run, &error);
    REQUIRE(end == ELMAN_OK || error.message[0] != '\0');
  }
  REQUIRE(status == ELMAN_OK || error.message[0] != '\0');
  elman_training_free(run);
}

bool fuzz_one(const uint8_t *bytes, size_t size) {
  elman_error error = {.message = ""};
  bool found;
  set_up();
  options.checkpoint = fuzz_file(bytes, size);
  const elman_status status = checkpoint_load(&trainer, &found, &error);
  REQUIRE(found);
  if (status != ELMAN_OK) {
    REQUIRE(status == ELMAN_BAD_DATA || status == ELMAN_INVALID_ARGUMENT);
    REQUIRE(error.message[0] != '\0');
    return false;
  }
  require_finite(trainer.model->block);
  require_finite(trainer.optimizer.blocks.m);
  require_finite(trainer.optimizer.blocks.v);
  require_finite(trainer.optimizer.blocks.average);
  require_finite(trainer.best);
  if (fuzz_one_in(8, bytes, size)) train_on();
  return true;
}
