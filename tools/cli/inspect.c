/* elman inspect */
#include <inttypes.h>
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "elman.h"
#include "hyperparameters.h"
#include "json_output.h"
#include "messages.h"
#include "model_input.h"
#include "options.h"
#include "output.h"
#include "visible.h"

/* ---- for people ---- */

enum { TRAINING = ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END };

static void write_size(FILE *stream, const char *label, size_t size) {
  fprintf(stream, "%-26s %zu\n", label, size);
}

static int name_width(const elman_model *model, size_t tensors) {
  size_t width = 32;
  for (size_t i = 0; i < tensors; i++) {
    const size_t length = strlen(elman_model_get_tensor(model, i).name);
    if (length > width) width = length;
  }
  return (int)width;
}

static void write_text(FILE *stream, const elman_model *model) {
  const elman_model_info info = elman_model_get_info(model);
  print_hyperparameters(stream, ELMAN_SCOPE_MODEL, &info);
  write_size(stream, "source vocabulary", info.source_vocabulary);
  write_size(stream, "target vocabulary", info.target_vocabulary);
  fprintf(stream, "%-26s %s\n", "source text",
          elman_normalization_name(info.source_normalization));
  fprintf(stream, "%-26s %s\n", "target text",
          elman_normalization_name(info.target_normalization));
  write_size(stream, "parameters", info.parameters);
  if (info.start_known) print_hyperparameters(stream, ELMAN_SCOPE_START, &info);
  if (info.history.updates > 0)
    fprintf(stream,
            "%-26s %" PRIu64 " epoch%s, %" PRIu64 " update%s, %" PRIu64 " target token%s\n", "training",
            info.history.epochs, plural(info.history.epochs), info.history.updates,
            plural(info.history.updates), info.history.tokens, plural(info.history.tokens));
  else
    fprintf(stream, "%-26s none, or a file too old to tell\n", "training");
  if (info.training != NULL) print_hyperparameters(stream, TRAINING, info.training);
  fprintf(stream, "%-26s elman %s\n\n", "written by", info.version);
  const int width = name_width(model, info.tensors);
  fprintf(stream, "%-*s %13s %11s %11s %11s %11s\n", width, "tensor", "shape", "mean", "deviation",
          "minimum", "maximum");
  for (size_t i = 0; i < info.tensors; i++) {
    const elman_tensor_info tensor = elman_model_get_tensor(model, i);
    char shape[48];
    snprintf(shape, sizeof shape, tensor.dimensions == 1 ? "%zu" : "%zu x %zu", tensor.rows,
             tensor.columns);
    fprintf(stream, "%-*s %13s %11.4g %11.4g %11.4g %11.4g\n", width, tensor.name, shape,
            tensor.mean, tensor.deviation, tensor.minimum, tensor.maximum);
  }
}

/* ---- for programs ---- */

static void write_number(FILE *stream, const char *key, double number) {
  fprintf(stream, ",\"%s\":", key);
  write_json_number(stream, number);
}

static void write_tensor(FILE *stream, const elman_tensor_info *tensor) {
  fputs("{\"name\":", stream);
  write_json_string(stream, tensor->name);
  fprintf(stream, ",\"shape\":[%zu", tensor->rows);
  if (tensor->dimensions == 2) fprintf(stream, ",%zu", tensor->columns);
  putc(']', stream);
  write_number(stream, "mean", tensor->mean);
  write_number(stream, "deviation", tensor->deviation);
  write_number(stream, "minimum", tensor->minimum);
  write_number(stream, "maximum", tensor->maximum);
  putc('}', stream);
}

/* What the model has learnt from, and how, as far as its file tells. */
static void write_training(FILE *stream, const elman_model_info *info) {
  fprintf(stream,
          ",\"training\":{\"epochs\":%" PRIu64 ",\"updates\":%" PRIu64 ",\"tokens\":%" PRIu64,
          info->history.epochs, info->history.updates, info->history.tokens);
  if (info->start_known) write_json_hyperparameters(stream, ELMAN_SCOPE_START, info);
  if (info->training != NULL) write_json_hyperparameters(stream, TRAINING, info->training);
  putc('}', stream);
}

static void write_json(FILE *stream, const elman_model *model) {
  const elman_model_info info = elman_model_get_info(model);
  fprintf(stream, "{\"version\":");
  write_json_string(stream, info.version);
  write_json_hyperparameters(stream, ELMAN_SCOPE_MODEL, &info);
  fprintf(stream, ",\"source_normalization\":\"%s\",\"target_normalization\":\"%s\"",
          elman_normalization_name(info.source_normalization),
          elman_normalization_name(info.target_normalization));
  fprintf(stream, ",\"source_vocabulary\":%zu,\"target_vocabulary\":%zu,\"parameters\":%zu",
          info.source_vocabulary, info.target_vocabulary, info.parameters);
  write_training(stream, &info);
  fputs(",\"tensors\":[", stream);
  for (size_t i = 0; i < info.tensors; i++) {
    const elman_tensor_info tensor = elman_model_get_tensor(model, i);
    fputs(i == 0 ? "\n  " : ",\n  ", stream);
    write_tensor(stream, &tensor);
  }
  fputs("\n]}\n", stream);
}

/* ---- vocabularies ---- */

static const char *side_name(size_t index) {
  static const char *const names[] = {"source", "target"};
  return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

/* A column more where one text is two tokens. */
static const char *joint_suffix(elman_joint joint) {
  static const char *const suffixes[] = {[ELMAN_JOINT_EXPECTED] = "",
                                         [ELMAN_JOINT_SPACED] = "\tafter a space",
                                         [ELMAN_JOINT_JOINED] = "\tjoined"};
  return suffixes[joint];
}

static void write_vocabulary(FILE *stream, const elman_model *model, const char *side) {
  const elman_model_info info = elman_model_get_info(model);
  const bool source = strcmp(side, side_name(ELMAN_SOURCE)) == 0;
  const size_t tokens = source ? info.source_vocabulary : info.target_vocabulary;
  const elman_side of = source ? ELMAN_SOURCE : ELMAN_TARGET;
  for (size_t id = 0; id < tokens; id++) {
    size_t length;
    uint64_t count;
    const char *token = elman_model_get_token(model, of, id, &length, &count);
    fprintf(stream, "%zu\t%" PRIu64 "\t", id, count);
    print_visible(stream, token, length);
    fprintf(stream, "%s\n", joint_suffix(elman_model_get_joint(model, of, id)));
  }
}

int inspect_command(int argc, char **argv) {
  const char *model_path = DEFAULT_MODEL, *vocabulary = NULL;
  bool json = false;
  const struct option options[] = {MODEL_OPTION(model_path),
                                   {"vocabulary", 0, "SIDE",
                                    "list a vocabulary: id, count, token, how it is joined",
                                    .text = &vocabulary, .choice = side_name},
                                   {"json", 0, NULL, "print one JSON object", .flag = &json},
                                   {0}};
  const struct usage usage = {"inspect", "[options]", "Shows what a model file holds.", options};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  if (operands.count > 0)
    return report_usage(usage.command, "unexpected '%s'; -m FILE names the model",
                        operands.words[0]);
  if (json && vocabulary != NULL)
    return report_usage(usage.command, "--json and --vocabulary do not go together");

  elman_model *model;
  code = model_open(&model, model_path);
  if (code != EX_OK) return code;
  struct output output;
  code = output_open(&output, NULL);
  if (code == EX_OK) {
    if (vocabulary != NULL)
      write_vocabulary(output.stream, model, vocabulary);
    else
      (json ? write_json : write_text)(output.stream, model);
    code = output_close(&output, EX_OK);
  }
  elman_model_free(model);
  return code;
}
