#include "window.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "messages.h"

static const size_t MOST_BYTES = (size_t)1 << 20, MOST_CELLS = (size_t)1 << 26;

char *copy_bytes(const char *bytes, size_t length) {
  char *copy = malloc(length + 1);
  if (copy == NULL) {
    report(NULL, "out of memory");
    return NULL;
  }
  memcpy(copy, bytes, length);
  copy[length] = '\0';
  return copy;
}

int window_add(struct window *window, const char *text, size_t length, const char *reference,
               size_t number) {
  elman_sentence sentence = {.text = copy_bytes(text, length), .length = length};
  if (sentence.text == NULL) return EX_OSERR;
  if (reference != NULL) {
    sentence.reference_length = strlen(reference);
    sentence.reference = copy_bytes(reference, sentence.reference_length);
  }
  window->sentences[window->count] = sentence;
  window->numbers[window->count++] = number;
  window->bytes += length;
  /* Matrices have as many rows as the translation has tokens, of each of which a byte is left. */
  window->cells += length * (length + sentence.reference_length);
  return reference != NULL && sentence.reference == NULL ? EX_OSERR : EX_OK;
}

bool window_has_room(const struct window *window) {
  return window->count < WINDOW && window->bytes < MOST_BYTES && window->cells < MOST_CELLS;
}

bool window_translate(struct window *window, elman_translator *translator,
                      const elman_translate_options *options, int *code) {
  elman_error error;
  const elman_status status =
      elman_translate_batch(window->translations, window->errors, translator, window->sentences,
                            window->count, options, &error);
  if (status == ELMAN_OK || status == ELMAN_BAD_DATA) return true;
  *code = report_error(&error);
  return false;
}

void window_clear(struct window *window) {
  for (size_t i = 0; i < window->count; i++) {
    free((char *)window->sentences[i].text);
    free((char *)window->sentences[i].reference);
    elman_translation_free(window->translations[i]);
    window->translations[i] = NULL;
  }
  window->count = window->bytes = window->cells = 0;
}
