/* Test: public. */
/* The worked examples of tests/reference/attention.json through the public API. They are float32 as
 * printed in an introduction, so the last digit may differ. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attention_case.h"
#include "elman.h"
#include "owned_public.h"

static const double TOLERANCE = 5e-7;

static json_t *root;

static void set_up(void) {
  char path[512];
  json_error_t error;
  snprintf(path, sizeof path, "%s/reference/attention.json", getenv("TEST_DATA"));
  root = json_load_file(path, 0, &error);
  cr_assert_not_null(root, "%s: %s", path, error.text);
}

static void tear_down(void) {
  json_decref(root);
}

TestSuite(attention_examples, .init = set_up, .fini = tear_down);

static const json_t *get(const char *part, const char *name) {
  const json_t *value = json_object_get(json_object_get(root, part), name);
  cr_assert_not_null(value, "%s.%s", part, name);
  return value;
}

/* Write the numbers of nested arrays one after the other. */
static size_t flatten(float *into, const json_t *value) {
  if (json_is_number(value)) {
    *into = (float)json_number_value(value);
    return 1;
  }
  size_t count = 0;
  cr_assert(json_is_array(value));
  for (size_t i = 0; i < json_array_size(value); i++)
    count += flatten(into + count, json_array_get(value, i));
  return count;
}

static void compare(const char *what, const float *values, const json_t *expected, size_t count) {
  float numbers[64];
  cr_assert_eq(flatten(numbers, expected), count);
  for (size_t i = 0; i < count; i++)
    cr_assert(fabs((double)values[i] - (double)numbers[i]) <= TOLERANCE,
              "%s: number %zu is %.8f, not %.8f", what, i, (double)values[i], (double)numbers[i]);
}

static elman_attention_output *attend(const elman_attention_input *input,
                                      const elman_attention_options *options) {
  elman_attention_output *out;
  succeeds(elman_attention_forward(&out, input, options, &why));
  return out;
}

Test(attention_examples, self_attention_matches_printed_numbers) {
  float words[6 * 3];
  cr_assert_eq(flatten(words, json_object_get(root, "inputs")), 6 * 3);
  const elman_attention_input input = input_with(6, 6, 3, words, words, words);
  elman_attention_output *out = attend(&input, NULL);
  compare("scores", out->scores, get("self_attention", "scores"), 6 * 6);
  compare("weights", out->weights, get("self_attention", "weights"), 6 * 6);
  compare("context", out->context, get("self_attention", "context"), 6 * 3);
  elman_attention_output_free(out);

  elman_attention_options options = elman_attention_options_default();
  options.divide_by_sum = true;
  out = attend(&input, &options);
  compare("shares", out->weights + 6, get("self_attention", "second_row_divided_by_its_sum"), 6);
  elman_attention_output_free(out);
}

/* With the unit vectors as keys, the queries equal their own scores. */
Test(attention_examples, causal_weights_match_printed_numbers) {
  float scores[6 * 6], unit[6 * 6] = {0};
  cr_assert_eq(flatten(scores, get("causal", "scores_lower")), 6 * 6);
  for (size_t i = 0; i < 6; i++) unit[i * 6 + i] = 1;
  const elman_attention_input input = input_with(6, 6, 6, scores, unit, unit);
  elman_attention_options options = elman_attention_options_default();
  options.causal = true;
  options.scale = 1 / sqrt(2);
  owned_output *out = attend(&input, &options);
  compare("weights", out->weights, get("causal", "weights"), 6 * 6);
  compare("context", out->context, get("causal", "weights"), 6 * 6);
}

static elman_matrix *read_matrix(const char *name) {
  char path[512];
  elman_matrix *matrix;
  snprintf(path, sizeof path, "%s/../data/attention/%s", getenv("TEST_DATA"), name);
  succeeds(elman_matrix_read(&matrix, path, &why));
  return matrix;
}

/* The shipped files have queries and keys of two dimensions and give equal results. */
Test(attention_examples, causal_weights_from_files_match) {
  owned_matrix *queries = read_matrix("six-queries.txt"), *keys = read_matrix("six-keys.txt");
  owned_matrix *words = read_matrix("six-words.txt");
  elman_attention_input input = input_with(queries->rows, keys->rows, queries->columns,
                                           queries->values, keys->values, words->values);
  input.value_width = words->columns;
  elman_attention_options options = elman_attention_options_default();
  options.mechanism = "scaled";
  options.causal = true;
  owned_output *out = attend(&input, &options);
  compare("weights", out->weights, get("causal", "weights"), 6 * 6);
}

Test(attention_examples, heads_match_printed_numbers) {
  float by_head[2 * 3 * 4], rows[3 * 8];
  cr_assert_eq(flatten(by_head, get("heads", "a")), 2 * 3 * 4);
  for (size_t n = 0; n < 2; n++)
    for (size_t t = 0; t < 3; t++)
      for (size_t i = 0; i < 4; i++) rows[t * 8 + n * 4 + i] = by_head[(n * 3 + t) * 4 + i];
  const elman_attention_input input = input_with(3, 3, 8, rows, rows, rows);
  elman_attention_options options = elman_attention_options_default();
  options.heads = 2;
  owned_output *out = attend(&input, &options);
  compare("scores", out->scores, get("heads", "products"), 2 * 3 * 3);
  owned_matrix *shipped = read_matrix("two-heads.txt");
  cr_assert_eq(shipped->rows * shipped->columns, 3 * 8);
  cr_assert_arr_eq(shipped->values, rows, sizeof rows);
}
