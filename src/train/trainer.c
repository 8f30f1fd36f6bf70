#include "train/trainer.h"

#include <math.h>
#include <string.h>

#include "base/xxh64.h"
#include "model/options.h"
#include "train/norm.h"

/* ---- options ---- */

static enum schedule_kind schedule_kind_of(const elman_train_options *options) {
  size_t kind = SCHEDULE_CONSTANT;
  if (options->schedule != NULL) (void)choice_parse(&kind, elman_schedule_name, options->schedule);
  return (enum schedule_kind)kind;
}

static enum optimizer_kind optimizer_kind_of(const elman_train_options *options) {
  size_t kind = OPTIMIZER_ADAM;
  if (options->optimizer != NULL)
    (void)choice_parse(&kind, elman_optimizer_name, options->optimizer);
  return (enum optimizer_kind)kind;
}

enum validation_measure trainer_measure(const elman_train_options *options) {
  size_t measure = MEASURE_AUTO;
  if (options->validate_by != NULL)
    (void)choice_parse(&measure, elman_measure_name, options->validate_by);
  return (enum validation_measure)measure;
}

elman_status elman_train_options_check(const elman_train_options *options, elman_error *error) {
  const char *problem = NULL;
  const elman_status status =
      elman_options_check(ELMAN_SCOPES_TRAIN, options, NULL, ELMAN_NAMES_FIELD, error);
  if (status != ELMAN_OK) return status;
  if (!(options->save_every >= 0))
    problem = "the seconds between checkpoints (`save_every`) must not be negative";
  if (options->keep_last > 0 && options->output == NULL) problem = "snapshots need an output file";
  if (options->save_best && options->output == NULL) problem = "`save_best` needs an output file";
  if (options->resume && options->checkpoint == NULL) problem = "resuming needs a checkpoint file";
  return problem == NULL ? ELMAN_OK : fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s", problem);
}

/* ---- creating and ending ---- */

size_t trainer_block_bytes(const struct trainer *trainer) {
  return trainer->model->table.block * sizeof(real);
}

void trainer_list_blocks(struct named_block blocks[TRAINER_BLOCKS], const struct trainer *trainer) {
  const struct weight_blocks *state = &trainer->optimizer.blocks;
  const struct named_block all[TRAINER_BLOCKS] = {{"weights", state->weights},
                                                  {"m", state->m},
                                                  {"v", state->v},
                                                  {"average", state->average},
                                                  {"best", trainer->best}};
  memcpy(blocks, all, sizeof all);
}

elman_status trainer_create(struct trainer *trainer, struct model *model,
                            const elman_train_options *options, elman_error *error) {
  *trainer = (struct trainer){.model = model,
                              .options = options,
                              .adam = adam_options_default(),
                              .schedule = schedule_kind_of(options),
                              .state = {.epoch = 1, .rate_factor = 1}};
  trainer->adam.exact = model->weights.numerics->arithmetic == ARITHMETIC_PORTABLE;
  const struct optimizer_options optimizer = {optimizer_kind_of(options), options->average > 0};
  elman_status status = optimizer_create(&trainer->optimizer, model, optimizer, error);
  if (status == ELMAN_OK && options->dev != NULL)
    status = parameter_block_create(&trainer->best, &model->table, error);
  if (status == ELMAN_OK)
    status = shards_create(&trainer->shards, options->group, options->shards, model,
                           &trainer->optimizer, error);
  if (status != ELMAN_OK) {
    trainer_free(trainer);
    return status;
  }
  trainer->start.history = model->past.history;
  if (model->loaded || model->past.history.updates > 0)
    trainer->start.weights = trainer_hash(trainer, model->block);
  return ELMAN_OK;
}

const real *trainer_result(const struct trainer *trainer) {
  const struct training_state *state = &trainer->state;
  const bool ends_best = state->end_best && state->end_validated == state->update;
  if (state->has_best && trainer->best != NULL && !ends_best) return trainer->best;
  const struct weight_blocks *blocks = &trainer->optimizer.blocks;
  return blocks->average != NULL ? blocks->average : blocks->weights;
}

uint64_t trainer_hash(const struct trainer *trainer, const real *block) {
  const uint64_t hash = xxh64_of(block, trainer_block_bytes(trainer));
  return hash == 0 ? 1 : hash;
}

void trainer_free(struct trainer *trainer) {
  shards_free(trainer->shards);
  optimizer_free(&trainer->optimizer);
  parameter_block_free(trainer->best);
  *trainer = (struct trainer){0};
}

/* ---- one update ---- */

double trainer_learning_rate(const struct trainer *trainer, double progress) {
  const elman_train_options *options = trainer->options;
  const uint64_t update = trainer->state.update + 1;
  const double warm_up = (double)options->warm_up, now = (double)update;
  double rate = options->learning_rate * trainer->state.rate_factor;
  if (trainer->schedule == SCHEDULE_LINEAR) rate *= 1 - progress;
  if (trainer->schedule == SCHEDULE_LATE_LINEAR) rate *= fmin(1, 3 * (1 - progress));
  if (update < options->warm_up) return rate * now / warm_up;
  if (trainer->schedule == SCHEDULE_INVERSE_SQRT) rate *= sqrt(fmax(warm_up, 1) / now);
  return rate;
}

void trainer_adjust_rate(struct trainer *trainer, bool improved) {
  if (trainer->schedule == SCHEDULE_PLATEAU && !improved) trainer->state.rate_factor /= 2;
}

/* Return the constants of update number state.update, which are the same for all weights. */
static struct update_step step_of(const struct trainer *trainer, double rate, double norm) {
  const elman_train_options *options = trainer->options;
  const uint64_t update = trainer->state.update;
  struct update_step step = {adam_step_of(trainer->adam, rate, update), muon_step_of(rate, update),
                             average_share(options->average, update)};
  step.adam.scale = step.muon.scale = clip_scale(norm, options->clip_norm);
  return step;
}

elman_status trainer_step(struct update_result *result, struct trainer *trainer,
                          const struct batch *batch, double progress, elman_error *error) {
  struct training_state *state = &trainer->state;
  struct losses *losses = &result->losses;
  const size_t linked = batch->guide.tokens;
  const struct gradient_job job = {.model = trainer->model,
                                   .options = trainer->options,
                                   .batch = batch,
                                   .update = state->update};
  *result = (struct update_result){.learning_rate = trainer_learning_rate(trainer, progress)};
  /* Apply the deferred updates of the rows that the batch reads. The gradient is zero here, because
   * Adam clears the gradients that it has used. The shards add to the gradient. */
  optimizer_begin(&trainer->optimizer, batch);
  const elman_status status = shards_gradient(trainer->shards, losses, &job, error);
  if (status != ELMAN_OK) {
    optimizer_skip(&trainer->optimizer);
    return status;
  }
  losses->cross_entropy /= (double)batch->tokens;
  if (linked > 0) losses->guide /= (double)linked;
  result->norm = optimizer_norm(&trainer->optimizer);
  if (!isfinite(losses->cross_entropy) || !isfinite(losses->guide) || !isfinite(result->norm)) {
    optimizer_skip(&trainer->optimizer);
    state->failures++;
    state->skipped++;
    return ELMAN_OK;
  }
  state->failures = 0;
  state->update++;
  const struct update_step update = step_of(trainer, result->learning_rate, result->norm);
  optimizer_update(&trainer->optimizer, &update);
  trainer->model->changes++;
  return ELMAN_OK;
}

void trainer_flush(struct trainer *trainer) {
  optimizer_flush(&trainer->optimizer);
  trainer->model->changes++;
}

void trainer_swap_average(struct trainer *trainer) {
  real *weights = trainer->model->block, *average = trainer->optimizer.blocks.average;
  for (size_t i = 0; average != NULL && i < trainer->model->table.block; i++) {
    const real moved = weights[i];
    weights[i] = average[i];
    average[i] = moved;
  }
  trainer->model->changes++;
}
