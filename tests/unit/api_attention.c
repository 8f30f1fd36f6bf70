/* Attention on plain matrices through the public API. Every mechanism is compared with a naive
 * implementation in double precision, and its gradients with finite differences. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention_case.h"
#include "owned_public.h"

/* ---- the naive implementation ---- */

struct naive {
  double scores[MOST], weights[MOST], sentinel[MOST], context[MOST];
};

static const double *weight_of(const struct attention_case *c, const char *name) {
  for (size_t i = 0; i < c->weight_count; i++)
    if (strcmp(c->tensors[i].name, name) == 0) return c->weights[i].exact;
  return NULL;
}

/* y (rows,H) = x Wᵀ + b; x itself if the map does not exist */
static void map(double *y, const double *x, size_t rows, const struct attention_case *c,
                const char *weight, const char *bias) {
  const double *W = weight_of(c, weight), *b = weight_of(c, bias);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < c->H; j++) {
      double sum = W == NULL ? x[i * c->H + j] : b == NULL ? 0 : b[j];
      for (size_t k = 0; W != NULL && k < c->H; k++) sum += W[j * c->H + k] * x[i * c->H + k];
      y[i * c->H + j] = sum;
    }
}

static bool is(const struct attention_case *c, const char *mechanism) {
  return strcmp(c->options.mechanism, mechanism) == 0;
}

static double score(const double *q, const double *k, size_t size, const struct attention_case *c) {
  const double *v = weight_of(c, "score.weight");
  const bool scaled = is(c, "scaled") || is(c, "projected") || is(c, "multihead");
  double sum = 0;
  for (size_t i = 0; i < size; i++) sum += v == NULL ? q[i] * k[i] : v[i] * tanh(q[i] + k[i]);
  if (c->options.scale != 0) return sum * c->options.scale;
  return scaled ? sum / sqrt((double)size) : sum;
}

/* Return the value between 0 and 1 that a tanh layer and a weight row predict. */
static double predict(const double *query, const char *layer, const char *row,
                      const struct attention_case *c) {
  const double *W = weight_of(c, layer), *v = weight_of(c, row);
  double z = 0;
  for (size_t i = 0; i < c->H; i++) {
    double sum = 0;
    for (size_t j = 0; j < c->H; j++) sum += W[i * c->H + j] * query[j];
    z += v[i] * tanh(sum);
  }
  return 1 / (1 + exp(-z));
}

/* Return the factor that the mask applies to the weight at this position before normalization; 1 if
 * there is no mask. */
static double mask_at(double position, const double *query, size_t visible,
                      const struct attention_case *c) {
  if (!is(c, "adaptive")) return 1;
  const double S = (double)visible, gate = predict(query, "span.weight", "gate_score.weight", c);
  const double p = S * predict(query, "span.weight", "center_score.weight", c);
  const double D = 1 + S * predict(query, "span.weight", "width_score.weight", c);
  return 1 - gate + gate * exp(-2 * (position - p) * (position - p) / (D * D));
}

/* y (H) = W x */
static void map_one(double *y, const double *x, const struct attention_case *c,
                    const char *weight) {
  map(y, x, 1, c, weight, "");
}

/* s_t (H) = sigmoid(W_g d_t) d_t */
static void sentinel_of(double *s, const double *query, const struct attention_case *c) {
  map_one(s, query, c, "gate.weight");
  for (size_t i = 0; i < c->H; i++) s[i] = query[i] / (1 + exp(-s[i]));
}

/* Return the score of the sentinel, which acts as one more key. */
static double sentinel_score(const double *q, const double *query, const struct attention_case *c) {
  double s[MOST], k[MOST];
  sentinel_of(s, query, c);
  map_one(k, s, c, "sentinel.weight");
  return score(q, k, c->H, c);
}

static size_t window_of(const struct attention_case *c) {
  return c->options.window == 0 ? 5 : c->options.window;
}

/* Attend on both levels, segments and keys, over the visible keys of query t. */
static void naive_segments(double *weights, const double *scores, const double *query,
                           const double *k, size_t visible, const struct attention_case *c) {
  double q[MOST], segments[MOST], sum = 0;
  const size_t n = window_of(c);
  map_one(q, query, c, "segment_query.weight");
  for (size_t s = 0; s < visible; s += n) {
    const size_t end = s + n < visible ? s + n : visible;
    double within = 0, u = 0;
    for (size_t i = s; i < end; i++) within += exp(scores[i]);
    for (size_t i = s; i < end; i++) {
      weights[i] = exp(scores[i]) / within;
      u += weights[i] * score(q, k + i * c->H, c->H, c);
    }
    sum += segments[s / n] = exp(u);
  }
  for (size_t s = 0; s < visible; s++) weights[s] *= segments[s / n] / sum;
}

static void naive_row(struct naive *out, size_t n, size_t t, const double *q, const double *k,
                      const struct attention_case *c) {
  const size_t size = c->H / c->options.heads, S = c->S, H = c->H;
  double *scores = out->scores + (n * c->T + t) * S, *weights = out->weights + (n * c->T + t) * S;
  size_t visible = c->options.key_length < S ? c->options.key_length : S;
  if (c->options.causal && t + 1 < visible) visible = t + 1;
  const double *query = c->queries.exact + t * H;
  const double p = is(c, "local")
                       ? (double)visible * predict(query, "center.weight", "center_score.weight", c)
                       : 0;
  const double D = (double)window_of(c);
  double sum = 0;
  if (is(c, "sentinel")) sum = out->sentinel[t] = exp(sentinel_score(q + t * H, query, c));
  for (size_t s = 0; s < S; s++) {
    const bool masked = s >= visible || (is(c, "local") && fabs((double)(s + 1) - p) > D);
    scores[s] =
        masked ? (double)-INFINITY : score(q + t * H + n * size, k + s * H + n * size, size, c);
    weights[s] = masked ? 0 : c->options.divide_by_sum ? scores[s] : exp(scores[s]);
    weights[s] *= mask_at((double)(s + 1), query, visible, c);
    sum += weights[s];
  }
  for (size_t s = 0; s < S; s++) {
    const double distance = (double)(s + 1) - p;
    weights[s] /= sum;
    if (is(c, "local")) weights[s] *= exp(-2 * distance * distance / (D * D));
  }
  if (is(c, "sentinel")) out->sentinel[t] /= sum;
  if (is(c, "hierarchical")) naive_segments(weights, scores, query, k, visible, c);
}

static void naive_forward(struct naive *out, const struct attention_case *c) {
  double q[MOST], k[MOST], v[MOST], merged[MOST];
  const size_t N = c->options.heads, size = c->V / N;
  map(q, c->queries.exact, c->T, c, "query.weight", "query.bias");
  map(k, c->keys.exact, c->S, c, "key.weight", "key.bias");
  memcpy(v, c->values.exact, sizeof v);
  if (weight_of(c, "value.weight") != NULL)
    map(v, c->values.exact, c->S, c, "value.weight", "value.bias");
  for (size_t n = 0; n < N; n++)
    for (size_t t = 0; t < c->T; t++) {
      naive_row(out, n, t, q, k, c);
      for (size_t i = 0; i < size; i++) {
        double sum = 0;
        for (size_t s = 0; s < c->S; s++)
          sum += out->weights[(n * c->T + t) * c->S + s] * v[s * c->V + n * size + i];
        merged[t * c->V + n * size + i] = sum;
      }
    }
  memcpy(out->context, merged, sizeof merged);
  for (size_t t = 0; t < c->T && is(c, "sentinel"); t++) {
    double s[MOST];
    sentinel_of(s, c->queries.exact + t * c->H, c);
    for (size_t i = 0; i < c->H; i++) out->context[t * c->H + i] += out->sentinel[t] * s[i];
  }
  if (weight_of(c, "out.weight") != NULL)
    map(out->context, merged, c->T, c, "out.weight", "out.bias");
}

static double naive_loss(const struct attention_case *c) {
  struct naive out;
  double loss = 0;
  naive_forward(&out, c);
  for (size_t i = 0; i < c->T * c->V; i++) loss += out.context[i] * c->dcontext.exact[i];
  return loss;
}

/* ---- comparisons ---- */

static void compare(const char *what, const struct attention_case *c, const float *values,
                    const double *expected, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (isinf(expected[i])) {
      cr_assert(isinf(values[i]) && values[i] < 0, "%s of %s: %zu is not masked", what,
                c->options.mechanism, i);
      continue;
    }
    cr_assert(fabs((double)values[i] - expected[i]) <= 4e-6 * (1 + fabs(expected[i])),
              "%s of %s: %zu is %.9g, not %.9g", what, c->options.mechanism, i, (double)values[i],
              expected[i]);
    cr_assert(expected[i] != 0 || values[i] == 0, "%s of %s: %zu is not exactly 0", what,
              c->options.mechanism, i);
  }
}

static void check_forward(struct attention_case *c) {
  owned_output *out;
  const elman_attention_input input = input_of(c);
  struct naive naive;
  naive_forward(&naive, c);
  cr_assert_eq(elman_attention_forward(&out, &input, &c->options, &why), ELMAN_OK, "%s: %s",
               c->options.mechanism, why.message);
  cr_assert_eq(out->heads, c->options.heads);
  cr_assert_eq(out->query_count, c->T);
  cr_assert_eq(out->key_count, c->S);
  cr_assert_eq(out->value_width, c->V);
  compare("scores", c, out->scores, naive.scores, out->heads * c->T * c->S);
  compare("weights", c, out->weights, naive.weights, out->heads * c->T * c->S);
  compare("context", c, out->context, naive.context, c->T * c->V);
  cr_assert_eq(out->sentinel != NULL, is(c, "sentinel"));
  if (out->sentinel != NULL) compare("sentinel", c, out->sentinel, naive.sentinel, c->T);
}

/* Check the gradient that the API added to `start` at every entry. */
static void compare_gradient(const char *what, struct attention_case *c, const float *values,
                             float start, struct numbers *numbers) {
  const double step = 1e-5;
  for (size_t i = 0; i < numbers->count; i++) {
    const double kept = numbers->exact[i];
    numbers->exact[i] = kept + step;
    const double above = naive_loss(c);
    numbers->exact[i] = kept - step;
    const double below = naive_loss(c);
    numbers->exact[i] = kept;
    const double expected = (above - below) / (2 * step);
    cr_assert(fabs((double)values[i] - (double)start - expected) <= 2e-5 * (1 + fabs(expected)),
              "gradient of %s of %s: %zu is %.9g, not %.9g", what, c->options.mechanism, i,
              (double)(values[i] - start), expected);
  }
}

static void check_backward(struct attention_case *c) {
  const float start = 0.5F;
  float queries[MOST], keys[MOST], values[MOST], weights[MAX_WEIGHTS][MOST];
  elman_tensor tensors[MAX_WEIGHTS];
  for (size_t i = 0; i < MOST; i++) queries[i] = keys[i] = values[i] = start;
  for (size_t w = 0; w < c->weight_count; w++) {
    for (size_t i = 0; i < MOST; i++) weights[w][i] = start;
    tensors[w] = c->tensors[w];
    tensors[w].values = weights[w];
  }
  const elman_attention_gradients gradients = {queries, keys, values, tensors, c->weight_count};
  const elman_attention_input input = input_of(c);
  cr_assert_eq(elman_attention_backward(&gradients, c->dcontext.single, &input, &c->options, &why),
               ELMAN_OK, "%s: %s", c->options.mechanism, why.message);
  compare_gradient("queries", c, queries, start, &c->queries);
  compare_gradient("keys", c, keys, start, &c->keys);
  compare_gradient("values", c, values, start, &c->values);
  for (size_t w = 0; w < c->weight_count; w++)
    compare_gradient(tensors[w].name, c, weights[w], start, &c->weights[w]);
}

static void check_case(struct attention_case *c) {
  fill_case(c);
  check_forward(c);
  check_backward(c);
}

/* ---- every mechanism ---- */

static void check_masks(struct attention_case c) {
  enum { CAUSAL = 1, PADDING = 2, BOTH = CAUSAL | PADDING };
  for (int mask = 0; mask <= BOTH; mask++) {
    c.options.causal = mask & CAUSAL;
    c.options.key_length = mask & PADDING ? (c.S + 1) / 2 : ELMAN_ALL_KEYS;
    check_case(&c);
  }
}

Test(api_attention, every_mechanism_matches_naive_code) {
  static const size_t sizes[][2] = {{1, 1}, {4, 4}, {3, 6}, {6, 3}, {1, 7}, {7, 1}};
  const char *mechanism;
  for (size_t kind = 0; (mechanism = elman_attention_name(kind)) != NULL; kind++)
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
      check_masks(new_case(mechanism, sizes[i][0], sizes[i][1], 4, 4, 1));
}

Test(api_attention, heads_match_naive_code) {
  static const char *const with_heads[] = {"dot", "scaled", "general", "projected", "multihead"};
  for (size_t i = 0; i < sizeof with_heads / sizeof *with_heads; i++)
    for (size_t heads = 2; heads <= 6; heads++)
      if (6 % heads == 0) check_masks(new_case(with_heads[i], 4, 5, 6, 6, heads));
}

Test(api_attention, values_may_have_another_width) {
  static const char *const without_map[] = {"dot",   "scaled",   "general",     "additive",
                                            "local", "adaptive", "hierarchical"};
  for (size_t i = 0; i < sizeof without_map / sizeof *without_map; i++)
    for (size_t V = 1; V <= 7; V += 2) check_masks(new_case(without_map[i], 4, 5, 3, V, 1));
  check_masks(new_case("dot", 4, 5, 4, 6, 2));
}

Test(api_attention, scale_can_be_set) {
  struct attention_case c = new_case("dot", 4, 5, 3, 3, 1);
  c.options.scale = 0.3;
  check_masks(c);
  c.options.scale = -0.7;
  check_masks(c);
  c.options.mechanism = "projected";
  check_masks(c);
}

Test(api_attention, weights_can_be_normalized_by_sum) {
  static const char *const any[] = {"dot", "scaled", "general", "additive", "projected"};
  for (size_t i = 0; i < sizeof any / sizeof *any; i++) {
    struct attention_case c = new_case(any[i], 4, 5, 3, 3, 1);
    c.options.divide_by_sum = true;
    check_masks(c);
  }
}

Test(api_attention, narrow_windows_match_naive_code) {
  for (size_t window = 1; window <= 4; window++) {
    struct attention_case c = new_case("local", 6, 9, 3, 3, 1);
    c.options.window = window;
    fill_case(&c);
    check_forward(&c);
    c = new_case("hierarchical", 6, 9, 3, 3, 1);
    c.options.window = window;
    check_masks(c);
  }
}

static void set(struct numbers *numbers, const double *values, size_t count) {
  for (size_t i = 0; i < count; i++) numbers->single[i] = (float)(numbers->exact[i] = values[i]);
}

/* Scores of several hundred, all positive or all negative, have exponentials that overflow or
 * underflow. Only their differences from the largest score may be exponentiated. All values are
 * integers, so nothing is rounded. */
Test(api_attention, large_scores_do_not_overflow) {
  static const double queries[] = {20, -20}, keys[] = {20, 15, 19, 18, 16}, one[] = {1};
  static const double large[] = {500}, negative[] = {-500};
  const char *mechanism;
  for (size_t kind = 0; (mechanism = elman_attention_name(kind)) != NULL; kind++) {
    for (int sign = 0; sign < 2; sign++) {
      struct attention_case c = new_case(mechanism, 2, 5, 1, 1, 1);
      if (is(&c, "hierarchical")) c.options.window = 2;
      fill_case(&c);
      set(&c.queries, queries, 2);
      set(&c.keys, keys, 5);
      for (size_t w = 0; w < c.weight_count; w++) {
        const bool score = strstr(c.tensors[w].name, "score.weight") != NULL;
        set(&c.weights[w], score ? sign ? negative : large : one, 1);
      }
      check_forward(&c);
    }
  }
}

/* Queries, keys and values share one array, and their gradients share another. */
Test(api_attention, self_attention) {
  struct attention_case c = new_case("multihead", 5, 5, 4, 4, 2);
  c.options.causal = true;
  fill_case(&c);
  float apart[3][MOST] = {{0}}, together[MOST] = {0};
  elman_attention_input input = input_of(&c);
  input.keys = input.values = input.queries;
  const elman_attention_gradients three = {apart[0], apart[1], apart[2], NULL, 0};
  const elman_attention_gradients one = {together, together, together, NULL, 0};
  succeeds(elman_attention_backward(&three, c.dcontext.single, &input, &c.options, &why));
  succeeds(elman_attention_backward(&one, c.dcontext.single, &input, &c.options, &why));
  for (size_t i = 0; i < 5 * 4; i++)
    cr_assert_float_eq(together[i], apart[0][i] + apart[1][i] + apart[2][i], 1e-6);
}

/* Masked keys may have any finite value and get no gradient. */
Test(api_attention, padding_has_no_influence) {
  struct attention_case c = new_case("dot", 3, 5, 4, 4, 1);
  c.options.key_length = 2;
  fill_case(&c);
  check_forward(&c);
  const elman_attention_input input = input_of(&c);
  owned_output *before, *after;
  cr_assert_eq(elman_attention_forward(&before, &input, &c.options, NULL), ELMAN_OK);
  for (size_t i = 2 * 4; i < 5 * 4; i++) c.keys.single[i] = c.values.single[i] = 1e30F;
  cr_assert_eq(elman_attention_forward(&after, &input, &c.options, NULL), ELMAN_OK);
  cr_assert_arr_eq(before->context, after->context, 3 * 4 * sizeof(float));
  cr_assert_arr_eq(before->weights, after->weights, 3 * 5 * sizeof(float));
}

Test(api_attention, defaults_and_null_are_accepted) {
  const elman_attention_options defaults = elman_attention_options_default();
  cr_assert_str_eq(defaults.mechanism, "dot");
  cr_assert_eq(defaults.heads, 1);
  cr_assert_eq(defaults.window, 0);
  cr_assert_eq(defaults.key_length, ELMAN_ALL_KEYS);
  cr_assert(!defaults.causal && !defaults.divide_by_sum && defaults.scale == 0);
  const float numbers[] = {1, 2, 3, 4};
  const elman_attention_input square = input_with(2, 2, 2, numbers, numbers, numbers);
  owned_output *out;
  cr_assert_eq(elman_attention_forward(&out, &square, NULL, NULL), ELMAN_OK);
  cr_assert_eq(out->value_width, 2);
  cr_assert_eq(out->scores[0], 5);
  elman_attention_output_free(NULL);
  elman_tensor none;
  cr_assert_not(elman_attention_parameter(&none, "dot", 3, 0));
  cr_assert_not(elman_attention_parameter(&none, "dots", 3, 0));
}
