#include "model/gradient_check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "tensor/softmax.h"

/* ---- the network in double ---- */

static void copy_weights(struct network_copy *copy, const float *const *tensors) {
  for (size_t i = 0; i < copy->table.count; i++) {
    const struct parameter *row = &copy->table.rows[i];
    for (size_t j = 0; j < parameter_size(row); j++)
      copy->weights[row->offset + j] = (real)tensors[i][j];
  }
}

elman_status network_copy_create(struct network_copy *copy, const struct model_config *config,
                                 const float *const *tensors, const struct batch *batch,
                                 enum purpose purpose, elman_error *error) {
  *copy = (struct network_copy){.config = *config};
  elman_status status = parameter_table_create(&copy->table, config, error);
  if (status == ELMAN_OK) status = parameter_block_create(&copy->weights, &copy->table, error);
  if (status == ELMAN_OK) status = parameter_block_create(&copy->gradients, &copy->table, error);
  parameters_bind(&copy->weight_views, copy->weights, config);
  if (status == ELMAN_OK)
    status = workspace_fit(&copy->workspace, &copy->weight_views, batch, purpose, error);
  if (status != ELMAN_OK) {
    network_copy_free(copy);
    return status;
  }
  parameters_bind(&copy->gradient_views, copy->gradients, config);
  copy_weights(copy, tensors);
  return ELMAN_OK;
}

void network_copy_free(struct network_copy *copy) {
  parameter_block_free(copy->weights);
  parameter_block_free(copy->gradients);
  workspace_free(&copy->workspace);
  *copy = (struct network_copy){0};
}

static struct network_pass network_copy_pass(struct network_copy *copy, const struct batch *batch,
                                             const struct regularization *regularization) {
  return (struct network_pass){.weights = &copy->weight_views,
                               .batch = batch,
                               .regularization = regularization,
                               .workspace = &copy->workspace};
}

/* ---- gradient check ---- */

/* The derivative with respect to one weight, estimated by central differences. */
struct slope {
  double step;
  double fine;  /* central difference with `step` */
  double value; /* best estimate, from this step size and the previous one */
  double last;  /* previous best estimate */
  bool kink;    /* whether no step was small enough to stay on a smooth piece */
};

struct gradient_run {
  struct network_copy network;
  const struct batch *batch;
  const elman_gradient_options *options;
  struct regularization regularization;
  size_t *places;       /* positions of the checked weights in a tensor */
  struct slope *slopes; /* one slope per position */
  real *above;          /* (N,V): logits for the weight plus the step */
  uint64_t piece;  /* the smooth piece of the loss that contains the given weights: see piece_of */
  double rounding; /* bound on the rounding error of the mean loss, for any order of summation */
};

/* ---- which weights ---- */

static int compare_places(const void *a, const void *b) {
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return x < y ? -1 : x > y;
}

static size_t sort_unique(size_t *places, size_t count) {
  size_t unique = 0;
  qsort(places, count, sizeof *places, compare_places);
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || places[i] != places[unique - 1]) places[unique++] = places[i];
  }
  return unique;
}

/* Return the side whose words select the rows of this tensor; NULL if the tensor is not an
 * embedding. */
static const struct sequence *words_of(const struct gradient_run *run,
                                       const struct parameter *row) {
  const real *tensor = run->network.weights + row->offset;
  if (tensor == run->network.weight_views.encoder.embedding) return &run->batch->source;
  if (tensor == run->network.weight_views.decoder.embedding) return &run->batch->target;
  return NULL;
}

static bool is_real(const struct sequence *words, size_t position) {
  return position / words->batch < words->lengths[position % words->batch];
}

/* Draw positions from the rows of the batch's words. Visit the words in turn, each at least once,
 * until there are `samples` positions. */
static size_t add_places_of_words(size_t *places, size_t samples, const struct sequence *words,
                                  size_t columns, struct random_stream stream) {
  const size_t positions = words->steps * words->batch;
  size_t count = 0;
  for (size_t i = 0; i < positions || count < samples; i++) {
    const size_t position = i % positions;
    if (!is_real(words, position)) continue;
    places[count++] =
        words->ids[position] * columns + (size_t)random_below(stream, samples + i, columns);
  }
  return count;
}

static size_t choose_places(struct gradient_run *run, const struct parameter *row, size_t number) {
  const size_t size = parameter_size(row), samples = run->options->samples;
  const struct random_stream stream = {run->options->seed, RANDOM_GRADIENT_CHECK, (uint32_t)number};
  if (samples == 0 || size <= samples) {
    for (size_t i = 0; i < size; i++) run->places[i] = i;
    return size;
  }
  size_t count = samples;
  for (size_t i = 0; i < samples; i++) run->places[i] = (size_t)random_below(stream, i, size);
  const struct sequence *words = words_of(run, row);
  if (words != NULL)
    count += add_places_of_words(run->places + count, samples, words, row->columns, stream);
  return sort_unique(run->places, count);
}

/* Allocate arrays large enough for the positions of every tensor, and the array of logits. */
static elman_status allocate_places(struct gradient_run *run, elman_error *error) {
  const size_t samples = run->options->samples;
  size_t largest = 0;
  for (size_t i = 0; i < run->network.table.count; i++) {
    const struct parameter *row = &run->network.table.rows[i];
    const struct sequence *words = words_of(run, row);
    const size_t size = parameter_size(row);
    size_t needed = samples;
    if (samples == 0 || size <= samples)
      needed = size;
    else if (words != NULL)
      needed += samples + words->steps * words->batch;
    if (needed > largest) largest = needed;
  }
  run->places = reallocarray(NULL, largest, sizeof *run->places);
  run->slopes = reallocarray(NULL, largest, sizeof *run->slopes);
  /* The product cannot overflow, because the workspace contains an array of this size. */
  run->above =
      malloc(run->batch->tokens * run->network.config.target_vocabulary * sizeof *run->above);
  const bool failed = run->places == NULL || run->slopes == NULL || run->above == NULL;
  return failed ? fail_no_memory(error) : ELMAN_OK;
}

/* ---- central differences ---- */

/* Return the loss of token k with the logits a (V) minus its loss with the logits b (V). Let δ_v
 * be the change of o_v - o_k. The difference is
 *
 *   log Σ exp(a_v - a_k) - log Σ exp(b_v - b_k) = log(1 + Σ p_v (exp(δ_v) - 1)),   p = softmax(b).
 *
 * The right side avoids cancellation; two losses as in (10) would agree in most of their digits.
 * Label smoothing adds η times the change of (o_k - mean of o) (73). */
static double loss_difference(const real *a, const real *b, size_t k, double smoothing, size_t V) {
  const real log_sum = log_sum_exp(b, V);
  double sum = 0, total = 0;
  for (size_t v = 0; v < V; v++) {
    const double change = (double)((a[v] - b[v]) - (a[k] - b[k]));
    sum += exp((double)(b[v] - log_sum)) * expm1(change);
    total += change;
  }
  return log1p(sum) - smoothing * total / (double)V;
}

/* Run the network and return the logits. Store the sum of the guide losses in *guide. */
static const real *logits_of(struct gradient_run *run, double *guide) {
  const struct network_pass pass =
      network_copy_pass(&run->network, run->batch, &run->regularization);
  (void)network_forward(&pass);
  *guide = network_guide_loss(&pass);
  return run->network.workspace.decoder.logits;
}

static uint64_t add_signs(uint64_t hash, const real *x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const unsigned char sign = x[i] > 0;
    hash = hash_bytes(hash, &sign, 1);
  }
  return hash;
}

/* Return a hash that identifies the smooth piece of the last pass. The loss is piecewise smooth: a
 * rectifier is on or off, and a key is inside a window or has no weight. A difference between two
 * pieces is not a derivative. */
static uint64_t piece_of(const struct gradient_run *run) {
  const struct workspace *w = &run->network.workspace;
  const struct encoder_sizes encoder = run->network.weight_views.encoder.sizes;
  const struct decoder_sizes decoder = run->network.weight_views.decoder.sizes;
  const size_t S = run->batch->source.steps, T = run->batch->target.steps;
  const size_t B = run->batch->target.batch, units = encoder_direction_size(encoder);
  uint64_t hash =
      add_signs(HASH_START, w->decoder.attention.weights, T * B * decoder.attention.heads * S);
  for (size_t l = 0; l < encoder.layers && encoder.cell->corner; l++) {
    for (size_t d = 0; d < encoder.directions; d++)
      hash = add_signs(hash, w->encoder.states[l][d].part[0], (S + 1) * B * units);
    hash = add_signs(hash, w->decoder.states[l].part[0], (T + 1) * B * decoder.hidden);
  }
  return hash;
}

/* Compute the central difference with respect to one weight. Divide by the actual step, which
 * rounding has changed. Return false if a step leaves the smooth piece. */
static bool central_difference(double *slope, struct gradient_run *run, real *weight, double step) {
  const size_t N = run->batch->tokens, V = run->network.config.target_vocabulary;
  const real original = *weight;
  const volatile real above = original + (real)step;
  const volatile real below = original - (real)step;
  double sum = 0, guide_above, guide_below;
  *weight = above;
  memcpy(run->above, logits_of(run, &guide_above), N * V * sizeof *run->above);
  const bool same_piece = piece_of(run) == run->piece;
  *weight = below;
  const real *logits = logits_of(run, &guide_below);
  *weight = original;
  for (size_t n = 0; n < N; n++)
    sum += loss_difference(run->above + n * V, logits + n * V, run->batch->labels[n],
                           run->regularization.label_smoothing, V);
  const double guided = run->regularization.guide * (guide_above - guide_below);
  *slope = (sum / (double)N + guided) / ((double)above - (double)below);
  return same_piece && piece_of(run) == run->piece;
}

/* Return a bound on the rounding error of a sum of n terms, relative to the sum of their absolute
 * values: λ √n u. If the rounding errors are independent with mean 0, the error exceeds the bound
 * with a probability of at most 2 n exp(-λ² / 2), here 3e-8 n (Higham and Mary, SIAM Journal on
 * Scientific Computing 41, 2019).
 *
 * n is the number of additions on the way to a logit: those of one step of the encoder, one step of
 * the decoder, the score, the context and the logit. Each gate of each layer has three sums per
 * step: its own and the two of its normalization. */
static double rounding_of_sums(const struct gradient_run *run) {
  const struct model_config *config = &run->network.config;
  const size_t H = config->hidden_size, E = config->embedding_size;
  const struct decoder_sizes sizes = decoder_sizes_of(config);
  const size_t F = sizes.features, above = sizes.layers - 1;
  const size_t normalized = sizes.layer_norm ? 2 * H * sizes.layers : 0;
  const size_t step = rnn_columns(sizes.cell) * (E + H + above * 2 * H + normalized);
  const double lambda = 6, unit = DBL_EPSILON / 2;
  const double terms = 2 * (double)step + (double)(H + run->batch->source.steps + F);
  return lambda * sqrt(terms) * unit;
}

static double norm_of(const real *x, size_t n) {
  double squares = 0;
  for (size_t i = 0; i < n; i++) squares += (double)x[i] * (double)x[i];
  return sqrt(squares);
}

/* Return a bound on the rounding error of the mean loss. The absolute values of the products in
 * logit v add up to at most |w_v| |f| + |b_v| (Cauchy-Schwarz). This bound can be far larger than
 * the logit itself. A token's loss changes with the logits by a factor of at most 1 - p, plus η. */
static double rounding_of_loss(const struct gradient_run *run) {
  const size_t N = run->batch->tokens, V = run->network.config.target_vocabulary;
  const size_t F = run->network.weight_views.decoder.sizes.features;
  const struct decoder_parameters *weights = &run->network.weight_views.decoder;
  const struct decoder_arrays *cache = &run->network.workspace.decoder;
  double weight = 0, bias = 0, sum = 0;
  for (size_t v = 0; v < V; v++) {
    weight = fmax(weight, norm_of(weights->out_weight + v * F, F));
    bias = fmax(bias, fabs((double)weights->out_bias[v]));
  }
  for (size_t n = 0; n < N; n++) {
    const real *logits = cache->logits + n * V;
    const real log_sum = log_sum_exp(logits, V);
    double followed = run->regularization.label_smoothing;
    for (size_t v = 0; v < V; v++) {
      if (v != run->batch->labels[n]) followed += exp((double)(logits[v] - log_sum));
    }
    sum += followed * (weight * norm_of(cache->features + n * F, F) + bias);
  }
  return rounding_of_sums(run) * sum / (double)N;
}

/* Return the largest norm of the rows (steps,batch,H) that belong to real positions of a side. */
static double longest_row(const real *rows, const struct sequence *side, size_t H) {
  double longest = 0;
  for (size_t i = 0; i < side->steps * side->batch; i++)
    if (is_real(side, i)) longest = fmax(longest, norm_of(rows + i * H, H));
  return longest;
}

/* Return a bound on the rounding error of the mean guide loss. The logarithm of a weight depends on
 * two scores. The absolute values of the products in a score add up to at most |q| |k|. In an
 * additive score, which is a sum of tanh values, they add up to at most |v| √H. */
static double rounding_of_guide(const struct gradient_run *run) {
  const struct workspace *w = &run->network.workspace;
  const struct attention_arrays *cache = &w->decoder.attention;
  const struct decoder_parameters *weights = &run->network.weight_views.decoder;
  const size_t H = run->network.config.hidden_size;
  const double q = longest_row(cache->queries != NULL ? cache->queries : w->decoder.outputs,
                               &run->batch->target, H);
  const double k =
      longest_row(cache->keys != NULL ? cache->keys : w->encoder.outputs, &run->batch->source, H);
  const real *own = weights->attention.part[OWN_PARTS];
  const double score = q * k + (own == NULL ? 0 : norm_of(own, H) * sqrt((double)H));
  return rounding_of_sums(run) * (1 + 2 * score);
}

/* ---- the verdict ---- */

/* Each refinement divides the step by FINER. */
enum { REFINEMENTS = 2, FINER = 10 };

/* A comparison of the derivatives of a tensor with its gradient. The fields first contain sums of
 * squares, and later the norms. */
struct comparison {
  size_t count;
  double analytic, numerical;
  double difference, rounding; /* norm of (gradient - `value`); rounding error of `value` */
  double spread; /* norm of (`value` - `fine`): the remaining error of the step size */
};

static void add_slope(struct comparison *sum, double gradient, const struct slope *slope,
                      double rounding) {
  const double difference = gradient - slope->value, spread = slope->value - slope->fine;
  sum->count++;
  sum->analytic += gradient * gradient;
  sum->numerical += slope->value * slope->value;
  sum->difference += difference * difference;
  sum->spread += spread * spread;
  sum->rounding += rounding * rounding;
}

static struct comparison compare(const struct gradient_run *run, const real *gradient, size_t count,
                                 double growth) {
  struct comparison sum = {0};
  for (size_t i = 0; i < count; i++) {
    const struct slope *slope = &run->slopes[i];
    if (!slope->kink)
      add_slope(&sum, (double)gradient[run->places[i]], slope,
                growth * run->rounding / slope->step);
  }
  sum.analytic = sqrt(sum.analytic);
  sum.numerical = sqrt(sum.numerical);
  sum.difference = sqrt(sum.difference);
  sum.spread = sqrt(sum.spread);
  sum.rounding = sqrt(sum.rounding);
  return sum;
}

static double error_of(const struct comparison *sum) {
  return sum->difference == 0 ? 0 : sum->difference / (sum->analytic + sum->numerical);
}

/* Return the verdict on a tensor. If both gradients are zero, they agree, but this proves nothing.
 * NaN is a failure. */
static elman_verdict judge(const struct gradient_run *run, const struct comparison *sum) {
  if (sum->count == 0) return ELMAN_GRADIENT_KINK;
  if (sum->analytic == 0 && sum->numerical == 0) return ELMAN_GRADIENT_TOO_SMALL;
  if (error_of(sum) <= run->options->tolerance) return ELMAN_GRADIENT_PASSED;
  return sum->difference <= sum->rounding ? ELMAN_GRADIENT_TOO_SMALL : ELMAN_GRADIENT_FAILED;
}

/* Estimate the derivatives with the step of the options, or with the first smaller step that stays
 * on the smooth piece. */
static void measure(struct gradient_run *run, real *weights, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct slope *slope = &run->slopes[i];
    *slope = (struct slope){.step = run->options->step, .kink = true};
    for (int n = 0; n <= REFINEMENTS && slope->kink; n++) {
      if (n > 0) slope->step /= FINER;
      slope->kink = !central_difference(&slope->value, run, &weights[run->places[i]], slope->step);
    }
    slope->fine = slope->last = slope->value;
  }
}

/* Estimate the derivatives again with a smaller step. The error grows with the square of the step,
 * so two steps give the limit (Richardson extrapolation). */
static void refine(struct gradient_run *run, real *weights, size_t count) {
  const double square = FINER * FINER;
  for (size_t i = 0; i < count; i++) {
    struct slope *slope = &run->slopes[i];
    if (slope->kink) continue;
    const double coarse = slope->fine;
    slope->last = slope->value;
    slope->step /= FINER;
    /* A smaller step nearly always stays on the smooth piece, but this is not guaranteed. */
    slope->kink = !central_difference(&slope->fine, run, &weights[run->places[i]], slope->step);
    slope->value = (square * slope->fine - coarse) / (square - 1);
  }
}

/* Judge a failed tensor again with smaller steps. On entry `sum` contains the comparison for the
 * last step. On return it contains the comparison that decided the verdict. */
static elman_verdict judge_refined(struct comparison *sum, struct gradient_run *run, real *weights,
                                   const real *gradient, size_t count) {
  const double square = FINER * FINER;
  elman_verdict verdict = ELMAN_GRADIENT_FAILED;
  for (int n = 1; n <= REFINEMENTS; n++) {
    const struct comparison before = *sum;
    refine(run, weights, count);
    *sum = compare(run, gradient, count, (square + 1 / (double)FINER) / (square - 1));
    verdict = judge(run, sum);
    if (verdict == ELMAN_GRADIENT_PASSED || verdict == ELMAN_GRADIENT_KINK) return verdict;
    if (verdict == ELMAN_GRADIENT_TOO_SMALL) {
      /* The smaller step has a larger rounding error. Therefore the larger step decides, unless its
       * own error explains the difference. */
      double moved = 0;
      for (size_t i = 0; i < count; i++) {
        const struct slope *slope = &run->slopes[i];
        if (!slope->kink) moved += pow(slope->value - slope->last, 2);
      }
      if (before.difference <= before.rounding + sqrt(moved)) return verdict;
      *sum = before;
      return ELMAN_GRADIENT_FAILED;
    }
    if (sum->difference > square * sum->spread)
      return verdict; /* no step size explains the difference */
  }
  return verdict;
}

static elman_checked_tensor check_tensor(struct gradient_run *run, size_t number) {
  const struct parameter *row = &run->network.table.rows[number];
  real *weights = run->network.weights + row->offset;
  const real *gradient = run->network.gradients + row->offset;
  if (row->alias) return (elman_checked_tensor){.verdict = ELMAN_GRADIENT_TIED};
  const size_t count = choose_places(run, row, number);
  measure(run, weights, count);
  struct comparison sum = compare(run, gradient, count, 1);
  elman_verdict verdict = judge(run, &sum);
  if (verdict == ELMAN_GRADIENT_FAILED)
    verdict = judge_refined(&sum, run, weights, gradient, count);
  elman_checked_tensor report = {.checked = count,
                                 .kinks = count - sum.count,
                                 .step = run->options->step,
                                 .analytic = sum.analytic,
                                 .numerical = sum.numerical,
                                 .error = error_of(&sum),
                                 .verdict = verdict};
  for (size_t i = 0; i < count; i++)
    if (!run->slopes[i].kink) report.step = fmin(report.step, run->slopes[i].step);
  return report;
}

static elman_status check_all(struct gradient_check *check, struct gradient_run *run,
                              elman_error *error) {
  struct network_copy *network = &run->network;
  const elman_gradient_options *options = run->options;
  const struct network_pass pass = network_copy_pass(network, run->batch, &run->regularization);
  check->loss = network_forward(&pass) / (double)run->batch->tokens;
  if (!isfinite(check->loss)) return fail_overflow(error);
  const elman_status status = allocate_places(run, error);
  if (status != ELMAN_OK) return status;
  run->piece = piece_of(run);
  run->rounding = rounding_of_loss(run);
  if (run->regularization.guide > 0)
    run->rounding += options->guide_weight * rounding_of_guide(run);
  const size_t linked = run->batch->guide.tokens;
  check->guide_loss = linked == 0 ? 0 : network_guide_loss(&pass) / (double)linked;
  (void)network_gradient(&network->gradient_views, &pass);
  check->count = network->table.count;
  for (size_t i = 0; i < check->count; i++) {
    if (options->progress != NULL && !options->progress(options->context, i, check->count))
      return fail(error, ELMAN_INTERRUPTED, NULL, "the gradient check was stopped");
    check->reports[i] = check_tensor(run, i);
  }
  return ELMAN_OK;
}

elman_status gradient_check_run(struct gradient_check *check, const struct model_config *config,
                                const float *const *tensors, const struct batch *batch,
                                const elman_gradient_options *options, elman_error *error) {
  const struct random_stream stream = dropout_stream(options->seed, 0, 0);
  const size_t linked = batch->guide.tokens;
  struct gradient_run run = {
      .batch = batch,
      .options = options,
      .regularization = {
          .dropouts = {{options->dropout, stream}, {options->attention_dropout, stream}},
          .label_smoothing = options->label_smoothing,
          .guide = linked == 0 ? 0 : options->guide_weight / (double)linked}};
  elman_status status =
      network_copy_create(&run.network, config, tensors, batch, WITH_GRADIENTS_AND_LOGITS, error);
  if (status != ELMAN_OK) return status;
  status = check_all(check, &run, error);
  free(run.places);
  free(run.slopes);
  free(run.above);
  network_copy_free(&run.network);
  return status;
}

/* ---- the trace ---- */

static void allocate_layer(struct trace *trace, struct arena *arena, elman_traced_layer layer) {
  layer.states = arena_allocate(arena, sizeof(double), layer.steps, 1, 1);
  layer.inputs = arena_allocate(arena, sizeof(double), layer.steps, 1, 1);
  layer.saturated = arena_allocate(arena, sizeof(double), layer.steps, 1, 1);
  layer.hidden = arena_allocate(arena, sizeof(double), layer.steps, layer.units, 1);
  trace->layers[trace->count++] = layer;
}

static void allocate_trace(struct trace *trace, struct arena *arena,
                           const struct model_config *config, const struct batch *batch) {
  const struct encoder_sizes sizes = encoder_sizes_of(config);
  trace->count = 0;
  trace->losses = arena_allocate(arena, sizeof(double), batch->tokens, 1, 1);
  for (size_t l = 0; l < sizes.layers; l++) {
    for (size_t d = 0; d < sizes.directions; d++)
      allocate_layer(trace, arena,
                     (elman_traced_layer){.reverse = d == 1,
                                          .layer = l,
                                          .steps = batch->source.steps,
                                          .units = encoder_direction_size(sizes)});
  }
  for (size_t l = 0; l < sizes.layers; l++)
    allocate_layer(trace, arena,
                   (elman_traced_layer){.side = ELMAN_TARGET,
                                        .layer = l,
                                        .steps = batch->target.steps,
                                        .units = config->hidden_size});
}

static void measure_trace(struct trace *trace, const struct model_config *config,
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
      memcpy(layer->hidden + t * layer->units, step.hidden, layer->units * sizeof(double));
    }
  }
}

static elman_status trace_loss(struct trace *trace, struct network_copy *network,
                               const struct batch *batch, size_t step, elman_error *error) {
  const struct regularization plain = {0};
  struct network_pass pass = network_copy_pass(network, batch, &plain);
  pass.only_token = step;
  trace->loss = network_gradient(&network->gradient_views, &pass) / (double)batch->tokens;
  if (!isfinite(trace->loss)) return fail_overflow(error);
  memcpy(trace->losses, pass.workspace->losses, batch->tokens * sizeof *trace->losses);
  if (step > 0) trace->loss = trace->losses[step - 1];
  measure_trace(trace, &network->config, &network->workspace);
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
                "target token %zu does not exist: the target has %zu token%s, </s> included", step,
                batch->tokens, plural_ending(batch->tokens));
  while (arena_fit(&fit, &trace->arena, error)) allocate_trace(trace, fit.now, config, batch);
  if (fit.status != ELMAN_OK) return fit.status;
  elman_status status =
      network_copy_create(&network, config, tensors, batch, WITH_EVERY_STEP, error);
  if (status != ELMAN_OK) return status;
  status = trace_loss(trace, &network, batch, step, error);
  network_copy_free(&network);
  return status;
}
