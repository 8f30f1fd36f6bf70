#include "model/gradient_check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/network_copy.h"
#include "tensor/softmax.h"

struct run {
  struct network_copy network;
  const struct batch *batch;
  const elman_gradient_options *options;
  struct regularization regularization;
  size_t *places;  /* of the weights to try, within a tensor */
  real *above;     /* (N,V): logits */
  double rounding; /* of the mean loss, whatever the order in which a processor adds */
};

/* ---- which weights ---- */

static int compare_places(const void *a, const void *b) {
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return x < y ? -1 : x > y;
}

static size_t sort_unique(size_t *places, size_t count) {
  size_t kept = 0;
  qsort(places, count, sizeof *places, compare_places);
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || places[i] != places[kept - 1]) places[kept++] = places[i];
  }
  return kept;
}

/* The side whose words are the rows of this tensor, or NULL. */
static const struct sequence *words_of(const struct run *run, const struct parameter *row) {
  const real *tensor = run->network.weights + row->offset;
  if (tensor == run->network.weight_views.encoder.embedding) return &run->batch->source;
  if (tensor == run->network.weight_views.decoder.embedding) return &run->batch->target;
  return NULL;
}

static bool is_real(const struct sequence *words, size_t position) {
  return position / words->batch < words->lengths[position % words->batch];
}

/* Places in the rows of a batch's words: each word in turn, until there are as many as asked for.
 */
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

static size_t choose_places(struct run *run, const struct parameter *row, size_t number) {
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

/* Room for the places of any tensor, and for logits. */
static elman_status take_memory(struct run *run, elman_error *error) {
  const size_t samples = run->options->samples;
  size_t most = 0;
  for (size_t i = 0; i < run->network.table.count; i++) {
    const struct parameter *row = &run->network.table.rows[i];
    const struct sequence *words = words_of(run, row);
    const size_t size = parameter_size(row);
    size_t needed = samples;
    if (samples == 0 || size <= samples)
      needed = size;
    else if (words != NULL)
      needed += samples + words->steps * words->batch;
    if (needed > most) most = needed;
  }
  run->places = reallocarray(NULL, most, sizeof *run->places);
  /* The workspace holds as many, so the product fits. */
  run->above =
      malloc(run->batch->tokens * run->network.config.target_vocabulary * sizeof *run->above);
  const bool failed = run->places == NULL || run->above == NULL;
  return failed ? fail_no_memory(error) : ELMAN_OK;
}

/* ---- the measurement ---- */

/* By how much the loss of token k differs between the logits a and b (V). With δ_v the change of
 * o_v - o_k, that is
 *
 *   log Σ exp(a_v - a_k) - log Σ exp(b_v - b_k) = log(1 + Σ p_v (exp(δ_v) - 1)),   p = softmax(b),
 *
 * and no digits cancel: two losses as in equation 10 would have most of them in common. Smoothing
 * adds ε times the change of o_k - mean of o (36). */
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

/* The sum of the guide's losses goes to *guide. */
static const real *logits_of(struct run *run, double *guide) {
  const struct network_pass pass =
      network_copy_pass(&run->network, run->batch, &run->regularization);
  (void)network_forward(&pass);
  *guide = network_guide_loss(&pass);
  return run->network.workspace.decoder.logits;
}

/* Divided by the step that was realised. */
static double central_difference(struct run *run, real *weight) {
  const size_t N = run->batch->tokens, V = run->network.config.target_vocabulary;
  const real kept = *weight;
  const volatile real above = kept + (real)run->options->step;
  const volatile real below = kept - (real)run->options->step;
  double sum = 0, guide_above, guide_below;
  *weight = above;
  memcpy(run->above, logits_of(run, &guide_above), N * V * sizeof *run->above);
  *weight = below;
  const real *logits = logits_of(run, &guide_below);
  *weight = kept;
  for (size_t n = 0; n < N; n++)
    sum += loss_difference(run->above + n * V, logits + n * V, run->batch->labels[n],
                           run->regularization.label_smoothing, V);
  const double guided = run->regularization.guide * (guide_above - guide_below);
  return (sum / (double)N + guided) / ((double)above - (double)below);
}

/* How far rounding moves sums of n numbers whose sizes add up to at most 1: λ √n u, but for a
 * chance of 2 exp(-λ² / 2), here 3e-8 (Higham and Mary, SIAM Journal on Scientific Computing 41,
 * 2019). Sums on the way to a logit: of a step of the encoder and of one of the decoder those of
 * each gate in each layer, and the two of its normalisation; a score, the context, and the logit
 * itself. */
static double rounding_of_sums(const struct run *run) {
  const struct model_config *config = &run->network.config;
  const size_t H = config->hidden_size, E = config->embedding_size;
  const struct decoder_sizes sizes = decoder_sizes_of(config);
  const size_t F = decoder_feature_size(sizes), above = sizes.layers - 1;
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

/* How far rounding moves the mean loss. The products that are added up in logit v are |w_v| |f| +
 * |b_v| together at most (Cauchy and Schwarz): the logit itself may be small where they cancel. A
 * token's loss follows the logits by 1 - p at most, and by ε. */
static double rounding_of_loss(const struct run *run) {
  const size_t N = run->batch->tokens, V = run->network.config.target_vocabulary;
  const size_t F = decoder_feature_size(decoder_sizes_of(&run->network.config));
  const struct decoder_parameters *weights = &run->network.weight_views.decoder;
  const struct decoder_cache *cache = &run->network.workspace.decoder;
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

/* Rows of the real positions of a side, (steps,batch,H). */
static double longest_row(const real *rows, const struct sequence *side, size_t H) {
  double longest = 0;
  for (size_t i = 0; i < side->steps * side->batch; i++)
    if (is_real(side, i)) longest = fmax(longest, norm_of(rows + i * H, H));
  return longest;
}

/* How far rounding moves the guide's mean loss. The logarithm of a weight follows two scores; the
 * products that are added up in a score are |q| |k| together at most or, in a sum of tanh, |v| √H.
 */
static double rounding_of_guide(const struct run *run) {
  const struct workspace *w = &run->network.workspace;
  const struct attention_cache *cache = &w->decoder.attention;
  const struct decoder_parameters *weights = &run->network.weight_views.decoder;
  const size_t H = run->network.config.hidden_size, B = run->batch->target.batch;
  const real *top = w->decoder.states[run->network.config.layers - 1].part[0] + B * H;
  if (w->decoder.top != NULL) top = w->decoder.top;
  const real *outputs = w->decoder.outputs != NULL ? w->decoder.outputs : top;
  const double q =
      longest_row(cache->queries != NULL ? cache->queries : outputs, &run->batch->target, H);
  const double k =
      longest_row(cache->keys != NULL ? cache->keys : w->encoder.outputs, &run->batch->source, H);
  const real *own = weights->attention.part[OWN_PARTS];
  const double score = q * k + (own == NULL ? 0 : norm_of(own, H) * sqrt((double)H));
  return rounding_of_sums(run) * (1 + 2 * score);
}

static elman_verdict judge(const struct run *run, double difference, double error, size_t checked) {
  const double rounding = run->rounding / run->options->step * sqrt((double)checked);
  if (error <= run->options->tolerance) return ELMAN_GRADIENT_RIGHT;
  return difference <= rounding ? ELMAN_GRADIENT_ROUNDING : ELMAN_GRADIENT_WRONG; /* NaN is wrong */
}

static elman_checked_tensor check_tensor(struct run *run, size_t number) {
  const struct parameter *row = &run->network.table.rows[number];
  real *weights = run->network.weights + row->offset;
  const real *gradient = run->network.gradients + row->offset;
  if (row->alias) return (elman_checked_tensor){.verdict = ELMAN_GRADIENT_TIED};
  const size_t count = choose_places(run, row, number);
  double difference = 0, norm = 0, measured = 0;
  for (size_t i = 0; i < count; i++) {
    const double a = (double)gradient[run->places[i]];
    const double b = central_difference(run, &weights[run->places[i]]);
    difference += (a - b) * (a - b);
    norm += a * a;
    measured += b * b;
  }
  elman_checked_tensor report = {.checked = count, .norm = sqrt(norm), .measured = sqrt(measured)};
  difference = sqrt(difference);
  if (difference != 0) report.error = difference / (report.norm + report.measured);
  report.verdict = judge(run, difference, report.error, count);
  return report;
}

static elman_status check_all(struct gradient_check *check, struct run *run, elman_error *error) {
  struct network_copy *network = &run->network;
  const elman_gradient_options *options = run->options;
  elman_status status =
      network_copy_loss(&check->loss, network, run->batch, &run->regularization, error);
  if (status == ELMAN_OK) status = take_memory(run, error);
  if (status != ELMAN_OK) return status;
  run->rounding = rounding_of_loss(run);
  if (run->regularization.guide > 0)
    run->rounding += options->guide_weight * rounding_of_guide(run);
  const struct network_pass pass = network_copy_pass(network, run->batch, &run->regularization);
  const size_t linked = run->batch->guide.tokens;
  check->guide_loss = linked == 0 ? 0 : network_guide_loss(&pass) / (double)linked;
  (void)network_gradient(&network->gradient_views, &pass);
  check->count = network->table.count;
  for (size_t i = 0; i < check->count; i++) {
    if (options->progress != NULL && !options->progress(options->context, i, check->count))
      return fail(error, ELMAN_INTERRUPTED, NULL, "the check was stopped");
    check->reports[i] = check_tensor(run, i);
  }
  return ELMAN_OK;
}

elman_status gradient_check_run(struct gradient_check *check, const struct model_config *config,
                                const float *const *tensors, const struct batch *batch,
                                const elman_gradient_options *options, elman_error *error) {
  const struct random_stream stream = dropout_stream(options->seed, 0, 0);
  const size_t linked = batch->guide.tokens;
  struct run run = {
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
  free(run.above);
  network_copy_free(&run.network);
  return status;
}
