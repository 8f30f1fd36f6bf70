#include "inspect/hard_alignment.h"

const char *alignment_kind_name(elman_alignment_rule kind) {
  static const char *const names[] = {"argmax", "threshold", "intersection"};
  return (unsigned)kind < ELMAN_ALIGNMENT_INTERSECTION + 1 ? names[kind] : NULL;
}

bool words_linked(const struct word_matrix *matrix, struct alignment_rule rule, size_t source,
                  size_t target) {
  const double weight = matrix->weights[target * matrix->source_count + source];
  if (weight <= 0) return false;
  if (rule.kind == ELMAN_ALIGNMENT_THRESHOLD) return weight >= rule.threshold;
  return matrix->best_sources[target] == source &&
         (rule.kind == ELMAN_ALIGNMENT_ARGMAX || matrix->best_targets[source] == target);
}
