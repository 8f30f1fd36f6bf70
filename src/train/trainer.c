#include "train/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum status trainer_create(struct trainer *trainer, struct model *model, struct error *error) {
  *trainer = (struct trainer){.model = model};
  const struct parameter_table *table = &model->table;
  enum status status = parameter_block_create(&trainer->gradients, table, error);
  if (status == STATUS_OK) status = parameter_block_create(&trainer->m, table, error);
  if (status == STATUS_OK) status = parameter_block_create(&trainer->v, table, error);
  if (status == STATUS_OK)
    parameters_bind(&trainer->dweights, trainer->gradients, &model->config);
  else
    trainer_free(trainer);
  return status;
}

void trainer_free(struct trainer *trainer) {
  free(trainer->gradients);
  free(trainer->m);
  free(trainer->v);
  workspace_free(&trainer->workspace);
  *trainer = (struct trainer){0};
}

enum status trainer_step(struct trainer *trainer, const struct batch *batch,
                         const struct trainer_options *options, double *loss, double *norm,
                         struct error *error) {
  struct model *model = trainer->model;
  const size_t n = model->table.block;
  const enum status status =
      workspace_fit(&trainer->workspace, &model->config, batch, WITH_GRADIENTS, error);
  if (status != STATUS_OK) return status;

  *loss = network_forward(&trainer->workspace, batch, &model->weights, &model->config) /
          (double)batch->tokens;
  memset(trainer->gradients, 0, n * sizeof *trainer->gradients);
  network_backward(&trainer->dweights, &trainer->workspace, batch, &model->weights, &model->config);
  *norm = clip_global_norm(trainer->gradients, n, options->clip_norm);
  if (!isfinite(*loss) || !isfinite(*norm))
    return fail(error, STATUS_INVALID_ARGUMENT, NULL,
                "the loss or its gradient is no longer finite at update %llu; lower the learning "
                "rate or clip the gradients",
                (unsigned long long)trainer->update + 1);
  trainer->update++;
  adam_update(model->block, trainer->m, trainer->v, trainer->gradients, n, trainer->update,
              options->adam);
  return STATUS_OK;
}

size_t trainer_default_epochs(size_t pairs, size_t batch_size) {
  enum { EPOCHS = 10, UPDATES = 400 };
  const size_t updates = pairs == 0 ? 1 : (pairs - 1) / batch_size + 1;
  const size_t needed = (UPDATES + updates - 1) / updates;
  return needed > EPOCHS ? needed : EPOCHS;
}

/* Fisher and Yates, with numbers that depend on seed and epoch only. */
static void shuffle(size_t *order, size_t count, uint64_t seed, size_t epoch) {
  const struct random_stream stream = {seed, RANDOM_EPOCH_ORDER, (uint32_t)epoch};
  for (size_t i = 0; i < count; i++) order[i] = i;
  for (size_t i = count; i > 1; i--) {
    const size_t j = random_below(stream, i, i);
    const size_t kept = order[i - 1];
    order[i - 1] = order[j];
    order[j] = kept;
  }
}

static enum status run_epoch(struct trainer *trainer, struct batch *batch, size_t *order,
                             const struct corpus *corpus, size_t epoch,
                             const struct trainer_options *options, struct error *error) {
  const size_t count = corpus->source.count;
  struct trainer_report report = {
      .epoch = epoch, .epochs = options->epochs, .updates = (count - 1) / options->batch_size + 1};
  double loss_sum = 0;
  shuffle(order, count, options->seed, epoch);
  for (size_t start = 0; start < count; start += options->batch_size) {
    const size_t size = count - start < options->batch_size ? count - start : options->batch_size;
    enum status status = batch_fill(batch, corpus, order + start, size, error);
    if (status == STATUS_OK)
      status =
          trainer_step(trainer, batch, options, &report.update_loss, &report.gradient_norm, error);
    if (status != STATUS_OK) return status;
    report.update++;
    report.tokens += batch->tokens;
    loss_sum += report.update_loss * (double)batch->tokens;
    report.loss = loss_sum / (double)report.tokens;
    if (options->report != NULL && !options->report(options->context, &report))
      return fail(error, STATUS_INTERRUPTED, NULL, "training was stopped");
  }
  return STATUS_OK;
}

enum status trainer_run(struct model *model, const struct corpus *corpus,
                        const struct trainer_options *options, struct error *error) {
  if (corpus->source.count == 0)
    return fail(error, STATUS_BAD_DATA, NULL,
                "no pair is left to train on; allow longer sentences");
  struct trainer trainer;
  enum status status = trainer_create(&trainer, model, error);
  if (status != STATUS_OK) return status;
  struct batch batch = {0};
  size_t *order = calloc(corpus->source.count, sizeof *order);
  if (order == NULL) status = fail_no_memory(error);
  for (size_t epoch = 1; status == STATUS_OK && epoch <= options->epochs; epoch++)
    status = run_epoch(&trainer, &batch, order, corpus, epoch, options, error);
  free(order);
  batch_free(&batch);
  trainer_free(&trainer);
  return status;
}
