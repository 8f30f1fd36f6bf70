#include "model/trace.h"

#include <string.h>

#include "model/network_copy.h"

/* ---- what the result holds ---- */

static void take_layer(struct trace *trace, struct arena *arena, elman_traced_layer layer) {
  layer.states = arena_allocate(arena, sizeof(double), layer.steps, 1, 1);
  layer.inputs = arena_allocate(arena, sizeof(double), layer.steps, 1, 1);
  layer.saturated = arena_allocate(arena, sizeof(double), layer.steps, 1, 1);
  trace->layers[trace->count++] = layer;
}

static void take_all(struct trace *trace, struct arena *arena, const struct model_config *config,
                     const struct batch *batch) {
  const struct encoder_sizes sizes = encoder_sizes_of(config);
  trace->count = 0;
  trace->losses = arena_allocate(arena, sizeof(double), batch->tokens, 1, 1);
  for (size_t l = 0; l < sizes.layers; l++) {
    for (size_t d = 0; d < sizes.directions; d++)
      take_layer(trace, arena,
                 (elman_traced_layer){.reverse = d == 1,
                                      .layer = l,
                                      .steps = batch->source.steps,
                                      .units = encoder_direction_size(sizes)});
  }
  for (size_t l = 0; l < sizes.layers; l++)
    take_layer(trace, arena,
               (elman_traced_layer){.side = ELMAN_TARGET,
                                    .layer = l,
                                    .steps = batch->target.steps,
                                    .units = config->hidden_size});
}

/* ---- the passes ---- */

static void measure(struct trace *trace, const struct model_config *config,
                    const struct workspace *w) {
  for (size_t i = 0; i < trace->count; i++) {
    const elman_traced_layer *layer = &trace->layers[i];
    const size_t l = layer->layer, d = layer->reverse;
    const bool decoder = layer->side == ELMAN_TARGET;
    const struct rnn_states *states = decoder ? &w->decoder.states[l] : &w->encoder.states[l][d];
    const struct rnn_states *dstates =
        decoder ? &w->decoder_scratch.states[l] : &w->encoder_scratch.states[l][d];
    const struct rnn_shape shape = {.cell = decoder_sizes_of(config).cell,
                                    .steps = layer->steps,
                                    .batch = 1,
                                    .hidden = layer->units,
                                    .reverse = layer->reverse};
    for (size_t t = 0; t < layer->steps; t++) {
      const struct rnn_step_measures step = rnn_measure_step(*dstates, *states, shape, t);
      layer->states[t] = step.state;
      layer->inputs[t] = step.input;
      layer->saturated[t] = step.saturated;
    }
  }
}

static elman_status run(struct trace *trace, struct network_copy *network,
                        const struct batch *batch, size_t step, elman_error *error) {
  const struct regularization plain = {0};
  struct network_pass pass = network_copy_pass(network, batch, &plain);
  pass.only_token = step;
  trace->loss = network_gradient(&network->gradient_views, &pass) / (double)batch->tokens;
  const elman_status status = network_copy_check(trace->loss, error);
  if (status != ELMAN_OK) return status;
  memcpy(trace->losses, pass.workspace->losses, batch->tokens * sizeof *trace->losses);
  if (step > 0) trace->loss = trace->losses[step - 1];
  measure(trace, &network->config, &network->workspace);
  return ELMAN_OK;
}

elman_status trace_run(struct trace *trace, const struct model_config *config,
                       const float *const *tensors, const struct batch *batch, size_t step,
                       elman_error *error) {
  struct network_copy network;
  struct arena_fit fit = {0};
  *trace = (struct trace){0};
  if (step > batch->tokens)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "there is no target token %zu: </s> included there are %zu", step, batch->tokens);
  while (arena_fit(&fit, &trace->arena, error)) take_all(trace, fit.now, config, batch);
  if (fit.status != ELMAN_OK) return fit.status;
  elman_status status =
      network_copy_create(&network, config, tensors, batch, WITH_EVERY_STEP, error);
  if (status != ELMAN_OK) return status;
  status = run(trace, &network, batch, step, error);
  network_copy_free(&network);
  return status;
}
