#include "train/optimizer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/team.h"
#include "train/norm.h"

enum { CHUNK = 1 << 14 }; /* elements per work item */

static struct weight_blocks blocks_from(const struct weight_blocks *all, size_t offset) {
  return (struct weight_blocks){all->weights + offset, all->gradients + offset, all->m + offset,
                                all->v + offset,
                                all->average == NULL ? NULL : all->average + offset};
}

/* ---- the moving average ---- */

real average_share(double decay, uint64_t update) {
  return (real)(1 - fmin(decay, (1 + (double)update) / (10 + (double)update)));
}

struct averaging {
  real *average;
  const real *weights;
  size_t n;
  real share;
};

static void average_chunk(const void *context, size_t chunk) {
  const struct averaging *all = context;
  const size_t start = chunk * CHUNK;
  const size_t end = all->n - start < CHUNK ? all->n : start + CHUNK;
  real *restrict average = all->average;
  for (size_t i = start; i < end; i++) average[i] += all->share * (all->weights[i] - average[i]);
}

static void update_average(struct weight_blocks at, size_t n, const struct update_step *step) {
  if (at.average == NULL) return;
  const struct averaging all = {at.average, at.weights, n, step->average_share};
  share_out((n + CHUNK - 1) / CHUNK, (double)WORK_OF_NUMBER * (double)n, average_chunk, &all);
}

/* Update a row of an embedding, whose n weights begin at the pointers in `at`. */
static void update_row(struct weight_blocks at, size_t n, const struct update_step *step) {
  adam_update(at.weights, at.m, at.v, at.gradients, n, &step->adam);
  update_average(at, n, step);
}

/* ---- the rows of an embedding ---- */

static elman_status deferred_create(struct deferred_table *table, struct weight_blocks blocks,
                                    size_t rows, size_t columns, elman_error *error) {
  *table = (struct deferred_table){.table = blocks,
                                   .rows = rows,
                                   .columns = columns,
                                   .done = calloc(rows, sizeof *table->done),
                                   .listed = calloc(rows, sizeof *table->listed),
                                   .list = calloc(rows, sizeof *table->list),
                                   .squares = calloc(rows, sizeof *table->squares)};
  const bool failed =
      table->done == NULL || table->listed == NULL || table->list == NULL || table->squares == NULL;
  return failed ? fail_no_memory(error) : ELMAN_OK;
}

static void deferred_free(struct deferred_table *table) {
  free(table->done);
  free(table->listed);
  free(table->list);
  free(table->squares);
}

static struct weight_blocks row_of(const struct deferred_table *table, size_t row) {
  return blocks_from(&table->table, row * table->columns);
}

/* Return whether an update without a gradient leaves every bit of the row unchanged. A moment of -0
 * would become 0. */
static bool rests(struct weight_blocks row, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (row.v[i] != 0 || row.m[i] != 0 || signbit(row.m[i])) return false;
  for (size_t i = 0; row.average != NULL && i < n; i++)
    if (row.weights[i] - row.average[i] != 0) return false;
  return true;
}

/* Apply the recorded updates that this row lacks. */
static void catch_up(struct deferred_table *table, size_t row, const struct update_record *record) {
  const size_t n = table->columns, first = table->done[row];
  const struct weight_blocks at = row_of(table, row);
  table->done[row] = (uint32_t)record->count;
  if (first == record->count || rests(at, n)) return;
  for (size_t k = first; k < record->count; k++) {
    adam_update_without_gradient(at.weights, at.m, at.v, n, &record->steps[k].adam);
    update_average(at, n, &record->steps[k]);
  }
}

/* A function that processes row `i` of the table, or entry `i` of its list. */
typedef void row_function(struct deferred_table *table, size_t i,
                          const struct update_record *record);

struct visit {
  struct deferred_table *table;
  row_function *function;
  const struct update_record *record;
};

static void visit_row(const void *context, size_t i) {
  const struct visit *visit = context;
  visit->function(visit->table, i, visit->record);
}

/* Call the function for all `i` in parallel. Rows are independent of each other. */
static void for_each(struct deferred_table *table, size_t count, row_function *function,
                     const struct update_record *record) {
  const struct visit visit = {table, function, record};
  share_out(count, (double)WORK_OF_FUNCTION * (double)(count * table->columns), visit_row, &visit);
}

static void list_rows(struct deferred_table *table, const struct sequence *words) {
  for (size_t t = 0; t < words->steps; t++) {
    for (size_t b = 0; b < words->batch; b++) {
      const uint32_t row = words->ids[t * words->batch + b];
      if (t >= words->lengths[b] || table->listed[row]) continue;
      table->listed[row] = true;
      table->list[table->count++] = row;
    }
  }
}

static void catch_up_listed(struct deferred_table *table, size_t place,
                            const struct update_record *record) {
  catch_up(table, table->list[place], record);
}

static void square_listed(struct deferred_table *table, size_t place,
                          const struct update_record *record) {
  (void)record;
  const struct weight_blocks row = row_of(table, table->list[place]);
  table->squares[place] = sum_of_squares(row.gradients, table->columns);
}

/* Apply the last recorded update to a listed row, which lacks only this one. */
static void update_listed(struct deferred_table *table, size_t place,
                          const struct update_record *record) {
  const uint32_t row = table->list[place];
  update_row(row_of(table, row), table->columns, &record->steps[record->count - 1]);
  table->done[row] = (uint32_t)record->count;
  table->listed[row] = false;
}

static void skip_listed(struct deferred_table *table, size_t place,
                        const struct update_record *record) {
  (void)record;
  const uint32_t row = table->list[place];
  memset(row_of(table, row).gradients, 0, table->columns * sizeof(real));
  table->listed[row] = false;
}

/* Bring the row up to date. The caller then empties the record. */
static void flush_row(struct deferred_table *table, size_t row,
                      const struct update_record *record) {
  catch_up(table, row, record);
  table->done[row] = 0;
}

/* ---- the optimizer ---- */

static void claim(real *values, size_t n) {
  advise_large_pages(values, n * sizeof *values);
  claim_pages(values, n * sizeof *values);
}

/* Add a range to the optimizer: the elements from `start` to `end`, which lie outside the tables.
 * Every update processes the whole range. */
static void add_range(struct optimizer *optimizer, size_t start, size_t end) {
  const struct weight_blocks *all = &optimizer->blocks;
  const size_t size = end - start;
  if (size == 0) return;
  claim(all->gradients + start, size);
  claim(all->m + start, size);
  optimizer->ranges[optimizer->range_count++] = (struct range){start, size};
}

static elman_status create_blocks(struct weight_blocks *blocks, const struct model *model,
                                  bool average, elman_error *error) {
  elman_status status = parameter_block_create(&blocks->gradients, &model->table, error);
  if (status == ELMAN_OK) status = parameter_block_create(&blocks->m, &model->table, error);
  if (status == ELMAN_OK) status = parameter_block_create(&blocks->v, &model->table, error);
  if (status != ELMAN_OK || !average) return status;
  status = parameter_block_create(&blocks->average, &model->table, error);
  if (status == ELMAN_OK)
    memcpy(blocks->average, blocks->weights, model->table.block * sizeof *blocks->weights);
  return status;
}

static elman_status create_tables(struct optimizer *optimizer, const struct model *model,
                                  elman_error *error) {
  const struct model_config *config = &model->config;
  const size_t E = config->embedding_size;
  const size_t rows[] = {config->source_vocabulary, config->target_vocabulary};
  const real *const views[] = {model->weights.encoder.embedding, model->weights.decoder.embedding};
  size_t end = 0; /* end of the previous table */
  elman_status status = ELMAN_OK;
  for (size_t i = 0; i < (config->tie_embeddings ? 1 : 2) && status == ELMAN_OK; i++) {
    const size_t offset = (size_t)(views[i] - model->block);
    struct deferred_table *table = &optimizer->tables[optimizer->table_count++];
    add_range(optimizer, end, offset);
    status = deferred_create(table, blocks_from(&optimizer->blocks, offset), rows[i], E, error);
    end = offset + rows[i] * E;
  }
  add_range(optimizer, end, model->table.block);
  return status;
}

static void add_adam(struct optimizer *optimizer, size_t start, size_t end) {
  if (start == end) return;
  claim(optimizer->blocks.v + start, end - start);
  optimizer->adam[optimizer->adam_count++] = (struct range){start, end - start};
}

/* Divide the ranges between Adam and Muon. Muon has no second moment; its part of `v` stays 0 and
 * uses no memory. */
static elman_status divide_ranges(struct optimizer *optimizer, const struct model *model,
                                  enum optimizer_kind kind, elman_error *error) {
  const struct parameter_table *table = &model->table;
  struct muon_matrix matrices[MAX_PARAMETERS];
  size_t count = 0;
  for (size_t i = 0; i < optimizer->range_count; i++) {
    const struct range range = optimizer->ranges[i];
    size_t start = range.first; /* end of the previous matrix */
    for (size_t k = 0; kind == OPTIMIZER_MUON && k < table->count; k++) {
      const struct parameter *row = &table->rows[k];
      if (!row->hidden || row->offset < range.first || row->offset >= range.first + range.count)
        continue;
      const struct weight_blocks at = blocks_from(&optimizer->blocks, row->offset);
      matrices[count++] =
          (struct muon_matrix){at.weights, at.gradients, at.m, row->rows, row->columns};
      add_adam(optimizer, start, row->offset);
      start = row->offset + parameter_size(row);
    }
    add_adam(optimizer, start, range.first + range.count);
  }
  return muon_create(&optimizer->muon, matrices, count, model->weights.numerics->arithmetic, error);
}

elman_status optimizer_create(struct optimizer *optimizer, const struct model *model,
                              struct optimizer_options options, elman_error *error) {
  *optimizer = (struct optimizer){.blocks.weights = model->block};
  elman_status status = create_blocks(&optimizer->blocks, model, options.average, error);
  if (status == ELMAN_OK) status = create_tables(optimizer, model, error);
  if (status == ELMAN_OK) status = divide_ranges(optimizer, model, options.kind, error);
  if (status != ELMAN_OK) optimizer_free(optimizer);
  return status;
}

void optimizer_free(struct optimizer *optimizer) {
  for (size_t i = 0; i < optimizer->table_count; i++) deferred_free(&optimizer->tables[i]);
  muon_free(&optimizer->muon);
  parameter_block_free(optimizer->blocks.gradients);
  parameter_block_free(optimizer->blocks.m);
  parameter_block_free(optimizer->blocks.v);
  parameter_block_free(optimizer->blocks.average);
  *optimizer = (struct optimizer){0};
}

void optimizer_begin(struct optimizer *optimizer, const struct batch *batch) {
  const struct sequence *const sides[] = {&batch->source, &batch->target};
  for (size_t i = 0; i < optimizer->table_count; i++) {
    struct deferred_table *table = &optimizer->tables[i];
    list_rows(table, sides[i]);
    for_each(table, table->count, catch_up_listed, &optimizer->record);
  }
}

double optimizer_norm(struct optimizer *optimizer) {
  double sum = 0;
  for (size_t i = 0; i < optimizer->table_count; i++) {
    struct deferred_table *table = &optimizer->tables[i];
    double of_table = 0;
    for_each(table, table->count, square_listed, NULL);
    for (size_t k = 0; k < table->count; k++) of_table += table->squares[k];
    sum += of_table;
  }
  for (size_t i = 0; i < optimizer->range_count; i++) {
    const struct range range = optimizer->ranges[i];
    sum += sum_of_squares(optimizer->blocks.gradients + range.first, range.count);
  }
  return sqrt(sum);
}

/* Call the function for all listed rows of every table, and empty the lists. */
static void for_each_listed(struct optimizer *optimizer, row_function *function) {
  for (size_t i = 0; i < optimizer->table_count; i++) {
    struct deferred_table *table = &optimizer->tables[i];
    for_each(table, table->count, function, &optimizer->record);
    table->count = 0;
  }
}

void optimizer_update(struct optimizer *optimizer, const struct update_step *step) {
  struct update_record *record = &optimizer->record;
  record->steps[record->count++] = *step;
  for (size_t i = 0; i < optimizer->adam_count; i++) {
    const struct range range = optimizer->adam[i];
    const struct weight_blocks at = blocks_from(&optimizer->blocks, range.first);
    adam_update(at.weights, at.m, at.v, at.gradients, range.count, &step->adam);
  }
  muon_update(&optimizer->muon, &step->muon);
  for (size_t i = 0; i < optimizer->range_count; i++) {
    const struct range range = optimizer->ranges[i];
    update_average(blocks_from(&optimizer->blocks, range.first), range.count, step);
  }
  for_each_listed(optimizer, update_listed);
  if (record->count == MAX_DEFERRED_UPDATES) optimizer_flush(optimizer);
}

void optimizer_skip(struct optimizer *optimizer) {
  for_each_listed(optimizer, skip_listed);
  for (size_t i = 0; i < optimizer->range_count; i++) {
    const struct range range = optimizer->ranges[i];
    real *gradients = optimizer->blocks.gradients + range.first;
    memset(gradients, 0, range.count * sizeof *gradients);
  }
}

void optimizer_flush(struct optimizer *optimizer) {
  for (size_t i = 0; i < optimizer->table_count; i++) {
    struct deferred_table *table = &optimizer->tables[i];
    for_each(table, table->rows, flush_row, &optimizer->record);
  }
  optimizer->record.count = 0;
}
