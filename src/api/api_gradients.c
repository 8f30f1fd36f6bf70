#include <stdlib.h>

#include "api/call.h"
#include "model/gradient_report.h"

/* Return the number of multiplications in the largest matrix product of a pass. It is the product
 * of the output layer. */
static double network_product(const struct model *model, const struct batch *batch) {
  return (double)batch->tokens * (double)model->config.target_vocabulary *
         (double)model->weights.decoder.sizes.features;
}

/* ---- the gradient check ---- */

const char *elman_verdict_name(elman_verdict verdict) {
  static const char *const names[] = {"passed", "too small", "failed", "tied", "kink"};
  return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : NULL;
}

elman_gradient_options elman_gradient_options_default(void) {
  return (elman_gradient_options){.step = 1e-5, .tolerance = 1e-7, .samples = 50, .seed = 1};
}

/* ---- options ---- */

static elman_status check_probability(const char *name, double value, elman_error *error) {
  if (value >= 0 && value < 1) return ELMAN_OK;
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the %s must be at least 0 and below 1, not %g",
              name, value);
}

static elman_status check_options(const elman_gradient_options *options, elman_error *error) {
  elman_status status = check_range("step", options->step, 1e-12, 1, error);
  if (status == ELMAN_OK) status = check_range("tolerance", options->tolerance, 0, 1, error);
  if (status == ELMAN_OK) status = check_probability("dropout", options->dropout, error);
  if (status == ELMAN_OK)
    status = check_probability("attention dropout", options->attention_dropout, error);
  if (status == ELMAN_OK)
    status = check_probability("label smoothing", options->label_smoothing, error);
  if (status == ELMAN_OK)
    status = check_range("guide weight", options->guide_weight, 0, 1000, error);
  if (status == ELMAN_OK && (options->guide_weight > 0) != (options->alignments != NULL))
    status = fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "a guide weight and alignments must be given together");
  return status;
}

static elman_status check_gradients(elman_gradient_report **report, const struct model *model,
                                    const struct pair_batch *texts,
                                    const elman_gradient_options *options, elman_error *error) {
  const float *tensors[MAX_PARAMETERS];
  struct gradient_check check;
  model_tensors(tensors, model);
  const elman_status status =
      gradient_check_run(&check, &model->config, tensors, &texts->batch, options, error);
  if (status != ELMAN_OK) return status;
  struct gradient_report *owned = malloc(sizeof *owned);
  if (owned == NULL) return fail_no_memory(error);
  gradient_report_fill(owned, model, &check, texts);
  *report = &owned->outer;
  return ELMAN_OK;
}

elman_status elman_gradient_check(elman_gradient_report **report, const elman_model *model,
                                  const char *const *sources, const char *const *targets,
                                  size_t count, const elman_gradient_options *options,
                                  elman_error *error) {
  const elman_gradient_options defaults = elman_gradient_options_default();
  if (options == NULL) options = &defaults;
  const struct model *inner = inner_model_const(model);
  struct pair_batch texts = {0};
  *report = NULL;
  elman_status status = check_options(options, error);
  if (status == ELMAN_OK)
    status = pair_batch_fill(&texts, inner, sources, targets, options->alignments, count, error);
  struct surroundings before;
  if (status == ELMAN_OK) status = enter(&before, 0, network_product(inner, &texts.batch), error);
  if (status == ELMAN_OK) {
    status = check_gradients(report, inner, &texts, options, error);
    leave(before);
  }
  pair_batch_free(&texts);
  return status;
}

void elman_gradient_report_free(elman_gradient_report *report) {
  free(report);
}

/* ---- the trace ---- */

static elman_status trace_pair(struct trace_report *owned, const struct model *model,
                               const char *source, const char *target, size_t step,
                               elman_error *error) {
  const float *tensors[MAX_PARAMETERS];
  struct pair_batch *texts = &owned->texts;
  elman_status status = pair_batch_fill(texts, model, &source, &target, NULL, 1, error);
  if (status != ELMAN_OK) return status;
  model_tensors(tensors, model);
  struct surroundings before;
  status = enter(&before, 0, network_product(model, &texts->batch), error);
  if (status != ELMAN_OK) return status;
  status = trace_run(&owned->inner, &model->config, tensors, &texts->batch, step, error);
  leave(before);
  return status == ELMAN_OK ? trace_report_fill(owned, step, error) : status;
}

elman_status elman_trace(elman_gradient_trace **trace, const elman_model *model, const char *source,
                         const char *target, size_t target_step, elman_error *error) {
  *trace = NULL;
  struct trace_report *owned = calloc(1, sizeof *owned);
  if (owned == NULL) return fail_no_memory(error);
  const elman_status status =
      trace_pair(owned, inner_model_const(model), source, target, target_step, error);
  if (status == ELMAN_OK)
    *trace = &owned->outer;
  else
    elman_trace_free(&owned->outer);
  return status;
}

void elman_trace_free(elman_gradient_trace *trace) {
  if (trace == NULL) return;
  struct trace_report *owned = (struct trace_report *)trace;
  arena_free(&owned->arena);
  arena_free(&owned->inner.arena);
  pair_batch_free(&owned->texts);
  free(owned);
}
