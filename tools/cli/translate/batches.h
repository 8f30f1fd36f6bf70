/* Translation of sentences in batches. */
#ifndef ELMAN_CLI_BATCHES_H
#define ELMAN_CLI_BATCHES_H

#include "console/output.h"
#include "elman.h"
#include "input/sentences.h"

/* Maximum number of sentences in a batch. */

enum { MAX_SENTENCES = 256 };

/* A batch of sentences and their translations. The caller allocates the struct on the heap, because
 * it is large, and initializes it to zero. */
struct text_batch {
  elman_sentence sentences[MAX_SENTENCES]; /* owned */
  const char *alignments[MAX_SENTENCES]; /* alignments, which point into the texts of the sentences;
                                            NULL = none */
  elman_translation *translations[MAX_SENTENCES], *plain[MAX_SENTENCES];
  elman_error errors[MAX_SENTENCES];
  size_t count, bytes;
  size_t cells; /* upper bound on the number of elements of the attention matrices */
};

/* Free the contents of the batch and make it empty. */
void text_batch_clear(struct text_batch *batch);

/* Add a sentence and take ownership of it. */
void text_batch_add(struct text_batch *batch, const elman_sentence *sentence,
                    const char *alignment);

/* Wait for one sentence, then add the sentences that have already arrived. No translation waits for
 * a line that is not written yet. Return false at the end of the input; *code is then set as by
 * sentences_next. */
bool text_batch_fill(struct text_batch *batch, struct sentences *sentences, int *code);

/* Translate the batch. Return an exit code; print a message if it is not 0. A sentence that cannot
 * be translated does not change the exit code; it has an error and no translation. */
int text_batch_translate(struct text_batch *batch, elman_translator *translator,
                         const elman_translate_options *options);

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

struct translated text_batch_get(const struct text_batch *batch, size_t i);

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
int batches_run(const struct batch_job *job, struct sentences *sentences, struct output *output);

#endif
