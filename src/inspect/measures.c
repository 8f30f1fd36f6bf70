#include "inspect/measures.h"

#include <math.h>

/* With their sum Z, -Σ (a/Z) log (a/Z) = log Z - (Σ a log a) / Z. */
double row_entropy(const float *weights, size_t n) {
  double sum = 0, logarithms = 0;
  for (size_t i = 0; i < n; i++) {
    const double weight = (double)weights[i];
    if (weight > 0) logarithms += weight * log(weight);
    sum += weight;
  }
  if (sum <= 0) return 0;
  const double entropy = log(sum) - logarithms / sum;
  return entropy > 0 ? entropy : 0; /* rounding */
}

size_t segments_of_length(size_t *ends, size_t n, size_t length) {
  const size_t count = length == 0 ? 0 : n / length + (n % length > 0);
  for (size_t g = 0; g < count && ends != NULL; g++) ends[g] = g + 1 < count ? (g + 1) * length : n;
  return count;
}

void row_segments(float *segments, const float *weights, const size_t *ends, size_t count) {
  for (size_t g = 0, s = 0; g < count; g++) {
    double sum = 0;
    for (; s < ends[g]; s++) sum += (double)weights[s];
    segments[g] = (float)sum;
  }
}

double column_sum(const float *weights, size_t T, size_t S, size_t s) {
  double sum = 0;
  for (size_t t = 0; t < T; t++) sum += (double)weights[t * S + s];
  return sum;
}
