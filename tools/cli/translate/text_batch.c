#include "translate/text_batch.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "console/messages.h"

static const size_t MOST_BYTES = (size_t)1 << 20, MOST_CELLS = (size_t)1 << 26;

void text_batch_clear(struct text_batch *batch) {
  for (size_t i = 0; i < batch->count; i++) {
    free(batch->sentences[i].text);
    elman_translation_free(batch->translations[i]);
    elman_translation_free(batch->plain[i]);
    batch->translations[i] = batch->plain[i] = NULL;
  }
  batch->count = batch->bytes = batch->cells = 0;
}

void text_batch_add(struct text_batch *batch, struct sentence sentence) {
  const elman_sentence text = {.text = sentence.text,
                               .length = sentence.length,
                               .number = sentence.number,
                               .reference = sentence.reference,
                               .reference_length =
                                   sentence.reference == NULL ? 0 : strlen(sentence.reference)};
  batch->texts[batch->count] = text;
  batch->sentences[batch->count++] = sentence;
  batch->bytes += text.length;
  /* Matrices have as many rows as the translation has tokens, of each of which a byte is left. */
  batch->cells += text.length * (text.length + text.reference_length);
}

bool text_batch_fill(struct text_batch *batch, struct sentences *sentences, int *code) {
  struct sentence sentence;
  do {
    if (!sentences_next(sentences, &sentence, code)) return false;
    text_batch_add(batch, sentence);
  } while (batch->count < MOST_SENTENCES && batch->bytes < MOST_BYTES &&
           batch->cells < MOST_CELLS && sentences_ready(sentences));
  return true;
}

int text_batch_translate(struct text_batch *batch, elman_translator *translator,
                         const elman_translate_options *options) {
  elman_translate_options plain = *options;
  elman_error error;
  plain.override_count = 0;
  elman_status status = elman_translate_batch(batch->translations, batch->errors, translator,
                                              batch->texts, batch->count, options, &error);
  if ((status == ELMAN_OK || status == ELMAN_BAD_DATA) && options->override_count > 0)
    status = elman_translate_batch(batch->plain, NULL, translator, batch->texts, batch->count,
                                   &plain, &error);
  return status == ELMAN_OK || status == ELMAN_BAD_DATA ? EX_OK : report_error(&error);
}

struct translated text_batch_get(const struct text_batch *batch, size_t i) {
  const elman_translation *translation = batch->translations[i];
  return (struct translated){&batch->sentences[i], translation,
                             translation == NULL ? &batch->errors[i] : NULL, batch->plain[i]};
}
