/* Training through the public API. */
#include "api.h"

/* ---- training ---- */

/* Return the bytes of a model's file; release them with free(). */
static char *bytes_of(const elman_model *model, size_t *length) {
  cr_assert_eq(elman_model_save(model, "bytes", NULL), ELMAN_OK);
  return get_bytes("bytes", length);
}

static bool same_models(const elman_model *a, const elman_model *b) {
  size_t length_a, length_b;
  char *bytes_a = bytes_of(a, &length_a), *bytes_b = bytes_of(b, &length_b);
  const bool same = length_a == length_b && memcmp(bytes_a, bytes_b, length_a) == 0;
  free(bytes_a);
  free(bytes_b);
  return same;
}

static void check_not_trained(elman_train_options options, elman_status expected,
                              const char *message) {
  elman_pairs *pairs = toy();
  elman_model *model = small_model(), *untouched = small_model();
  elman_error error = {0};
  check_error(elman_train(model, pairs, &options, &error), &error, expected, message, "");
  cr_assert_eq(elman_train(model, pairs, &options, NULL), expected);
  cr_assert(same_models(model, untouched));
  elman_model_free(model);
  elman_model_free(untouched);
  elman_pairs_free(pairs);
}

Test(api, invalid_training_is_rejected) {
  elman_train_options options = elman_train_options_default();
  options.batch_size = 0;
  check_not_trained(options, ELMAN_INVALID_ARGUMENT, "the batch size must be between 1 and");
  const double rates[] = {0, -0.001, NAN, INFINITY, -INFINITY, 1.1e30, 1e39, 1e300};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    options = elman_train_options_default();
    options.learning_rate = rates[i];
    check_not_trained(options, ELMAN_INVALID_ARGUMENT, "the learning rate must");
  }
  const double norms[] = {-1, NAN, -INFINITY};
  for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) {
    options = elman_train_options_default();
    options.clip_norm = norms[i];
    check_not_trained(options, ELMAN_INVALID_ARGUMENT, "the clipping norm must be between 0 and");
  }
  options = elman_train_options_default();
  options.max_length = 2;
  check_not_trained(options, ELMAN_BAD_DATA, "no pair is left to train on");
}

/* At any learning rate, the trained model can be saved and loaded. */
Test(api, absurd_learning_rates_leave_a_usable_model) {
  elman_pairs *pairs = toy();
  for (double rate = 1; rate < 1e31; rate *= 1e3) {
    elman_model *model = small_model(), *loaded;
    elman_error error = {0};
    elman_train_options options = elman_train_options_default();
    options.learning_rate = rate;
    options.epochs = 20;
    const elman_status status = elman_train(model, pairs, &options, &error);
    cr_assert(status == ELMAN_OK || status == ELMAN_INVALID_ARGUMENT);
    cr_assert_eq(elman_model_save(model, MODEL, NULL), ELMAN_OK);
    cr_assert_eq(elman_model_load(&loaded, MODEL, &error), ELMAN_OK, "rate %g: %s", rate,
                 error.message);
    elman_model_free(loaded);
    elman_model_free(model);
  }
  elman_pairs_free(pairs);
}

Test(api, too_long_pairs_are_skipped) {
  elman_pairs *pairs = toy();
  elman_model *model = small_model();
  struct seen seen = {0};
  elman_train_options options = elman_train_options_default();
  options.epochs = 1;
  options.max_length = 4;
  options.report = keep_report;
  options.context = &seen;
  cr_assert_eq(elman_train(model, pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(seen.last.left_out, 2); /* 她 是 我 的 老师, The weather is nice today */
  cr_assert_eq(seen.last.tokens, 14);
  options.max_length = 0;
  cr_assert_eq(elman_train(model, pairs, &options, NULL), ELMAN_OK);
  cr_assert_eq(seen.last.left_out, 0);
  elman_model_free(model);
  elman_pairs_free(pairs);
}

/* The sanitizers would report a leak. */
Test(api, training_can_free_the_pairs) {
  for (int bad = 0; bad < 2; bad++) {
    elman_pairs *kept = toy(), *freed = toy();
    elman_model *one = small_model(), *other = small_model();
    struct seen seen[2] = {{0}, {0}};
    elman_train_options options = elman_train_options_default();
    options.epochs = 1;
    options.batch_size = bad ? 0 : 2;
    options.report = keep_report;
    options.context = &seen[0];
    const elman_status status = elman_train(one, kept, &options, NULL);
    options.context = &seen[1];
    cr_assert_eq(elman_train_and_free_pairs(other, &freed, &options, NULL), status);
    cr_assert_eq(status, bad ? ELMAN_INVALID_ARGUMENT : ELMAN_OK);
    cr_assert_null(freed);
    cr_assert_eq(seen[0].last.loss, seen[1].last.loss);
    elman_model_free(one);
    elman_model_free(other);
    elman_pairs_free(kept);
  }
}

Test(api, training_can_be_stopped) {
  elman_pairs *pairs = toy();
  elman_model *stopped = small_model(), *whole = small_model(), *untouched = small_model();
  struct seen seen = {.stop_after = 7};
  elman_error error = {0};
  elman_train_options options = elman_train_options_default();
  options.report = keep_report;
  options.context = &seen;
  check_error(elman_train(stopped, pairs, &options, &error), &error, ELMAN_INTERRUPTED, "stopped",
              "");
  cr_assert_eq(seen.updates, 7);
  options.report = NULL;
  options.epochs = 7; /* the toy corpus fits one batch */
  cr_assert_eq(elman_train(whole, pairs, &options, NULL), ELMAN_OK);
  cr_assert(same_models(stopped, whole));
  cr_assert_not(same_models(stopped, untouched));
  elman_model_free(stopped);
  elman_model_free(whole);
  elman_model_free(untouched);
  elman_pairs_free(pairs);
}

Test(api, no_epoch_keeps_the_initial_model) {
  elman_pairs *pairs = toy();
  elman_model *model = small_model(), *untouched = small_model();
  elman_train_options options = elman_train_options_default();
  options.epochs = 0;
  cr_assert_eq(elman_train(model, pairs, &options, NULL), ELMAN_OK);
  cr_assert(same_models(model, untouched));
  elman_model_free(model);
  elman_model_free(untouched);
  elman_pairs_free(pairs);
}

/* Large enough to use the parallel code. */
static elman_model *trained(const elman_pairs *pairs, size_t threads, uint64_t model_seed,
                            uint64_t train_seed) {
  elman_model_options model_options = elman_model_options_default();
  model_options.attention = "scaled";
  model_options.seed = model_seed;
  elman_train_options train_options = elman_train_options_default();
  train_options.epochs = 2;
  train_options.threads = threads;
  train_options.seed = train_seed;
  elman_model *model = create(pairs, &model_options);
  cr_assert_eq(elman_train(model, pairs, &train_options, NULL), ELMAN_OK);
  return model;
}

Test(api, threads_do_not_change_the_model_file, .timeout = 300) {
  elman_pairs *pairs = read_pairs(data_file("daily.test.zh-en.tsv"));
  elman_model *first = trained(pairs, 1, 1, 1);
  for (size_t threads = 1; threads <= 3; threads++) {
    elman_model *again = trained(pairs, threads, 1, 1);
    cr_assert(same_models(first, again), "%zu threads", threads);
    elman_model_free(again);
  }
  elman_model *other_weights = trained(pairs, 2, 2, 1), *other_order = trained(pairs, 2, 1, 2);
  cr_assert_not(same_models(first, other_weights));
  cr_assert_not(same_models(first, other_order));
  elman_model_free(first);
  elman_model_free(other_weights);
  elman_model_free(other_order);
  elman_pairs_free(pairs);
}
