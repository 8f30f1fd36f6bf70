#include "tensor/cross_entropy.h"

#include <stdbool.h>

#include "base/portable_math.h"
#include "base/team.h"
#include "tensor/elementary.h"
#include "tensor/softmax.h"

static double sum_of(const real *row, size_t n) {
  struct lanes sum = {0};
  size_t j = 0;
  for (; j + LANES <= n; j += LANES) {
    for (size_t l = 0; l < LANES; l++) sum.of[l] += (double)row[j + l];
  }
  for (size_t l = 0; j < n; j++, l++) sum.of[l] += (double)row[j];
  return sum_of_lanes(&sum);
}

/* Return Σ q_v o_v over `width` of the columns v, starting with column `first`. */
static double expected_logit(const real *row, size_t first, size_t width, uint32_t target,
                             double smoothing, size_t v) {
  const bool here = target >= first && target - first < width;
  const double expected = here ? (1 - smoothing) * (double)row[target - first] : 0;
  return smoothing > 0 ? expected + smoothing * sum_of(row, width) / (double)v : expected;
}

struct forward_rows {
  double *losses;
  const real *logits;
  const uint32_t *targets;
  double smoothing;
  size_t v;
};

static void row_loss(const void *context, size_t i) {
  const struct forward_rows *rows = context;
  const real *row = rows->logits + i * rows->v;
  rows->losses[i] = (double)log_sum_exp(row, rows->v) -
                    expected_logit(row, 0, rows->v, rows->targets[i], rows->smoothing, rows->v);
}

void cross_entropy_forward(double *losses, const real *logits, const uint32_t *targets,
                           double smoothing, size_t n, size_t v) {
  const struct forward_rows rows = {losses, logits, targets, smoothing, v};
  share_out(n, (double)WORK_OF_FUNCTION * (double)(n * v), row_loss, &rows);
}

static double dot(const real *restrict x, const real *restrict y, size_t n) {
  _Alignas(64) real lanes[MANY_LANES] = {0};
  size_t j = 0;
  for (; j + MANY_LANES <= n; j += MANY_LANES)
    for (size_t l = 0; l < MANY_LANES; l++) lanes[l] += x[j + l] * y[j + l];
  for (size_t l = 0; j < n; j++, l++) lanes[l] += x[j] * y[j];
  for (size_t half = MANY_LANES / 2; half > 0; half /= 2)
    for (size_t l = 0; l < half; l++) lanes[l] += lanes[l + half];
  return (double)lanes[0];
}

static bool is_r_drop(struct cross_entropy_task task) {
  return task.divergence > 0;
}

/* Λ = o - o' for each pair of rows */
static void subtract_passes(real *differences, const real *logits, size_t n, size_t width) {
  for (size_t i = 0; i < n; i += 2)
    for (size_t j = 0; j < width; j++)
      differences[i / 2 * width + j] = logits[i * width + j] - logits[(i + 1) * width + j];
}

void cross_entropy_part(struct softmax_part *part, real *logits, real *differences,
                        struct cross_entropy_task task, size_t first, size_t width) {
  if (is_r_drop(task)) subtract_passes(differences, logits, task.n, width);
  for (size_t i = 0; i < task.n; i++) {
    real *row = logits + i * width;
    part[i].largest = maximum(row, width);
    part[i].expected = expected_logit(row, first, width, task.targets[i], task.smoothing, task.v);
    part[i].sum = exponentials(row, part[i].largest, width);
    if (is_r_drop(task)) part[i].difference = dot(row, differences + i / 2 * width, width);
  }
}

/* Join the parts of row i; in `row` they are task.n elements apart. */
static double join_row(struct softmax_part *row, size_t count, struct cross_entropy_task task) {
  real largest = row->largest;
  for (size_t k = 1; k < count; k++)
    largest = row[k * task.n].largest > largest ? row[k * task.n].largest : largest;
  double sum = 0, expected = 0, difference = 0;
  for (size_t k = 0; k < count; k++) {
    struct softmax_part *part = row + k * task.n;
    part->share = exp_real(part->largest - largest);
    sum += (double)part->share * part->sum;
    expected += part->expected;
    if (is_r_drop(task)) difference += (double)part->share * part->difference;
  }
  const real share = (real)((double)task.scale / sum);
  for (size_t k = 0; k < count; k++) row[k * task.n].share *= share;
  for (size_t k = 0; k < count && is_r_drop(task); k++)
    row[k * task.n].difference = difference / sum;
  return ((double)largest - expected) + portable_log(sum);
}

void cross_entropy_join(double *losses, struct softmax_part *parts, size_t count,
                        struct cross_entropy_task task) {
  for (size_t i = 0; i < task.n; i++) losses[i] = join_row(parts + i, count, task);
}

/* Turn the exponentials of two passes of a token into scale · p plus the gradient of the
 * divergences (99). */
static void add_divergence(real *restrict one, real *restrict other,
                           const real *restrict differences, const struct softmax_part *part,
                           real weight, size_t width) {
  const real share = part[0].share, other_share = part[1].share;
  const real mean = (real)part[0].difference, other_mean = (real)part[1].difference;
  for (size_t j = 0; j < width; j++) {
    const real p = share * one[j], q = other_share * other[j], difference = differences[j];
    one[j] = p + weight * (p * (difference - mean) + (p - q));
    other[j] = q - weight * (q * (difference - other_mean) + (p - q));
  }
}

void cross_entropy_gradient(real *exponentials, const real *differences,
                            const struct softmax_part *part, struct cross_entropy_task task,
                            size_t first, size_t width) {
  const real spread = task.scale * (real)(task.smoothing / (double)task.v);
  const real peak = task.scale * (real)(1 - task.smoothing);
  for (size_t i = 0; is_r_drop(task) && i < task.n; i += 2)
    add_divergence(exponentials + i * width, exponentials + (i + 1) * width,
                   differences + i / 2 * width, part + i, task.divergence, width);
  for (size_t i = 0; i < task.n; i++) {
    real *row = exponentials + i * width;
    const uint32_t target = task.targets[i];
    const real share = is_r_drop(task) ? 1 : part[i].share;
    for (size_t j = 0; j < width; j++) row[j] = share * row[j] - spread;
    if (target >= first && target - first < width) row[target - first] -= peak;
  }
}
