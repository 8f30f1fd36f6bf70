#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "api/text_batch.h"
#include "model/gradient_check.h"

/* The public part comes first, so that a pointer to it is a pointer to the whole. */
struct owned_report {
  elman_gradient_report outer;
  elman_checked_tensor tensors[MAX_PARAMETERS];
  struct parameter_table table; /* the names */
};

const char *elman_verdict_name(elman_verdict verdict) {
  static const char *const names[] = {"right", "rounding", "wrong", "tied"};
  return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : NULL;
}

elman_gradient_options elman_gradient_options_default(void) {
  return (elman_gradient_options){.step = 1e-5, .tolerance = 1e-7, .samples = 50, .seed = 1};
}

/* ---- options ---- */

static bool is_share(double value) {
  return value >= 0 && value < 1;
}

static elman_status check_options(const elman_gradient_options *options, elman_error *error) {
  const char *problem = NULL;
  if (!(options->step >= 1e-12 && options->step <= 1))
    problem = "the step must lie from 1e-12 to 1";
  else if (!(options->tolerance >= 0 && options->tolerance <= 1))
    problem = "the tolerance must lie from 0 to 1";
  else if (!is_share(options->dropout) || !is_share(options->attention_dropout) ||
           !is_share(options->label_smoothing))
    problem = "dropouts and label smoothing must be at least 0 and less than 1";
  return problem == NULL ? ELMAN_OK : fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s", problem);
}

/* ---- the report ---- */

static const char *original_name(const struct parameter_table *table, const struct parameter *row) {
  for (size_t i = 0; i < table->count; i++) {
    if (!table->rows[i].alias && table->rows[i].offset == row->offset) return table->rows[i].name;
  }
  return NULL;
}

static void fill_report(struct owned_report *owned, const struct gradient_check *check,
                        const struct text_batch *texts) {
  elman_gradient_report *report = &owned->outer;
  *report = (elman_gradient_report){.loss = check->loss,
                                    .tokens = texts->batch.tokens,
                                    .unknown_source = sentences_unknown(&texts->corpus.source),
                                    .unknown_target = sentences_unknown(&texts->corpus.target),
                                    .tensor_count = check->count,
                                    .tensors = owned->tensors,
                                    .right = true};
  for (size_t i = 0; i < check->count; i++) {
    const struct parameter *row = &owned->table.rows[i];
    elman_checked_tensor *tensor = &owned->tensors[i];
    *tensor = check->reports[i];
    tensor->name = row->name;
    tensor->tied_to = row->alias ? original_name(&owned->table, row) : NULL;
    tensor->rows = row->rows;
    tensor->columns = row->columns;
    tensor->dimensions = row->dimensions;
    if (tensor->verdict == ELMAN_GRADIENT_WRONG) report->right = false;
    const bool counts =
        tensor->verdict == ELMAN_GRADIENT_RIGHT || tensor->verdict == ELMAN_GRADIENT_WRONG;
    /* Also an error that is not a number comes before all others. */
    if (counts && (report->worst == NULL || !(tensor->error <= report->worst->error)))
      report->worst = tensor;
  }
}

static elman_status check_gradients(elman_gradient_report **report, const struct model *model,
                                    const struct text_batch *texts,
                                    const elman_gradient_options *options, elman_error *error) {
  const float *tensors[MAX_PARAMETERS];
  struct gradient_check check;
  model_tensors(tensors, model);
  const elman_status status =
      gradient_check_run(&check, &model->config, tensors, &texts->batch, options, error);
  if (status != ELMAN_OK) return status;
  struct owned_report *owned = malloc(sizeof *owned);
  if (owned == NULL) return fail_no_memory(error);
  owned->table = model->table;
  fill_report(owned, &check, texts);
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
  struct text_batch texts = {0};
  *report = NULL;
  elman_status status = check_options(options, error);
  if (status == ELMAN_OK) status = text_batch_fill(&texts, inner, sources, targets, count, error);
  struct surroundings before;
  if (status == ELMAN_OK) status = enter(&before, 0, network_product(inner, &texts.batch), error);
  if (status == ELMAN_OK) {
    status = check_gradients(report, inner, &texts, options, error);
    leave(before);
  }
  text_batch_free(&texts);
  return status;
}

void elman_gradient_report_free(elman_gradient_report *report) {
  free(report);
}
