/* Test: public. */
/* Values of options that users give; tests/options compares the messages of all interfaces. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "elman.h"

static elman_status set(elman_translate_options *options, const char *name, const char *json,
                        elman_error *error) {
  return elman_option_set(elman_option_find(ELMAN_SCOPES_TRANSLATE, name), options, json,
                          ELMAN_FORM_JSON, ELMAN_NAMES_FIELD, error);
}

Test(options, refused_values_change_nothing) {
  static const char *const wrong[][2] = {{"seed", "18446744073709551616"},
                                         {"seed", "-1"},
                                         {"beam", "0"},
                                         {"length_norm", "\"wu\\u0000junk\""},
                                         {"precision", "\"bfloat16\""},
                                         {"sample", "1"}};
  elman_translate_options options = elman_translate_options_default();
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    cr_assert_eq(set(&options, wrong[i][0], wrong[i][1], NULL), ELMAN_INVALID_ARGUMENT, "%s",
                 wrong[i][1]);
  const elman_translate_options defaults = elman_translate_options_default();
  cr_assert(elman_options_equal(ELMAN_SCOPES_TRANSLATE, &options, &defaults));
  cr_assert_eq(set(&options, "seed", "18446744073709551615", NULL), ELMAN_OK);
  cr_assert_eq(options.seed, UINT64_MAX);
}

Test(options, long_names_end_with_a_character) {
  elman_error error;
  char typed[61] = "";
  for (size_t i = 0; i < 20; i++) strcat(typed, "长");
  cr_assert_eq(elman_option_refuse(ELMAN_SCOPES_TRANSLATE, typed, NULL, ELMAN_NAMES_FIELD, &error),
               ELMAN_INVALID_ARGUMENT);
  const char *end = strstr(error.message, "长'");
  cr_assert_not_null(end, "%s", error.message);
}

Test(options, rows_without_choices_have_none) {
  const elman_translate_options options = elman_translate_options_default();
  const elman_option *row = elman_option_find(ELMAN_SCOPES_TRANSLATE, "beam");
  cr_assert_null(elman_option_choice(row, &options));
}

Test(options, messages_have_the_names_of_the_interface) {
  static const char message[] =
      "lower `max_length` or `beam`; `a b` and `é` are no names, nor is ` ";
  static const char *const expected[] = {
      [ELMAN_NAMES_FIELD] = "lower max_length or beam; `a b` and `é` are no names, nor is ` ",
      [ELMAN_NAMES_OPTION] = "lower --max-length or --beam; `a b` and `é` are no names, nor is ` ",
      [ELMAN_NAMES_SETTING] = "lower max-length or beam; `a b` and `é` are no names, nor is ` ",
      [ELMAN_NAMES_CAMEL] = "lower maxLength or beam; `a b` and `é` are no names, nor is ` "};
  char text[128];
  for (elman_naming naming = ELMAN_NAMES_FIELD; naming <= ELMAN_NAMES_CAMEL; naming++)
    cr_assert_str_eq(elman_option_write_message(text, sizeof text, message, naming),
                     expected[naming]);
  const size_t whole = strlen(expected[ELMAN_NAMES_OPTION]);
  for (size_t size = 1; size < sizeof text; size++) {
    memset(text, 'x', sizeof text);
    elman_option_write_message(text, size, message, ELMAN_NAMES_OPTION);
    const size_t length = strlen(text);
    cr_assert_leq(length, size - 1);
    cr_assert_eq(length, whole < size ? whole : size - 1, "%s", text);
    cr_assert_eq(strncmp(text, expected[ELMAN_NAMES_OPTION], length), 0, "%s", text);
    cr_assert(size == sizeof text || text[size] == 'x');
  }
}
