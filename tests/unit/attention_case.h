/* A test case of attention on plain matrices through the public API. */
#ifndef ELMAN_TESTS_ATTENTION_CASE_H
#define ELMAN_TESTS_ATTENTION_CASE_H

#include <criterion/criterion.h>

#include "elman.h"

enum { MOST = 512, MAX_WEIGHTS = 8 };

/* The values of one matrix in both precisions. */
struct numbers {
  double exact[MOST];
  float single[MOST];
  size_t count;
};

struct attention_case {
  elman_attention_options options;
  size_t T, S, H, V;
  struct numbers queries, keys, values, weights[MAX_WEIGHTS], dcontext;
  elman_tensor tensors[MAX_WEIGHTS];
  size_t weight_count;
};

/* Fill with values that are exact floats, so that both precisions start equal. */
static inline void fill(struct numbers *numbers, size_t count, double lowest, double highest) {
  static unsigned state = 1;
  cr_assert_leq(count, MOST);
  numbers->count = count;
  for (size_t i = 0; i < count; i++) {
    state = state * 1103515245U + 12345U;
    const double uniform = (double)(state >> 8 & 0xFFFF) / 65536;
    numbers->single[i] = (float)(lowest + uniform * (highest - lowest));
    numbers->exact[i] = (double)numbers->single[i];
  }
}

static inline struct attention_case new_case(const char *mechanism, size_t T, size_t S, size_t H,
                                             size_t V, size_t heads) {
  struct attention_case c = {
      .options = elman_attention_options_default(), .T = T, .S = S, .H = H, .V = V};
  c.options.mechanism = mechanism;
  c.options.heads = heads;
  return c;
}

/* Make all values positive if scores are divided by their sum. */
static inline void fill_case(struct attention_case *c) {
  const double lowest = c->options.divide_by_sum ? 0.1 : -1;
  fill(&c->queries, c->T * c->H, lowest, 1);
  fill(&c->keys, c->S * c->H, lowest, 1);
  fill(&c->values, c->S * c->V, -1, 1);
  fill(&c->dcontext, c->T * c->V, -1, 1);
  c->weight_count = 0;
  elman_tensor tensor;
  for (size_t i = 0; elman_attention_parameter(&tensor, c->options.mechanism, c->H, i); i++) {
    fill(&c->weights[i], tensor.rows * tensor.columns, lowest, 1);
    tensor.values = c->weights[i].single;
    c->tensors[c->weight_count++] = tensor;
  }
}

/* Attention of T queries to S keys (n,H) and values without parameters. */
static inline elman_attention_input input_with(size_t T, size_t S, size_t H, const float *queries,
                                               const float *keys, const float *values) {
  return (elman_attention_input){.query_count = T,
                                 .key_count = S,
                                 .width = H,
                                 .queries = queries,
                                 .keys = keys,
                                 .values = values};
}

static inline elman_attention_input input_of(struct attention_case *c) {
  elman_attention_input input =
      input_with(c->T, c->S, c->H, c->queries.single, c->keys.single, c->values.single);
  input.value_width = c->V;
  input.parameters = c->tensors;
  input.parameter_count = c->weight_count;
  return input;
}

#endif
