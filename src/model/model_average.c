#include "model/model_average.h"

#include <stdlib.h>

#include "model/likeness.h"
#include "model/model_file.h"

static void add(double *sums, const struct model *model) {
  for (size_t i = 0; i < model->table.block; i++) sums[i] += (double)model->block[i];
}

/* Adds the model of a file. Of two models the one that has learnt longer is kept. */
static elman_status add_file(struct model **kept, double *sums, const char *path, const char *first,
                             elman_error *error) {
  struct model *model;
  elman_status status = model_load(&model, path, error);
  if (status != ELMAN_OK) return status;
  elman_error problem;
  status = models_have_same_shape(*kept, model, &problem);
  if (status == ELMAN_OK)
    add(sums, model);
  else
    status = fail(error, status, path, "differs from %s: %s", first, problem.message);
  if (status == ELMAN_OK && model->past.history.updates > (*kept)->past.history.updates) {
    struct model *const shorter = *kept;
    *kept = model;
    model = shorter;
  }
  model_free(model);
  return status;
}

elman_status model_average(struct model **average, const char *const *paths, size_t count,
                           elman_error *error) {
  *average = NULL;
  if (count == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no model to take the mean of");
  struct model *kept;
  elman_status status = model_load(&kept, paths[0], error);
  if (status != ELMAN_OK) return status;
  double *sums = calloc(kept->table.block, sizeof *sums);
  if (sums == NULL)
    status = fail_no_memory(error);
  else
    add(sums, kept);
  for (size_t i = 1; i < count && status == ELMAN_OK; i++)
    status = add_file(&kept, sums, paths[i], paths[0], error);
  for (size_t i = 0; status == ELMAN_OK && i < kept->table.block; i++)
    kept->block[i] = (real)(sums[i] / (double)count);
  free(sums);
  if (status == ELMAN_OK)
    *average = kept;
  else
    model_free(kept);
  return status;
}
