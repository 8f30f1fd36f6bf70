/* elman evaluate */
#include <sysexits.h>

#include "commands.h"
#include "elman.h"
#include "json_output.h"
#include "messages.h"
#include "model_input.h"
#include "options.h"
#include "output.h"
#include "pairs_input.h"
#include "progress.h"

static bool on_progress(void *context, size_t done, size_t total) {
  struct progress *progress = context;
  if (progress_due(progress)) progress_draw(progress, "%zu of %zu sentences", done, total);
  return true;
}

static void write_number(FILE *stream, const char *key, double number) {
  fprintf(stream, ",\"%s\":", key);
  write_json_number(stream, number);
}

static void write_json(FILE *stream, const elman_scores *scores, bool alignments) {
  fputs("{\"loss\":", stream);
  write_json_number(stream, scores->loss);
  write_number(stream, "perplexity", scores->perplexity);
  fprintf(stream, ",\"tokens\":%zu,\"sentences\":%zu", scores->tokens, scores->sentences);
  write_number(stream, "exact_match", scores->exact_match);
  fprintf(stream, ",\"unknown_source\":%zu,\"unknown_target\":%zu", scores->unknown_source,
          scores->unknown_target);
  if (alignments) {
    fprintf(stream, ",\"aligned_words\":%zu", scores->aligned_words);
    write_number(stream, "alignment_agreement", scores->alignment_agreement);
  }
  fputs("}\n", stream);
}

static void write_text(FILE *stream, const elman_scores *scores, bool alignments) {
  fprintf(stream, "sentences            %zu\n", scores->sentences);
  fprintf(stream, "target tokens        %zu\n", scores->tokens);
  fprintf(stream, "loss                 %.4f\n", scores->loss);
  fprintf(stream, "perplexity           %.4f\n", scores->perplexity);
  fprintf(stream, "exact match          %.2f %%\n", 100 * scores->exact_match);
  fprintf(stream, "unknown source words %zu\n", scores->unknown_source);
  fprintf(stream, "unknown target words %zu\n", scores->unknown_target);
  if (!alignments) return;
  fprintf(stream, "aligned words        %zu\n", scores->aligned_words);
  fprintf(stream, "alignment agreement  %.2f %%\n", 100 * scores->alignment_agreement);
}

struct evaluation {
  const char *model_path;
  elman_evaluate_options options;
  bool json, quiet;
};

static int score(elman_scores *scores, struct evaluation *evaluation, const elman_pairs *pairs) {
  elman_error error;
  elman_model *model;
  const int code = model_open(&model, evaluation->model_path);
  if (code != EX_OK) return code;
  struct progress progress = progress_start(evaluation->quiet);
  evaluation->options.progress = on_progress;
  evaluation->options.context = &progress;
  const elman_status status = elman_evaluate(scores, model, pairs, &evaluation->options, &error);
  progress_erase(&progress);
  elman_model_free(model);
  if (status != ELMAN_OK) return report_error(&error);
  if (scores->left_out > 0 && !evaluation->quiet)
    note("%zu pairs left out: a side has more tokens than can be translated", scores->left_out);
  return EX_OK;
}

static int score_and_write(struct evaluation *evaluation, const elman_pairs *pairs,
                           bool alignments) {
  elman_scores scores;
  struct output output;
  int code = score(&scores, evaluation, pairs);
  if (code == EX_OK) code = output_open(&output, NULL);
  if (code != EX_OK) return code;
  (evaluation->json ? write_json : write_text)(output.stream, &scores, alignments);
  return output_close(&output, EX_OK);
}

int evaluate_command(int argc, char **argv) {
  struct pairs_input input = {.columns = DEFAULT_COLUMNS};
  struct evaluation evaluation = {.model_path = DEFAULT_MODEL,
                                  .options = elman_evaluate_options_default()};
  const struct option options[] = {
      MODEL_OPTION(evaluation.model_path),
      PAIRS_OPTIONS(input),
      {"alignments", 0, "N", "column with word alignments, to compare the attention with", "none",
       .count = &input.alignment_column, .least = 1, .most = MOST_COLUMNS},
      {"batch-size", 0, "N", "sentences at a time", .count = &evaluation.options.batch_size,
       .least = 1, .most = 65536},
      {"max-length", 0, "N", "longest translation, in tokens", "2 S + 10 for S source tokens",
       .count = &evaluation.options.max_length, .least = 1, .most = 1000000},
      {"threads", 't', "N", "processor cores to use", "all", .count = &evaluation.options.threads,
       .least = 1, .most = 1024},
      {"json", 0, NULL, "print one JSON object", .flag = &evaluation.json},
      {"quiet", 'q', NULL, "print results and errors only", .flag = &evaluation.quiet},
      {0}};
  const struct usage usage = {
      "evaluate", "[options] PAIRS...",
      "Measures a model on sentence pairs: loss and perplexity per target token (the end\n"
      "of the sentence included), and the share of sentences translated exactly.",
      options};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  elman_pairs *pairs;
  code = pairs_input_read(&pairs, &input, usage.command, &operands, evaluation.quiet);
  if (code != EX_OK) return code;
  code = score_and_write(&evaluation, pairs, input.alignment_column != 0);
  elman_pairs_free(pairs);
  return code;
}
