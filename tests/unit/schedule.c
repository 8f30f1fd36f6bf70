/* Compare learning rates with PyTorch's schedulers; tests/reference/README.md describes the golden
 * values. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "model/options.h"
#include "train/trainer.h"

static json_t *load(void) {
  char path[512];
  json_error_t error;
  snprintf(path, sizeof path, "%s/reference/schedules.json", getenv("TEST_DATA"));
  json_t *root = json_load_file(path, 0, &error);
  cr_assert_not_null(root, "%s: %s", path, error.text);
  return root;
}

static void check_case(const json_t *root, const json_t *json) {
  const char *kind = json_string_value(json_object_get(json, "kind"));
  const elman_train_options options = {
      .learning_rate = json_number_value(json_object_get(json, "peak")),
      .warm_up = (size_t)json_integer_value(json_object_get(json, "warm_up"))};
  size_t index;
  cr_assert(choice_parse(&index, elman_schedule_name, kind));
  struct trainer trainer = {
      .options = &options, .schedule = (enum schedule_kind)index, .state.rate_factor = 1};
  const json_t *rates = json_object_get(json, "rates");
  const json_t *improved = json_object_get(root, "improved");
  const size_t every = (size_t)json_integer_value(json_object_get(root, "validate_every"));
  for (size_t update = 1; update <= json_array_size(rates); update++) {
    const double expected = json_number_value(json_array_get(rates, update - 1));
    trainer.state.update = update - 1;
    const double progress = (double)(update - 1) / (double)json_array_size(rates);
    const double rate = trainer_learning_rate(&trainer, progress);
    cr_assert(fabs(rate / expected - 1) < 1e-12,
              "%s, warm-up %zu, update %zu: %.12g, but PyTorch has %.12g", kind, options.warm_up,
              update, rate, expected);
    if (update % every == 0)
      trainer_adjust_rate(&trainer, json_is_true(json_array_get(improved, update / every - 1)));
  }
}

Test(schedule, rates_match_pytorch) {
  json_t *root = load();
  const json_t *cases = json_object_get(root, "cases");
  cr_assert_eq(json_array_size(cases), 12);
  for (size_t i = 0; i < json_array_size(cases); i++) check_case(root, json_array_get(cases, i));
  json_decref(root);
}

Test(schedule, schedule_names_round_trip) {
  size_t kind;
  for (unsigned i = 0; i <= SCHEDULE_LATE_LINEAR; i++) {
    cr_assert(choice_parse(&kind, elman_schedule_name, elman_schedule_name(i)));
    cr_assert_eq(kind, i);
  }
  cr_assert_null(elman_schedule_name(SCHEDULE_LATE_LINEAR + 1));
  cr_assert_not(choice_parse(&kind, elman_schedule_name, "cosine"));
}
