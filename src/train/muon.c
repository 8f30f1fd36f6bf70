#include "train/muon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "train/norm.h"

enum { CHUNK = 1 << 14 }; /* elements per work item */

/* The matrices move at every INTERVAL-th update. SIZE is the root mean square of Adam's steps,
 * relative to the learning rate; with it one learning rate suits both Adam and Muon (Liu et al.,
 * "Muon is scalable for LLM training", 2025). The divisor NORM leaves room for rounding, so that no
 * singular value exceeds 1. */
enum { INTERVAL = 2 };
#define DECAY 0.95
#define SIZE 0.2
#define NORM 1.01

struct muon_step muon_step_of(double learning_rate, uint64_t update) {
  return (struct muon_step){
      .scale = 1, .moves = update % INTERVAL == 0, .size = INTERVAL * SIZE * learning_rate};
}

elman_status muon_create(struct muon *muon, const struct muon_matrix *matrices, size_t count,
                         enum arithmetic arithmetic, elman_error *error) {
  *muon = (struct muon){.count = count,
                        .matrices = calloc(count + 1, sizeof *muon->matrices),
                        .directions = calloc(count + 1, sizeof *muon->directions)};
  elman_status status = ELMAN_OK;
  if (muon->matrices == NULL || muon->directions == NULL) status = fail_no_memory(error);
  for (size_t i = 0; status == ELMAN_OK && i < count; i++) {
    const struct muon_matrix at = muon->matrices[i] = matrices[i];
    muon->directions[i] = (struct polar_matrix){at.gradients, at.weights, at.rows, at.columns, 0};
  }
  if (status == ELMAN_OK)
    status = polar_create(&muon->polar, muon->directions, count, arithmetic, error);
  if (status != ELMAN_OK) muon_free(muon);
  return status;
}

void muon_free(struct muon *muon) {
  polar_free(muon->polar);
  free(muon->matrices);
  free(muon->directions);
  *muon = (struct muon){0};
}

/* ---- one update ---- */

struct elements {
  real *gradients, *m;
  size_t n;
  real scale, factor;
  bool moves;
};

typedef void elements_function(const struct elements *elements);

static void update_moment(const struct elements *at) {
  const real decay = (real)DECAY, rest = (real)(1 - DECAY);
  real *restrict m = at->m, *restrict gradients = at->gradients;
  for (size_t i = 0; i < at->n; i++) {
    const real part = rest * (gradients[i] * at->scale);
    m[i] = decay * m[i] + part;                         /* (81) */
    gradients[i] = at->moves ? decay * m[i] + part : 0; /* (81) */
  }
}

static void multiply(const struct elements *at) {
  for (size_t i = 0; i < at->n; i++) at->gradients[i] *= at->factor;
}

struct element_job {
  struct elements all;
  elements_function *function;
};

static void run_chunk(const void *context, size_t chunk) {
  const struct element_job *job = context;
  struct elements part = job->all;
  const size_t at = chunk * CHUNK;
  part.n = part.n - at < CHUNK ? part.n - at : CHUNK;
  part.gradients += at;
  part.m += at;
  job->function(&part);
}

static void run(elements_function *function, struct elements all) {
  const struct element_job job = {all, function};
  share_out((all.n + CHUNK - 1) / CHUNK, (double)WORK_OF_NUMBER * (double)all.n, run_chunk, &job);
}

/* Divide the direction by a number above its norm. A direction that is 0, or too small for the
 * quotient, becomes 0, so that the matrix does not move. */
static void normalize(struct elements all) {
  all.factor = (real)(1 / (NORM * sqrt(sum_of_squares(all.gradients, all.n))));
  if (!isfinite(all.factor)) all.factor = 0;
  run(multiply, all);
}

void muon_update(struct muon *muon, const struct muon_step *step) {
  for (size_t i = 0; i < muon->count; i++) {
    const struct muon_matrix *at = &muon->matrices[i];
    const struct elements all = {.gradients = at->gradients,
                                 .m = at->m,
                                 .n = at->rows * at->columns,
                                 .scale = step->scale,
                                 .moves = step->moves};
    const size_t longer = at->rows > at->columns ? at->rows : at->columns;
    run(update_moment, all);
    if (!step->moves) continue;
    normalize(all);
    muon->directions[i].size = (real)(step->size * sqrt((double)longer));
  }
  if (!step->moves || muon->count == 0) return;
  polar_subtract(muon->polar);
  for (size_t i = 0; i < muon->count; i++) {
    const struct muon_matrix *at = &muon->matrices[i];
    memset(at->gradients, 0, at->rows * at->columns * sizeof *at->gradients);
  }
}
