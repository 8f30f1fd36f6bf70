/* Test: public. */
/* The first claim of the README: training on the toy pairs with any seed gives a model that
 * translates them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "elman.h"
#include "toy.h"

Test(toy_task, default_options_learn_the_toy_pairs, .timeout = 600) {
  owned_pairs *pairs = toy();
  cr_assert_eq(elman_pairs_count(pairs), 5);
  for (uint64_t seed = 1; seed <= 20; seed++) {
    elman_model_options model_options = elman_model_options_default();
    elman_train_options train_options = elman_train_options_default();
    const elman_evaluate_options evaluate_options = elman_evaluate_options_default();
    train_options.seed = seed;
    owned_model *model;
    elman_scores scores;
    cr_assert_eq(elman_model_create(&model, pairs, &model_options, &train_options, NULL), ELMAN_OK);
    cr_assert_eq(elman_train(model, pairs, &train_options, NULL), ELMAN_OK);
    cr_assert_eq(elman_evaluate(&scores, model, pairs, &evaluate_options, NULL), ELMAN_OK);
    cr_assert_eq(scores.exact_match, 1, "seed %d: %g", (int)seed, scores.exact_match);
  }
}
