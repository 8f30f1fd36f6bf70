#include "attention_measures.h"

#include "json_output.h"
#include "metric_output.h"

void write_measures_json(FILE *stream, const elman_attention_measures *measures, bool aligned) {
  fprintf(stream, "{\"translations\":%zu,\"empty\":%zu,\"source_tokens\":%zu,\"target_tokens\":%zu",
          measures->translations, measures->empty, measures->source_tokens,
          measures->target_tokens);
  write_json_member(stream, "entropy", measures->entropy);
  write_json_member(stream, "entropy_share", measures->entropy_share);
  write_json_member(stream, "covered", measures->covered);
  write_json_member(stream, "coverage_distance", measures->coverage_distance);
  write_json_member(stream, "end_on_last", measures->end_on_last);
  write_json_member(stream, "words_on_last", measures->words_on_last);
  write_json_member(stream, "diagonality", measures->diagonality);
  if (aligned) {
    fprintf(stream, ",\"aligned\":%zu,\"links\":%zu,\"gold_links\":%zu,\"shared_links\":%zu",
            measures->aligned, measures->links, measures->gold_links, measures->shared_links);
    write_json_member(stream, "alignment_error_rate", measures->alignment_error_rate);
  }
  fputs("}\n", stream);
}

void write_measures_text(FILE *stream, const elman_attention_measures *measures, bool aligned) {
  fprintf(stream, "translations         %zu\n", measures->translations);
  if (measures->empty > 0) fprintf(stream, "of them empty        %zu\n", measures->empty);
  fprintf(stream, "source tokens        %zu\n", measures->source_tokens);
  fprintf(stream, "target tokens        %zu\n", measures->target_tokens);
  fprintf(stream, "entropy              %.4f nats\n", measures->entropy);
  fprintf(stream, "  of the largest     %.2f %%\n", 100 * measures->entropy_share);
  fprintf(stream, "covered              %.2f %%\n", 100 * measures->covered);
  fprintf(stream, "coverage off 1       %.4f\n", measures->coverage_distance);
  fprintf(stream, "</s> on last token   %.2f %%\n", 100 * measures->end_on_last);
  fprintf(stream, "others on last token %.2f %%\n", 100 * measures->words_on_last);
  fprintf(stream, "diagonality          %.4f\n", measures->diagonality);
  if (!aligned) return;
  fprintf(stream, "aligned translations %zu\n", measures->aligned);
  fprintf(stream, "links found          %zu\n", measures->links);
  fprintf(stream, "gold links           %zu\n", measures->gold_links);
  fprintf(stream, "links in both        %zu\n", measures->shared_links);
  fprintf(stream, "alignment error rate %.2f %%\n", 100 * measures->alignment_error_rate);
}
