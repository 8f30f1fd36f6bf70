#include "attention/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tensor/elementary.h"

/* ---- the table ---- */

#define DECLARATION(KIND, name) extern const struct attention_mechanism attention_##name;
ATTENTION_MECHANISMS(DECLARATION)

#define KIND_ROW(KIND, name) {#name, &attention_##name},
static const struct {
  const char *name;
  const struct attention_mechanism *mechanism;
} kinds[] = {ATTENTION_MECHANISMS(KIND_ROW)};

const struct attention_mechanism *attention_mechanism(enum attention_kind kind) {
  return kinds[kind].mechanism;
}

const char *elman_attention_name(size_t kind) {
  return kind < sizeof kinds / sizeof *kinds ? kinds[kind].name : NULL;
}

bool attention_parse(enum attention_kind *kind, const char *name) {
  size_t index;
  const bool found = choice_parse(&index, elman_attention_name, name);
  if (found) *kind = (enum attention_kind)index;
  return found;
}

void attention_config_complete(size_t *heads, size_t *window, bool clauses,
                               enum attention_kind kind) {
  const struct attention_mechanism *mechanism = attention_mechanism(kind);
  if (*heads == 0) *heads = mechanism->heads > 0 ? mechanism->heads : 1;
  if (*window == 0 && !clauses) *window = mechanism->window;
}

bool attention_has_sentinel(enum attention_kind kind) {
  return attention_mechanism(kind)->sentinel;
}

struct attention_cuts attention_cuts_of(struct attention_config config) {
  if (!attention_mechanism(config.kind)->segments) return (struct attention_cuts){0};
  return (struct attention_cuts){config.window, config.clauses};
}

size_t attention_segments(size_t *ends, size_t n, size_t length) {
  const size_t count = length == 0 ? 0 : n / length + (n % length > 0);
  for (size_t g = 0; g < count && ends != NULL; g++) ends[g] = g + 1 < count ? (g + 1) * length : n;
  return count;
}

void attention_sum_segments(float *segments, const float *weights, const size_t *ends,
                            size_t count) {
  for (size_t g = 0, s = 0; g < count; g++) {
    double sum = 0;
    for (; s < ends[g]; s++) sum += (double)weights[s];
    segments[g] = (float)sum;
  }
}

/* ---- valid sizes ---- */

/* Write the numbers of heads that divide the size, for example "1, 2, 4 or 8". */
static void list_divisors(char *text, size_t capacity, size_t size) {
  size_t used = 0, last = size < MAX_HEADS ? size : MAX_HEADS;
  text[0] = '\0';
  while (last > 1 && size % last != 0) last--;
  for (size_t n = 1; n <= last; n++) {
    if (size % n != 0) continue;
    const char *separator = used == 0 ? "" : n == last ? " or " : ", ";
    const int written = snprintf(text + used, capacity - used, "%s%zu", separator, n);
    if (written < 0 || (size_t)written >= capacity - used) return;
    used += (size_t)written;
  }
}

/* Check options that only attention on plain matrices can set. */
static elman_status check_mechanism(const struct attention_config *config, elman_error *error) {
  const char *name = elman_attention_name(config->kind);
  const struct attention_mechanism *mechanism = attention_mechanism(config->kind);
  const size_t width = attention_value_size(*config);
  if (config->heads > 1 && mechanism->one_head)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "%s attention has one head, not %zu; use multihead, scaled or dot attention", name,
                config->heads);
  if (width != config->size &&
      (mechanism->projections & PROJECT_VALUES || mechanism->context_forward != NULL))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "%s attention needs values with as many columns as the queries: %zu, not %zu", name,
                config->size, width);
  if (width % config->heads != 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "heads (%zu) must divide the columns of the values (%zu)", config->heads, width);
  if (!isfinite(config->scale))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the scale must be finite, not %g",
                (double)config->scale);
  if (config->scale != 0 && mechanism->no_scale)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "%s attention has no scale, because its score is not a product; remove the scale",
                name);
  if (config->window != 0 && mechanism->window == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "%s attention has no window; use local or hierarchical attention", name);
  if (config->divide_by_sum && mechanism->weigh != NULL)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "%s attention needs the softmax; its scores cannot be divided by their sum", name);
  return ELMAN_OK;
}

elman_status attention_config_check(const struct attention_config *config, elman_error *error) {
  if (config->heads < 1 || config->heads > MAX_HEADS)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the number of heads must be between 1 and %d, not %zu", MAX_HEADS, config->heads);
  if (config->size % config->heads != 0) {
    char divisors[256];
    list_divisors(divisors, sizeof divisors, config->size);
    const size_t below = config->size / config->heads * config->heads;
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "heads (%zu) must divide size (%zu); set heads to %s, or size to %zu or %zu",
                config->heads, config->size, divisors, below > 0 ? below : config->heads,
                (below > 0 ? below : config->heads) + config->heads);
  }
  const elman_status status = check_mechanism(config, error);
  if (status != ELMAN_OK) return status;
  if (attention_mechanism(config->kind)->window > 0 && !config->clauses &&
      (config->window < 1 || config->window > MAX_WINDOW))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the attention window must be between 1 and %d, not %td", MAX_WINDOW,
                (ptrdiff_t)config->window); /* restores the sign of a negative number in a file */
  return ELMAN_OK;
}

/* ---- weights ---- */

static const struct attention_own_weight *weight_at(const struct attention_mechanism *mechanism,
                                                    size_t i) {
  static const struct attention_own_weight projections[OWN_PARTS] = {
      [QUERY_WEIGHT] = OWN_MATRIX("query.weight"), [QUERY_BIAS] = OWN_VECTOR("query.bias"),
      [KEY_WEIGHT] = OWN_MATRIX("key.weight"),     [KEY_BIAS] = OWN_VECTOR("key.bias"),
      [VALUE_WEIGHT] = OWN_MATRIX("value.weight"), [VALUE_BIAS] = OWN_VECTOR("value.bias")};
  if (i < OWN_PARTS) return mechanism->projections >> i & 1 ? &projections[i] : NULL;
  return mechanism->own[i - OWN_PARTS].name != NULL ? &mechanism->own[i - OWN_PARTS] : NULL;
}

bool attention_part_at(struct attention_part *part, struct attention_parameters *parameters,
                       enum attention_kind kind, size_t H, size_t index) {
  for (size_t i = 0; i < MAX_ATTENTION_PARTS; i++) {
    const struct attention_own_weight *weight = weight_at(attention_mechanism(kind), i);
    if (weight == NULL || index-- > 0) continue;
    *part = (struct attention_part){.name = weight->name,
                                    .dimensions = weight->columns == NONE ? 1 : 2,
                                    .rows = weight->rows == SIZE ? H : 1,
                                    .columns = weight->columns == SIZE ? H : 1,
                                    .view = &parameters->part[i]};
    return true;
  }
  return false;
}

size_t attention_part_size(const struct attention_part *part) {
  return part->rows * part->columns;
}

size_t attention_value_size(struct attention_config config) {
  return config.value_size > 0 ? config.value_size : config.size;
}

/* ---- linear maps ---- */

struct linear attention_map(const struct attention_pass *pass, size_t weight, bool biased) {
  const struct attention_parameters *weights = pass->layer.weights;
  const size_t H = pass->layer.config.size;
  return (struct linear){.weight = weights->part[weight],
                         .bias = biased ? weights->part[weight + 1] : NULL,
                         .in = H,
                         .out = H,
                         .numerics = weights->numerics};
}

void attention_map_backward(const struct attention_gradients *d, real *dx, real beta,
                            const real *dy, const real *x, const struct attention_pass *pass,
                            size_t weight, bool biased) {
  real *const *dpart = d->weights->part;
  linear_backward((struct linear_gradients){dpart[weight], biased ? dpart[weight + 1] : NULL}, dx,
                  beta, dy, x, attention_map(pass, weight, biased), attention_rows(pass));
}

/* ---- predictions ---- */

static const real *readout_of(const struct attention_pass *pass, size_t n) {
  return pass->layer.weights->part[OWN_PARTS + PREDICTIONS + n];
}

void prediction_forward(const struct attention_pass *pass, size_t count) {
  const size_t H = pass->layer.config.size, rows = attention_rows(pass);
  real *states = pass->cache.own[PREDICTION_STATES];
  linear_forward(states, pass->queries, attention_map(pass, OWN_PARTS + PREDICTION_STATES, false),
                 rows);
  for (size_t i = 0; i < rows * H; i++) states[i] = tanh_real(states[i]);
  for (size_t n = 0; n < count; n++) {
    const real *v = readout_of(pass, n);
    for (size_t i = 0; i < rows; i++) {
      real z = 0;
      for (size_t j = 0; j < H; j++) z += v[j] * states[i * H + j];
      pass->cache.own[PREDICTIONS + n][i] = z;
    }
  }
}

/* Compute the gradient of the pre-activation of query i's prediction layer, and add to the
 * gradients of the vectors ω. On entry the scratch contains dz. */
static void read_back(const struct attention_gradients *d, const struct attention_pass *pass,
                      size_t count, size_t i) {
  const size_t H = pass->layer.config.size, B = pass->shape.batch;
  const bool masked = i / B >= mask_queries(pass->shape, i % B);
  const real *m = pass->cache.own[PREDICTION_STATES] + i * H;
  real *dm = d->scratch.own[PREDICTION_STATES] + i * H;
  for (size_t j = 0; j < H; j++) dm[j] = 0;
  for (size_t n = 0; n < count && !masked; n++) {
    const real *v = readout_of(pass, n), dz = d->scratch.own[PREDICTIONS + n][i];
    real *dv = d->weights->part[OWN_PARTS + PREDICTIONS + n];
    for (size_t j = 0; j < H; j++) {
      dv[j] += dz * m[j];
      dm[j] += dz * v[j];
    }
  }
  for (size_t j = 0; j < H; j++) dm[j] *= 1 - m[j] * m[j];
}

void prediction_backward(const struct attention_gradients *d, const struct attention_pass *pass,
                         size_t count) {
  for (size_t i = 0; i < attention_rows(pass); i++) read_back(d, pass, count, i);
  attention_map_backward(d, d->queries, 1, d->scratch.own[PREDICTION_STATES], pass->queries, pass,
                         OWN_PARTS + PREDICTION_STATES, false);
}
