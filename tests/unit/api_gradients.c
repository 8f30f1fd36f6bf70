/* elman_gradient_check and elman_trace as an external program uses them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elman.h"
#include "forced.h"
#include "toy.h"

static const char SOURCE[] = "我 爱 学习", TARGET[] = "I love studying";

static elman_model *model_of(const elman_model_options *options, size_t epochs) {
  owned_pairs *pairs = toy();
  elman_model *model = create(pairs, options);
  train_epochs(model, pairs, epochs);
  return model;
}

static elman_model_options small(void) {
  elman_model_options options = elman_model_options_default();
  options.embedding_size = 6;
  options.hidden_size = 8;
  return options;
}

static elman_gradient_report *check(const elman_model *model,
                                    const elman_gradient_options *options) {
  const char *source = SOURCE, *target = TARGET;
  elman_gradient_report *report;
  succeeds(elman_gradient_check(&report, model, &source, &target, 1, options, &why));
  return report;
}

static elman_gradient_trace *trace(const elman_model *model, size_t step) {
  elman_gradient_trace *traced;
  succeeds(elman_trace(&traced, model, SOURCE, TARGET, step, &why));
  return traced;
}

/* ---- the check ---- */

/* The errors are about 1e-9, which float precision could not reach. */
Test(api_gradients, every_model_kind_passes) {
  for (size_t kind = 0; elman_attention_name(kind) != NULL; kind++) {
    for (int parts = 0; parts < 4; parts++) {
      elman_model_options options = small();
      options.attention = elman_attention_name(kind);
      options.layers = 1 + (size_t)(parts & 1);
      options.bidirectional = parts & 1;
      options.attentional_layer = options.input_feeding = options.tie_embeddings = parts & 2;
      owned_model *model = model_of(&options, 0);
      owned_report *report = check(model, NULL);
      cr_assert(report->passed, "%s: %s", options.attention, report->worst->name);
      cr_assert_not_null(report->worst);
      cr_assert(report->worst->error < 1e-7, "%s: %g", report->worst->name, report->worst->error);
      cr_assert_eq(report->tensor_count, elman_model_get_info(model).tensors);
      for (size_t i = 0; i < report->tensor_count; i++) {
        const elman_tensor_info info = elman_model_get_tensor(model, i);
        cr_assert_str_eq(report->tensors[i].name, info.name);
        cr_assert_eq(report->tensors[i].rows, info.rows);
        cr_assert_eq(report->tensors[i].columns, info.columns);
        cr_assert_eq(report->tensors[i].dimensions, info.dimensions);
        cr_assert_eq(report->tensors[i].tied_to != NULL,
                     report->tensors[i].verdict == ELMAN_GRADIENT_TIED);
      }
    }
  }
}

/* The loss equals that of the float network up to rounding. */
Test(api_gradients, loss_matches_the_model) {
  const elman_model_options options = small();
  owned_model *model = model_of(&options, 3);
  owned_report *report = check(model, NULL);
  owned_translator *translator;
  owned_translation *translation;
  cr_assert_eq(elman_translator_create(&translator, model, NULL), ELMAN_OK);
  translation = force(translator, SOURCE, TARGET, NULL);
  cr_assert_eq(report->tokens, 4);
  cr_assert_float_eq(report->loss, -translation->log_probability / 4, 1e-5);
  owned_trace *traced = trace(model, 0);
  cr_assert_float_eq(report->loss, traced->loss, 1e-12);
}

/* By (74) and (75), the guide's loss is the cross-entropy between the links and the attention under
 * the forced target. It does not depend on the guide weight. */
Test(api_gradients, guide_loss_matches_the_attention) {
  const char *const links = "0-0 2-1";
  const elman_model_options options = small();
  owned_model *model = model_of(&options, 3);
  owned_translator *translator = translator_of(model);
  owned_translation *forced = force(translator, SOURCE, TARGET, NULL);
  const size_t S = forced->source_count;
  cr_assert_eq(S, 3);
  const double expected =
      -(log((double)forced->attention[0]) + log((double)forced->attention[S + 2])) / 2;
  for (int weight = 1; weight <= 3; weight += 2) {
    elman_gradient_options guided = elman_gradient_options_default();
    guided.alignments = &links;
    guided.guide_weight = weight;
    owned_report *report = check(model, &guided);
    cr_assert(report->passed);
    cr_assert_eq(report->linked, 2);
    cr_assert_float_eq(report->guide_loss, expected, 1e-5);
  }
  owned_report *plain = check(model, NULL);
  cr_assert_eq(plain->linked, 0);
  cr_assert_eq(plain->guide_loss, 0);
}

/* The check retries with smaller steps, so only a step that is far too large fails. */
Test(api_gradients, coarse_step_fails) {
  const elman_model_options options = small();
  owned_model *model = model_of(&options, 0);
  elman_gradient_options coarse = elman_gradient_options_default();
  coarse.step = 0.1;
  elman_gradient_report *report = check(model, &coarse);
  cr_assert(report->passed && !report->failed);
  cr_assert_lt(report->worst->step, coarse.step);
  elman_gradient_report_free(report);
  coarse.step = 1;
  report = check(model, &coarse);
  cr_assert(!report->passed && report->failed);
  cr_assert_eq(report->worst->verdict, ELMAN_GRADIENT_FAILED);
  elman_gradient_report_free(report);
  coarse.tolerance = 1;
  report = check(model, &coarse);
  cr_assert(report->passed && !report->failed);
  cr_assert_eq(report->worst->step, coarse.step);
  elman_gradient_report_free(report);
}

/* Entries whose difference cannot be measured must not count as passed. */
Test(api_gradients, too_fine_step_is_not_passed) {
  const elman_model_options options = small();
  owned_model *model = model_of(&options, 0);
  elman_gradient_options fine = elman_gradient_options_default();
  fine.step = 1e-12;
  fine.tolerance = 0;
  owned_report *report = check(model, &fine);
  cr_assert(!report->passed && !report->failed);
  cr_assert_null(report->worst);
  for (size_t i = 0; i < report->tensor_count; i++)
    cr_assert_eq(report->tensors[i].verdict, ELMAN_GRADIENT_TOO_SMALL);
}

/* Many rectifier inputs of this model are near 0. */
Test(api_gradients, trained_rectifying_model_passes) {
  elman_model_options options = small();
  options.cell = "relu";
  owned_model *model = model_of(&options, 400);
  elman_gradient_options all = elman_gradient_options_default();
  all.samples = 0;
  owned_report *report = check(model, &all);
  cr_assert(report->passed && !report->failed, "%s: %g", report->worst->name, report->worst->error);
}

Test(api_gradients, dropout_and_smoothing_change_loss_and_pass) {
  const elman_model_options options = small();
  owned_model *model = model_of(&options, 0);
  elman_gradient_options regularized = elman_gradient_options_default();
  owned_report *plain = check(model, NULL);
  for (int i = 0; i < 3; i++) {
    regularized.dropout = i == 0 ? 0.4 : 0;
    regularized.label_smoothing = i == 1 ? 0.2 : 0;
    regularized.attention_dropout = i == 2 ? 0.5 : 0;
    owned_report *report = check(model, &regularized);
    cr_assert(report->passed);
    cr_assert_neq(report->loss, plain->loss);
  }
}

/* ---- the trace ---- */

Test(api_gradients, trace_names_its_tokens) {
  const elman_model_options options = small();
  owned_model *model = model_of(&options, 0);
  owned_trace *traced;
  cr_assert_eq(elman_trace(&traced, model, "我 恨 学习", "I hate", 0, NULL), ELMAN_OK);
  cr_assert_eq(traced->source_count, 3);
  cr_assert_eq(traced->target_count, 3);
  cr_assert_str_eq(traced->source_tokens[1], "恨");
  cr_assert(traced->source_known[0] && !traced->source_known[1] && traced->source_known[2]);
  cr_assert_str_eq(traced->target_tokens[1], "hate");
  cr_assert_str_eq(traced->target_tokens[2], "</s>");
  cr_assert(traced->target_known[0] && !traced->target_known[1] && traced->target_known[2]);
}

Test(api_gradients, trace_has_gradients_of_every_layer) {
  elman_model_options options = small();
  options.layers = 2;
  options.bidirectional = true;
  owned_model *model = model_of(&options, 0);
  owned_trace *all = trace(model, 0), *first = trace(model, 1);
  cr_assert_eq(all->layer_count, 6);
  double sum = 0;
  for (size_t t = 0; t < all->target_count; t++) sum += all->losses[t];
  cr_assert_float_eq(all->loss, sum / 4, 1e-12);
  cr_assert_eq(first->loss, all->losses[0]);
  for (size_t i = 0; i < all->layer_count; i++) {
    const elman_traced_layer *layer = &all->layers[i];
    cr_assert_eq(layer->side, i < 4 ? ELMAN_SOURCE : ELMAN_TARGET);
    cr_assert_eq(layer->layer, i < 4 ? i / 2 : i - 4);
    cr_assert_eq(layer->reverse, i < 4 && i % 2 == 1);
    cr_assert_eq(layer->units, i < 4 ? 4 : 8);
    cr_assert_eq(layer->steps, i < 4 ? all->source_count : all->target_count);
    for (size_t t = 0; t < layer->steps; t++) {
      cr_assert(layer->inputs[t] > 0 && layer->inputs[t] <= layer->states[t]);
      cr_assert(layer->saturated[t] >= 0 && layer->saturated[t] <= 1);
      /* The first target token cannot depend on later steps. */
      if (i >= 4) cr_assert_eq(first->layers[i].states[t] > 0, t == 0);
    }
  }
}

/* ---- errors ---- */

static void expect_refused(const elman_model *model, const char *source, const char *target,
                           const char *message) {
  elman_gradient_report *report = (void *)1;
  elman_gradient_trace *traced = (void *)1;
  fails(elman_gradient_check(&report, model, &source, &target, 1, NULL, &why), ELMAN_BAD_DATA,
        message);
  cr_assert_null(report);
  fails(elman_trace(&traced, model, source, target, 0, &why), ELMAN_BAD_DATA, message);
  cr_assert_null(traced);
}

Test(api_gradients, invalid_text_is_rejected) {
  const elman_model_options options = small();
  owned_model *model = model_of(&options, 0);
  owned char *many = malloc(5001 * 2 + 1);
  for (size_t i = 0; i < 5001; i++) memcpy(many + 2 * i, "a ", 3);
  expect_refused(model, "", TARGET, "the source of pair 1: it contains no words");
  expect_refused(model, SOURCE, " \t", "the target of pair 1: it contains no words");
  expect_refused(model, "a\xff", TARGET, "the source of pair 1: byte 2 is not valid UTF-8");
  expect_refused(model, SOURCE, many,
                 "the target of pair 1: the text has more tokens than the limit of 5000");

  elman_gradient_trace *traced;
  cr_assert_eq(elman_trace(&traced, model, SOURCE, TARGET, 5, &why), ELMAN_INVALID_ARGUMENT);
  cr_assert_null(traced);
  elman_gradient_report_free(NULL);
  elman_trace_free(NULL);
}

Test(api_gradients, invalid_options_are_rejected) {
  const elman_model_options small_options = small();
  owned_model *model = model_of(&small_options, 0);
  elman_gradient_options usual = elman_gradient_options_default();
  elman_gradient_options wrong[] = {usual, usual, usual, usual, usual, usual};
  wrong[0].step = 0;
  wrong[1].step = NAN;
  wrong[2].tolerance = -1;
  wrong[3].dropout = 1;
  wrong[4].label_smoothing = NAN;
  wrong[5].step = INFINITY;
  const char *source = SOURCE, *target = TARGET;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    elman_gradient_report *report;
    cr_assert_eq(elman_gradient_check(&report, model, &source, &target, 1, &wrong[i], NULL),
                 ELMAN_INVALID_ARGUMENT, "%zu", i);
    cr_assert_null(report);
  }
  elman_gradient_report *report;
  cr_assert_eq(elman_gradient_check(&report, model, NULL, NULL, 0, NULL, NULL),
               ELMAN_INVALID_ARGUMENT);
}

Test(api_gradients, verdicts_have_names) {
  cr_assert_str_eq(elman_verdict_name(ELMAN_GRADIENT_PASSED), "passed");
  cr_assert_str_eq(elman_verdict_name(ELMAN_GRADIENT_TOO_SMALL), "too small");
  cr_assert_str_eq(elman_verdict_name(ELMAN_GRADIENT_FAILED), "failed");
  cr_assert_str_eq(elman_verdict_name(ELMAN_GRADIENT_TIED), "tied");
  cr_assert_str_eq(elman_verdict_name(ELMAN_GRADIENT_KINK), "kink");
  cr_assert_null(elman_verdict_name((elman_verdict)5));
}
