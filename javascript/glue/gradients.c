/* Gradients of a pair. */
#include "glue.h"

static json_t *doubles(const double *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, number_json(values[i]));
  return list;
}

static json_t *double_matrix(const double *values, size_t rows, size_t columns) {
  json_t *list = json_array();
  for (size_t i = 0; i < rows; i++)
    json_array_append_new(list, doubles(values + i * columns, columns));
  return list;
}

static json_t *strings(const char *const *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(values[i]));
  return list;
}

/* Read a request for gradients of a pair. `of` is the field of the method, such as "step". */
static elman_status read_pair(struct object **model, const char **source, const char **target,
                              struct field of, const json_t *request, elman_error *error) {
  size_t number = 0;
  const struct field fields[] = {OBJECT_FIELD("model", number),
                                 {.name = "source", .needed = true, .text = source},
                                 {.name = "target", .needed = true, .text = target},
                                 of};
  const elman_status status = READ_FIELDS(fields, request, "", error);
  return status == ELMAN_OK ? object_get(model, number, MODEL, "model", error) : status;
}

elman_status method_trace(json_t **result, const json_t *request, elman_error *error) {
  enum { MAX_STEP = 1000000 };
  struct object *model;
  size_t step = 0;
  const char *source, *target;
  elman_gradient_trace *trace;
  elman_status status =
      read_pair(&model, &source, &target,
                (struct field){.name = "step", .count = &step, .most = MAX_STEP}, request, error);
  if (status == ELMAN_OK) status = elman_trace(&trace, model->model, source, target, step, error);
  if (status != ELMAN_OK) return status;
  json_t *layers = json_array();
  for (size_t i = 0; i < trace->layer_count; i++) {
    const elman_traced_layer *layer = &trace->layers[i];
    json_array_append_new(
        layers, json_pack("{s:s,s:I,s:b,s:I,s:o,s:o,s:o,s:o}", "side",
                          layer->side == ELMAN_SOURCE ? "source" : "target", "layer",
                          (json_int_t)layer->layer, "reverse", layer->reverse, "units",
                          (json_int_t)layer->units, "states", doubles(layer->states, layer->steps),
                          "inputs", doubles(layer->inputs, layer->steps), "saturated",
                          doubles(layer->saturated, layer->steps), "hidden",
                          double_matrix(layer->hidden, layer->steps, layer->units)));
  }
  *result = json_pack("{s:o,s:o,s:o,s:o,s:o}", "loss", number_json(trace->loss), "source_tokens",
                      strings(trace->source_tokens, trace->source_count), "target_tokens",
                      strings(trace->target_tokens, trace->target_count), "losses",
                      doubles(trace->losses, trace->target_count), "layers", layers);
  elman_trace_free(trace);
  return ELMAN_OK;
}

elman_status method_gradient_check(json_t **result, const json_t *request, elman_error *error) {
  struct object *model;
  elman_gradient_report *report;
  elman_gradient_options options = elman_gradient_options_default();
  const char *source, *target;
  const json_t *given = NULL;
  const struct field fields[] = {
      {.name = "samples", .count = &options.samples, .most = (double)SIZE_MAX}};
  elman_status status =
      read_pair(&model, &source, &target, (struct field){.name = "options", .object = &given},
                request, error);
  if (status == ELMAN_OK) status = READ_FIELDS(fields, given, "", error);
  if (status == ELMAN_OK)
    status = elman_gradient_check(&report, model->model, &source, &target, 1, &options, error);
  if (status != ELMAN_OK) return status;
  json_t *tensors = json_array();
  for (size_t i = 0; i < report->tensor_count; i++) {
    const elman_checked_tensor *tensor = &report->tensors[i];
    json_array_append_new(
        tensors,
        json_pack("{s:s,s:I,s:I,s:I,s:o,s:o,s:o,s:s}", "name", tensor->name, "rows",
                  (json_int_t)tensor->rows, "columns", (json_int_t)tensor->columns, "checked",
                  (json_int_t)tensor->checked, "analytic", number_json(tensor->analytic),
                  "numerical", number_json(tensor->numerical), "error", number_json(tensor->error),
                  "verdict", elman_verdict_name(tensor->verdict)));
  }
  *result = json_pack("{s:o,s:b,s:b,s:o}", "loss", number_json(report->loss), "passed",
                      report->passed, "failed", report->failed, "tensors", tensors);
  elman_gradient_report_free(report);
  return ELMAN_OK;
}
