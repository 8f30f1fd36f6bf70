#include "inspect/measures.h"

#include <math.h>

double row_entropy(const real *weights, size_t n) {
  double entropy = 0;
  for (size_t i = 0; i < n; i++) {
    const double weight = (double)weights[i];
    if (weight > 0) entropy -= weight * log(weight);
  }
  return entropy > 0 ? entropy : 0; /* rounding may give a weight just above 1 */
}

double column_sum(const real *weights, size_t T, size_t S, size_t s) {
  double sum = 0;
  for (size_t t = 0; t < T; t++) sum += (double)weights[t * S + s];
  return sum;
}
