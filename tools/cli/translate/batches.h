/* Translation of sentences as they arrive. */
#ifndef ELMAN_CLI_BATCHES_H
#define ELMAN_CLI_BATCHES_H

#include "console/output.h"
#include "elman.h"
#include "input/sentences.h"

/* A sentence with its translation. */
struct translated {
  const elman_sentence *sentence;
  const char *alignment;                /* alignment of the sentence; NULL = none */
  const elman_translation *translation; /* NULL if the sentence could not be translated; the failure
                                           is reported elsewhere */
  const elman_error *error; /* reason for a missing translation; NULL if there is a translation */
  const elman_translation
      *plain; /* translation without the overrides; NULL if there are no overrides */
};

struct batch_job {
  const elman_model *model;
  const elman_translate_options *options;
  /* Called for each sentence in order. Return an exit code; a code other than EX_OK and EX_DATAERR
   * ends the work. */
  int (*accept)(void *context, const struct translated *translated);
  void *context;
};

/* Translate all sentences, and flush the output after each batch. Return an exit code; print a
 * message if it is not 0. */
int batches_run(const struct batch_job *job, struct sentence_input *sentences,
                struct output *output);

#endif
