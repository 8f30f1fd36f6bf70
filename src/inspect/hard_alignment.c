#include "inspect/hard_alignment.h"

const char *alignment_rule_name(elman_alignment_rule rule) {
  static const char *const names[] = {"argmax", "threshold", "intersection"};
  return (unsigned)rule < sizeof names / sizeof *names ? names[rule] : NULL;
}

const char *alignment_units_name(elman_alignment_units units) {
  static const char *const names[] = {"auto", "words", "tokens"};
  return (unsigned)units < sizeof names / sizeof *names ? names[units] : NULL;
}

elman_status text_style_settle(elman_text_style *settled, const elman_text_style *style,
                               elman_error *error) {
  *settled = style == NULL ? (elman_text_style){0} : *style;
  if (alignment_rule_name(settled->alignment) == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no alignment rule %d",
                (int)settled->alignment);
  if (alignment_units_name(settled->units) == NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there are no alignment units %d",
                (int)settled->units);
  if (!(settled->threshold >= 0 && settled->threshold <= 1))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the threshold must lie from 0 to 1");
  if (settled->threshold == 0) settled->threshold = ELMAN_DEFAULT_THRESHOLD;
  return ELMAN_OK;
}

bool words_linked(const struct word_matrix *matrix, const elman_text_style *style, size_t source,
                  size_t target) {
  const double weight = matrix->weights[target * matrix->source_count + source];
  if (weight <= 0) return false;
  if (style->alignment == ELMAN_ALIGNMENT_THRESHOLD) return weight >= style->threshold;
  return matrix->best_sources[target] == source &&
         (style->alignment == ELMAN_ALIGNMENT_ARGMAX || matrix->best_targets[source] == target);
}
