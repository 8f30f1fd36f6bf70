#include "metric_output.h"

void write_metrics_json(struct json *json, const elman_metric_scores *scores) {
  json_number(json, "bleu", scores->bleu);
  json_numbers(json, "bleu_precisions", scores->precisions, 4);
  json_number(json, "brevity_penalty", scores->brevity_penalty);
  json_count(json, "hypothesis_length", scores->hypothesis_length);
  json_count(json, "reference_length", scores->reference_length);
  json_number(json, "chrf", scores->chrf);
}

void write_signatures_json(struct json *json, const elman_metric_scores *scores) {
  json_text(json, "bleu_signature", scores->bleu_signature);
  json_text(json, "chrf_signature", scores->chrf_signature);
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
