/* Invalid arguments of attention on plain matrices through the public API are rejected. */
#include <math.h>
#include <string.h>

#include "attention_case.h"
#include "outcome.h"

static struct attention_case good;
static elman_attention_input input;

static void set_up(void) {
  good = new_case("projected", 3, 4, 6, 6, 1);
  fill_case(&good);
  input = input_of(&good);
}

TestSuite(api_attention_refuses, .init = set_up);

static void refuse(elman_status status, const char *words) {
  elman_attention_output *out = (elman_attention_output *)&good;
  cr_assert_eq(elman_attention_forward(&out, &input, &good.options, &why), status, "%s",
               why.message);
  cr_assert_not_null(strstr(why.message, words), "\"%s\" lacks \"%s\"", why.message, words);
  cr_assert_null(out);
  float dqueries[MOST] = {0};
  const elman_attention_gradients gradients = {.queries = dqueries};
  cr_assert_eq(
      elman_attention_backward(&gradients, good.dcontext.single, &input, &good.options, NULL),
      status);
  for (size_t i = 0; i < MOST; i++) cr_assert_eq(dqueries[i], 0);
}

Test(api_attention_refuses, invalid_options_are_rejected) {
  good.options.mechanism = "dots";
  refuse(ELMAN_INVALID_ARGUMENT, "unknown attention mechanism \"dots\"");
  good.options.mechanism = NULL;
  refuse(ELMAN_INVALID_ARGUMENT, "unknown attention mechanism");
  good.options.mechanism = "projected";
  good.options.heads = 4;
  refuse(ELMAN_INVALID_ARGUMENT, "heads (4) must divide size (6); set heads to 1, 2, 3 or 6");
  good.options.heads = 0;
  refuse(ELMAN_INVALID_ARGUMENT, "number of heads");
  good.options.heads = SIZE_MAX;
  refuse(ELMAN_INVALID_ARGUMENT, "too large");
  good.options.heads = 1;
  good.options.key_length = 0;
  refuse(ELMAN_INVALID_ARGUMENT, "the key length must be at least 1, not 0");
  good.options.key_length = 5;
  refuse(ELMAN_INVALID_ARGUMENT, "exceeds the number of keys, 4");
  good.options.key_length = ELMAN_ALL_KEYS;
  good.options.scale = (double)NAN;
  refuse(ELMAN_INVALID_ARGUMENT, "scale");
  good.options.scale = 1e300;
  refuse(ELMAN_INVALID_ARGUMENT, "scale");
  good.options.scale = 1e-300;
  refuse(ELMAN_INVALID_ARGUMENT, "scale");
}

Test(api_attention_refuses, conflicting_options_are_rejected) {
  good = new_case("additive", 3, 4, 6, 6, 2);
  fill_case(&good);
  input = input_of(&good);
  refuse(ELMAN_INVALID_ARGUMENT, "additive attention has one head");
  good.options.heads = 1;
  good.options.scale = 2;
  refuse(ELMAN_INVALID_ARGUMENT, "no scale");
  good.options.scale = 0;
  good.options.window = 3;
  refuse(ELMAN_INVALID_ARGUMENT, "additive attention has no window");
  good = new_case("local", 3, 4, 6, 6, 1);
  fill_case(&good);
  input = input_of(&good);
  good.options.window = 1001;
  refuse(ELMAN_INVALID_ARGUMENT, "window must be between 1 and 1000, not 1001");
  good.options.window = 0;
  good.options.divide_by_sum = true;
  refuse(ELMAN_INVALID_ARGUMENT, "softmax");
  good.options.divide_by_sum = false;
  good.options.heads = 2;
  refuse(ELMAN_INVALID_ARGUMENT, "one head");
}

Test(api_attention_refuses, mismatched_sizes_are_rejected) {
  input.value_width = 5;
  refuse(ELMAN_INVALID_ARGUMENT, "6, not 5");
  input.value_width = 6;
  input.query_count = 0;
  refuse(ELMAN_INVALID_ARGUMENT, "0, 4 and 6");
  input.query_count = 3;
  input.key_count = 0;
  refuse(ELMAN_INVALID_ARGUMENT, "3, 0 and");
  input.key_count = SIZE_MAX;
  refuse(ELMAN_INVALID_ARGUMENT, "too large");
  input.key_count = 4;
  input.width = 0;
  refuse(ELMAN_INVALID_ARGUMENT, "3, 4 and 0");
  input.width = 7;
  refuse(ELMAN_INVALID_ARGUMENT, "7");
  input.width = 6;
  input.keys = NULL;
  refuse(ELMAN_INVALID_ARGUMENT, "no keys were given");
  good.options.mechanism = "dot";
  input.parameter_count = 0;
  input.keys = good.keys.single;
  input.value_width = 5;
  good.options.heads = 2;
  refuse(ELMAN_INVALID_ARGUMENT, "heads (2) must divide the columns of the values (5)");
}

Test(api_attention_refuses, wrong_parameter_counts_are_rejected) {
  input.parameter_count--;
  refuse(ELMAN_INVALID_ARGUMENT, "needs the parameter \"value.bias\"");
  input.parameter_count++;
  good.tensors[1].rows = 5;
  refuse(ELMAN_INVALID_ARGUMENT, "query.bias must have 6 rows and 1 column, not 5 and 1");
  good.tensors[1] = good.tensors[0];
  refuse(ELMAN_INVALID_ARGUMENT, "query.weight is given twice");
  good.tensors[1].name = "querry.bias";
  refuse(ELMAN_INVALID_ARGUMENT, "no parameter \"querry.bias\"");
}

Test(api_attention_refuses, non_finite_numbers_are_rejected) {
  good.keys.single[3] = NAN;
  refuse(ELMAN_BAD_DATA, "keys: a value is not finite");
  good.keys.single[3] = INFINITY;
  refuse(ELMAN_BAD_DATA, "keys: a value is not finite");
  good.keys.single[3] = 0;
  good.weights[0].single[0] = -INFINITY;
  refuse(ELMAN_BAD_DATA, "query.weight: a value is not finite");
  good.weights[0].single[0] = 0;
  for (size_t i = 0; i < good.queries.count; i++) good.queries.single[i] = 1e38F;
  for (size_t i = 0; i < good.keys.count; i++) good.keys.single[i] = 1e38F;
  refuse(ELMAN_BAD_DATA, "too large");
}

Test(api_attention_refuses, sums_must_be_positive) {
  good = new_case("dot", 2, 2, 2, 2, 1);
  fill_case(&good);
  input = input_of(&good);
  good.options.divide_by_sum = true;
  for (size_t i = 0; i < 4; i++) good.queries.single[i] = good.keys.single[i] = i < 2 ? 1 : -1;
  refuse(ELMAN_BAD_DATA, "scores of query 1 sum to 0");
}

Test(api_attention_refuses, mismatched_gradients_are_rejected) {
  elman_tensor wrong = good.tensors[0];
  wrong.columns = 1;
  elman_attention_gradients gradients = {.parameters = &wrong, .parameter_count = 1};
  cr_assert_eq(
      elman_attention_backward(&gradients, good.dcontext.single, &input, &good.options, &why),
      ELMAN_INVALID_ARGUMENT);
  gradients.parameter_count = 0;
  cr_assert_eq(elman_attention_backward(&gradients, NULL, &input, &good.options, &why),
               ELMAN_INVALID_ARGUMENT);
  good.dcontext.single[0] = NAN;
  cr_assert_eq(
      elman_attention_backward(&gradients, good.dcontext.single, &input, &good.options, &why),
      ELMAN_BAD_DATA);
}
