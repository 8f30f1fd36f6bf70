#include "batches.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "messages.h"

enum { MOST_SENTENCES = 256 };
static const size_t MOST_BYTES = (size_t)1 << 20, MOST_CELLS = (size_t)1 << 26;

struct batch {
  struct sentence sentences[MOST_SENTENCES];
  elman_sentence texts[MOST_SENTENCES];
  elman_translation *translations[MOST_SENTENCES], *plain[MOST_SENTENCES];
  elman_error errors[MOST_SENTENCES];
  size_t count, bytes;
  size_t cells; /* of attention matrices, at most */
};

static void clear(struct batch *batch) {
  for (size_t i = 0; i < batch->count; i++) {
    free(batch->sentences[i].text);
    elman_translation_free(batch->translations[i]);
    elman_translation_free(batch->plain[i]);
    batch->translations[i] = batch->plain[i] = NULL;
  }
  batch->count = batch->bytes = batch->cells = 0;
}

static void add(struct batch *batch, struct sentence sentence) {
  const elman_sentence text = {.text = sentence.text,
                               .length = sentence.length,
                               .reference = sentence.reference,
                               .reference_length =
                                   sentence.reference == NULL ? 0 : strlen(sentence.reference)};
  batch->texts[batch->count] = text;
  batch->sentences[batch->count++] = sentence;
  batch->bytes += text.length;
  /* Matrices have as many rows as the translation has tokens, of each of which a byte is left. */
  batch->cells += text.length * (text.length + text.reference_length);
}

/* Waits for one sentence and takes those that have come by then: nobody's answer waits for what is
 * not yet written. False when there is nothing more to read, with *code as in sentences_next. */
static bool fill(struct batch *batch, struct sentences *sentences, int *code) {
  struct sentence sentence;
  do {
    if (!sentences_next(sentences, &sentence, code)) return false;
    add(batch, sentence);
  } while (batch->count < MOST_SENTENCES && batch->bytes < MOST_BYTES &&
           batch->cells < MOST_CELLS && sentences_ready(sentences));
  return true;
}

static int translate(struct batch *batch, elman_translator *translator,
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

static bool goes_on(int code) {
  return code == EX_OK || code == EX_DATAERR;
}

static int hand_over(const struct batch *batch, const struct batch_job *job,
                     struct sentences *sentences) {
  int code = EX_OK;
  for (size_t i = 0; i < batch->count && goes_on(code); i++) {
    const struct translated translated = {&batch->sentences[i], batch->translations[i],
                                          batch->plain[i]};
    if (translated.translation == NULL)
      code = sentences_report(sentences, batch->sentences[i].number, &batch->errors[i]);
    const int taken = job->take(job->context, &translated);
    if (taken != EX_OK) code = taken;
  }
  return code;
}

static int run(struct batch *batch, elman_translator *translator, const struct batch_job *job,
               struct sentences *sentences, struct output *output) {
  int code = EX_OK, stopped = EX_OK;
  for (bool more = true; more && goes_on(code);) {
    more = fill(batch, sentences, &stopped);
    int result = batch->count == 0 ? EX_OK : translate(batch, translator, job->options);
    if (result == EX_OK) result = hand_over(batch, job, sentences);
    if (result != EX_OK) code = result;
    if (!output_flush(output)) more = false;
    clear(batch);
  }
  return stopped != EX_OK && goes_on(code) ? stopped : code;
}

int batches_run(const struct batch_job *job, struct sentences *sentences, struct output *output) {
  elman_error error;
  elman_translator *translator;
  if (elman_translator_create(&translator, job->model, &error) != ELMAN_OK)
    return report_error(&error);
  struct batch *batch = calloc(1, sizeof *batch);
  const int code =
      batch == NULL ? report_no_memory() : run(batch, translator, job, sentences, output);
  free(batch);
  elman_translator_free(translator);
  return code;
}
