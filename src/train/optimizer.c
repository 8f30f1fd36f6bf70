#include "train/optimizer.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "train/average.h"
#include "train/norm.h"

static void claim(real *values, size_t n) {
  advise_large_pages(values, n * sizeof *values);
  claim_pages(values, n * sizeof *values);
}

/* All between two tables, or before, or behind: used whole in every update. */
static void add_range(struct optimizer *optimizer, size_t start, size_t end) {
  const struct weight_blocks *all = &optimizer->blocks;
  const size_t size = end - start;
  if (size == 0) return;
  claim(all->gradients + start, size);
  claim(all->m + start, size);
  claim(all->v + start, size);
  optimizer->ranges[optimizer->range_count++] = (struct range){start, size};
}

static elman_status add_table(struct optimizer *optimizer, size_t offset, size_t rows,
                              size_t columns, elman_error *error) {
  const struct weight_blocks *all = &optimizer->blocks;
  const struct weight_blocks table = {all->weights + offset, all->gradients + offset,
                                      all->m + offset, all->v + offset,
                                      all->average == NULL ? NULL : all->average + offset};
  return deferred_create(&optimizer->tables[optimizer->table_count++], table, rows, columns, error);
}

elman_status optimizer_create(struct optimizer *optimizer, const struct model *model,
                              struct weight_blocks blocks, elman_error *error) {
  const struct model_config *config = &model->config;
  const size_t E = config->embedding_size;
  const size_t rows[] = {config->source_vocabulary, config->target_vocabulary};
  const real *const views[] = {model->weights.encoder.embedding, model->weights.decoder.embedding};
  *optimizer = (struct optimizer){.blocks = blocks};
  size_t end = 0; /* of the table before */
  elman_status status = ELMAN_OK;
  for (size_t i = 0; i < (config->tie_embeddings ? 1 : 2) && status == ELMAN_OK; i++) {
    const size_t offset = (size_t)(views[i] - model->block);
    add_range(optimizer, end, offset);
    status = add_table(optimizer, offset, rows[i], E, error);
    end = offset + rows[i] * E;
  }
  add_range(optimizer, end, model->table.block);
  if (status != ELMAN_OK) optimizer_free(optimizer);
  return status;
}

void optimizer_free(struct optimizer *optimizer) {
  for (size_t i = 0; i < optimizer->table_count; i++) deferred_free(&optimizer->tables[i]);
  *optimizer = (struct optimizer){0};
}

void optimizer_begin(struct optimizer *optimizer, const struct batch *batch) {
  const struct sequence *const sides[] = {&batch->source, &batch->target};
  for (size_t i = 0; i < optimizer->table_count; i++)
    deferred_begin(&optimizer->tables[i], sides[i], &optimizer->record);
}

double optimizer_norm(struct optimizer *optimizer) {
  double sum = 0;
  for (size_t i = 0; i < optimizer->table_count; i++)
    sum += deferred_sum_of_squares(&optimizer->tables[i]);
  for (size_t i = 0; i < optimizer->range_count; i++) {
    const struct range range = optimizer->ranges[i];
    sum += sum_of_squares(optimizer->blocks.gradients + range.first, range.count);
  }
  return sqrt(sum);
}

static void update_range(const struct weight_blocks *all, struct range range,
                         const struct update_step *step) {
  const size_t at = range.first;
  adam_update(all->weights + at, all->m + at, all->v + at, all->gradients + at, range.count,
              &step->adam);
  if (all->average != NULL)
    average_update(all->average + at, all->weights + at, range.count, step->average_share);
}

void optimizer_update(struct optimizer *optimizer, struct update_step step) {
  struct update_record *record = &optimizer->record;
  record->steps[record->count++] = step;
  for (size_t i = 0; i < optimizer->range_count; i++)
    update_range(&optimizer->blocks, optimizer->ranges[i], &step);
  for (size_t i = 0; i < optimizer->table_count; i++)
    deferred_update(&optimizer->tables[i], record);
  if (record->count == MAX_DEFERRED_UPDATES) optimizer_settle(optimizer);
}

void optimizer_skip(struct optimizer *optimizer) {
  for (size_t i = 0; i < optimizer->table_count; i++) deferred_skip(&optimizer->tables[i]);
  for (size_t i = 0; i < optimizer->range_count; i++) {
    const struct range range = optimizer->ranges[i];
    real *gradients = optimizer->blocks.gradients + range.first;
    memset(gradients, 0, range.count * sizeof *gradients);
  }
}

void optimizer_settle(struct optimizer *optimizer) {
  for (size_t i = 0; i < optimizer->table_count; i++)
    deferred_settle(&optimizer->tables[i], &optimizer->record);
  optimizer->record.count = 0;
}
