#include "attention_measures.h"

#include "figures.h"

void write_measures(FILE *stream, const elman_attention_measures *m, bool aligned, bool as_json) {
  const struct figure sums[] = {
      {"translations", "translations", .count = &m->translations},
      {"empty", "of them empty", .count = &m->empty, .quiet_zero = true},
      {"source_tokens", "source tokens", .count = &m->source_tokens},
      {"target_tokens", "target tokens", .count = &m->target_tokens},
      {"entropy", "entropy", .real = &m->entropy, .decimals = 4, .unit = " nats"},
      {"entropy_share", "  of the largest", .share = &m->entropy_share},
      {"covered", "covered", .share = &m->covered},
      {"coverage_distance", "coverage off 1", .real = &m->coverage_distance, .decimals = 4},
      {"end_on_last", "</s> on last token", .share = &m->end_on_last},
      {"words_on_last", "others on last token", .share = &m->words_on_last},
      {"diagonality", "diagonality", .real = &m->diagonality, .decimals = 4},
      {0}};
  const struct figure alignment[] = {
      {"aligned", "aligned translations", .count = &m->aligned},
      {"links", "links found", .count = &m->links},
      {"gold_links", "gold links", .count = &m->gold_links},
      {"shared_links", "links in both", .count = &m->shared_links},
      {"alignment_error_rate", "alignment error rate", .share = &m->alignment_error_rate},
      {0}};
  if (!as_json) {
    figures_write_text(stream, sums);
    if (aligned) figures_write_text(stream, alignment);
    return;
  }
  struct json json = {.stream = stream};
  json_open(&json, NULL, "{");
  figures_write_json(&json, sums);
  if (aligned) figures_write_json(&json, alignment);
  json_close(&json, "}\n");
}
