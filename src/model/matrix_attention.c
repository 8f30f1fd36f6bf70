#include "model/matrix_attention.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/mask.h"
#include "base/text.h"
#include "model/safetensors.h"
#include "tensor/operand.h"

/* ---- parameters by name ---- */

static const struct stored_tensor *find_weight(const struct safetensors *file, const char *name) {
  char in_model[64];
  const struct stored_tensor *tensor = safetensors_find(file, name);
  if (tensor != NULL) return tensor;
  snprintf(in_model, sizeof in_model, "decoder.attention.%s", name);
  return safetensors_find(file, in_model);
}

static elman_status read_weight(elman_tensor *weight, const struct attention_part *part, size_t H,
                                const struct safetensors *file, elman_error *error) {
  const struct stored_tensor *tensor = find_weight(file, part->name);
  *weight = (elman_tensor){part->name, part->rows, part->columns, weight->values};
  if (tensor == NULL)
    return fail(error, ELMAN_BAD_DATA, file->path,
                "has no tensor \"%s\" or \"decoder.attention.%s\"", part->name, part->name);
  if (!safetensors_has_shape(tensor, part->dimensions, weight->rows, weight->columns))
    return fail(error, ELMAN_BAD_DATA, file->path,
                "%s does not fit queries of width %zu: it must have %zu row%s and %zu column%s",
                tensor->name, H, weight->rows, plural_ending(weight->rows), weight->columns,
                plural_ending(weight->columns));
  return safetensors_read(weight->values, file, tensor, error);
}

/* The tensors come first, so a pointer to them also points to the whole struct. */
struct owned_parameters {
  elman_tensor tensors[MAX_ATTENTION_PARTS];
  struct arena arena;
};

static elman_status read_parameters(elman_tensor **weights, size_t *count, enum attention_kind kind,
                                    size_t H, const struct safetensors *file, elman_error *error) {
  struct attention_parameters views = {0};
  struct attention_part part;
  struct owned_parameters *owned = NULL;
  struct arena arena = {0};
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &arena, error)) {
    owned = arena_allocate(fit.now, sizeof *owned, 1, 1, 1);
    for (*count = 0; attention_part_at(&part, &views, kind, H, *count); ++*count) {
      real *values = arena_reals(fit.now, part.rows, part.columns, 1);
      if (owned != NULL) owned->tensors[*count].values = values;
    }
  }
  if (fit.status != ELMAN_OK) return fit.status;
  owned->arena = arena;
  *weights = owned->tensors;
  elman_status status = ELMAN_OK;
  for (size_t i = 0; i < *count && status == ELMAN_OK; i++) {
    (void)attention_part_at(&part, &views, kind, H, i);
    status = read_weight(&owned->tensors[i], &part, H, file, error);
  }
  return status;
}

bool elman_attention_parameter(elman_tensor *weight, const char *mechanism, size_t width,
                               size_t index) {
  enum attention_kind kind;
  struct attention_parameters parameters = {0};
  struct attention_part part;
  if (!attention_parse(&kind, mechanism) ||
      !attention_part_at(&part, &parameters, kind, width, index))
    return false;
  *weight = (elman_tensor){.name = part.name, .rows = part.rows, .columns = part.columns};
  return true;
}

elman_status elman_attention_parameters_load(elman_tensor **weights, size_t *count,
                                             const char *path, const char *mechanism, size_t H,
                                             elman_error *error) {
  struct safetensors file;
  enum attention_kind kind;
  *weights = NULL;
  *count = 0;
  if (!attention_parse(&kind, mechanism))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "unknown attention mechanism \"%s\"",
                mechanism);
  if (H > INT_MAX)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the width, %zu, is too large", H);
  elman_status status = safetensors_open(&file, path, error);
  if (status != ELMAN_OK) return status;
  status = read_parameters(weights, count, kind, H, &file, error);
  if (status == ELMAN_OK) status = safetensors_verify(&file, error);
  safetensors_close(&file);
  if (status == ELMAN_OK) return ELMAN_OK;
  elman_attention_parameters_free(*weights);
  *weights = NULL;
  *count = 0;
  return status;
}

void elman_attention_parameters_free(elman_tensor *weights) {
  if (weights == NULL) return;
  struct arena arena = ((struct owned_parameters *)(void *)weights)->arena;
  arena_free(&arena);
}

/* ---- checking the input ---- */

static bool all_finite(const float *values, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(values[i])) return false;
  return true;
}

static elman_status check_numbers(const float *values, size_t n, const char *what,
                                  elman_error *error) {
  if (values == NULL) return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "no %s were given", what);
  if (all_finite(values, n)) return ELMAN_OK;
  return fail(error, ELMAN_BAD_DATA, NULL, "%s: a value is not finite", what);
}

static elman_status set_config(struct matrix_attention *a, const elman_attention_options *options,
                               elman_error *error) {
  const elman_attention_input *input = a->input;
  const size_t T = input->query_count, S = input->key_count, H = input->width, limit = INT_MAX;
  struct attention_config *config = &a->layer.config;
  *config = (struct attention_config){.size = H,
                                      .value_size = input->value_width,
                                      .heads = options->heads,
                                      .window = options->window,
                                      .scale = (real)options->scale,
                                      .divide_by_sum = options->divide_by_sum};
  a->query_length = T;
  a->key_length = options->key_length == ELMAN_ALL_KEYS ? S : options->key_length;
  a->shape = (struct attention_shape){.queries = T,
                                      .keys = S,
                                      .batch = 1,
                                      .query_lengths = &a->query_length,
                                      .key_lengths = &a->key_length,
                                      .causal = options->causal};
  a->layer.weights = &a->weights;
  a->weights.numerics = numerics_of(ARITHMETIC_FAST, ELMAN_PRECISION_FLOAT32);
  if (options->mechanism == NULL || !attention_parse(&config->kind, options->mechanism))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "unknown attention mechanism \"%s\"",
                options->mechanism == NULL ? "" : options->mechanism);
  size_t own_heads = 0; /* ignored, because options.heads has the default 1 */
  attention_config_complete(&own_heads, &config->window, false, config->kind);
  if (config->scale == 0 && options->scale != 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the scale, %g, is too small", options->scale);
  if (T == 0 || S == 0 || H == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "queries, keys and their width must be at least 1, not %zu, %zu and %zu", T, S, H);
  /* BLAS requires that sizes and distances between rows are ints. Products of two such sizes do not
   * overflow; the arena checks products of three sizes. */
  if (T > limit || S > limit || H > limit || attention_value_size(*config) > limit ||
      config->heads > limit / S)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the matrices are too large");
  if (a->key_length == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the key length must be at least 1, not 0");
  if (a->key_length > S)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the key length, %zu, exceeds the number of keys, %zu", a->key_length, S);
  return attention_config_check(config, error);
}

/* ---- weights ---- */

static const elman_tensor *find(const elman_tensor *tensors, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(tensors[i].name, name) == 0) return &tensors[i];
  return NULL;
}

/* Check that each tensor names a different parameter of the mechanism and has its shape. */
static elman_status check_tensors(const elman_tensor *tensors, size_t count,
                                  struct attention_config config, elman_error *error) {
  struct attention_parameters views = {0};
  for (size_t i = 0; i < count; i++) {
    struct attention_part part;
    size_t index = 0;
    bool found;
    while ((found = attention_part_at(&part, &views, config.kind, config.size, index)) &&
           strcmp(part.name, tensors[i].name) != 0)
      index++;
    if (!found)
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s attention has no parameter \"%s\"",
                  elman_attention_name(config.kind), tensors[i].name);
    if (find(tensors, i, part.name) != NULL)
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s is given twice", part.name);
    if (tensors[i].values == NULL || tensors[i].rows != part.rows ||
        tensors[i].columns != part.columns)
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "%s must have %zu row%s and %zu column%s, not %zu and %zu", part.name, part.rows,
                  plural_ending(part.rows), part.columns, plural_ending(part.columns),
                  tensors[i].rows, tensors[i].columns);
  }
  return ELMAN_OK;
}

static elman_status set_weights(struct matrix_attention *a, const elman_attention_input *input,
                                elman_error *error) {
  const enum attention_kind kind = a->layer.config.kind;
  const size_t H = input->width;
  elman_status status =
      check_tensors(input->parameters, input->parameter_count, a->layer.config, error);
  struct attention_part part;
  for (size_t i = 0; status == ELMAN_OK && attention_part_at(&part, &a->weights, kind, H, i); i++) {
    const elman_tensor *weight = find(input->parameters, input->parameter_count, part.name);
    if (weight == NULL)
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s attention needs the parameter \"%s\"",
                  elman_attention_name(kind), part.name);
    *part.view = weight->values;
    status = check_numbers(weight->values, attention_part_size(&part), part.name, error);
  }
  return status;
}

/* ---- memory ---- */

/* A gradient: the array in which it is computed, and the array to which it is then added (NULL =
 * none). */
struct gradient_part {
  real **computed;
  size_t count;
  float *destination;
};

enum { MAX_GRADIENT_PARTS = 3 + MAX_ATTENTION_PARTS };

/* List all gradients and return their number. */
static size_t list_gradients(struct gradient_part parts[MAX_GRADIENT_PARTS],
                             struct matrix_attention *a) {
  const elman_attention_gradients *to = a->gradients;
  const struct attention_config config = a->layer.config;
  const size_t T = a->shape.queries, S = a->shape.keys, H = config.size;
  size_t count = 0;
  struct attention_part part;
  parts[count++] = (struct gradient_part){&a->dqueries, T * H, to->queries};
  parts[count++] = (struct gradient_part){&a->dkeys, S * H, to->keys};
  parts[count++] =
      (struct gradient_part){&a->dvalues, S * attention_value_size(config), to->values};
  for (size_t i = 0; attention_part_at(&part, &a->dweights, config.kind, H, i); i++) {
    const elman_tensor *weight = find(to->parameters, to->parameter_count, part.name);
    parts[count++] = (struct gradient_part){part.view, attention_part_size(&part),
                                            weight == NULL ? NULL : weight->values};
  }
  return count;
}

static elman_status reserve(struct matrix_attention *a, elman_error *error) {
  const struct attention_config config = a->layer.config;
  const bool backward = a->gradients != NULL;
  struct gradient_part parts[MAX_GRADIENT_PARTS];
  const size_t count = backward ? list_gradients(parts, a) : 0;
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &a->arena, error)) {
    attention_allocate(&a->cache, fit.now, config, a->shape, VALUES);
    if (a->cache.scores == NULL)
      a->cache.scores = arena_reals(fit.now, a->shape.queries, config.heads, a->shape.keys);
    if (backward) attention_allocate(&a->scratch, fit.now, config, a->shape, GRADIENTS);
    for (size_t i = 0; i < count; i++)
      *parts[i].computed = arena_reals(fit.now, parts[i].count, 1, 1);
  }
  return fit.status;
}

/* ---- the input ---- */

elman_status matrix_attention_start(struct matrix_attention *a, const elman_attention_input *input,
                                    const elman_attention_options *options,
                                    const elman_attention_gradients *gradients,
                                    const float *dcontext, elman_error *error) {
  *a = (struct matrix_attention){.input = input, .gradients = gradients, .dcontext = dcontext};
  elman_status status = set_config(a, options, error);
  if (status == ELMAN_OK) status = set_weights(a, input, error);
  if (status != ELMAN_OK) return status;
  const size_t T = input->query_count, S = input->key_count, H = input->width;
  const size_t V = attention_value_size(a->layer.config);
  status = check_numbers(input->queries, T * H, "queries", error);
  if (status == ELMAN_OK) status = check_numbers(input->keys, S * H, "keys", error);
  if (status == ELMAN_OK) status = check_numbers(input->values, S * V, "values", error);
  if (status == ELMAN_OK && gradients != NULL)
    status = check_numbers(dcontext, T * V, "gradients of the context", error);
  if (status == ELMAN_OK && gradients != NULL)
    status =
        check_tensors(gradients->parameters, gradients->parameter_count, a->layer.config, error);
  return status == ELMAN_OK ? reserve(a, error) : status;
}

void matrix_attention_free(struct matrix_attention *a) {
  arena_free(&a->arena);
}

/* ---- forward ---- */

/* Check that the scores of each row have a positive sum; otherwise they cannot be divided by it. */
static elman_status check_sums(const struct matrix_attention *a, elman_error *error) {
  const size_t K = a->layer.config.heads, S = a->shape.keys;
  for (size_t row = 0; row < a->shape.queries * K; row++) {
    double sum = 0;
    for (size_t s = 0; s < S; s++)
      if (isfinite(a->cache.scores[row * S + s])) sum += (double)a->cache.scores[row * S + s];
    if (!(sum > 0))
      return fail(error, ELMAN_BAD_DATA, NULL,
                  "the scores of query %zu sum to %g; division needs a positive sum", row / K + 1,
                  sum);
  }
  return ELMAN_OK;
}

static struct attention_pass pass_of(const struct matrix_attention *a) {
  return (struct attention_pass){a->layer,          a->shape,       a->cache,
                                 a->input->queries, a->input->keys, a->input->values};
}

static elman_status run_forward(const struct matrix_attention *a, elman_error *error) {
  const size_t T = a->shape.queries, S = a->shape.keys, K = a->layer.config.heads;
  const struct attention_pass pass = pass_of(a);
  attention_prepare(&pass, (struct range){0, S});
  attention_forward(&pass, (struct range){0, T});
  if (a->layer.config.divide_by_sum) {
    const elman_status status = check_sums(a, error);
    if (status != ELMAN_OK) return status;
  }
  if (all_finite(a->cache.weights, T * K * S) &&
      all_finite(a->cache.context, T * attention_value_size(a->layer.config)))
    return ELMAN_OK;
  return fail(error, ELMAN_BAD_DATA, NULL, "the values are too large: the result is not finite");
}

/* Copy (T,K,S) to (K,T,S). */
static void heads_first(float *to, const real *from, size_t T, size_t K, size_t S) {
  for (size_t t = 0; t < T; t++)
    for (size_t n = 0; n < K; n++)
      memcpy(to + (n * T + t) * S, from + (t * K + n) * S, S * sizeof *to);
}

struct owned_output {
  elman_attention_output view; /* first, so that a pointer to it also points to the whole struct */
  struct arena arena;
};

elman_status matrix_attention_output(elman_attention_output **output,
                                     const struct matrix_attention *a, elman_error *error) {
  const size_t T = a->shape.queries, S = a->shape.keys, K = a->layer.config.heads;
  const size_t V = attention_value_size(a->layer.config);
  struct owned_output *owned = NULL;
  float *scores = NULL, *weights = NULL, *context = NULL, *sentinel = NULL, *segments = NULL;
  const size_t length = attention_cuts_of(a->layer.config).length;
  const size_t G = attention_segments(NULL, S, length);
  size_t *ends = NULL;
  struct arena arena = {0};
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &arena, error)) {
    owned = arena_allocate(fit.now, sizeof *owned, 1, 1, 1);
    scores = arena_reals(fit.now, T, K, S);
    weights = arena_reals(fit.now, T, K, S);
    context = arena_reals(fit.now, T, V, 1);
    if (G > 0) segments = arena_reals(fit.now, T, G, 1);
    if (G > 0) ends = arena_allocate(fit.now, sizeof *ends, G, 1, 1);
    if (attention_has_sentinel(a->layer.config.kind)) sentinel = arena_reals(fit.now, T, 1, 1);
  }
  if (fit.status != ELMAN_OK) return fit.status;
  heads_first(scores, a->cache.scores, T, K, S);
  heads_first(weights, a->cache.weights, T, K, S);
  memcpy(context, a->cache.context, T * V * sizeof *context);
  for (size_t t = 0; t < T && sentinel != NULL; t++) sentinel[t] = mask_rest(weights + t * S, S);
  if (ends != NULL) attention_segments(ends, S, length);
  for (size_t t = 0; t < T && segments != NULL; t++)
    attention_sum_segments(segments + t * G, weights + t * S, ends, G);
  *owned = (struct owned_output){{.heads = K,
                                  .query_count = T,
                                  .key_count = S,
                                  .value_width = V,
                                  .scores = scores,
                                  .weights = weights,
                                  .sentinel = sentinel,
                                  .segment_count = G,
                                  .segments = segments,
                                  .context = context},
                                 arena};
  *output = &owned->view;
  return ELMAN_OK;
}

void elman_attention_output_free(elman_attention_output *output) {
  if (output == NULL) return;
  struct arena arena = ((struct owned_output *)output)->arena;
  arena_free(&arena);
}

/* ---- backward ---- */

static void run_backward(struct matrix_attention *a) {
  struct gradient_part parts[MAX_GRADIENT_PARTS];
  const size_t count = list_gradients(parts, a);
  for (size_t i = 0; i < count; i++) memset(*parts[i].computed, 0, parts[i].count * sizeof(real));
  const struct attention_pass pass = pass_of(a);
  attention_clear(&a->scratch, &pass);
  const struct attention_gradients d = {a->dqueries,  a->dkeys,   a->dvalues,
                                        &a->dweights, a->scratch, a->dcontext};
  attention_backward(&d, &pass, (struct range){0, a->shape.queries});
  attention_prepare_backward(&d, &pass, (struct range){0, a->shape.keys});
}

static elman_status add_gradients(struct matrix_attention *a, elman_error *error) {
  struct gradient_part parts[MAX_GRADIENT_PARTS];
  const size_t count = list_gradients(parts, a);
  for (size_t i = 0; i < count; i++)
    if (!all_finite(*parts[i].computed, parts[i].count))
      return fail(error, ELMAN_BAD_DATA, NULL,
                  "the values are too large: the gradients are not finite");
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; parts[i].destination != NULL && j < parts[i].count; j++)
      parts[i].destination[j] += (*parts[i].computed)[j];
  return ELMAN_OK;
}

elman_status matrix_attention_run(struct matrix_attention *a, elman_error *error) {
  const elman_status status = run_forward(a, error);
  if (status != ELMAN_OK || a->gradients == NULL) return status;
  run_backward(a);
  return add_gradients(a, error);
}
