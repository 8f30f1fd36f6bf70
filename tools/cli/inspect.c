/* elman inspect */
#include <inttypes.h>
#include <string.h>
#include <sysexits.h>

#include "commands.h"
#include "elman.h"
#include "json_output.h"
#include "messages.h"
#include "model_input.h"
#include "options.h"
#include "output.h"
#include "visible.h"

/* ---- for people ---- */

static const char *yes_or_no(bool flag) {
  return flag ? "yes" : "no";
}

static void write_self_attention(FILE *stream, const char *where, size_t heads, bool plain) {
  if (heads == 0) return;
  fprintf(stream, "self-attention     %s, %zu head%s%s\n", where, heads, heads == 1 ? "" : "s",
          plain ? ", without projections" : "");
}

static int name_width(const elman_model *model, size_t tensors) {
  size_t width = 32;
  for (size_t i = 0; i < tensors; i++) {
    const size_t length = strlen(elman_model_get_tensor(model, i).name);
    if (length > width) width = length;
  }
  return (int)width;
}

static void write_text(FILE *stream, const elman_model *model, const elman_history *history) {
  const elman_model_info info = elman_model_get_info(model);
  fprintf(stream, "embedding size     %zu\n", info.embedding_size);
  fprintf(stream, "hidden size        %zu\n", info.hidden_size);
  fprintf(stream, "layers             %zu\n", info.layers);
  fprintf(stream, "bidirectional      %s\n", yes_or_no(info.bidirectional));
  fprintf(stream, "attention          %s", info.attention);
  if (info.heads > 1) fprintf(stream, ", %zu heads", info.heads);
  if (info.attention_window > 0) fprintf(stream, ", window of %zu", info.attention_window);
  putc('\n', stream);
  write_self_attention(stream, "encoder", info.encoder_self_attention, info.plain_self_attention);
  write_self_attention(stream, "decoder", info.decoder_self_attention, info.plain_self_attention);
  fprintf(stream, "attentional layer  %s\n", yes_or_no(info.attentional_layer));
  fprintf(stream, "input feeding      %s\n", yes_or_no(info.input_feeding));
  fprintf(stream, "tied embeddings    %s\n", yes_or_no(info.tie_embeddings));
  fprintf(stream, "source vocabulary  %zu, text split into %s\n", info.source_vocabulary,
          elman_token_mode_name(info.source_tokens));
  fprintf(stream, "target vocabulary  %zu, text split into %s\n", info.target_vocabulary,
          elman_token_mode_name(info.target_tokens));
  fprintf(stream, "source text        %s\n", elman_normalization_name(info.source_normalization));
  fprintf(stream, "target text        %s\n", elman_normalization_name(info.target_normalization));
  fprintf(stream, "parameters         %zu\n", info.parameters);
  if (history->updates > 0)
    fprintf(stream,
            "training           %" PRIu64 " epoch%s, %" PRIu64 " update%s, %" PRIu64
            " target token%s\n",
            history->epochs, plural(history->epochs), history->updates, plural(history->updates),
            history->tokens, plural(history->tokens));
  else
    fputs("training           none, or a file too old to tell\n", stream);
  putc('\n', stream);
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

static void write_flag(FILE *stream, const char *key, bool flag) {
  fprintf(stream, ",\"%s\":%s", key, flag ? "true" : "false");
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

static void write_json(FILE *stream, const elman_model *model, const elman_history *history) {
  const elman_model_info info = elman_model_get_info(model);
  fprintf(stream, "{\"embedding_size\":%zu,\"hidden_size\":%zu,\"layers\":%zu", info.embedding_size,
          info.hidden_size, info.layers);
  write_flag(stream, "bidirectional", info.bidirectional);
  fputs(",\"attention\":", stream);
  write_json_string(stream, info.attention);
  fprintf(stream, ",\"attention_heads\":%zu,\"attention_window\":%zu", info.heads,
          info.attention_window);
  fprintf(stream, ",\"encoder_self_attention\":%zu,\"decoder_self_attention\":%zu",
          info.encoder_self_attention, info.decoder_self_attention);
  write_flag(stream, "plain_self_attention", info.plain_self_attention);
  write_flag(stream, "attentional_layer", info.attentional_layer);
  write_flag(stream, "input_feeding", info.input_feeding);
  write_flag(stream, "tie_embeddings", info.tie_embeddings);
  fputs(",\"source_tokens\":", stream);
  write_json_string(stream, elman_token_mode_name(info.source_tokens));
  fputs(",\"target_tokens\":", stream);
  write_json_string(stream, elman_token_mode_name(info.target_tokens));
  fputs(",\"source_normalization\":", stream);
  write_json_string(stream, elman_normalization_name(info.source_normalization));
  fputs(",\"target_normalization\":", stream);
  write_json_string(stream, elman_normalization_name(info.target_normalization));
  fprintf(stream, ",\"source_vocabulary\":%zu,\"target_vocabulary\":%zu,\"parameters\":%zu",
          info.source_vocabulary, info.target_vocabulary, info.parameters);
  fprintf(stream,
          ",\"training\":{\"epochs\":%" PRIu64 ",\"updates\":%" PRIu64 ",\"tokens\":%" PRIu64 "}",
          history->epochs, history->updates, history->tokens);
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

static int read_history(elman_history *history, const char *path) {
  elman_error error;
  return elman_model_read_history(history, path, &error) == ELMAN_OK ? EX_OK : report_error(&error);
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
  elman_history history;
  struct output output;
  code = read_history(&history, model_path);
  if (code == EX_OK) code = output_open(&output, NULL);
  if (code == EX_OK) {
    if (vocabulary != NULL)
      write_vocabulary(output.stream, model, vocabulary);
    else
      (json ? write_json : write_text)(output.stream, model, &history);
    code = output_close(&output, EX_OK);
  }
  elman_model_free(model);
  return code;
}
