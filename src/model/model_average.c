#include "model/model_average.h"

#include <math.h>
#include <stdlib.h>

#include "model/likeness.h"
#include "model/model_file.h"

/* Of the models so far. */
struct mean {
  struct model *kept; /* the one that has learnt longest */
  double *sums;       /* by weight */
  const char *first;  /* name of the first */
  bool seed_known;    /* the first's: */
  uint64_t seed;
};

static void add(double *sums, const struct model *model) {
  for (size_t i = 0; i < model->table.block; i++) sums[i] += (double)model->block[i];
}

/* Of the angle between the model's weights and the sums: near 0 if they began apart, since weights
 * that are drawn independently are orthogonal but for chance, and training moves them little. */
static double cosine(const double *sums, const struct model *model) {
  double product = 0, left = 0, right = 0;
  for (size_t i = 0; i < model->table.block; i++) {
    const double weight = (double)model->block[i];
    product += sums[i] * weight;
    left += sums[i] * sums[i];
    right += weight * weight;
  }
  return left > 0 && right > 0 ? product / sqrt(left * right) : 1;
}

/* Another seed alone says little, since a model may be trained on from another one with a new seed;
 * nor do weights that lie apart after a long training. */
static elman_status check_start(const struct mean *mean, const struct model *model,
                                const char *path, elman_error *error) {
  const double least = 0.25;
  const uint64_t seed = model->past.training.seed;
  if (!mean->seed_known || !model->past.training_known || seed == mean->seed ||
      cosine(mean->sums, model) >= least)
    return ELMAN_OK;
  return fail(error, ELMAN_BAD_DATA, path,
              "began with other weights than %s (seed %llu there and %llu here), and the mean of "
              "such models translates nothing; let them translate together, as with translate "
              "-m %s -m %s",
              mean->first, (unsigned long long)mean->seed, (unsigned long long)seed, mean->first,
              path);
}

/* Adds the model of a file. */
static elman_status add_file(struct mean *mean, const char *path, elman_error *error) {
  struct model *model;
  elman_status status = model_load(&model, path, error);
  if (status != ELMAN_OK) return status;
  elman_error problem;
  status = models_have_same_shape(mean->kept, model, &problem);
  if (status != ELMAN_OK)
    status = fail(error, status, path, "differs from %s: %s", mean->first, problem.message);
  else
    status = check_start(mean, model, path, error);
  if (status == ELMAN_OK) add(mean->sums, model);
  if (status == ELMAN_OK && model->past.history.updates > mean->kept->past.history.updates) {
    struct model *const shorter = mean->kept;
    mean->kept = model;
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
  struct mean mean = {.first = paths[0]};
  elman_status status = model_load(&mean.kept, paths[0], error);
  if (status != ELMAN_OK) return status;
  const size_t block = mean.kept->table.block;
  mean.seed_known = mean.kept->past.training_known;
  mean.seed = mean.kept->past.training.seed;
  mean.sums = calloc(block, sizeof *mean.sums);
  if (mean.sums == NULL)
    status = fail_no_memory(error);
  else
    add(mean.sums, mean.kept);
  for (size_t i = 1; i < count && status == ELMAN_OK; i++)
    status = add_file(&mean, paths[i], error);
  for (size_t i = 0; status == ELMAN_OK && i < block; i++)
    mean.kept->block[i] = (real)(mean.sums[i] / (double)count);
  free(mean.sums);
  if (status == ELMAN_OK)
    *average = mean.kept;
  else
    model_free(mean.kept);
  return status;
}
