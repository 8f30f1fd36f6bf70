/* elman subwords learn, apply, show */
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "console/line_reader.h"
#include "console/messages.h"
#include "console/output.h"
#include "elman.h"
#include "input/model_input.h"
#include "options/command_line.h"

/* First line of BPE codes. subword-nmt before 0.2 wrote codes that are applied differently. */
static const char VERSION_LINE[] = "#version: 0.2";
enum {
  MAX_BYTES = 1 << 28,
  MAX_CODE_BYTES = 1 << 20
}; /* maximum bytes of a text line, and of a line of BPE codes */

struct subword_job {
  elman_subwords *subwords;
  elman_model *opened_model; /* model whose tokens are used to encode text */
  const char *codes, *model, *input, *output;
  unsigned side;
  size_t merges;
  bool headed; /* the version line has been read */
  bool opened;
  struct output out;
};

/* Process line `number`, counted from 1. */
typedef elman_status line_function(struct subword_job *job, const struct line *line, size_t number,
                                   elman_error *error);

static int for_each_line(struct subword_job *job, const char *path, size_t most,
                         line_function *handle) {
  struct line_reader lines;
  struct line line;
  int code = line_reader_open(&lines, path, most);
  if (code != EX_OK) return code;
  while (code == EX_OK && job->out.problem == 0 && line_reader_next(&lines, &line, &code)) {
    elman_error error;
    if (line.length > most) {
      report(lines.name, "line %zu has more than %zu bytes", lines.number, most);
      code = EX_DATAERR;
    } else if (handle(job, &line, lines.number, &error) != ELMAN_OK) {
      report(lines.name, "line %zu: %s", lines.number, error.message);
      code = exit_code_of(error.code);
    } else if (job->opened && !line_reader_ready(&lines)) {
      (void)output_flush(&job->out); /* the writer of the input may wait for this line */
    }
  }
  line_reader_close(&lines);
  return code;
}

static elman_status count_line(struct subword_job *job, const struct line *line, size_t number,
                               elman_error *error) {
  (void)number;
  return elman_subwords_count_line(job->subwords, line->text, line->length, error);
}

static elman_status add_merge(struct subword_job *job, const struct line *line, size_t number,
                              elman_error *error) {
  if (number > 1) return elman_subwords_add_merge(job->subwords, line->text, line->length, error);
  job->headed = true;
  if (line->length == strlen(VERSION_LINE) && memcmp(line->text, VERSION_LINE, line->length) == 0)
    return ELMAN_OK;
  *error = (elman_error){.code = ELMAN_BAD_DATA};
  snprintf(error->message, sizeof error->message,
           "expected '%s', the first line of the BPE codes of subword-nmt since version 0.2",
           VERSION_LINE);
  return error->code;
}

/* ---- the output ---- */

static int open_output(struct subword_job *job) {
  const int code = output_open(&job->out, job->output);
  job->opened = code == EX_OK;
  /* Catch signals: a signal must not leave the temporary file behind. */
  if (job->opened && job->out.file != NULL) interrupt_catch_first();
  return code;
}

/* Write a line. The output stores a write error and reports it when it is closed. */
static void write_line(struct subword_job *job, const char *line) {
  if (fprintf(job->out.stream, "%s\n", line) < 0) (void)output_flush(&job->out);
}

static elman_status apply_line(struct subword_job *job, const struct line *line, size_t number,
                               elman_error *error) {
  (void)number;
  const char *split;
  const elman_status status =
      elman_subwords_apply(&split, job->subwords, line->text, line->length, error);
  if (status == ELMAN_OK) write_line(job, split);
  return status;
}

static elman_status encode_line(struct subword_job *job, const struct line *line, size_t number,
                                elman_error *error) {
  (void)number;
  elman_encoding *encoding;
  const elman_status status = elman_encode(&encoding, job->opened_model, (elman_side)job->side,
                                           line->text, line->length, error);
  if (status != ELMAN_OK) return status;
  for (size_t i = 0; i < encoding->count; i++)
    fprintf(job->out.stream, "%s%s",
            i == 0                ? ""
            : encoding->joined[i] ? "@@ "
                                  : " ",
            encoding->tokens[i]);
  elman_encoding_free(encoding);
  write_line(job, "");
  return ELMAN_OK;
}

static int write_merges(struct subword_job *job) {
  int code = open_output(job);
  if (code == EX_OK) write_line(job, VERSION_LINE);
  for (size_t i = 0; code == EX_OK && i < elman_subwords_merges(job->subwords); i++) {
    elman_error error;
    const char *line;
    if (elman_subwords_get_merge(&line, job->subwords, i, &error) == ELMAN_OK)
      write_line(job, line);
    else
      code = report_error(&error);
  }
  return code;
}

/* Load a model and add its merge operations. run() frees the model. */
static int add_model(struct subword_job *job) {
  elman_error error;
  const int code = model_open(&job->opened_model, job->model);
  if (code != EX_OK) return code;
  const elman_status status =
      elman_subwords_add_model(job->subwords, job->opened_model, (elman_side)job->side, &error);
  return status == ELMAN_OK ? EX_OK : report_error(&error);
}

/* ---- commands ---- */

static int learn(struct subword_job *job, const struct operands *operands) {
  elman_error error;
  int code = operands->count == 0 ? for_each_line(job, NULL, MAX_BYTES, count_line) : EX_OK;
  for (size_t i = 0; code == EX_OK && i < operands->count; i++)
    code = for_each_line(job, operands->words[i], MAX_BYTES, count_line);
  if (code != EX_OK) return code;
  if (elman_subwords_learn(job->subwords, job->merges, &error) != ELMAN_OK)
    return report_error(&error);
  const size_t learned = elman_subwords_merges(job->subwords);
  if (learned < job->merges)
    note("%zu merge operation%s: no other pair of subwords occurs twice", learned, plural(learned));
  return write_merges(job);
}

static int apply(struct subword_job *job, const struct operands *operands) {
  (void)operands;
  int code = job->codes != NULL ? for_each_line(job, job->codes, MAX_CODE_BYTES, add_merge)
                                : add_model(job);
  if (code == EX_OK && job->codes != NULL && !job->headed) {
    report(job->codes, "is empty; BPE codes were expected");
    code = EX_DATAERR;
  }
  if (code == EX_OK) code = open_output(job);
  if (code != EX_OK) return code;
  return for_each_line(job, job->input, MAX_BYTES, job->codes != NULL ? apply_line : encode_line);
}

static int show(struct subword_job *job, const struct operands *operands) {
  (void)operands;
  const int code = add_model(job);
  return code == EX_OK ? write_merges(job) : code;
}

static int run(struct subword_job *job, const struct operands *operands,
               int (*work)(struct subword_job *job, const struct operands *operands)) {
  elman_error error;
  int code = job->output != NULL ? output_check(job->output) : EX_OK;
  if (code != EX_OK) return code;
  code = elman_subwords_create(&job->subwords, &error) == ELMAN_OK ? work(job, operands)
                                                                   : report_error(&error);
  elman_subwords_free(job->subwords);
  elman_model_free(job->opened_model);
  if (!job->opened) return code;
  /* After an error, keep the existing file instead of overwriting it with incomplete output. */
  return output_finish(&job->out, code, code == EX_OK || job->out.file == NULL);
}

#define SIDE_OPTION(job)                                                                           \
  OPTION("side", 0, "SIDE", "side of the model", .index = &(job).side, .choice = text_side_name)

int subwords_learn_command(int argc, char **argv) {
  struct subword_job job = {.merges = 8000};
  const struct option options[] = {{"merges", 'n', "N", "maximum number of merge operations",
                                    .count = &job.merges, .least = 1, .most = 1000000},
                                   OUTPUT_OPTIONS(job.output, "BPE codes"),
                                   QUIET_OPTION("no messages except errors"),
                                   {0}};
  const struct usage usage = {
      "subwords learn",
      "[options] [FILE...]",
      "Learns BPE merge operations from words separated by spaces, as subword-nmt's learn-bpe\n"
      "does, and writes them as BPE codes. Reads standard input if no FILE is given.",
      options,
      NULL,
      .reads_operands = true};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  return run(&job, &operands, learn);
}

int subwords_apply_command(int argc, char **argv) {
  struct subword_job job = {.side = ELMAN_TARGET};
  const struct option options[] = {
      {"codes", 'c', "FILE", "BPE codes of 'subwords learn' or subword-nmt", .text = &job.codes,
       .use = FILE_IS_READ},
      {"model", 'm', "FILE", "model with bpe tokenization, in place of --codes", .text = &job.model,
       .use = FILE_IS_READ},
      SIDE_OPTION(job),
      INPUT_OPTION(job.input),
      OUTPUT_OPTIONS(job.output, "subwords"),
      QUIET_OPTION("no messages except errors"),
      {0}};
  const struct rule rules[] = {{"codes", "model", "--codes and --model cannot be combined"},
                               {"", "!codes model", "give --codes or --model"},
                               {"side", "!model", "--side needs --model"},
                               {"FILE", "", "unexpected '%s'; name the text with --input"},
                               {0}};
  const struct usage usage = {
      "subwords apply",
      "[options] -c FILE|-m FILE",
      "Splits words separated by spaces into subwords, as subword-nmt's apply-bpe does: '@@ '\n"
      "follows each subword except the last one of a word. With --model, the model first\n"
      "normalizes and tokenizes the text; this separates punctuation from words. In this case,\n"
      "'@@ ' follows each token that has no space after it in the text.",
      options,
      rules,
      .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  return run(&job, &operands, apply);
}

int subwords_show_command(int argc, char **argv) {
  struct subword_job job = {.side = ELMAN_TARGET, .model = DEFAULT_MODEL};
  const struct option options[] = {MODEL_OPTION(job.model),
                                   SIDE_OPTION(job),
                                   OUTPUT_OPTIONS(job.output, "BPE codes"),
                                   QUIET_OPTION("no messages except errors"),
                                   {0}};
  const struct rule rules[] = {{"FILE", "", "unexpected '%s'; name the model with -m FILE"}, {0}};
  const struct usage usage = {
      "subwords show",
      "[options]",
      "Writes the merge operations of a model with bpe tokenization as BPE codes, for\n"
      "'subwords apply' and subword-nmt. 'inspect --vocabulary' lists the subwords.",
      options,
      rules,
      .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  return run(&job, &operands, show);
}
