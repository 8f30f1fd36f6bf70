#include "metric/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* One metric's scores over the resamples, (resamples) each. */
struct series {
  double *a, *b;
};

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double mean_of(const double *values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  return sum / (double)count;
}

static elman_estimate estimate(const double *values, double *sorted, size_t count) {
  memcpy(sorted, values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare);
  const size_t low = count / 40; /* one part in forty at either end is 5 % */
  return (elman_estimate){.mean = mean_of(values, count),
                          .interval = 0.5 * (sorted[count - low - 1] - sorted[low])};
}

/* The share of resamples whose difference exceeds the mean difference by more than `difference`,
 * the one that was measured; counted with one more, so that it is never 0. */
static double p_value(const struct series *series, double difference, size_t count) {
  double mean = 0;
  for (size_t i = 0; i < count; i++) mean += fabs(series->b[i] - series->a[i]);
  mean /= (double)count;
  size_t larger = 0;
  for (size_t i = 0; i < count; i++)
    larger += fabs(series->b[i] - series->a[i]) - mean > difference;
  return (double)(larger + 1) / (double)(count + 1);
}

/* Both outputs are scored on the same sentences. */
static void draw(struct series *bleu, struct series *chrf, const struct sentence_counts *a,
                 const struct sentence_counts *b, size_t count,
                 const elman_metric_options *options) {
  elman_metric_scores scores[2];
  for (size_t r = 0; r < options->resamples; r++) {
    const struct random_stream stream = {options->seed, RANDOM_RESAMPLES, (uint32_t)r};
    struct corpus_counts sums_a = {0}, sums_b = {0};
    for (size_t i = 0; i < count; i++) {
      const size_t chosen = (size_t)random_below(stream, i, count);
      metric_add(&sums_a, &a[chosen]);
      metric_add(&sums_b, &b[chosen]);
    }
    metric_score(&scores[0], &sums_a);
    metric_score(&scores[1], &sums_b);
    bleu->a[r] = scores[0].bleu;
    bleu->b[r] = scores[1].bleu;
    chrf->a[r] = scores[0].chrf;
    chrf->b[r] = scores[1].chrf;
  }
}

elman_status bootstrap(elman_comparison *result, const struct sentence_counts *a,
                       const struct sentence_counts *b, size_t count,
                       const elman_metric_options *options, elman_error *error) {
  const size_t n = options->resamples;
  if (n > UINT32_MAX || n > SIZE_MAX / (5 * sizeof(double))) return fail_no_memory(error);
  double *memory = malloc(5 * n * sizeof *memory);
  if (memory == NULL) return fail_no_memory(error);
  double *sorted = memory + 4 * n;
  struct series bleu = {memory, memory + n};
  struct series chrf = {memory + 2 * n, memory + 3 * n};
  draw(&bleu, &chrf, a, b, count, options);

  *result = (elman_comparison){.bleu = {estimate(bleu.a, sorted, n), estimate(bleu.b, sorted, n)},
                               .chrf = {estimate(chrf.a, sorted, n), estimate(chrf.b, sorted, n)}};
  elman_metric_scores *whole = result->scores;
  metric_score_sum(&whole[0], a, count);
  metric_score_sum(&whole[1], b, count);
  result->bleu_p_value = p_value(&bleu, fabs(whole[1].bleu - whole[0].bleu), n);
  result->chrf_p_value = p_value(&chrf, fabs(whole[1].chrf - whole[0].chrf), n);
  free(memory);
  return ELMAN_OK;
}
