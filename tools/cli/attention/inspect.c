/* elman inspect */
#include <inttypes.h>
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "console/json_output.h"
#include "console/messages.h"
#include "console/output.h"
#include "elman.h"
#include "input/model_input.h"
#include "options/command_line.h"
#include "options/hyperparameters.h"

/* ---- for people ---- */

enum { TRAINING = ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END };

/* What a batch is counted in, the other number says nothing beside. */
static const char *idle_row(const elman_train_settings *training) {
  return training->batch_tokens > 0 ? "batch_size" : NULL;
}

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
  print_hyperparameters(stream, ELMAN_SCOPE_MODEL, &info, NULL);
  write_size(stream, "source vocabulary", info.source_vocabulary);
  write_size(stream, "target vocabulary", info.target_vocabulary);
  if (info.source_merges > 0) write_size(stream, "source merges", info.source_merges);
  if (info.target_merges > 0) write_size(stream, "target merges", info.target_merges);
  fprintf(stream, "%-26s %s\n", "source text", elman_normalization_name(info.source_normalization));
  fprintf(stream, "%-26s %s\n", "target text", elman_normalization_name(info.target_normalization));
  write_size(stream, "parameters", info.parameters);
  /* The lines of the two texts show the normalization. */
  if (info.start_known) print_hyperparameters(stream, ELMAN_SCOPE_START, &info, "normalization");
  if (info.history.updates > 0)
    fprintf(stream, "%-26s %" PRIu64 " epoch%s, %" PRIu64 " update%s, %" PRIu64 " target token%s\n",
            "training", info.history.epochs, plural(info.history.epochs), info.history.updates,
            plural(info.history.updates), info.history.tokens, plural(info.history.tokens));
  else
    fprintf(stream, "%-26s none, or a file too old to tell\n", "training");
  if (info.training != NULL)
    print_hyperparameters(stream, TRAINING, info.training, idle_row(info.training));
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

static void write_json(FILE *stream, const elman_model *model) {
  const elman_model_info info = elman_model_get_info(model);
  struct json json = {.stream = stream};
  json_print(&json, "{version %s", info.version);
  json_hyperparameters(&json, ELMAN_SCOPE_MODEL, &info, NULL);
  json_print(&json,
             "source_normalization %s target_normalization %s source_vocabulary %zu "
             "target_vocabulary %zu source_merges %zu target_merges %zu parameters %zu training "
             "{epochs %" PRIu64 " updates %" PRIu64 " tokens %" PRIu64,
             elman_normalization_name(info.source_normalization),
             elman_normalization_name(info.target_normalization), info.source_vocabulary,
             info.target_vocabulary, info.source_merges, info.target_merges, info.parameters,
             info.history.epochs, info.history.updates, info.history.tokens);
  if (info.start_known) json_hyperparameters(&json, ELMAN_SCOPE_START, &info, NULL);
  if (info.training != NULL)
    json_hyperparameters(&json, TRAINING, info.training, idle_row(info.training));
  json_print(&json, "} tensors [");
  for (size_t i = 0; i < info.tensors; i++) {
    const elman_tensor_info tensor = elman_model_get_tensor(model, i);
    json_print(&json, "\n{name %s", tensor.name);
    json_shape(&json, tensor.rows, tensor.columns, tensor.dimensions);
    json_print(&json, "mean %g deviation %g minimum %g maximum %g}", tensor.mean, tensor.deviation,
               tensor.minimum, tensor.maximum);
  }
  json_print(&json, "\n]}\n");
}

/* ---- for training again ---- */

/* Lines of hyperparameters, of those that differ from the defaults or of the others. */
static void write_settings(FILE *stream, const elman_model_info *info, bool differing) {
  const elman_model_options model = elman_model_options_default();
  const elman_train_options train = elman_train_options_default();
  const unsigned of_model = ELMAN_SCOPE_MODEL | (info->start_known ? ELMAN_SCOPE_START : 0);
  const char *start = differing ? "" : "# ";
  config_hyperparameters(stream, start, of_model, info, &(struct config_choice){&model, differing});
  if (info->training != NULL)
    config_hyperparameters(stream, start, TRAINING, info->training,
                           &(struct config_choice){&train, differing});
}

static void write_config(FILE *stream, const elman_model *model) {
  const elman_model_info info = elman_model_get_info(model);
  const elman_history history = info.history;
  fprintf(stream, "# The training of a model, for 'elman train --config FILE PAIRS...'; elman %s\n",
          info.version);
  fputs("# The model does not tell where its pairs were, nor whether there were dev, guide and\n"
        "# init-from: add these, and output, here or on the command line.\n",
        stream);
  if (!info.start_known || (info.training == NULL && history.updates > 0))
    fputs("# Its file is too old to tell all settings.\n", stream);
  else if (info.training == NULL)
    fputs("# It is as it was made: its seed is not known.\n", stream);
  fprintf(stream, "# It has had %" PRIu64 " update%s, in %" PRIu64 " whole epoch%s.\n",
          history.updates, plural(history.updates), history.epochs, plural(history.epochs));
  fprintf(stream, "%sepochs = %" PRIu64 "\n",
          history.updates > 0 && history.epochs == 0 ? "# " : "", history.epochs);
  write_settings(stream, &info, true);
  fputs("# As by default:\n", stream);
  write_settings(stream, &info, false);
}

/* ---- vocabularies ---- */

/* A column more where one text is two tokens. */
static const char *joint_suffix(elman_joint joint) {
  static const char *const suffixes[] = {[ELMAN_JOINT_EXPECTED] = "",
                                         [ELMAN_JOINT_SPACED] = "\tafter a space",
                                         [ELMAN_JOINT_JOINED] = "\tjoined"};
  return suffixes[joint];
}

static void write_vocabulary(FILE *stream, const elman_model *model, const char *side) {
  const elman_model_info info = elman_model_get_info(model);
  const bool source = strcmp(side, text_side_name(ELMAN_SOURCE)) == 0;
  const size_t tokens = source ? info.source_vocabulary : info.target_vocabulary;
  const elman_side of = source ? ELMAN_SOURCE : ELMAN_TARGET;
  for (size_t id = 0; id < tokens; id++) {
    size_t length;
    uint64_t count;
    const char *token = elman_model_get_token(model, of, id, &length, &count);
    fprintf(stream, "%zu\t%" PRIu64 "\t", id, count);
    print_visible_bytes(stream, token, length);
    fprintf(stream, "%s\n", joint_suffix(elman_model_get_joint(model, of, id)));
  }
}

int inspect_command(int argc, char **argv) {
  const char *model_path = DEFAULT_MODEL, *vocabulary = NULL;
  bool json = false, config = false;
  const struct option options[] = {
      MODEL_OPTION(model_path),
      {"vocabulary", 0, "SIDE", "list a vocabulary: id, count, token, how it is joined",
       .text = &vocabulary, .choice = text_side_name},
      {"config", 0, NULL, "print a file for 'train --config' that repeats the training",
       .flag = &config},
      JSON_OPTION(json),
      {0}};
  const struct rule rules[] = {
      {"FILE", "", "unexpected '%s'; -m FILE names the model"},
      {"json", "vocabulary", "--json and --vocabulary do not go together"},
      {"config", "json vocabulary", "--config goes neither with --json nor with --vocabulary"},
      {0}};
  const struct usage usage = {"inspect", "[options]", "Shows what a model file holds.",
                              options,   rules,       .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  elman_model *model;
  code = model_open(&model, model_path);
  if (code != EX_OK) return code;
  if (vocabulary != NULL)
    write_vocabulary(stdout, model, vocabulary);
  else
    (config ? write_config : json ? write_json : write_text)(stdout, model);
  elman_model_free(model);
  return output_end(EX_OK);
}
