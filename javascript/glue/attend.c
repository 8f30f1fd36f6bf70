/* Attention of a pair in numbers: states, scores, weights and contexts. */
#include <stdlib.h>
#include <string.h>

#include "glue.h"

/* The states that attention reads: queries (T,H) and keys (S,H). */
struct states {
  float *queries, *keys;
};

static void states_free(struct states *states) {
  free(states->queries);
  free(states->keys);
}

/* Add the states of a layer to the columns of its direction. */
static void add_layer(float *into, const elman_traced_layer *layer, size_t width) {
  const size_t from = layer->reverse ? width - layer->units : 0;
  for (size_t t = 0; t < layer->steps; t++)
    for (size_t i = 0; i < layer->units; i++)
      into[t * width + from + i] += (float)layer->hidden[t * layer->units + i];
}

/* Attention reads the last layer or, with residual connections, the sum of all layers. */
static elman_status read_states(struct states *states, const elman_gradient_trace *trace,
                                const elman_model_info *info, elman_error *error) {
  const size_t width = info->hidden_size;
  states->queries = calloc(trace->target_count * width, sizeof *states->queries);
  states->keys = calloc(trace->source_count * width, sizeof *states->keys);
  if (states->queries == NULL || states->keys == NULL)
    return request_fail(error, ELMAN_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < trace->layer_count; i++) {
    const elman_traced_layer *layer = &trace->layers[i];
    if (layer->layer + 1 == info->layers || info->residual)
      add_layer(layer->side == ELMAN_SOURCE ? states->keys : states->queries, layer, width);
  }
  return ELMAN_OK;
}

void forget_parameters(struct object *model) {
  elman_attention_parameters_free(model->attention);
  model->attention = NULL;
  model->attention_count = 0;
}

/* Read the parameters of the attention, if it has any, unless they are known. The file "model",
 * which elman.mjs removes, passes them on: writing it takes longer than all of the rest. */
static elman_status read_parameters(struct object *model, const elman_model_info *info,
                                    elman_error *error) {
  elman_tensor first;
  if (model->attention != NULL ||
      !elman_attention_parameter(&first, info->attention, info->hidden_size, 0))
    return ELMAN_OK;
  const elman_status status = elman_model_save(model->model, "model", error);
  return status != ELMAN_OK
             ? status
             : elman_attention_parameters_load(&model->attention, &model->attention_count, "model",
                                               info->attention, info->hidden_size, error);
}

/* Compute attention on the states with the parameters of the model. */
static elman_status attend(elman_attention_output **output, struct object *model,
                           const elman_model_info *info, const struct states *states,
                           const elman_gradient_trace *trace, elman_error *error) {
  elman_attention_options options = elman_attention_options_default();
  options.mechanism = info->attention;
  options.heads = info->attention_heads;
  options.window = info->attention_window;
  const elman_status status = read_parameters(model, info, error);
  if (status != ELMAN_OK) return status;
  const elman_attention_input input = {.query_count = trace->target_count,
                                       .key_count = trace->source_count,
                                       .width = info->hidden_size,
                                       .queries = states->queries,
                                       .keys = states->keys,
                                       .values = states->keys,
                                       .parameters = model->attention,
                                       .parameter_count = model->attention_count};
  return elman_attention_forward(output, &input, &options, error);
}

/* ---- the answer ---- */

static void write_numbers(FILE *answer, const float *values, size_t count) {
  enum { FLOAT_DIGITS = 9 };
  fputc('[', answer);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) fputc(',', answer);
    elman_write_json_number(answer, values[i], FLOAT_DIGITS);
  }
  fputc(']', answer);
}

static void write_matrix(FILE *answer, const float *values, size_t rows, size_t columns) {
  fputc('[', answer);
  for (size_t row = 0; row < rows; row++) {
    if (row > 0) fputc(',', answer);
    write_numbers(answer, values + row * columns, columns);
  }
  fputc(']', answer);
}

static void write_heads(FILE *answer, const float *values, const elman_attention_output *output) {
  const size_t rows = output->query_count, columns = output->key_count;
  fputc('[', answer);
  for (size_t head = 0; head < output->heads; head++) {
    if (head > 0) fputc(',', answer);
    write_matrix(answer, values + head * rows * columns, rows, columns);
  }
  fputc(']', answer);
}

static void write_tokens(FILE *answer, const char *const *tokens, size_t count) {
  fputc('[', answer);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) fputc(',', answer);
    elman_write_json_text(answer, tokens[i]);
  }
  fputc(']', answer);
}

static void write_attention(FILE *answer, const elman_gradient_trace *trace,
                            const struct states *states, const elman_attention_output *output,
                            size_t width) {
  fputs("{\"result\":{\"source_tokens\":", answer);
  write_tokens(answer, trace->source_tokens, trace->source_count);
  fputs(",\"target_tokens\":", answer);
  write_tokens(answer, trace->target_tokens, trace->target_count);
  fputs(",\"keys\":", answer);
  write_matrix(answer, states->keys, trace->source_count, width);
  fputs(",\"queries\":", answer);
  write_matrix(answer, states->queries, trace->target_count, width);
  fputs(",\"scores\":", answer);
  write_heads(answer, output->scores, output);
  fputs(",\"weights\":", answer);
  write_heads(answer, output->weights, output);
  fputs(",\"contexts\":", answer);
  write_matrix(answer, output->context, output->query_count, output->value_width);
  fputs("}}", answer);
}

/* Self-attention changes the states between the recurrent layers and this attention, and segments
 * of clauses need the text. */
static elman_status check_model(const elman_model_info *info, elman_error *error) {
  if (info->encoder_self_attention > 0 || info->decoder_self_attention > 0)
    return request_fail(error, ELMAN_INVALID_ARGUMENT,
                        "the model has self-attention; attend() needs a model without it");
  if (info->clause_segments)
    return request_fail(error, ELMAN_INVALID_ARGUMENT,
                        "the model has clause segments; attend() needs a model without them");
  return ELMAN_OK;
}

elman_status write_attend(FILE *answer, const json_t *request, elman_error *error) {
  struct object *model;
  size_t number = 0;
  const char *source, *target;
  struct states states = {0};
  elman_gradient_trace *trace = NULL;
  elman_attention_output *output = NULL;
  const struct field fields[] = {OBJECT_FIELD("model", number),
                                 {.name = "source", .needed = true, .text = &source},
                                 {.name = "target", .needed = true, .text = &target}};
  elman_status status = READ_FIELDS(fields, request, error);
  if (status == ELMAN_OK) status = object_get(&model, number, MODEL, "model", error);
  if (status != ELMAN_OK) return status;
  const elman_model_info info = elman_model_get_info(model->model);
  status = check_model(&info, error);
  if (status == ELMAN_OK) status = elman_trace(&trace, model->model, source, target, 0, error);
  if (status == ELMAN_OK) status = read_states(&states, trace, &info, error);
  if (status == ELMAN_OK) status = attend(&output, model, &info, &states, trace, error);
  if (status == ELMAN_OK) write_attention(answer, trace, &states, output, info.hidden_size);
  states_free(&states);
  elman_attention_output_free(output);
  elman_trace_free(trace);
  return status;
}
