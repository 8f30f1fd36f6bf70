/* elman score */
#include <sysexits.h>

#include "commands.h"
#include "console/json_output.h"
#include "console/messages.h"
#include "console/output.h"
#include "input/model_input.h"
#include "input/pairs_input.h"
#include "input/search_options.h"
#include "input/sentences.h"
#include "options/command_line.h"
#include "options/library_options.h"
#include "translate/batches.h"

struct scored_pairs {
  elman_translate_options options;
  bool json;
  struct sentence_input *pairs;
  FILE *stream;
  size_t written; /* number of lines written */
};

/* Write lines without scores until `up_to` lines are written, so that input and output stay
 * parallel. */
static void write_none(struct scored_pairs *job, size_t up_to) {
  for (; job->written < up_to; job->written++) fputs(job->json ? "null\n" : "\n", job->stream);
}

static void write_json(FILE *stream, const elman_translation *pair) {
  struct json json = {.stream = stream};
  json_print(&json, "{");
  json_translation(&json, pair, ELMAN_JSON_SCORES | ELMAN_JSON_TARGET_TOKENS);
  json_print(&json, "}\n");
}

static void write_columns(FILE *stream, const elman_translation *pair) {
  fprintf(stream, "%.9g\t%zu", pair->log_probability, pair->target_count);
  for (size_t t = 0; t < pair->target_count; t++)
    fprintf(stream, "%c%.9g", t == 0 ? '\t' : ' ', pair->log_probabilities[t]);
  putc('\n', stream);
}

static int write_pair(void *context, const struct translated *translated) {
  struct scored_pairs *job = context;
  const elman_translation *pair = translated->translation;
  write_none(job, translated->sentence->number - 1);
  if (pair == NULL) return EX_OK;
  if (pair->source_count == 0) {
    const elman_error empty = {.code = ELMAN_BAD_DATA, .message = "has an empty source side"};
    return sentences_report(job->pairs, translated->sentence->number, &empty);
  }
  (job->json ? write_json : write_columns)(job->stream, pair);
  job->written++;
  return EX_OK;
}

static int score_all(struct scored_pairs *job, const elman_model *model, const char *output_path) {
  struct output output;
  int code = output_open(&output, output_path);
  if (code != EX_OK) return code;
  /* Catch signals: a signal must not leave the temporary file behind. */
  if (output.file != NULL) interrupt_catch_first();
  job->stream = output.stream;
  const struct batch_job batches = {model, &job->options, write_pair, job};
  code = batches_run(&batches, job->pairs, &output);
  write_none(job, job->pairs->number);
  return output_finish(&output, code, sentences_usable(job->pairs, code));
}

static int run(struct scored_pairs *job, struct models *models, const char *input,
               const char *output) {
  const struct operands no_texts = {0};
  int code = sentences_open(job->pairs, input, &no_texts);
  if (code != EX_OK) return code;
  code = models_open(models, &job->options);
  if (code == EX_OK) code = score_all(job, models->open[0], output);
  models_close(models);
  sentences_close(job->pairs);
  return code;
}

static int check_input(struct scored_pairs *job, struct pairs_input *input,
                       const struct operands *operands, const char **path) {
  if (operands->count > 1)
    return report_usage("score", "takes at most one file of PAIRS, not %zu", operands->count);
  *path = operands->count == 1 ? operands->words[0] : input->source;
  job->pairs->max_line = job->options.max_bytes;
  const int code = pairs_input_check_standard(input, NULL, "score", operands);
  if (code != EX_OK || input->source == NULL)
    return code != EX_OK ? code
                         : columns_parse(&job->pairs->source_column, &job->pairs->target_column,
                                         input->columns, "score");
  job->pairs->references_path = input->target;
  return EX_OK;
}

int score_command(int argc, char **argv) {
  struct sentence_input pairs = {0};
  struct scored_pairs job = {.options = elman_translate_options_default(), .pairs = &pairs};
  struct models models = {0};
  struct pairs_input input = {.columns = DEFAULT_COLUMNS};
  const char *output = NULL, *path = NULL;
  const struct option options[] = {
      MODELS_OPTION(models),
      PAIRS_FILES_OPTIONS(input),
      OUTPUT_OPTIONS(output, "scores"),
      {"json", 0, NULL, "one JSON object per line, with the tokens", .flag = &job.json},
      PRECISION_OPTION(job.options),
      MAX_BYTES_OPTION(job.options),
      THREADS_OPTION(job.options.threads),
      QUIET_OPTION("no messages except errors"),
      {0}};
  static const struct rule rules[] = {TWO_FILES_RULES, {0}};
  const struct usage usage = {
      "score",
      "[options] [PAIRS]",
      "Computes the log-probability of each target given its source. Reads PAIRS, or standard\n"
      "input, with one pair per line, source<TAB>target. Writes one line per pair: the\n"
      "log-probability (natural logarithm), the number of target tokens (</s> included), and\n"
      "the log-probability of each token.",
      options,
      rules,
      .reads_operands = true};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = check_input(&job, &input, &operands, &path);
  (void)library_options_given(models.given.rows, &usage, &operands);
  return code == EX_OK ? run(&job, &models, path, output) : code;
}
