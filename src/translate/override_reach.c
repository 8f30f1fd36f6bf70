#include "translate/override_reach.h"

void override_reach_add(elman_override_reach *reach, const elman_translate_options *options,
                        size_t targets, size_t sources) {
  _Static_assert(ELMAN_MAX_OVERRIDES <= 64, "a bit for each override");
  reach->any = true;
  if (targets > reach->most_targets) reach->most_targets = targets;
  if (sources > reach->most_sources) reach->most_sources = sources;
  for (size_t i = 0; i < options->override_count; i++)
    if (options->overrides[i].row < targets && options->overrides[i].column < sources)
      reach->reached |= (uint64_t)1 << i;
}

elman_status elman_override_reach_check(const elman_override_reach *reach,
                                        const elman_translate_options *options,
                                        elman_error *error) {
  for (size_t i = 0; i < options->override_count && reach->any; i++) {
    const elman_override *cell = &options->overrides[i];
    if (cell->kind != ELMAN_OVERRIDE_CELL || (reach->reached >> i & 1) != 0) continue;
    return fail(error, ELMAN_INVALID_ARGUMENT, "override",
                "no matrix has target token %zu and source token %zu: there are at most %zu target "
                "token%s, </s> included, and %zu source token%s",
                cell->row + 1, cell->column + 1, reach->most_targets,
                plural_ending(reach->most_targets), reach->most_sources,
                plural_ending(reach->most_sources));
  }
  return ELMAN_OK;
}
