#include "vocab/units.h"

bool units_are_tokens(struct text text, elman_alignment_units units) {
  struct script_counts counts = {0};
  if (units != ELMAN_UNITS_AUTO) return units != ELMAN_UNITS_WORDS;
  script_count(&counts, text);
  return script_line_mode(&counts) == ELMAN_TOKENS_CHARS;
}

/* </s> stands at the end and has no byte. */
size_t units_count(const struct unit_side *side) {
  size_t count = side->tokens;
  if (!side->by_tokens) return count_words(side->text);
  while (count > 0 && side->starts[count - 1] == side->ends[count - 1]) count--;
  return count;
}

void units_locate(struct word_range *units, const struct unit_side *side) {
  if (!side->by_tokens) {
    locate_words(units, side->starts, side->ends, side->tokens, side->text);
    return;
  }
  for (size_t i = 0; i < side->tokens; i++)
    units[i] = (struct word_range){i, i + (side->starts[i] < side->ends[i])};
}
