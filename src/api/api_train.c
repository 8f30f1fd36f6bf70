#include <math.h>

#include "api/call.h"
#include "train/checkpoint.h"
#include "train/trainer.h"

static const double MAX_LEARNING_RATE = 1e30;

elman_train_options elman_train_options_default(void) {
  const struct adam_options adam = adam_options_default();
  return (elman_train_options){.epochs = ELMAN_EPOCHS_AUTO,
                               .batch_size = 32,
                               .learning_rate = adam.learning_rate,
                               .schedule = "constant",
                               .clip_norm = 1,
                               .max_length = 200,
                               .seed = 1};
}

static bool is_share(double number) {
  return number >= 0 && number < 1;
}

static elman_status check_options(const elman_train_options *options, elman_error *error) {
  const char *problem = NULL;
  if (options->batch_size == 0) problem = "the batch size must be at least 1";
  if (!(options->clip_norm >= 0)) problem = "the clipping norm must not be negative";
  if (!is_share(options->dropout)) problem = "the dropout must lie from 0 to below 1";
  if (!is_share(options->attention_dropout))
    problem = "the attention dropout must lie from 0 to below 1";
  if (!is_share(options->label_smoothing))
    problem = "the label smoothing must lie from 0 to below 1";
  if (!is_share(options->average)) problem = "the decay of the average must lie from 0 to below 1";
  if (!(options->save_every >= 0)) problem = "the seconds between saves must not be negative";
  if (options->dev == NULL && (options->patience > 0 || options->validate_every > 0))
    problem = "patience and validation need dev pairs";
  if (options->resume && options->checkpoint == NULL) problem = "resuming needs a checkpoint";
  if (problem != NULL) return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s", problem);
  /* With a larger one the weights themselves would overflow, before any loss could tell. */
  if (!(options->learning_rate > 0 && options->learning_rate <= MAX_LEARNING_RATE))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the learning rate must be greater than 0 and at most %g", MAX_LEARNING_RATE);
  enum schedule_kind schedule;
  if (!schedule_parse(&schedule, options->schedule))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no learning-rate schedule \"%s\"",
                options->schedule);
  if (schedule == SCHEDULE_PLATEAU && options->dev == NULL)
    return fail(
        error, ELMAN_INVALID_ARGUMENT, NULL,
        "the learning-rate schedule \"plateau\" needs dev pairs: without them nothing tells "
        "that it has reached one");
  return ELMAN_OK;
}

static struct trainer_options inner_options(const elman_train_options *options, size_t pairs) {
  struct trainer_options inner = {.epochs = options->epochs,
                                  .batch_size = options->batch_size,
                                  .adam = adam_options_default(),
                                  .warm_up = options->warm_up,
                                  .clip_norm = options->clip_norm,
                                  .dropout = options->dropout,
                                  .attention_dropout = options->attention_dropout,
                                  .label_smoothing = options->label_smoothing,
                                  .average = options->average,
                                  .seed = options->seed,
                                  .dev =
                                      options->dev == NULL ? NULL : inner_pairs_const(options->dev),
                                  .validate_every = options->validate_every,
                                  .patience = options->patience,
                                  .corpus_name = options->pairs_name,
                                  .dev_name = options->dev_name,
                                  .checkpoint = options->checkpoint,
                                  .output = options->output,
                                  .save_every = options->save_every,
                                  .resume = options->resume,
                                  .report = options->report,
                                  .validated = options->validated,
                                  .saved = options->saved,
                                  .context = options->context};
  (void)schedule_parse(&inner.schedule, options->schedule); /* checked before */
  inner.adam.learning_rate = options->learning_rate;
  if (inner.epochs == ELMAN_EPOCHS_AUTO)
    inner.epochs = trainer_default_epochs(pairs, options->batch_size);
  return inner;
}

static elman_status train(struct model *model, const struct pairs *pairs,
                          const elman_train_options *options, elman_error *error) {
  elman_status status = check_options(options, error);
  if (status != ELMAN_OK) return status;
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  struct corpus corpus = {0};
  status = corpus_encode(&corpus, pairs, &source, &target, options->max_length, error);
  if (status != ELMAN_OK) return status;
  const struct trainer_options inner = inner_options(options, corpus.source.count);
  status = trainer_run(model, &corpus, &inner, error);
  model->trainings++;
  corpus_free(&corpus);
  return status;
}

elman_status elman_checkpoint_look(elman_checkpoint *checkpoint, const char *path,
                                   elman_error *error) {
  bool found, finished;
  const elman_status status = checkpoint_look(&found, &finished, path, error);
  if (status == ELMAN_OK)
    *checkpoint = finished ? ELMAN_CHECKPOINT_FINISHED
                  : found  ? ELMAN_CHECKPOINT_UNFINISHED
                           : ELMAN_CHECKPOINT_NONE;
  return status;
}

const char *elman_schedule_name(size_t index) {
  return index <= INT32_MAX ? schedule_name((enum schedule_kind)index) : NULL;
}

/* Target tokens of a batch, guessed, times the largest matrix that they meet. */
static double largest_product(const struct model *model, const struct pairs *pairs,
                              size_t batch_size) {
  enum { TYPICAL_LENGTH = 8 };
  const struct model_config *config = &model->config;
  const size_t count = pairs_count(pairs);
  const double rows = TYPICAL_LENGTH * (double)(batch_size < count ? batch_size : count);
  const double H = (double)config->hidden_size, V = (double)config->target_vocabulary;
  return rows * H * fmax(2 * V, fmax(H, (double)config->embedding_size));
}

elman_status elman_train(elman_model *model, const elman_pairs *pairs,
                         const elman_train_options *options, elman_error *error) {
  const elman_train_options defaults = elman_train_options_default();
  if (options == NULL) options = &defaults;
  struct surroundings before;
  elman_status status = enter(
      &before, options->threads,
      largest_product(inner_model(model), inner_pairs_const(pairs), options->batch_size), error);
  if (status != ELMAN_OK) return status;
  status = train(inner_model(model), inner_pairs_const(pairs), options, error);
  leave(before);
  return status;
}
