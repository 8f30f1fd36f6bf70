#include "attention/override_effect.h"

#include <string.h>
#include <sysexits.h>

#include "console/messages.h"

/* A cell is in no matrix, or in one; the other overrides fit every sentence. */
static void measure_reach(struct override_effect *effect, const elman_translate_options *options,
                          const elman_translation *best) {
  for (const elman_translation *one = best; one != NULL; one = one->next) {
    const size_t T = one->target_count, S = one->source_count;
    if (T > effect->most_targets) effect->most_targets = T;
    if (S > effect->most_sources) effect->most_sources = S;
    for (size_t i = 0; i < options->override_count; i++) {
      const elman_override *override = &options->overrides[i];
      if (override->kind != ELMAN_OVERRIDE_CELL || (override->row < T && override->column < S))
        effect->reached[i] = true;
    }
  }
}

static int check_reach(const struct override_effect *effect, const elman_translate_options *options,
                       const char *where) {
  for (size_t i = 0; i < options->override_count; i++) {
    const elman_override *override = &options->overrides[i];
    if (effect->reached[i]) continue;
    report(where,
           "no matrix has target token %zu and source token %zu: there are at most %zu target "
           "token%s, </s> included, and %zu source token%s",
           override->row + 1, override->column + 1, effect->most_targets,
           plural(effect->most_targets), effect->most_sources, plural(effect->most_sources));
    return EX_USAGE;
  }
  return EX_OK;
}

static void note_effect(const struct override_effect *effect) {
  note(
      "with the attention as it is, %zu of %zu translation%s %s the same; the override changes the "
      "log-probability of a sentence by %+.3f",
      effect->same, effect->compared, plural(effect->compared),
      effect->compared == 1 ? "is" : "are", effect->log_probability / (double)effect->compared);
}

/* Counts whether the translation is the one that the attention as it is gives. */
static void compare(struct override_effect *effect, const elman_translation *changed,
                    const elman_translation *plain) {
  effect->compared++;
  effect->same += strcmp(plain->text, changed->text) == 0;
  effect->log_probability += changed->log_probability - plain->log_probability;
}

void override_effect_add(struct override_effect *effect, const elman_translate_options *options,
                         const elman_translation *changed, const elman_translation *plain) {
  measure_reach(effect, options, changed);
  compare(effect, changed, plain);
}

int override_effect_note(const struct override_effect *effect,
                         const elman_translate_options *options, const char *where) {
  const int code = check_reach(effect, options, where);
  if (code == EX_OK) note_effect(effect);
  return code;
}
