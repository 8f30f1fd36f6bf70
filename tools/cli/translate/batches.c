#include "translate/batches.h"

#include <stdlib.h>
#include <sysexits.h>

#include "console/messages.h"

/* Limits of a batch, which bound its memory. The library divides it into batches of similar
 * length. */
enum { MAX_SENTENCES = 256 };
static const size_t MAX_BYTES = (size_t)1 << 20, MAX_CELLS = (size_t)1 << 26;

/* A batch of sentences and their translations. */
struct text_batch {
  elman_sentence sentences[MAX_SENTENCES]; /* owned */
  const char *alignments[MAX_SENTENCES]; /* alignments, which point into the texts of the sentences;
                                            NULL = none */
  elman_translation *translations[MAX_SENTENCES], *plain[MAX_SENTENCES];
  elman_error errors[MAX_SENTENCES];
  size_t count, bytes;
  size_t cells; /* upper bound on the number of elements of the attention matrices */
};

static void text_batch_clear(struct text_batch *batch) {
  for (size_t i = 0; i < batch->count; i++) {
    sentence_free(&batch->sentences[i]);
    elman_translation_free(batch->translations[i]);
    elman_translation_free(batch->plain[i]);
    batch->translations[i] = batch->plain[i] = NULL;
  }
  batch->count = batch->bytes = batch->cells = 0;
}

static bool text_batch_has_room(const struct text_batch *batch) {
  return batch->count < MAX_SENTENCES && batch->bytes < MAX_BYTES && batch->cells < MAX_CELLS;
}

/* Wait for one sentence, then add the sentences that have already arrived. No translation waits for
 * a line that is not written yet. Return false at the end of the input; *code is then set as by
 * sentences_next. */
static bool text_batch_fill(struct text_batch *batch, struct sentence_input *sentences, int *code) {
  do {
    elman_sentence *sentence = &batch->sentences[batch->count];
    if (!sentences_next(sentences, sentence, code)) return false;
    batch->alignments[batch->count++] = sentences->alignment;
    batch->bytes += sentence->length;
    /* Estimate the size of the attention matrix, which has one row per target token. Forced
     * decoding produces at most one token per byte of the reference. */
    batch->cells += sentence->length * (sentence->length + sentence->reference_length);
  } while (text_batch_has_room(batch) && sentences_ready(sentences));
  return true;
}

/* Return an exit code; print a message if it is not 0. A sentence that cannot be translated does
 * not change the exit code; it has an error and no translation. */
static int text_batch_translate(struct text_batch *batch, elman_translator *translator,
                                const elman_translate_options *options) {
  elman_translate_options plain = *options;
  elman_error error;
  plain.override_count = 0;
  plain.seed = elman_translate_options_default().seed; /* of shuffled attention */
  elman_status status = elman_translate_batch(batch->translations, batch->errors, translator,
                                              batch->sentences, batch->count, options, &error);
  if ((status == ELMAN_OK || status == ELMAN_BAD_DATA) && options->override_count > 0)
    status = elman_translate_batch(batch->plain, NULL, translator, batch->sentences, batch->count,
                                   &plain, &error);
  return status == ELMAN_OK || status == ELMAN_BAD_DATA ? EX_OK : report_error(&error);
}

static bool may_continue(int code) {
  return code == EX_OK || code == EX_DATAERR;
}

static int hand_over(const struct text_batch *batch, const struct batch_job *job,
                     struct sentence_input *sentences) {
  int code = EX_OK;
  for (size_t i = 0; i < batch->count && may_continue(code); i++) {
    const elman_translation *translation = batch->translations[i];
    const struct translated translated = {&batch->sentences[i], batch->alignments[i], translation,
                                          translation == NULL ? &batch->errors[i] : NULL,
                                          batch->plain[i]};
    if (translated.error != NULL)
      code = sentences_report(sentences, batch->sentences[i].number, translated.error);
    const int accepted = job->accept(job->context, &translated);
    if (accepted != EX_OK) code = accepted;
  }
  return code;
}

static int run(struct text_batch *batch, elman_translator *translator, const struct batch_job *job,
               struct sentence_input *sentences, struct output *output) {
  int code = EX_OK, stopped = EX_OK;
  for (bool more = true; more && may_continue(code);) {
    more = text_batch_fill(batch, sentences, &stopped);
    int result = batch->count == 0 ? EX_OK : text_batch_translate(batch, translator, job->options);
    if (result == EX_OK) result = hand_over(batch, job, sentences);
    if (result != EX_OK) code = result;
    if (!output_flush(output)) more = false;
    text_batch_clear(batch);
  }
  return stopped != EX_OK && may_continue(code) ? stopped : code;
}

int batches_run(const struct batch_job *job, struct sentence_input *sentences,
                struct output *output) {
  elman_error error;
  elman_translator *translator;
  if (elman_translator_create(&translator, job->model, &error) != ELMAN_OK)
    return report_error(&error);
  struct text_batch *batch = calloc(1, sizeof *batch);
  const int code =
      batch == NULL ? report_no_memory() : run(batch, translator, job, sentences, output);
  free(batch);
  elman_translator_free(translator);
  return code;
}
