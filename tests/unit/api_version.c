/* Versions, and the sizes of structs that programs allocate: a field of a later version takes the
 * place of a reserved one, so that programs compiled with earlier headers still fit. */
#include <criterion/criterion.h>
#include <string.h>

#include "elman.h"
#include "outcome.h"

Test(api_version, header_and_library_agree) {
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", ELMAN_VERSION_MAJOR, ELMAN_VERSION_MINOR,
           ELMAN_VERSION_PATCH);
  cr_assert_str_eq(ELMAN_VERSION, text);
  cr_assert_str_eq(elman_version(), ELMAN_VERSION);
  cr_assert_eq(elman_version_number(), (unsigned)ELMAN_VERSION_NUMBER);
  cr_assert_gt(ELMAN_VERSION_OF(1, 0, 0), ELMAN_VERSION_OF(0, 99, 99));
}

Test(api_version, only_fitting_headers_pass) {
  const unsigned own = ELMAN_VERSION_NUMBER;
  succeeds(elman_version_check(own, &why));
  if (own % 100 > 0) succeeds(elman_version_check(own - 1, &why));
  fails(elman_version_check(own + 1, &why), ELMAN_INVALID_ARGUMENT, "was compiled for elman ");
  fails(elman_version_check(own + 100, &why), ELMAN_INVALID_ARGUMENT,
        "but the library is elman " ELMAN_VERSION);
  fails(elman_version_check(own + 10000, &why), ELMAN_INVALID_ARGUMENT,
        "compile the program again");
  if (ELMAN_VERSION_MAJOR == 0 && ELMAN_VERSION_MINOR > 0)
    fails(elman_version_check(own - 100, &why), ELMAN_INVALID_ARGUMENT, "was compiled for");
}

Test(api_version, structs_keep_their_sizes) {
  /* If a size has changed, give a new field the place of a reserved one. A new minor version before
   * 1.0 may change the sizes, and then the SONAME. */
  static const struct {
    const char *name;
    size_t size, expected;
  } structs[] = {
#define ROW(name, expected) {#name, sizeof(name), expected}
      ROW(elman_model_options, 400),
      ROW(elman_train_options, 576),
      ROW(elman_translate_options, 392),
      ROW(elman_metric_options, 96),
      ROW(elman_evaluate_options, 600),
      ROW(elman_pairs_options, 144),
      ROW(elman_split_options, 72),
      ROW(elman_check_options, 80),
      ROW(elman_import_options, 128),
      ROW(elman_gradient_options, 120),
      ROW(elman_attention_options, 80),
      ROW(elman_plot_options, 80),
      ROW(elman_preset, 64),
      ROW(elman_model_info, 1016),
      ROW(elman_metric_scores, 632),
      ROW(elman_scores, 776),
      ROW(elman_error, 1028),
      ROW(elman_sentence, 80),
      ROW(elman_override, 32),
      ROW(elman_pair, 64),
      ROW(elman_span, 16),
      ROW(elman_search, 16),
      ROW(elman_text_style, 48),
      ROW(elman_matrix, 24),
      ROW(elman_table, 40),
      ROW(elman_estimate, 16),
      ROW(elman_part_size, 16),
      ROW(elman_tensor, 32),
      ROW(elman_attention_input, 72),
      ROW(elman_attention_gradients, 40),
      ROW(elman_attention_place, 24),
      ROW(elman_bytes, 16),
      ROW(elman_group, 40),
      ROW(elman_language, 36),
      ROW(elman_history, 32),
      ROW(elman_check_example, 80),
      ROW(elman_check_part, 56),
      ROW(elman_check_tokens, 40),
      ROW(elman_split_info, 64),
      ROW(elman_tensor_info, 64),
      ROW(elman_import_info, 424),
      ROW(elman_search_trial, 40),
      ROW(elman_compared, 680),
      ROW(elman_p_values, 24),
      ROW(elman_sentence_metrics, 24),
      ROW(elman_suggestion, 16),
      ROW(elman_override_reach, 32),
      ROW(elman_warning, 324),
      ROW(elman_machine, 80),
      ROW(elman_attention_measures, 144),
#undef ROW
  };
  for (size_t i = 0; i < sizeof structs / sizeof *structs; i++)
    cr_expect_eq(structs[i].size, structs[i].expected, "%s has %zu bytes instead of %zu",
                 structs[i].name, structs[i].size, structs[i].expected);
}
