#include "train/deferred.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "train/average.h"
#include "train/norm.h"

elman_status deferred_create(struct deferred_table *deferred, struct weight_blocks table,
                             size_t rows, size_t columns, elman_error *error) {
  *deferred = (struct deferred_table){.table = table, .rows = rows, .columns = columns};
  deferred->done = calloc(rows, sizeof *deferred->done);
  deferred->listed = calloc(rows, sizeof *deferred->listed);
  deferred->list = calloc(rows, sizeof *deferred->list);
  deferred->squares = calloc(rows, sizeof *deferred->squares);
  if (deferred->done != NULL && deferred->listed != NULL && deferred->list != NULL &&
      deferred->squares != NULL)
    return ELMAN_OK;
  deferred_free(deferred);
  return fail_no_memory(error);
}

void deferred_free(struct deferred_table *deferred) {
  free(deferred->done);
  free(deferred->listed);
  free(deferred->list);
  free(deferred->squares);
  *deferred = (struct deferred_table){0};
}

static struct weight_blocks row_of(const struct deferred_table *deferred, size_t row) {
  const size_t at = row * deferred->columns;
  const struct weight_blocks *table = &deferred->table;
  return (struct weight_blocks){table->weights + at, table->gradients + at, table->m + at,
                                table->v + at, table->average == NULL ? NULL : table->average + at};
}

/* Whether no update without a gradient changes a bit: -0 would become 0. */
static bool rests(struct weight_blocks row, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (row.v[i] != 0 || row.m[i] != 0 || signbit(row.m[i])) return false;
  for (size_t i = 0; row.average != NULL && i < n; i++)
    if (row.weights[i] - row.average[i] != 0) return false;
  return true;
}

typedef void row_function(struct deferred_table *deferred, size_t at,
                          const struct update_record *record);

struct visit {
  struct deferred_table *deferred;
  row_function *function;
  const struct update_record *record;
};

static void visit_row(const void *context, size_t i) {
  const struct visit *visit = context;
  visit->function(visit->deferred, i, visit->record);
}

/* Rows are independent of each other. */
static void for_each(struct deferred_table *deferred, size_t count, row_function *function,
                     const struct update_record *record) {
  const struct visit visit = {deferred, function, record};
  share_out(count, (double)WORK_OF_FUNCTION * (double)(count * deferred->columns), visit_row,
            &visit);
}

/* The recorded updates that this row has missed. */
static void catch_up(struct deferred_table *deferred, size_t row,
                     const struct update_record *record) {
  const size_t n = deferred->columns;
  const struct weight_blocks at = row_of(deferred, row);
  const size_t first = deferred->done[row];
  deferred->done[row] = (uint32_t)record->count;
  if (first == record->count || rests(at, n)) return;
  for (size_t k = first; k < record->count; k++) {
    const struct update_step *step = &record->steps[k];
    adam_update_without_gradient(at.weights, at.m, at.v, n, &step->adam);
    if (at.average != NULL) average_update(at.average, at.weights, n, step->average_share);
  }
}

/* ---- the rows of a batch ---- */

static void list_rows(struct deferred_table *deferred, const struct sequence *words) {
  for (size_t t = 0; t < words->steps; t++) {
    for (size_t b = 0; b < words->batch; b++) {
      const uint32_t row = words->ids[t * words->batch + b];
      if (t >= words->lengths[b] || deferred->listed[row]) continue;
      deferred->listed[row] = true;
      deferred->list[deferred->count++] = row;
    }
  }
}

static void catch_up_listed(struct deferred_table *deferred, size_t place,
                            const struct update_record *record) {
  catch_up(deferred, deferred->list[place], record);
}

void deferred_begin(struct deferred_table *deferred, const struct sequence *words,
                    const struct update_record *record) {
  list_rows(deferred, words);
  for_each(deferred, deferred->count, catch_up_listed, record);
}

static void square_listed(struct deferred_table *deferred, size_t place,
                          const struct update_record *record) {
  (void)record;
  const struct weight_blocks row = row_of(deferred, deferred->list[place]);
  deferred->squares[place] = sum_of_squares(row.gradients, deferred->columns);
}

double deferred_sum_of_squares(struct deferred_table *deferred) {
  for_each(deferred, deferred->count, square_listed, NULL);
  double sum = 0;
  for (size_t i = 0; i < deferred->count; i++) sum += deferred->squares[i];
  return sum;
}

static void update_listed(struct deferred_table *deferred, size_t place,
                          const struct update_record *record) {
  const size_t n = deferred->columns;
  const uint32_t listed = deferred->list[place];
  const struct update_step *step = &record->steps[record->count - 1];
  const struct weight_blocks row = row_of(deferred, listed);
  adam_update(row.weights, row.m, row.v, row.gradients, n, &step->adam);
  if (row.average != NULL) average_update(row.average, row.weights, n, step->average_share);
  deferred->done[listed] = (uint32_t)record->count;
  deferred->listed[listed] = false;
}

void deferred_update(struct deferred_table *deferred, const struct update_record *record) {
  for_each(deferred, deferred->count, update_listed, record);
  deferred->count = 0;
}

static void skip_listed(struct deferred_table *deferred, size_t place,
                        const struct update_record *record) {
  (void)record;
  const uint32_t row = deferred->list[place];
  memset(row_of(deferred, row).gradients, 0, deferred->columns * sizeof(real));
  deferred->listed[row] = false;
}

void deferred_skip(struct deferred_table *deferred) {
  for_each(deferred, deferred->count, skip_listed, NULL);
  deferred->count = 0;
}

/* ---- all rows ---- */

static void settle_row(struct deferred_table *deferred, size_t row,
                       const struct update_record *record) {
  catch_up(deferred, row, record);
  deferred->done[row] = 0;
}

void deferred_settle(struct deferred_table *deferred, const struct update_record *record) {
  for_each(deferred, deferred->rows, settle_row, record);
}
