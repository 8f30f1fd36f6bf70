#include "translate/batches.h"

#include <stdlib.h>
#include <sysexits.h>

#include "console/messages.h"

static bool goes_on(int code) {
  return code == EX_OK || code == EX_DATAERR;
}

static int hand_over(const struct text_batch *batch, const struct batch_job *job,
                     struct sentences *sentences) {
  int code = EX_OK;
  for (size_t i = 0; i < batch->count && goes_on(code); i++) {
    const struct translated translated = text_batch_get(batch, i);
    if (translated.error != NULL)
      code = sentences_report(sentences, batch->sentences[i].number, translated.error);
    const int taken = job->take(job->context, &translated);
    if (taken != EX_OK) code = taken;
  }
  return code;
}

static int run(struct text_batch *batch, elman_translator *translator, const struct batch_job *job,
               struct sentences *sentences, struct output *output) {
  int code = EX_OK, stopped = EX_OK;
  for (bool more = true; more && goes_on(code);) {
    more = text_batch_fill(batch, sentences, &stopped);
    int result = batch->count == 0 ? EX_OK : text_batch_translate(batch, translator, job->options);
    if (result == EX_OK) result = hand_over(batch, job, sentences);
    if (result != EX_OK) code = result;
    if (!output_flush(output)) more = false;
    text_batch_clear(batch);
  }
  return stopped != EX_OK && goes_on(code) ? stopped : code;
}

int batches_run(const struct batch_job *job, struct sentences *sentences, struct output *output) {
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
