/* Gradients of a pair. */
#include "glue.h"

/* Read a request for gradients of a pair. `of` is the field of the method, such as "step". */
static elman_status read_pair(struct object **model, const char **source, const char **target,
                              struct field of, const json_t *request, elman_error *error) {
  size_t number = 0;
  const struct field fields[] = {OBJECT_FIELD("model", number),
                                 {.name = "source", .needed = true, .text = source},
                                 {.name = "target", .needed = true, .text = target},
                                 of};
  const elman_status status = READ_FIELDS(fields, request, error);
  return status == ELMAN_OK ? object_get(model, number, MODEL, "model", error) : status;
}

elman_status write_trace(FILE *answer, const json_t *request, elman_error *error) {
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
  fputs("{\"result\":{", answer);
  elman_trace_write_json(answer, trace, true, DIGITS);
  fputs("}}", answer);
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
  if (status == ELMAN_OK) status = READ_FIELDS(fields, given, error);
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
