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
#include "options/library_options.h"

/* ---- content ---- */

enum { TRAINING = ELMAN_SCOPE_TRAINING | ELMAN_SCOPE_END };

/* Return the name of the row that has no effect; NULL if every row has an effect. If batches are
 * limited by tokens, the batch size in sentences has no effect. */
static const char *idle_row(const elman_train_settings *training) {
  return training->batch_tokens > 0 ? "batch_size" : NULL;
}

static int name_width(const elman_model *model, size_t tensors) {
  size_t width = 32;
  for (size_t i = 0; i < tensors; i++) {
    const size_t length = strlen(elman_model_get_tensor(model, i).name);
    if (length > width) width = length;
  }
  return (int)width;
}

static void write_tensors(struct json *json, const elman_model *model, size_t tensors) {
  const int width = name_width(model, tensors);
  for (size_t i = 0; i < tensors; i++) {
    const elman_tensor_info tensor = elman_model_get_tensor(model, i);
    const struct figure figures[] = {
        {"mean", "mean", .real = &tensor.mean, .format = "%.4g", .width = 11},
        {"deviation", "deviation", .real = &tensor.deviation, .format = "%.4g", .width = 11},
        {"minimum", "minimum", .real = &tensor.minimum, .format = "%.4g", .width = 11},
        {"maximum", "maximum", .real = &tensor.maximum, .format = "%.4g", .width = 11},
        {0}};
    if (i == 0) tensor_write_titles(json, width, figures);
    tensor_start(json, width, tensor.name, tensor.rows, tensor.columns, tensor.dimensions);
    tensor_write_figures(json, figures);
    people_print(json, "\n");
    json_print(json, "}");
  }
}

enum { TYPES_SIZE = 64 };

/* Format the types of the numbers in the file, separated by commas. */
static void format_types(char text[TYPES_SIZE], const elman_model *model, size_t tensors) {
  text[0] = '\0';
  for (size_t type = 0; elman_number_type_name(type) != NULL; type++) {
    size_t i = 0;
    while (i < tensors && elman_model_get_tensor(model, i).type != (elman_number_type)type) i++;
    const size_t used = strlen(text);
    if (i < tensors)
      snprintf(text + used, TYPES_SIZE - used, "%s%s", used > 0 ? ", " : "",
               elman_number_type_name(type));
  }
}

static void write_history(struct json *json, const elman_history *history) {
  char words[128] = "none";
  if (history->updates > 0)
    snprintf(words, sizeof words,
             "%" PRIu64 " epoch%s, %" PRIu64 " update%s, %" PRIu64 " target token%s",
             history->epochs, plural(history->epochs), history->updates, plural(history->updates),
             history->tokens, plural(history->tokens));
  const struct figure figures[] = {{NULL, "training", .words = words},
                                   {"epochs", .number = &history->epochs},
                                   {"updates", .number = &history->updates},
                                   {"tokens", .number = &history->tokens},
                                   {0}};
  figures_write(json, figures);
}

/* Write the sizes of the vocabularies and the normalization of their text. In JSON, write the
 * normalization first. */
static void write_sides(struct json *json, const elman_model_info *info) {
  const struct figure sizes[] = {
      {"source_vocabulary", "source vocabulary", .count = &info->source_vocabulary},
      {"target_vocabulary", "target vocabulary", .count = &info->target_vocabulary},
      {"source_merges", "source merges", .count = &info->source_merges, .quiet_zero = true},
      {"target_merges", "target merges", .count = &info->target_merges, .quiet_zero = true},
      {0}};
  const struct figure texts[] = {
      {"source_script", "source script",
       .text = info->source_script == NULL ? "none" : info->source_script},
      {"target_script", "target script",
       .text = info->target_script == NULL ? "none" : info->target_script},
      {"source_normalization", "source text",
       .text = elman_normalization_name(info->source_normalization)},
      {"target_normalization", "target text",
       .text = elman_normalization_name(info->target_normalization)},
      {0}};
  figures_write(json, json->labels > 0 ? sizes : texts);
  figures_write(json, json->labels > 0 ? texts : sizes);
}

static void write_model(const elman_model *model, bool as_json) {
  const elman_model_info info = elman_model_get_info(model);
  char types[TYPES_SIZE];
  format_types(types, model, info.tensors);
  const struct figure parameters[] = {{"parameters", "parameters", .count = &info.parameters},
                                      {"number_type", "number type", .text = types},
                                      {"search_precision", "translation precision",
                                       .text = elman_precision_name(info.translate_precision)},
                                      {"search_beam", "beam size", .count = &info.search.beam,
                                       .words = info.search.beam == 0 ? "none stored" : NULL},
                                      {"search_length_penalty", "length penalty",
                                       .real = &info.search.length_penalty, .format = "%g",
                                       .words = info.search.beam == 0 ? "none stored" : NULL},
                                      {0}};
  struct json json = {.stream = stdout, .labels = as_json ? 0 : 26};
  json_print(&json, "{version %s", info.version);
  library_options_write(&json, ELMAN_SCOPE_MODEL, &info, NULL);
  write_sides(&json, &info);
  figures_write(&json, parameters);
  json_print(&json, "training {");
  /* Exclude the normalization, because the lines "source text" and "target text" already show
   * it. */
  if (!as_json) library_options_write(&json, ELMAN_SCOPE_START, &info, "normalization");
  write_history(&json, &info.history);
  if (as_json) library_options_write(&json, ELMAN_SCOPE_START, &info, NULL);
  library_options_write(&json, TRAINING, &info.training, idle_row(&info.training));
  people_print(&json, "%-26s elman %s\n\n", "written by", info.version);
  json_print(&json, "} tensors [");
  write_tensors(&json, model, info.tensors);
  json_print(&json, "\n]}\n");
}

/* ---- option file of a training run ---- */

/* Write hyperparameters as lines of an option file. If `differing` is true, write those that differ
 * from the defaults; otherwise write the others as comments. */
static void write_settings(FILE *stream, const elman_model_info *info, bool differing) {
  elman_model_options model = elman_model_options_default();
  const elman_train_options train = elman_train_options_default();
  /* Without these options, the names of the files would determine the languages. */
  model.source_language = model.target_language = (elman_language){"?"};
  const char *start = differing ? "" : "# ";
  library_options_config(stream, start, ELMAN_SCOPE_MODEL | ELMAN_SCOPE_START, info,
                         &(struct config_choice){&model, differing});
  library_options_config(stream, start, TRAINING, &info->training,
                         &(struct config_choice){&train, differing});
}

static void write_config(FILE *stream, const elman_model *model) {
  elman_model_info info = elman_model_get_info(model);
  /* Other mechanisms have one head, and refuse the option. */
  if (strcmp(info.attention, "multihead") != 0) info.attention_heads = 0;
  const elman_history history = info.history;
  fprintf(stream,
          "# Settings of a training run, for 'elman train --config FILE PAIRS...'; elman %s\n",
          info.version);
  fputs("# The model does not record PAIRS, dev, guide, init-from and output.\n"
        "# Add them here or on the command line.\n",
        stream);
  fprintf(stream, "# It was trained for %" PRIu64 " update%s and %" PRIu64 " complete epoch%s.\n",
          history.updates, plural(history.updates), history.epochs, plural(history.epochs));
  fprintf(stream, "%sepochs = %" PRIu64 "\n",
          history.updates > 0 && history.epochs == 0 ? "# " : "", history.epochs);
  if (info.search.beam > 0) fputs("tune-search = on\n", stream);
  write_settings(stream, &info, true);
  fputs("# Default values:\n", stream);
  write_settings(stream, &info, false);
}

/* ---- vocabularies ---- */

/* Return an additional column for a token if another token has the same text. */
static const char *boundary_suffix(elman_boundary joint) {
  static const char *const suffixes[] = {[ELMAN_BOUNDARY_DEFAULT] = "",
                                         [ELMAN_BOUNDARY_SPACE] = "\tafter a space",
                                         [ELMAN_BOUNDARY_NONE] = "\tjoined"};
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
    fprintf(stream, "%s\n", boundary_suffix(elman_model_get_boundary(model, of, id)));
  }
}

int inspect_command(int argc, char **argv) {
  const char *model_path = DEFAULT_MODEL, *vocabulary = NULL;
  bool json = false, config = false;
  const struct option options[] = {
      MODEL_OPTION(model_path),
      {"vocabulary", 0, "SIDE", "list of the tokens of a vocabulary", .text = &vocabulary,
       .choice = text_side_name},
      {"config", 0, NULL,
       "options of the training run, one 'name = value' per line, for 'train --config'",
       .flag = &config},
      JSON_OPTION(json),
      {0}};
  const struct rule rules[] = {
      {"FILE", "", "unexpected '%s'; name the model with -m FILE"},
      {"json", "vocabulary", "--json and --vocabulary cannot be combined"},
      {"config", "json vocabulary", "--config cannot be combined with --json or --vocabulary"},
      {0}};
  const struct usage usage = {"inspect", "[options]", "Shows the contents of a model file.",
                              options,   rules,       .reads_operands = false};
  struct operands operands;
  int code;
  if (!options_parse(&usage, argc, argv, &operands, &code)) return code;
  elman_model *model;
  code = model_open(&model, model_path);
  if (code != EX_OK) return code;
  if (vocabulary != NULL)
    write_vocabulary(stdout, model, vocabulary);
  else if (config)
    write_config(stdout, model);
  else
    write_model(model, json);
  elman_model_free(model);
  return output_end(EX_OK);
}
