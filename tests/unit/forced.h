/* A translation that is forced, by the public library; or, with NULL, searched. */
#ifndef ELMAN_TESTS_FORCED_H
#define ELMAN_TESTS_FORCED_H

#include <criterion/criterion.h>
#include <string.h>

#include "elman.h"

static inline elman_translation *force(elman_translator *translator, const char *text,
                                       const char *reference,
                                       const elman_translate_options *options) {
  const elman_sentence sentence = {text, strlen(text), reference,
                                   reference == NULL ? 0 : strlen(reference), 0};
  elman_translation *translation;
  elman_error error = {0};
  cr_assert_eq(elman_translate_batch(&translation, NULL, translator, &sentence, 1, options, &error),
               ELMAN_OK, "%s", error.message);
  return translation;
}

#endif
