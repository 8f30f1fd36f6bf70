/* A translator of a small, untrained model: only the form of its results matters. Each program that
 * includes this header creates one translator per test of its suite. */
#ifndef ELMAN_TESTS_SMALL_TRANSLATOR_H
#define ELMAN_TESTS_SMALL_TRANSLATOR_H

#include "folder.h"
#include "forced.h"
#include "toy.h"

static elman_model *model;
static elman_translator *translator;

static inline void set_up(void) {
  model = small_model();
  translator = translator_of(model);
}

static inline void tear_down(void) {
  elman_translator_free(translator);
  elman_model_free(model);
}

static inline void set_up_in_folder(void) {
  enter_folder();
  set_up();
}

static inline void tear_down_in_folder(void) {
  tear_down();
  leave_folder();
}

static inline size_t list_length(const elman_translation *translation) {
  size_t length = 0;
  for (; translation != NULL; translation = translation->next) length++;
  return length;
}

static inline void same_translation(const elman_translation *a, const elman_translation *b) {
  cr_assert_str_eq(a->text, b->text);
  cr_assert_eq(a->target_count, b->target_count);
  cr_assert_arr_eq(a->attention, b->attention,
                   a->target_count * a->source_count * sizeof *a->attention);
}

static inline void check_refused(const elman_translate_options *options, const char *message) {
  elman_translation *translation;
  cr_assert_eq(elman_translate(&translation, translator, "我", 3, options, &why),
               ELMAN_INVALID_ARGUMENT);
  cr_assert_null(translation);
  cr_assert(strstr(why.message, message) != NULL, "%s", why.message);
}

#endif
