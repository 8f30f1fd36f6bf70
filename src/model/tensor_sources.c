#include "model/tensor_sources.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_in_eight_bits(const struct parameter *row) {
  return row->dimensions == 2 && row->rows > 1;
}

static struct tensor_source *add(struct tensor_sources *sources, const char *name,
                                 const real *values, size_t rows, size_t columns) {
  struct tensor_source *source = &sources->list[sources->count++];
  *source = (struct tensor_source){.name = name, .values = values, .shape = {rows, columns}};
  return source;
}

static struct tensor_source *add_row(struct tensor_sources *sources, const real *block,
                                     const struct parameter *row) {
  struct tensor_source *source =
      add(sources, row->name, block + row->offset, row->rows, row->columns);
  source->dimensions = row->dimensions;
  return source;
}

/* Add the scales of a matrix, and return the place for the scales of the next one. */
static real *add_scales(struct tensor_sources *sources, real *scales, const real *block,
                        const struct parameter *row) {
  char *name = sources->names[sources->count];
  snprintf(name, sizeof *sources->names, "%s%s", row->name, SAFETENSORS_SCALE);
  for (size_t r = 0; r < row->rows; r++) {
    const float scale = eight_bits_scale(block + row->offset + r * row->columns, row->columns);
    scales[r] = isnan(scale) ? 0 : (real)scale; /* the writer refuses the row itself */
  }
  add(sources, name, scales, row->rows, 1)->dimensions = 2;
  return scales + row->rows;
}

static elman_status list_eight_bits(struct tensor_sources *sources, const real *block,
                                    const struct parameter_table *table, elman_error *error) {
  size_t rows = 0;
  for (size_t i = 0; i < table->count; i++) rows += table->rows[i].rows;
  sources->scales = malloc((rows + 1) * sizeof *sources->scales);
  sources->names = calloc(table->count + 1, sizeof *sources->names);
  if (sources->scales == NULL || sources->names == NULL) return fail_no_memory(error);
  real *next = sources->scales;
  for (size_t i = 0; i < table->count; i++) {
    const struct parameter *row = &table->rows[i];
    if (row->alias) continue;
    if (is_in_eight_bits(row))
      next = add_scales(sources, next, block, row);
    else
      (void)add_row(sources, block, row);
  }
  next = sources->scales;
  for (size_t i = 0; i < table->count; i++) {
    const struct parameter *row = &table->rows[i];
    if (row->alias || !is_in_eight_bits(row)) continue;
    struct tensor_source *source = add_row(sources, block, row);
    source->type = NUMBER_I8;
    source->scales = next;
    next += row->rows;
  }
  return ELMAN_OK;
}

elman_status tensor_sources_list(struct tensor_sources *sources, const real *block,
                                 const struct parameter_table *table, elman_number_type type,
                                 elman_error *error) {
  *sources = (struct tensor_sources){.count = 0};
  if (type == ELMAN_INT8) return list_eight_bits(sources, block, table, error);
  for (size_t i = 0; i < table->count; i++)
    add_row(sources, block, &table->rows[i])->type = (enum number_type)type;
  return ELMAN_OK;
}

void tensor_sources_free(struct tensor_sources *sources) {
  free(sources->scales);
  free(sources->names);
}
