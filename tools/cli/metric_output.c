#include "metric_output.h"

#include "json_output.h"

const char *perplexity_text(char *into, size_t size, double perplexity, int decimals) {
  snprintf(into, size, perplexity < 1e6 ? "%.*f" : "%.*e", decimals, perplexity);
  return into;
}

void write_json_member(FILE *stream, const char *key, double number) {
  fprintf(stream, ",\"%s\":", key);
  write_json_number(stream, number);
}

void write_metrics_json(FILE *stream, const elman_metric_scores *scores) {
  write_json_member(stream, "bleu", scores->bleu);
  for (size_t n = 0; n < 4; n++) {
    fputs(n == 0 ? ",\"bleu_precisions\":[" : ",", stream);
    write_json_number(stream, scores->precisions[n]);
  }
  putc(']', stream);
  write_json_member(stream, "brevity_penalty", scores->brevity_penalty);
  fprintf(stream, ",\"hypothesis_length\":%zu,\"reference_length\":%zu", scores->hypothesis_length,
          scores->reference_length);
  write_json_member(stream, "chrf", scores->chrf);
}

void write_signatures_json(FILE *stream, const elman_metric_scores *scores) {
  fputs(",\"bleu_signature\":", stream);
  write_json_string(stream, scores->bleu_signature);
  fputs(",\"chrf_signature\":", stream);
  write_json_string(stream, scores->chrf_signature);
}

void write_metrics_text(FILE *stream, const elman_metric_scores *scores) {
  const double *precisions = scores->precisions;
  fprintf(stream, "BLEU                 %.2f\n", scores->bleu);
  fprintf(stream, "BLEU precisions      %.1f / %.1f / %.1f / %.1f\n", precisions[0], precisions[1],
          precisions[2], precisions[3]);
  fprintf(stream, "brevity penalty      %.3f (%zu words, reference %zu)\n", scores->brevity_penalty,
          scores->hypothesis_length, scores->reference_length);
  fprintf(stream, "chrF2                %.2f\n", scores->chrf);
}

void write_signatures_text(FILE *stream, const elman_metric_scores *scores) {
  fprintf(stream, "BLEU signature       %s\n", scores->bleu_signature);
  fprintf(stream, "chrF2 signature      %s\n", scores->chrf_signature);
}
