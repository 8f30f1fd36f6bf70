/* Translate with the public library under a forced reference, or search if it is NULL. */
#ifndef ELMAN_TESTS_FORCED_H
#define ELMAN_TESTS_FORCED_H

#include <criterion/criterion.h>
#include <string.h>

#include "elman.h"
#include "outcome.h"

static inline elman_translation *force(elman_translator *translator, const char *text,
                                       const char *reference,
                                       const elman_translate_options *options) {
  const elman_sentence sentence = {.text = text,
                                   .length = strlen(text),
                                   .reference = reference,
                                   .reference_length = reference == NULL ? 0 : strlen(reference)};
  elman_translation *translation;
  succeeds(elman_translate_batch(&translation, NULL, translator, &sentence, 1, options, &why));
  return translation;
}

#endif
