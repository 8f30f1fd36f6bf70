/* elman attention */
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "attention_matrices.h"
#include "commands.h"
#include "interrupt.h"
#include "messages.h"
#include "model_input.h"
#include "options.h"
#include "output.h"
#include "search_options.h"
#include "sentences.h"
#include "terminal.h"

struct job {
  elman_translate_options options;
  const char *format;
  elman_text_style style;
};

static int write_one(const struct job *job, elman_translator *translator,
                     const struct sentences *sentences, struct sentence sentence,
                     struct output *output) {
  elman_error error;
  elman_translation *translation = NULL;
  elman_status status = elman_translate(&translation, translator, sentence.text, sentence.length,
                                        &job->options, &error);
  for (const elman_translation *next = translation; next != NULL && status == ELMAN_OK;
       next = next->next)
    status = elman_attention_write(output->stream, next, job->format, &job->style, &error);
  output_flush(output);
  elman_translation_free(translation);
  return status == ELMAN_OK ? EX_OK : sentences_report(sentences, sentence.number, &error);
}

static int write_all(const struct job *job, elman_translator *translator,
                     struct sentences *sentences, struct output *output) {
  struct sentence sentence;
  int code = EX_OK;
  while (output->problem == 0 && sentences_next(sentences, &sentence, &code)) {
    const int result = write_one(job, translator, sentences, sentence, output);
    if (result != EX_OK) code = result;
    if (result != EX_OK && result != EX_DATAERR) break;
  }
  return code;
}

static int write_with(const struct job *job, const elman_model *model, struct sentences *sentences,
                      const char *path) {
  elman_error error;
  elman_translator *translator;
  if (elman_translator_create(&translator, model, &error) != ELMAN_OK) return report_error(&error);
  struct output output;
  int code = output_open(&output, path);
  if (code == EX_OK) {
    /* A signal must not leave the temporary file behind. */
    if (output.file != NULL) interrupt_catch_first();
    code = write_all(job, translator, sentences, &output);
    if (code == EX_OK || code == EX_DATAERR)
      code = output_close(&output, code);
    else
      output_abandon(&output);
  }
  elman_translator_free(translator);
  return code;
}

/* Chooses what was left open; gives an exit code. */
static int settle_format(struct job *job, const char *path, const char *command) {
  const bool to_stdout = path == NULL || strcmp(path, "-") == 0;
  if (job->format == NULL && !to_stdout) job->format = elman_format_of_path(path);
  if (job->format == NULL) job->format = elman_format_name(0);
  if (strcmp(job->format, "npy") == 0 && to_stdout && isatty(STDOUT_FILENO))
    return report_usage(command, "npy is not text for a terminal; name a file by -o FILE");
  job->style.color = to_stdout && terminal_has_color(STDOUT_FILENO);
  return EX_OK;
}

int attention_command(int argc, char **argv) {
  struct job job = {.options = elman_translate_options_default()};
  const char *model_path = DEFAULT_MODEL, *input = NULL, *output = NULL;
  struct matrices_options matrices = matrices_options_default();
  const struct option options[] = {
      MODEL_OPTION(model_path),
      {"input", 'i', "FILE", "sentences, one a line", "standard input", .text = &input},
      {"output", 'o', "FILE", "where the matrices go", "standard output", .text = &output},
      {"format", 0, "FORMAT", "how they are written", "by the suffix of --output, or text",
       .text = &job.format, .choice = elman_format_name},
      {"reference", 0, "TEXT", "force this translation; for one sentence",
       .text = &job.options.reference},
      SEARCH_OPTIONS(job.options),
      MATRICES_OPTIONS(matrices),
      {0}};
  const struct usage usage = {
      "attention", "[options] [TEXT...]",
      "Translates each TEXT, or each line of the input, and shows how much each target\n"
      "word attended to each source word: a matrix for each translation.\n\n"
      "elman attention --matrices [options] QUERIES KEYS VALUES\n\n"
      "Attention on matrices of numbers, without a model: prints scores, weights and\n"
      "context. The files are .npy, or text with a row a line; one file is all three.",
      options};
  struct operands operands;
  struct sentences sentences;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  code = matrices_options_check(&matrices, &usage, &operands);
  if (code != EX_OK) return code;
  if (matrices.wanted) return attention_matrices(&matrices, &usage, &operands, job.format, output);
  if (job.options.reference != NULL && operands.count != 1)
    return report_usage(usage.command, "--reference needs exactly one TEXT");
  if (job.options.reference != NULL && option_given(&usage, &operands, "n-best"))
    return report_usage(usage.command, "--reference forces one translation; leave out --n-best");
  if (output_is(output, model_path) || output_is(output, input))
    return report_usage(usage.command, "--output: '%s' is read; name another file", output);
  code = search_options_settle(&job.options, &usage, &operands);
  if (code != EX_OK) return code;
  code = settle_format(&job, output, usage.command);
  if (code == EX_OK) code = sentences_open(&sentences, usage.command, input, &operands);
  if (code != EX_OK) return code;
  elman_model *model;
  code = model_open(&model, model_path);
  if (code == EX_OK) {
    code = write_with(&job, model, &sentences, output);
    elman_model_free(model);
  }
  sentences_close(&sentences);
  return code;
}
