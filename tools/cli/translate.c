/* elman translate */
#include <sysexits.h>
#include <unistd.h>

#include "commands.h"
#include "interrupt.h"
#include "messages.h"
#include "model_input.h"
#include "options.h"
#include "output.h"
#include "sentences.h"
#include "translate_lines.h"

static int open_and_translate(struct translate_lines *job, struct sentences *sentences,
                              const char *model_path, const char *output_path) {
  elman_model *model;
  int code = model_open(&model, model_path);
  if (code != EX_OK) return code;
  job->model = model;
  struct output output;
  code = output_open(&output, output_path);
  if (code == EX_OK) {
    /* A signal must not leave the temporary file behind. */
    if (output.file != NULL) interrupt_catch_first();
    if (!job->quiet && sentences->stream != NULL && isatty(fileno(sentences->stream)))
      note("a sentence a line; Ctrl-D ends");
    code = translate_lines(job, sentences, &output);
  }
  elman_model_free(model);
  return code;
}

int translate_command(int argc, char **argv) {
  struct translate_lines job = {.options = elman_translate_options_default()};
  const char *model = DEFAULT_MODEL, *input = NULL, *output = NULL;
  const struct option options[] = {
      MODEL_OPTION(model),
      {"input", 'i', "FILE", "sentences, one a line", "standard input", .text = &input},
      {"output", 'o', "FILE", "where the translations go", "standard output", .text = &output},
      {"max-length", 0, "N", "longest translation, in tokens", "2 S + 10 for S source tokens",
       .count = &job.options.max_length, .least = 1, .most = 1000000},
      {"json", 0, NULL, "a JSON object a line, with probability and tokens", .flag = &job.json},
      {"quiet", 'q', NULL, "print errors only", .flag = &job.quiet},
      {0}};
  const struct usage usage = {
      "translate", "[options] [TEXT...]",
      "Translates each TEXT, or each line of the input. One sentence in, one "
      "line out.",
      options};
  struct operands operands;
  struct sentences sentences;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = sentences_open(&sentences, usage.command, input, &operands);
  if (code != EX_OK) return code;
  code = open_and_translate(&job, &sentences, model, output);
  sentences_close(&sentences);
  return code;
}
