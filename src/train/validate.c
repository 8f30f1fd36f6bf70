#include "train/validate.h"

#include <string.h>

#include "translate/evaluate.h"

/* The larger, the better. */
static double measure_of(const elman_scores *scores, const elman_train_options *options) {
  switch (trainer_measure(options)) {
  case MEASURE_BLEU:
    return scores->metrics.bleu;
  case MEASURE_CHRF:
    return scores->metrics.chrf;
  case MEASURE_LOSS:
    return -scores->loss;
  }
  return 0;
}

elman_status validate(elman_validation *report, struct trainer *trainer,
                      const elman_train_options *options, const struct corpus *dev, bool at_end,
                      elman_error *error) {
  struct model *model = trainer->model;
  struct training_state *state = &trainer->state;
  elman_scores scores;
  elman_evaluate_options evaluation = evaluate_options_default();
  evaluation.batch_size = options->batch_size;
  evaluation.group = options->group;
  trainer_settle(trainer);
  trainer_swap_average(trainer);
  const elman_status status =
      evaluate(&scores, model, trainer_dev(options), dev, &evaluation, error);
  if (status != ELMAN_OK) {
    trainer_swap_average(trainer);
    return status;
  }
  const double score = measure_of(&scores, options);
  /* While translations have nothing right yet, the loss tells. */
  const bool best = !state->has_best || score > state->best_score ||
                    (score == state->best_score && scores.loss < state->best_loss);
  if (at_end) {
    state->end_validated = state->update;
    state->end_best = best;
  } else {
    if (best) {
      memcpy(trainer->best, model->block, trainer_block_bytes(trainer));
      state->best_score = score;
      state->best_loss = scores.loss;
    }
    state->has_best = true;
    state->validated = state->update;
    state->stale = best ? 0 : state->stale + 1;
    state->rate_factor = schedule_factor(&trainer->schedule, state->rate_factor, best);
  }
  trainer_swap_average(trainer);
  *report = (elman_validation){.epoch = state->epoch,
                               .update = state->update,
                               .loss = scores.loss,
                               .perplexity = scores.perplexity,
                               .exact_match = scores.exact_match,
                               .bleu = scores.metrics.bleu,
                               .chrf = scores.metrics.chrf,
                               .best = best};
  return ELMAN_OK;
}

bool validation_is_due(const struct trainer *trainer, const elman_train_options *options,
                       size_t batches) {
  if (options->dev == NULL || trainer->state.validated == trainer->state.update) return false;
  if (options->validate_every > 0) return trainer->state.update % options->validate_every == 0;
  return trainer->state.position == batches;
}

bool validation_ends(const struct trainer *trainer, const elman_train_options *options,
                     size_t batches, size_t epochs) {
  const struct training_state *state = &trainer->state;
  return options->dev != NULL && state->epoch == epochs && state->position == batches &&
         state->validated != state->update && state->end_validated != state->update &&
         !validation_is_due(trainer, options, batches);
}

bool patience_is_over(const struct trainer *trainer, const elman_train_options *options) {
  return options->patience > 0 && trainer->state.stale >= options->patience;
}
