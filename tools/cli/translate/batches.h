/* Sentences translated many at once. */
#ifndef ELMAN_CLI_BATCHES_H
#define ELMAN_CLI_BATCHES_H

#include "console/output.h"
#include "elman.h"
#include "translate/text_batch.h"

struct batch_job {
  const elman_model *model;
  const elman_translate_options *options;
  /* Called for each sentence in their order; gives an exit code. After one that is neither EX_OK
   * nor EX_DATAERR the work ends. */
  int (*take)(void *context, const struct translated *translated);
  void *context;
};

/* Translates all sentences and hands on what was written to the output after each batch. Gives the
 * exit code, after messages. */
int batches_run(const struct batch_job *job, struct sentences *sentences, struct output *output);

#endif
