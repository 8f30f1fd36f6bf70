/* Test: public. */
/* Presets in a C program, which may leave out everything but the name. */
#include "outcome.h"

#include "api.h"

static size_t notes;

static void count_note(void *context, const char *message) {
  cr_assert_str_eq(context, "context");
  cr_assert_not_null(strstr(message, "preset small"));
  notes++;
}

Test(api_preset, sets_what_was_not_given) {
  elman_model_options model = elman_model_options_default();
  elman_train_options train = elman_train_options_default();
  succeeds(elman_preset_apply(&model, &train, &(elman_preset){0}, &why));
  const elman_model_options defaults = elman_model_options_default();
  cr_assert(elman_options_equal(ELMAN_SCOPES_MODEL, &model, &defaults));
  bool given[ELMAN_MAX_OPTIONS] = {false};
  given[elman_option_find(ELMAN_SCOPES_MODEL, "cell")->index] = true;
  given[elman_option_find(ELMAN_SCOPES_TRAIN, "batch_size")->index] = true;
  train.epochs = 3;
  succeeds(
      elman_preset_apply(&model, &train, &(elman_preset){.name = "small", .given = given}, &why));
  cr_assert_str_eq(elman_option_choice(elman_option_find(ELMAN_SCOPES_MODEL, "cell"), &model),
                   "elman");
  cr_assert_eq(model.hidden_size, 384);
  cr_assert(model.bidirectional && model.tie_embeddings);
  cr_assert_eq(train.batch_size, 32);
  cr_assert_eq(train.epochs, 3);
  cr_assert_null(train.validate_by, "there are no dev pairs");
  succeeds(elman_train_options_check(&train, &why));
  cr_assert_eq(elman_preset_apply(&model, NULL, &(elman_preset){.name = "tiny"}, &why),
               ELMAN_INVALID_ARGUMENT);
  cr_assert_str_eq(why.message,
                   "preset must be one of plain, quick, small, base, strong, not 'tiny'");
}

Test(api_preset, every_setting_is_an_option) {
  for (size_t i = 0; elman_preset_name(i) != NULL; i++) {
    const char *name = elman_preset_name(i), *rest = elman_preset_settings(i);
    cr_assert_eq(elman_preset_tunes_search(name), strcmp(name, "plain") != 0);
    for (size_t length; *rest != '\0'; rest += length + strspn(rest + length, " ")) {
      char setting[64];
      length = strcspn(rest, " ");
      snprintf(setting, sizeof setting, "%.*s", (int)strcspn(rest, "= "), rest);
      cr_assert(strcmp(setting, "epochs") == 0 || strcmp(setting, "tune_search") == 0 ||
                    elman_option_find(ELMAN_SCOPES_MODEL | ELMAN_SCOPES_TRAIN, setting) != NULL,
                "%s of the preset %s", setting, name);
    }
  }
  cr_assert_null(elman_preset_settings(99));
  cr_assert_not(elman_preset_tunes_search("tiny"));
}

Test(api_preset, fits_the_run_and_trains) {
  elman_model_options model_options = elman_model_options_default();
  elman_train_options options = elman_train_options_default();
  const elman_preset preset = {.name = "small", .note = count_note, .context = "context"};
  elman_model *model;
  elman_pairs *pairs = toy();
  succeeds(elman_preset_apply(&model_options, &options, &preset, &why));
  model_options.hidden_size = model_options.embedding_size = 8;
  cr_assert_eq(notes, 0);
  succeeds(elman_model_create(&model, pairs, &model_options, &options, &why));
  const double rate = options.learning_rate;
  succeeds(elman_preset_fit(&options, model, elman_pairs_count(pairs), &preset, &why));
  cr_assert_gt(options.learning_rate, rate, "a short run needs larger steps");
  cr_assert_geq(notes, 1);
  cr_assert_eq(elman_expected_updates(&options, 128), 2.0 * 9);
  succeeds(elman_train(model, pairs, &options, &why));
  elman_model_free(model);
  elman_pairs_free(pairs);
}
