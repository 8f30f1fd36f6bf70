/* elman gradcheck */
#include <stdlib.h>
#include <sysexits.h>

#include "commands.h"
#include "elman.h"
#include "json_output.h"
#include "messages.h"
#include "model_input.h"
#include "options.h"
#include "output.h"
#include "progress.h"

/* ---- for people ---- */

static void write_row(FILE *stream, const elman_checked_tensor *tensor) {
  char shape[48];
  snprintf(shape, sizeof shape, tensor->dimensions == 1 ? "%zu" : "%zu x %zu", tensor->rows,
           tensor->columns);
  fprintf(stream, "%-32s %13s ", tensor->name, shape);
  if (tensor->tied_to != NULL)
    fprintf(stream, "%9s %11s %11s %9s  tied to %s\n", "-", "-", "-", "-", tensor->tied_to);
  else
    fprintf(stream, "%9zu %11.4e %11.4e %9.1e  %s\n", tensor->checked, tensor->norm,
            tensor->measured, tensor->error, elman_verdict_name(tensor->verdict));
}

static size_t count_unmeasured(const elman_gradient_report *report) {
  size_t count = 0;
  for (size_t i = 0; i < report->tensor_count; i++)
    count += report->tensors[i].verdict == ELMAN_GRADIENT_ROUNDING;
  return count;
}

static void write_text(FILE *stream, const elman_gradient_report *report) {
  fprintf(stream, "loss %.6g, the mean over %zu target token%s\n\n", report->loss, report->tokens,
          report->tokens == 1 ? "" : "s");
  fprintf(stream, "%-32s %13s %9s %11s %11s %9s\n", "tensor", "shape", "checked", "derived",
          "measured", "error");
  for (size_t i = 0; i < report->tensor_count; i++) write_row(stream, &report->tensors[i]);
  if (report->worst == NULL) {
    fputs("\nno gradient is large enough to be measured with this step\n", stream);
    return;
  }
  fprintf(stream, "\nlargest error %.1e, of %s: %s", report->worst->error, report->worst->name,
          report->right ? "the gradients are right" : "not all gradients are right");
  if (count_unmeasured(report) > 0)
    fprintf(stream, "; too small to be measured: %zu", count_unmeasured(report));
  putc('\n', stream);
}

/* ---- for programs ---- */

static void write_number(FILE *stream, const char *key, double number) {
  fprintf(stream, ",\"%s\":", key);
  write_json_number(stream, number);
}

static void write_text_value(FILE *stream, const char *key, const char *text) {
  fprintf(stream, ",\"%s\":", key);
  if (text == NULL)
    fputs("null", stream);
  else
    write_json_string(stream, text);
}

static void write_tensor(FILE *stream, const elman_checked_tensor *tensor) {
  fputs("{\"name\":", stream);
  write_json_string(stream, tensor->name);
  fprintf(stream, ",\"shape\":[%zu", tensor->rows);
  if (tensor->dimensions == 2) fprintf(stream, ",%zu", tensor->columns);
  putc(']', stream);
  write_text_value(stream, "verdict", elman_verdict_name(tensor->verdict));
  if (tensor->tied_to != NULL) {
    write_text_value(stream, "tied_to", tensor->tied_to);
  } else {
    fprintf(stream, ",\"checked\":%zu", tensor->checked);
    write_number(stream, "derived", tensor->norm);
    write_number(stream, "measured", tensor->measured);
    write_number(stream, "error", tensor->error);
  }
  putc('}', stream);
}

static void write_json(FILE *stream, const elman_gradient_report *report) {
  fputs("{\"loss\":", stream);
  write_json_number(stream, report->loss);
  fprintf(stream, ",\"tokens\":%zu,\"right\":%s", report->tokens, report->right ? "true" : "false");
  write_text_value(stream, "worst", report->worst == NULL ? NULL : report->worst->name);
  fputs(",\"tensors\":[", stream);
  for (size_t i = 0; i < report->tensor_count; i++) {
    fputs(i == 0 ? "\n  " : ",\n  ", stream);
    write_tensor(stream, &report->tensors[i]);
  }
  fputs("\n]}\n", stream);
}

/* ---- the command ---- */

static bool show_progress(void *context, size_t done, size_t total) {
  struct progress *progress = context;
  if (progress_due(progress)) progress_draw(progress, "tensor %zu of %zu", done + 1, total);
  return true;
}

static void note_unknown(const elman_gradient_report *report) {
  if (report->unknown_source + report->unknown_target > 0)
    note("not in the vocabularies: %zu source and %zu target words", report->unknown_source,
         report->unknown_target);
}

static int write_report(const elman_gradient_report *report, bool json) {
  struct output output;
  const int code = output_open(&output, NULL);
  if (code != EX_OK) return code;
  note_unknown(report);
  (json ? write_json : write_text)(output.stream, report);
  return output_close(&output, report->right ? EX_OK : EX_DATAERR);
}

/* Operands are source and target in turn. */
static int check(const elman_model *model, const struct operands *operands,
                 elman_gradient_options *options, bool json) {
  const size_t pairs = operands->count / 2;
  const char **sources = calloc(operands->count, sizeof *sources), **targets = sources + pairs;
  if (sources == NULL) {
    report(NULL, "out of memory");
    return EX_OSERR;
  }
  for (size_t i = 0; i < pairs; i++) {
    sources[i] = operands->words[2 * i];
    targets[i] = operands->words[2 * i + 1];
  }
  struct progress progress = progress_start(false);
  options->progress = show_progress;
  options->context = &progress;
  elman_error error;
  elman_gradient_report *found;
  const elman_status status =
      elman_gradient_check(&found, model, sources, targets, pairs, options, &error);
  progress_erase(&progress);
  free(sources);
  if (status != ELMAN_OK) return report_error(&error);
  const int code = write_report(found, json);
  elman_gradient_report_free(found);
  return code;
}

int gradcheck_command(int argc, char **argv) {
  elman_gradient_options choice = elman_gradient_options_default();
  const char *model_path = DEFAULT_MODEL;
  bool json = false;
  const struct option options[] = {
      MODEL_OPTION(model_path),
      {"epsilon", 0, "H", "how far a weight is moved, up and down", .real = &choice.step,
       .lowest = 1e-12, .highest = 1},
      {"samples", 0, "N", "weights to try of each tensor; 0 = all", .count = &choice.samples,
       .most = SIZE_MAX},
      {"tolerance", 0, "X", "the largest error of a right gradient", .real = &choice.tolerance,
       .lowest = 0, .highest = 1},
      {"dropout", 0, "P", "drop this share, as in training, by one fixed mask",
       .real = &choice.dropout, .lowest = 0, .highest = 0.99},
      {"attention-dropout", 0, "P", "the same for attention weights",
       .real = &choice.attention_dropout, .highest = 0.99},
      {"label-smoothing", 0, "P", "spread this share of the target, as in training",
       .real = &choice.label_smoothing, .lowest = 0, .highest = 0.99},
      {"seed", 0, "N", "chooses weights and mask", .seed = &choice.seed},
      {"json", 0, NULL, "print one JSON object", .flag = &json},
      {0}};
  const struct usage usage = {
      "gradcheck", "[options] SOURCE TARGET [SOURCE TARGET...]",
      "Checks the gradients of a model on a pair, or on a batch of pairs: those of\n"
      "back-propagation through time against differences of the loss, in double.\n"
      "Exits with 65 if one is wrong.",
      options};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  if (operands.count == 0 || operands.count % 2 != 0)
    return report_usage(usage.command, operands.count == 0 ? "name a SOURCE and its TARGET"
                                                           : "a SOURCE is without its TARGET");
  elman_model *model;
  code = model_open(&model, model_path);
  if (code != EX_OK) return code;
  code = check(model, &operands, &choice, json);
  elman_model_free(model);
  return code;
}
