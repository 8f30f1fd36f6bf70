/* elman gradcheck */
#include <stdlib.h>
#include <sysexits.h>

#include "commands.h"
#include "console/json_output.h"
#include "console/messages.h"
#include "console/output.h"
#include "console/terminal.h"
#include "elman.h"
#include "input/model_input.h"
#include "options/command_line.h"
#include "options/library_options.h"

/* ---- for people ---- */

static void write_verdict(FILE *stream, const elman_checked_tensor *tensor, double step) {
  fprintf(stream, "  %s", elman_verdict_name(tensor->verdict));
  if (tensor->verdict != ELMAN_GRADIENT_KINK && tensor->kinks > 0)
    fprintf(stream, ", %zu at a kink", tensor->kinks);
  if (tensor->verdict != ELMAN_GRADIENT_KINK && tensor->step < step)
    fprintf(stream, ", steps down to %.0e", tensor->step);
}

static size_t count_verdict(const elman_gradient_report *report, elman_verdict verdict) {
  size_t count = 0;
  for (size_t i = 0; i < report->tensor_count; i++) count += report->tensors[i].verdict == verdict;
  return count;
}

static void write_conclusion(FILE *stream, const elman_gradient_report *report) {
  const size_t small = count_verdict(report, ELMAN_GRADIENT_TOO_SMALL);
  const size_t kinks = count_verdict(report, ELMAN_GRADIENT_KINK);
  if (report->worst == NULL)
    fputs("\nno gradient could be checked with this step", stream);
  else
    fprintf(stream, "\nlargest error %.1e, of %s: %s", report->worst->error, report->worst->name,
            report->failed      ? "not all gradients passed"
            : small + kinks > 0 ? "all gradients that could be checked passed"
                                : "all gradients passed");
  if (small > 0) fprintf(stream, "; too small to check: %zu", small);
  if (kinks > 0) fprintf(stream, "; at a kink: %zu", kinks);
  putc('\n', stream);
}

static void write_losses(FILE *stream, const elman_gradient_report *report) {
  fprintf(stream, "loss %.6g, the mean over %zu target token%s\n", report->loss, report->tokens,
          plural(report->tokens));
  if (report->linked > 0)
    fprintf(stream, "guided-alignment loss %.6g, the mean over %zu linked target token%s\n",
            report->guide_loss, report->linked, plural(report->linked));
  putc('\n', stream);
}

/* ---- for people and for programs ---- */

enum { NAMES = 32 };

static void write_tensor(struct json *json, const elman_checked_tensor *tensor, bool titles,
                         double step) {
  const char *none = tensor->tied_to != NULL ? "-" : NULL;
  const struct figure figures[] = {
      {"checked", "checked", .count = &tensor->checked, .width = 9, .words = none},
      {"kinks", .count = &tensor->kinks},
      {"step", .real = &tensor->step},
      {"analytic", "analytic", .real = &tensor->analytic, .format = "%.4e", .width = 11,
       .words = none},
      {"numerical", "numerical", .real = &tensor->numerical, .format = "%.4e", .width = 11,
       .words = none},
      {"error", "error", .real = &tensor->error, .format = "%.1e", .width = 9, .words = none},
      {0}};
  if (titles) tensor_write_titles(json, NAMES, figures);
  tensor_start(json, NAMES, tensor->name, tensor->rows, tensor->columns, tensor->dimensions);
  json_print(json, "verdict %s", elman_verdict_name(tensor->verdict));
  if (json->labels > 0 || tensor->tied_to == NULL) tensor_write_figures(json, figures);
  if (tensor->tied_to != NULL) {
    people_print(json, "  tied to %s", tensor->tied_to);
    json_print(json, "tied_to %s", tensor->tied_to);
  } else if (json->labels > 0) {
    write_verdict(json->stream, tensor, step);
  }
  people_print(json, "\n");
  json_print(json, "}");
}

static void write_report(const elman_gradient_report *report, bool as_json, double step) {
  struct json json = {.stream = stdout, .labels = as_json ? 0 : NAMES};
  if (!as_json) write_losses(stdout, report);
  json_print(&json, "{loss %g tokens %zu", report->loss, report->tokens);
  if (report->linked > 0)
    json_print(&json, " guide_loss %g linked %zu", report->guide_loss, report->linked);
  json_print(&json, " passed %d failed %d worst %s tensors [", report->passed, report->failed,
             report->worst == NULL ? NULL : report->worst->name);
  for (size_t i = 0; i < report->tensor_count; i++)
    write_tensor(&json, &report->tensors[i], i == 0, step);
  json_print(&json, "\n]}\n");
  if (!as_json) write_conclusion(stdout, report);
}

/* ---- the command ---- */

static bool show_progress(void *context, size_t done, size_t total) {
  struct progress *progress = context;
  if (progress_due(progress)) progress_draw(progress, "tensor %zu of %zu", done + 1, total);
  return true;
}

static void note_unknown(const elman_gradient_report *report) {
  if (report->unknown_source + report->unknown_target > 0)
    note("not in the vocabularies: %zu source and %zu target word%s", report->unknown_source,
         report->unknown_target, plural(report->unknown_target));
}

/* Run the check. The operands are source and target texts in alternation. */
static int check(const elman_model *model, const struct operands *operands,
                 elman_gradient_options *options, bool json) {
  const size_t pairs = operands->count / 2;
  const char **sources = calloc(operands->count, sizeof *sources), **targets = sources + pairs;
  if (sources == NULL) return report_no_memory();
  for (size_t i = 0; i < pairs; i++) {
    sources[i] = operands->words[2 * i];
    targets[i] = operands->words[2 * i + 1];
  }
  struct progress progress = progress_start();
  options->progress = show_progress;
  options->context = &progress;
  elman_error error;
  elman_gradient_report *found;
  const elman_status status =
      elman_gradient_check(&found, model, sources, targets, pairs, options, &error);
  progress_erase(&progress);
  free(sources);
  if (status != ELMAN_OK) return report_error(&error);
  note_unknown(found);
  write_report(found, json, options->step);
  const int code = output_end(found->failed ? EX_DATAERR : EX_OK);
  elman_gradient_report_free(found);
  return code;
}

/* Check that there is one alignment per pair. Choose a guide weight if none was given. */
static int apply_guide(elman_gradient_options *options, const struct option_list *guides,
                       const struct usage *usage, const struct operands *operands) {
  if (guides->count == 0) return EX_OK;
  if (guides->count != operands->count / 2)
    return report_usage(usage->command,
                        "--guide is given %zu time%s for %zu pair%s; give it once per pair, '' for "
                        "a pair without links",
                        guides->count, plural(guides->count), operands->count / 2,
                        plural(operands->count / 2));
  options->alignments = guides->words;
  if (!option_given(usage, operands, "guide-weight"))
    options->guide_weight = ELMAN_DEFAULT_GUIDE_WEIGHT;
  if (options->guide_weight > 0) return EX_OK;
  return report_usage(usage->command, "--guide has no effect with --guide-weight 0; remove both");
}

int gradcheck_command(int argc, char **argv) {
  elman_gradient_options choice = elman_gradient_options_default();
  struct option_list guides = {.count = 0};
  const char *model_path = DEFAULT_MODEL;
  bool json = false;
  const struct option options[] = {
      MODEL_OPTION(model_path),
      {"epsilon", 0, "H", "step of the central differences", .real = &choice.step, .lowest = 1e-12,
       .highest = 1},
      {"samples", 0, "N", "parameters to check per tensor, more for embeddings; 0 = all",
       .count = &choice.samples, .most = SIZE_MAX},
      {"tolerance", 0, "X", "maximum relative error of a gradient", .real = &choice.tolerance,
       .lowest = 0, .highest = 1},
      library_option(ELMAN_SCOPES_TRAIN, "dropout", &choice.dropout),
      library_option(ELMAN_SCOPES_TRAIN, "attention_dropout", &choice.attention_dropout),
      library_option(ELMAN_SCOPES_TRAIN, "label_smoothing", &choice.label_smoothing),
      {"guide", 0, "LINKS", "word alignment of a pair, such as '0-0 1-2'; repeat for each pair",
       .list = &guides, .most = MAX_LISTED},
      library_option(ELMAN_SCOPES_TRAIN, "guide_weight", &choice.guide_weight),
      SEED_OPTION(choice.seed, NULL, "random seed of the checked parameters and the dropout masks"),
      JSON_OPTION(json),
      {0}};
  const struct rule rules[] = {{"", "!SOURCE", "no sentence pair given; name SOURCE and TARGET"},
                               {"guide-weight", "!guide", "--guide-weight needs --guide"},
                               {0}};
  const struct usage usage = {
      "gradcheck",
      "[options] SOURCE TARGET [SOURCE TARGET...]",
      "Compares the gradients of back-propagation through time with numerical gradients,\n"
      "in double precision, on a sentence pair or a batch of pairs. The exit code is 65 if\n"
      "a gradient fails.",
      options,
      rules,
      .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  if (operands.count % 2 != 0) return report_usage(usage.command, "the last SOURCE has no TARGET");
  code = apply_guide(&choice, &guides, &usage, &operands);
  if (code != EX_OK) return code;
  elman_model *model;
  code = model_open(&model, model_path);
  if (code != EX_OK) return code;
  code = check(model, &operands, &choice, json);
  elman_model_free(model);
  return code;
}
