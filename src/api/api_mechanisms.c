#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "attention/kinds.h"
#include "attention/mask.h"
#include "model/safetensors.h"

/* ---- names and shapes of parameters ---- */

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

/* Allocate one block that contains the tensors and then their elements. */
static elman_status list_weights(elman_tensor **weights, size_t *count, enum attention_kind kind,
                                 size_t H, elman_error *error) {
  struct attention_parameters parameters = {0};
  struct attention_part part;
  size_t numbers = 0, square, bytes;
  if (__builtin_mul_overflow(H, H, &square))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the width, %zu, is too large: the matrices would exceed the address space", H);
  *count = 0;
  for (; attention_part_at(&part, &parameters, kind, H, *count); ++*count)
    if (__builtin_add_overflow(numbers, attention_part_size(&part), &numbers))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "the width, %zu, is too large: the matrices would exceed the address space", H);
  const size_t head = (*count + 1) * sizeof **weights;
  if (__builtin_mul_overflow(numbers, sizeof(real), &bytes) ||
      __builtin_add_overflow(bytes, head, &bytes))
    return fail_no_memory(error);
  *weights = calloc(1, bytes);
  if (*weights == NULL) return fail_no_memory(error);
  real *values = (real *)(void *)((char *)*weights + head);
  for (size_t i = 0; attention_part_at(&part, &parameters, kind, H, i); i++) {
    (*weights)[i].values = values;
    values += attention_part_size(&part);
  }
  return ELMAN_OK;
}

static elman_status load(elman_tensor **weights, size_t *count, const char *path,
                         const char *mechanism, size_t H, elman_error *error) {
  enum attention_kind kind;
  if (!attention_parse(&kind, mechanism))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "unknown attention mechanism \"%s\"",
                mechanism);
  struct safetensors file;
  elman_status status = safetensors_open(&file, path, error);
  if (status != ELMAN_OK) return status;
  status = list_weights(weights, count, kind, H, error);
  struct attention_parameters parameters = {0};
  struct attention_part part;
  for (size_t i = 0; status == ELMAN_OK && attention_part_at(&part, &parameters, kind, H, i); i++)
    status = read_weight(&(*weights)[i], &part, H, &file, error);
  if (status == ELMAN_OK) status = safetensors_verify(&file, error);
  safetensors_close(&file);
  return status;
}

elman_status elman_attention_parameters_load(elman_tensor **weights, size_t *count,
                                             const char *path, const char *mechanism, size_t width,
                                             elman_error *error) {
  *weights = NULL;
  const elman_status status = load(weights, count, path, mechanism, width, error);
  if (status != ELMAN_OK) {
    free(*weights);
    *weights = NULL;
    *count = 0;
  }
  return status;
}

void elman_attention_parameters_free(elman_tensor *weights) {
  free(weights);
}

elman_attention_options elman_attention_options_default(void) {
  return (elman_attention_options){
      .mechanism = attention_name(ATTENTION_DOT), .heads = 1, .key_length = ELMAN_ALL_KEYS};
}

/* One sentence with its attention layer: B = 1. */
struct attending {
  struct attention_layer layer;
  struct attention_shape shape;
  size_t query_length, key_length; /* lengths to which `shape` points */
  struct attention_parameters weights, gradients;
  struct attention_arrays cache, scratch;
  real *dqueries, *dkeys, *dvalues;
  struct arena arena;
};

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

/* Check the sizes for BLAS, where sizes and distances between rows are ints. After this check,
 * products of two sizes fit; the arena checks products of three. */
static elman_status check_sizes(const elman_attention_input *input, struct attention_config config,
                                elman_error *error) {
  const size_t T = input->query_count, S = input->key_count, H = config.size;
  const size_t V = attention_value_size(config), limit = INT_MAX;
  if (T == 0 || S == 0 || H == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "queries, keys and their width must be at least 1, not %zu, %zu and %zu", T, S, H);
  if (T > limit || S > limit || H > limit || V > limit || config.heads > limit / S)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the matrices are too large");
  return ELMAN_OK;
}

static elman_status set_mask(struct attending *a, const elman_attention_input *input,
                             const elman_attention_options *options, elman_error *error) {
  const size_t S = input->key_count;
  a->query_length = input->query_count;
  a->key_length = options->key_length == ELMAN_ALL_KEYS ? S : options->key_length;
  if (a->key_length == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the key length must be at least 1, not 0");
  if (a->key_length > S)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the key length, %zu, exceeds the number of keys, %zu", a->key_length, S);
  a->shape = (struct attention_shape){.queries = input->query_count,
                                      .keys = S,
                                      .batch = 1,
                                      .query_lengths = &a->query_length,
                                      .key_lengths = &a->key_length,
                                      .causal = options->causal};
  return ELMAN_OK;
}

static elman_status set_config(struct attending *a, const elman_attention_input *input,
                               const elman_attention_options *options, elman_error *error) {
  struct attention_config *config = &a->layer.config;
  if (options->mechanism == NULL || !attention_parse(&config->kind, options->mechanism))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "unknown attention mechanism \"%s\"",
                options->mechanism == NULL ? "" : options->mechanism);
  config->size = input->width;
  config->value_size = input->value_width;
  config->heads = options->heads;
  config->window = options->window;
  size_t own_heads = 0; /* ignored, because options.heads has the default 1 */
  attention_config_complete(&own_heads, &config->window, false, config->kind);
  config->scale = (real)options->scale;
  if (config->scale == 0 && options->scale != 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the scale, %g, is too small", options->scale);
  config->divide_by_sum = options->divide_by_sum;
  a->layer.weights = &a->weights;
  a->weights.numerics = numerics_of(ARITHMETIC_FAST, ELMAN_PRECISION_FLOAT32);
  elman_status status = check_sizes(input, *config, error);
  if (status == ELMAN_OK) status = attention_config_check(config, error);
  return status;
}

/* ---- parameters by name ---- */

static const elman_tensor *find(const elman_tensor *tensors, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(tensors[i].name, name) == 0) return &tensors[i];
  return NULL;
}

/* Check that each tensor names a different parameter of the mechanism and has its shape. */
static elman_status check_tensors(const elman_tensor *tensors, size_t count, const char *mechanism,
                                  size_t H, elman_error *error) {
  for (size_t i = 0; i < count; i++) {
    elman_tensor part = {0};
    size_t index = 0;
    while (elman_attention_parameter(&part, mechanism, H, index) &&
           strcmp(part.name, tensors[i].name) != 0)
      index++;
    if (!elman_attention_parameter(&part, mechanism, H, index))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s attention has no parameter \"%s\"",
                  mechanism, tensors[i].name);
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

static elman_status set_weights(struct attending *a, const elman_attention_input *input,
                                elman_error *error) {
  const enum attention_kind kind = a->layer.config.kind;
  const char *mechanism = attention_name(kind);
  const size_t H = input->width;
  elman_status status =
      check_tensors(input->parameters, input->parameter_count, mechanism, H, error);
  struct attention_part part;
  for (size_t i = 0; status == ELMAN_OK && attention_part_at(&part, &a->weights, kind, H, i); i++) {
    const elman_tensor *weight = find(input->parameters, input->parameter_count, part.name);
    if (weight == NULL)
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s attention needs the parameter \"%s\"",
                  mechanism, part.name);
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

/* List all gradients and return their number. `destination` is NULL while destinations are not
 * known. */
static size_t list_gradients(struct gradient_part parts[MAX_GRADIENT_PARTS], struct attending *a,
                             const elman_attention_gradients *destination) {
  const elman_attention_gradients nothing = {0}, *to = destination == NULL ? &nothing : destination;
  const struct attention_config config = a->layer.config;
  const size_t T = a->shape.queries, S = a->shape.keys, H = config.size;
  size_t count = 0;
  struct attention_part part;
  parts[count++] = (struct gradient_part){&a->dqueries, T * H, to->queries};
  parts[count++] = (struct gradient_part){&a->dkeys, S * H, to->keys};
  parts[count++] =
      (struct gradient_part){&a->dvalues, S * attention_value_size(config), to->values};
  for (size_t i = 0; attention_part_at(&part, &a->gradients, config.kind, H, i); i++) {
    const elman_tensor *weight = find(to->parameters, to->parameter_count, part.name);
    parts[count++] = (struct gradient_part){part.view, attention_part_size(&part),
                                            weight == NULL ? NULL : weight->values};
  }
  return count;
}

static elman_status reserve(struct attending *a, bool backward, elman_error *error) {
  const struct attention_config config = a->layer.config;
  struct gradient_part parts[MAX_GRADIENT_PARTS];
  const size_t count = backward ? list_gradients(parts, a, NULL) : 0;
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

/* ---- forward ---- */

static elman_status check_input(struct attending *a, const elman_attention_input *input,
                                const elman_attention_options *options, elman_error *error) {
  const elman_attention_options defaults = elman_attention_options_default();
  if (options == NULL) options = &defaults;
  *a = (struct attending){0};
  elman_status status = set_config(a, input, options, error);
  if (status == ELMAN_OK) status = set_mask(a, input, options, error);
  if (status == ELMAN_OK) status = set_weights(a, input, error);
  if (status != ELMAN_OK) return status;
  const size_t T = input->query_count, S = input->key_count, H = input->width;
  const size_t V = attention_value_size(a->layer.config);
  status = check_numbers(input->queries, T * H, "queries", error);
  if (status == ELMAN_OK) status = check_numbers(input->keys, S * H, "keys", error);
  return status == ELMAN_OK ? check_numbers(input->values, S * V, "values", error) : status;
}

static elman_status enter_for(struct surroundings *before, const struct attending *a,
                              elman_error *error) {
  const struct attention_shape shape = a->shape;
  return enter(before, 0, (double)shape.queries * (double)shape.keys * (double)a->layer.config.size,
               error);
}

/* Check that the scores of each row have a positive sum; otherwise they cannot be divided by it. */
static elman_status check_sums(const struct attending *a, elman_error *error) {
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

static struct attention_pass pass_of(const struct attending *a,
                                     const elman_attention_input *input) {
  return (struct attention_pass){a->layer,       a->shape,    a->cache,
                                 input->queries, input->keys, input->values};
}

static elman_status run_forward(struct attending *a, const elman_attention_input *input,
                                elman_error *error) {
  const size_t T = a->shape.queries, S = a->shape.keys, K = a->layer.config.heads;
  const struct attention_pass pass = pass_of(a, input);
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

static elman_status make_output(elman_attention_output **output, const struct attending *a,
                                elman_error *error) {
  const size_t T = a->shape.queries, S = a->shape.keys, K = a->layer.config.heads;
  const size_t V = attention_value_size(a->layer.config);
  struct owned_output *owned = NULL;
  float *scores = NULL, *weights = NULL, *context = NULL, *sentinel = NULL, *segments = NULL;
  const size_t length = attention_cuts_of(a->layer.config).length;
  const size_t G = segments_of_length(NULL, S, length);
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
  if (ends != NULL) segments_of_length(ends, S, length);
  for (size_t t = 0; t < T && segments != NULL; t++)
    row_segments(segments + t * G, weights + t * S, ends, G);
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

elman_status elman_attention_forward(elman_attention_output **output,
                                     const elman_attention_input *input,
                                     const elman_attention_options *options, elman_error *error) {
  struct attending a;
  *output = NULL;
  elman_status status = check_input(&a, input, options, error);
  if (status == ELMAN_OK) status = reserve(&a, false, error);
  struct surroundings before;
  if (status == ELMAN_OK) status = enter_for(&before, &a, error);
  if (status == ELMAN_OK) {
    status = run_forward(&a, input, error);
    leave(before);
  }
  if (status == ELMAN_OK) status = make_output(output, &a, error);
  arena_free(&a.arena);
  return status;
}

void elman_attention_output_free(elman_attention_output *output) {
  if (output == NULL) return;
  struct arena arena = ((struct owned_output *)output)->arena;
  arena_free(&arena);
}

/* ---- backward ---- */

static void run_backward(struct attending *a, const float *dcontext,
                         const elman_attention_input *input) {
  struct gradient_part parts[MAX_GRADIENT_PARTS];
  const size_t count = list_gradients(parts, a, NULL);
  for (size_t i = 0; i < count; i++) memset(*parts[i].computed, 0, parts[i].count * sizeof(real));
  const struct attention_pass pass = pass_of(a, input);
  attention_clear(&a->scratch, &pass);
  const struct attention_gradients d = {a->dqueries,   a->dkeys,   a->dvalues,
                                        &a->gradients, a->scratch, dcontext};
  attention_backward(&d, &pass, (struct range){0, a->shape.queries});
  attention_prepare_backward(&d, &pass, (struct range){0, a->shape.keys});
}

static elman_status add_gradients(const elman_attention_gradients *gradients, struct attending *a,
                                  elman_error *error) {
  struct gradient_part parts[MAX_GRADIENT_PARTS];
  const size_t count = list_gradients(parts, a, gradients);
  for (size_t i = 0; i < count; i++)
    if (!all_finite(*parts[i].computed, parts[i].count))
      return fail(error, ELMAN_BAD_DATA, NULL,
                  "the values are too large: the gradients are not finite");
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; parts[i].destination != NULL && j < parts[i].count; j++)
      parts[i].destination[j] += (*parts[i].computed)[j];
  return ELMAN_OK;
}

elman_status elman_attention_backward(const elman_attention_gradients *gradients,
                                      const float *dcontext, const elman_attention_input *input,
                                      const elman_attention_options *options, elman_error *error) {
  struct attending a;
  elman_status status = check_input(&a, input, options, error);
  if (status == ELMAN_OK)
    status = check_numbers(dcontext, input->query_count * attention_value_size(a.layer.config),
                           "gradients of the context", error);
  if (status == ELMAN_OK)
    status = check_tensors(gradients->parameters, gradients->parameter_count,
                           attention_name(a.layer.config.kind), input->width, error);
  if (status == ELMAN_OK) status = reserve(&a, true, error);
  struct surroundings before;
  if (status == ELMAN_OK) status = enter_for(&before, &a, error);
  if (status == ELMAN_OK) {
    status = run_forward(&a, input, error);
    if (status == ELMAN_OK) run_backward(&a, dcontext, input);
    leave(before);
  }
  if (status == ELMAN_OK) status = add_gradients(gradients, &a, error);
  arena_free(&a.arena);
  return status;
}
