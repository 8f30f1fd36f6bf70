/* Sampling of tokens: by probability, from the most likely tokens only, and repeatably. */
#include "check.h"

#include <math.h>

#include "translate/beam.h"
#include "vocab/vocabulary.h"

enum { V = 6, DRAWS = 20000 };

/* The first logit is that of <unk>; <s> would be by far the most likely, but is never drawn. */
static const real logits[V] = {1, 50, 0, 2, 2, -3};

static void draw(double shares[V], double temperature, size_t top_k) {
  const elman_translate_options options = {.temperature = temperature, .top_k = top_k, .seed = 5};
  for (size_t id = 0; id < V; id++) shares[id] = 0;
  for (size_t i = 0; i < DRAWS; i++)
    shares[sample_token(logits, V, false, &options, i / 10, i % 10)] += 1.0 / DRAWS;
}

/* Check the counts within five standard deviations of the softmax over the permitted tokens. */
static void assert_shares(double temperature, size_t top_k, const bool *allowed) {
  double shares[V], sum = 0;
  draw(shares, temperature, top_k);
  for (size_t id = 0; id < V; id++)
    if (allowed[id]) sum += exp((double)logits[id] / temperature);
  for (size_t id = 0; id < V; id++) {
    const double p = allowed[id] ? exp((double)logits[id] / temperature) / sum : 0;
    cr_assert_float_eq(shares[id], p, 5 * sqrt(p * (1 - p) / DRAWS) + 1e-12, "token %zu: %g, %g",
                       id, shares[id], p);
  }
}

Test(sample, tokens_are_drawn_by_their_probability) {
  static const bool all[V] = {true, false, true, true, true, true};
  assert_shares(1, 0, all);
  assert_shares(0.5, 0, all);
  assert_shares(3, 0, all);
  assert_shares(1, 100, all);
}

/* Among tokens with equal logits, the smaller id ranks first. */
Test(sample, only_the_likeliest_tokens_are_drawn) {
  static const bool one[V] = {false, false, false, true, false, false};
  static const bool two[V] = {false, false, false, true, true, false};
  static const bool three[V] = {true, false, false, true, true, false};
  static const bool four[V] = {true, false, true, true, true, false};
  assert_shares(1, 1, one);
  assert_shares(1, 2, two);
  assert_shares(1, 3, three);
  assert_shares(1, 4, four);
}

/* The exponential of these logits overflows; a constant added to all logits does not matter. */
Test(sample, logits_may_have_any_size) {
  const elman_translate_options options = {.temperature = 1, .seed = 5};
  static const real offsets[] = {-4096, -512, 512, 4096};
  for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
    real moved[V];
    for (size_t id = 0; id < V; id++) moved[id] = logits[id] + offsets[k];
    for (size_t i = 0; i < 200; i++)
      cr_assert_eq(sample_token(moved, V, false, &options, i, 0),
                   sample_token(logits, V, false, &options, i, 0), "all plus %g",
                   (double)offsets[k]);
  }
}

Test(sample, samples_depend_on_seed_sentence_and_step) {
  elman_translate_options options = {.temperature = 1, .seed = 1};
  size_t same[3] = {0};
  for (size_t i = 0; i < 1000; i++) {
    const uint32_t drawn = sample_token(logits, V, false, &options, i, 3);
    cr_assert_eq(drawn, sample_token(logits, V, false, &options, i, 3));
    same[0] += drawn == sample_token(logits, V, false, &options, i, 4);
    same[1] += drawn == sample_token(logits, V, false, &options, i + 1000, 3);
    options.seed = 2;
    same[2] += drawn == sample_token(logits, V, false, &options, i, 3);
    options.seed = 1;
  }
  for (size_t i = 0; i < 3; i++) cr_assert_lt(same[i], 700);
}
