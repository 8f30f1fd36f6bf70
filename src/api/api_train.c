#include <math.h>

#include "api/call.h"
#include "train/trainer.h"

static const double MAX_LEARNING_RATE = 1e30;

elman_train_options elman_train_options_default(void) {
  const struct adam_options adam = adam_options_default();
  return (elman_train_options){.epochs = ELMAN_EPOCHS_AUTO,
                               .batch_size = 32,
                               .learning_rate = adam.learning_rate,
                               .clip_norm = 1,
                               .max_length = 200,
                               .seed = 1};
}

/* Carries a report from the training loop to the caller's function. */
struct report_relay {
  const elman_train_options *options;
  size_t left_out;
};

static bool relay_report(void *context, const struct trainer_report *report) {
  const struct report_relay *relay = context;
  const elman_train_report outer = {.epoch = report->epoch,
                                    .epochs = report->epochs,
                                    .update = report->update,
                                    .updates = report->updates,
                                    .tokens = report->tokens,
                                    .left_out = relay->left_out,
                                    .loss = report->loss,
                                    .update_loss = report->update_loss,
                                    .gradient_norm = report->gradient_norm};
  return relay->options->report(relay->options->context, &outer);
}

static enum status train(struct model *model, const struct pairs *pairs,
                         const elman_train_options *options, struct error *error) {
  if (options->batch_size == 0)
    return fail(error, STATUS_INVALID_ARGUMENT, NULL, "the batch size must be at least 1");
  /* With a larger one the weights themselves would overflow, before any loss could tell. */
  if (!(options->learning_rate > 0 && options->learning_rate <= MAX_LEARNING_RATE))
    return fail(error, STATUS_INVALID_ARGUMENT, NULL,
                "the learning rate must be greater than 0 and at most %g", MAX_LEARNING_RATE);
  if (!(options->clip_norm >= 0))
    return fail(error, STATUS_INVALID_ARGUMENT, NULL, "the clipping norm must not be negative");
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  struct corpus corpus = {0};
  enum status status = corpus_encode(&corpus, pairs, &source, &target, options->max_length, error);
  if (status != STATUS_OK) return status;
  struct report_relay relay = {options, corpus.too_long};
  struct trainer_options inner = {.epochs = options->epochs,
                                  .batch_size = options->batch_size,
                                  .adam = adam_options_default(),
                                  .clip_norm = options->clip_norm,
                                  .seed = options->seed,
                                  .report = options->report == NULL ? NULL : relay_report,
                                  .context = &relay};
  inner.adam.learning_rate = options->learning_rate;
  if (inner.epochs == ELMAN_EPOCHS_AUTO)
    inner.epochs = trainer_default_epochs(corpus.source.count, options->batch_size);
  status = trainer_run(model, &corpus, &inner, error);
  corpus_free(&corpus);
  return status;
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
  struct error problem = {0};
  const struct surroundings before =
      enter(options->threads,
            largest_product(inner_model(model), inner_pairs_const(pairs), options->batch_size));
  const enum status status = train(inner_model(model), inner_pairs_const(pairs), options, &problem);
  leave(before);
  return give(error, status, &problem);
}
