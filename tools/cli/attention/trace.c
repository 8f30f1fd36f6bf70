/* elman trace */
#include <string.h>
#include <sysexits.h>

#include "attention/trace_text.h"
#include "commands.h"
#include "console/json_output.h"
#include "console/messages.h"
#include "console/output.h"
#include "elman.h"
#include "input/model_input.h"
#include "options/command_line.h"

static const struct {
  const char *name, *suffix;
} rows[] = {{"text", ".txt"}, {"json", ".json"}, {"svg", ".svg"}, {"html", ".html"}};

enum { ROWS = sizeof rows / sizeof *rows };

static const char *format_choice(size_t index) {
  return index < ROWS ? rows[index].name : drawn_format_name(index - ROWS);
}

static const char *format_suffix(size_t index) {
  return index < ROWS ? rows[index].suffix : drawn_format_suffix(index - ROWS);
}

static const struct formats formats = {format_choice, format_suffix};

struct trace_job {
  const char *model, *format, *output;
  size_t step;
  bool json;
};

static int write_as(FILE *stream, const elman_gradient_trace *trace, const struct trace_job *job) {
  elman_error error;
  elman_status status = ELMAN_OK;
  if (strcmp(job->format, "text") == 0) {
    trace_write_text(stream, trace, job->step);
  } else if (strcmp(job->format, "json") == 0) {
    putc('{', stream);
    elman_trace_write_json(stream, trace, false, JSON_DIGITS);
    fputs("}\n", stream);
  } else {
    status = elman_trace_draw(stream, trace, format_written(job->format), &error);
  }
  return status == ELMAN_OK ? EX_OK : report_error(&error);
}

static int write_trace(const elman_gradient_trace *trace, const struct trace_job *job) {
  struct output output;
  int code = output_open_as(&output, job->output, job->format);
  if (code != EX_OK) return code;
  code = write_as(output.stream, trace, job);
  return output_finish(&output, code, code == EX_OK);
}

int trace_command(int argc, char **argv) {
  struct trace_job job = {.model = DEFAULT_MODEL};
  const struct option options[] = {
      MODEL_OPTION(job.model),
      OUTPUT_OPTIONS(job.output, "norms"),
      {"format", 0, "FORMAT", "output format", "by the suffix of --output, or text",
       .text = &job.format, .choice = format_choice},
      {"from-step", 0, "T", "target token whose loss is differentiated", "mean over all tokens",
       .count = &job.step, .least = 1, .most = SIZE_MAX},
      JSON_OPTION(job.json),
      {0}};
  const struct rule rules[] = {{"", "!2", "give one SOURCE and one TARGET"},
                               {"json", "format", "--json and --format cannot be combined"},
                               {0}};
  const struct usage usage = {
      "trace",
      "[options] SOURCE TARGET",
      "Prints the norm of the gradient of the loss at every time step of encoder and\n"
      "decoder, before and after the nonlinearities of the cell. The norms show how far\n"
      "gradients propagate back. Also prints the proportion of saturated units.",
      options,
      rules,
      .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  if (job.json) job.format = "json";
  code = format_choose(&job.format, &formats, job.output);
  if (code != EX_OK) return code;
  if (job.format == NULL) job.format = "text";
  code = format_check_terminal(usage.command, job.format, job.output);
  if (code != EX_OK) return code;
  elman_model *model;
  code = model_open(&model, job.model);
  if (code != EX_OK) return code;
  elman_error error;
  elman_gradient_trace *trace = NULL;
  const elman_status status =
      elman_trace(&trace, model, operands.words[0], operands.words[1], job.step, &error);
  code = status == ELMAN_OK ? write_trace(trace, &job) : report_error(&error);
  elman_trace_free(trace);
  elman_model_free(model);
  return code;
}
