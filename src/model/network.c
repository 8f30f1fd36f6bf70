#include "model/network.h"

#include <limits.h>
#include <string.h>

/* ---- memory ---- */

static void allocate(struct workspace *w, struct arena *arena, const struct parameters *weights,
                     const struct batch *batch, enum purpose purpose) {
  const struct encoder_parameters *encoder = &weights->encoder;
  const struct decoder_parameters *decoder = &weights->decoder;
  const struct sequence *source = &batch->source, *target = &batch->target;
  const struct decoder_extent extent = {source->steps, target->steps, target->batch, batch->tokens,
                                        w->block};
  const bool gradients = (purpose & WITH_GRADIENTS) != 0;
  const bool every_step = (purpose & WITH_EVERY_STEP) == WITH_EVERY_STEP;
  const enum arrays_for values = gradients ? VALUES_WITH_DROPOUT : VALUES;
  const enum arrays_for scratch = every_step ? GRADIENTS_OF_EVERY_STEP : GRADIENTS;
  encoder_allocate(&w->encoder, arena, encoder, source, values);
  if (gradients) encoder_allocate(&w->encoder_scratch, arena, encoder, source, scratch);
  decoder_allocate(&w->decoder, arena, decoder, &extent, values);
  if (gradients) decoder_allocate(&w->decoder_scratch, arena, decoder, &extent, scratch);
  if (gradients)
    output_allocate(&w->output_scratch, arena, w->block, batch->copies, decoder->sizes);
  w->losses = arena_allocate(arena, sizeof(double), batch->tokens, 1, 1);
  w->guide_losses = NULL;
  if (batch->guide.starts != NULL)
    w->guide_losses = arena_allocate(arena, sizeof(double), target->steps, target->batch, 1);
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

/* Return whether all numbers of rows and all distances between rows fit in an int, which BLAS
 * requires. */
static bool fits_blas(const struct parameters *weights, const struct batch *batch) {
  const struct decoder_sizes sizes = weights->decoder.sizes;
  const size_t B = batch->source.batch, S = batch->source.steps, T = batch->target.steps;
  const size_t heads =
      larger(sizes.attention.heads,
             larger(weights->encoder.sizes.self_attention.heads, sizes.self_attention.heads));
  const size_t states = larger(2, rnn_columns(sizes.cell));
  const size_t widest =
      larger(larger(S, T) * larger(heads, 1), states * larger(sizes.hidden, sizes.embedding));
  return B <= INT_MAX / widest && B <= INT_MAX / (larger(S, T) + 1) && batch->tokens <= INT_MAX;
}

elman_status workspace_fit(struct workspace *workspace, const struct parameters *weights,
                           const struct batch *batch, enum purpose purpose, elman_error *error) {
  if (!fits_blas(weights, batch))
    return fail(
        error, ELMAN_INVALID_ARGUMENT, NULL,
        "a batch of %zu sentence%s of up to %zu tokens is too large; use a smaller batch or "
        "skip long sentences",
        batch->source.batch, plural_ending(batch->source.batch),
        larger(batch->source.steps, batch->target.steps));
  workspace->block =
      purpose & WITH_LOGITS ? batch->tokens : output_block(batch->tokens, batch->copies);
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &workspace->arena, error))
    allocate(workspace, fit.now, weights, batch, purpose);
  return fit.status;
}

void workspace_free(struct workspace *workspace) {
  arena_free(&workspace->arena);
  *workspace = (struct workspace){0};
}

/* ---- the network ---- */

static bool is_guided(const struct network_pass *pass) {
  return pass->batch->guide.starts != NULL && pass->regularization->guide > 0;
}

/* The passes through the three parts. Each part reads the results of the previous part. */
struct plan {
  struct parameters weights; /* copies of the views, with the precision of the pass */
  struct encoder_pass encoder;
  struct decoder_pass decoder;
  struct output_pass output;
};

static void make_plan(struct plan *plan, const struct network_pass *pass,
                      elman_precision precision) {
  const struct workspace *w = pass->workspace;
  const struct batch *batch = pass->batch;
  const struct sequence *source = &batch->source;
  plan->weights = *pass->weights;
  if (precision != ELMAN_PRECISION_FLOAT32)
    parameters_use(&plan->weights, numerics_of(pass->weights->numerics->arithmetic, precision));
  plan->encoder = (struct encoder_pass){.weights = &plan->weights.encoder,
                                        .dropouts = pass->regularization->dropouts,
                                        .source = source,
                                        .arrays = &w->encoder};
  plan->decoder = (struct decoder_pass){.weights = &plan->weights.decoder,
                                        .dropouts = pass->regularization->dropouts,
                                        .guide = is_guided(pass) ? &batch->guide : NULL,
                                        .guide_scale = (real)pass->regularization->guide,
                                        .target = &batch->target,
                                        .source = {.states = w->encoder.outputs,
                                                   .finals = w->encoder.finals,
                                                   .lengths = source->lengths,
                                                   .clause_ends = source->clause_ends,
                                                   .steps = source->steps},
                                        .arrays = &w->decoder};
  plan->output = (struct output_pass){.weights = &plan->weights.decoder,
                                      .features = w->decoder.features,
                                      .labels = batch->labels,
                                      .tokens = batch->tokens,
                                      .mean_of = pass->mean_of > 0 ? pass->mean_of : batch->tokens,
                                      .smoothing = pass->regularization->label_smoothing,
                                      .r_drop = pass->regularization->r_drop,
                                      .block = w->block,
                                      .logits = w->decoder.logits,
                                      .losses = w->losses};
  encoder_plan(&plan->encoder);
  decoder_plan(&plan->decoder);
}

static double sum_of_losses(const struct network_pass *pass) {
  double sum = 0;
  for (size_t n = 0; n < pass->batch->tokens; n++) sum += pass->workspace->losses[n];
  return sum;
}

double network_guide_loss(const struct network_pass *pass) {
  const size_t positions = pass->batch->target.steps * pass->batch->target.batch;
  double sum = 0;
  for (size_t i = 0; is_guided(pass) && i < positions; i++) sum += pass->workspace->guide_losses[i];
  return sum;
}

double network_forward(const struct network_pass *pass) {
  struct plan plan;
  make_plan(&plan, pass, ELMAN_PRECISION_FLOAT32);
  encoder_forward(&plan.encoder); /* x_s, e_s                   (1) to (3)  */
  decoder_forward(&plan.decoder); /* d_0, y_t, d_t, a_t, c_t    (4) to (8)  */
  output_losses(&plan.output);    /* o_t, loss                  (9) to (11) */
  if (is_guided(pass))
    decoder_guide_losses(pass->workspace->guide_losses, &plan.decoder); /* (74), (75) */
  return sum_of_losses(pass);
}

/* Convert the gradient of the mean loss to the gradient of one token's loss. Set the gradients of
 * the other tokens' features to 0, and undo the division by N. */
static void single_out(real *dfeatures, const struct output_pass *output, size_t token) {
  const size_t F = output->weights->sizes.features;
  for (size_t n = 0; n < output->tokens; n++) {
    const real factor = n + 1 == token ? (real)output->mean_of : 0;
    for (size_t i = 0; i < F; i++) dfeatures[n * F + i] *= factor;
  }
}

double network_gradient(const struct parameters *gradients, const struct network_pass *pass) {
  struct workspace *w = pass->workspace;
  const struct sequence *source = &pass->batch->source;
  const size_t H = pass->weights->encoder.sizes.hidden;
  real *dfeatures = w->decoder_scratch.features;
  real *doutputs = w->encoder_scratch.outputs, *dfinals = w->encoder_scratch.finals;
  struct plan plan;
  make_plan(&plan, pass, pass->precision);
  encoder_forward(&plan.encoder); /* (1) to (3) */
  decoder_forward(&plan.decoder); /* (4) to (8) */
  output_gradient(&gradients->decoder, dfeatures, &w->output_scratch,
                  &plan.output); /* (9) to (14) */
  if (pass->output_done.call != NULL) pass->output_done.call(pass->output_done.context);
  if (is_guided(pass)) decoder_guide_losses(w->guide_losses, &plan.decoder); /* (74), (75) */
  if (pass->only_token > 0) single_out(dfeatures, &plan.output, pass->only_token);
  memset(doutputs, 0, source->steps * source->batch * H * sizeof *doutputs);
  decoder_backward(&gradients->decoder, doutputs, dfinals, &w->decoder_scratch,
                   &plan.decoder);                                           /* (15) to (21) */
  encoder_backward(&gradients->encoder, &w->encoder_scratch, &plan.encoder); /* (22) to (24) */
  return sum_of_losses(pass);
}

static const char OVERFLOW_MESSAGE[] =
    "the model's weights are so large that values overflow; train again with a lower learning rate";

elman_status fail_overflow(elman_error *error) {
  return fail(error, ELMAN_BAD_DATA, NULL, "%s", OVERFLOW_MESSAGE);
}

bool is_overflow(const elman_error *error) {
  return error->code == ELMAN_BAD_DATA && strcmp(error->message, OVERFLOW_MESSAGE) == 0;
}
