/* Translation of sentences in batches. */
#ifndef ELMAN_CLI_BATCHES_H
#define ELMAN_CLI_BATCHES_H

#include "console/output.h"
#include "elman.h"
#include "input/sentences.h"

/* One batch of sentences and their translations. */

enum { MAX_SENTENCES = 256 };

/* Start from all zero, on the heap: it is large. */
struct text_batch {
  elman_sentence sentences[MAX_SENTENCES]; /* owned */
  const char *alignments[MAX_SENTENCES];   /* within their texts; NULL = none */
  elman_translation *translations[MAX_SENTENCES], *plain[MAX_SENTENCES];
  elman_error errors[MAX_SENTENCES];
  size_t count, bytes;
  size_t cells; /* upper bound of the elements of the attention matrices */
};

/* Free the contents of the batch and make it empty. */
void text_batch_clear(struct text_batch *batch);

/* Add a sentence; the batch takes ownership. */
void text_batch_add(struct text_batch *batch, const elman_sentence *sentence,
                    const char *alignment);

/* Wait for one sentence, then add those that have arrived by then: no translation waits for a line
 * that is not written yet. Return false when there is nothing more to read, with *code as in
 * sentences_next. */
bool text_batch_fill(struct text_batch *batch, struct sentences *sentences, int *code);

/* Translate the batch. Return an exit code; print a message if it is not 0. A sentence that cannot
 * be translated does not count as a failure: it has an error and no translation. */
int text_batch_translate(struct text_batch *batch, elman_translator *translator,
                         const elman_translate_options *options);

/* A sentence with its translation. */
struct translated {
  const elman_sentence *sentence;
  const char *alignment; /* NULL = none */
  const elman_translation
      *translation;         /* NULL if it could not be translated, which has been reported */
  const elman_error *error; /* why there is no translation; NULL if there is one */
  const elman_translation
      *plain; /* the translation without the overrides; NULL if there are no overrides */
};

struct translated text_batch_get(const struct text_batch *batch, size_t i);

struct batch_job {
  const elman_model *model;
  const elman_translate_options *options;
  /* Called for each sentence in order. Returns an exit code; any other than EX_OK and EX_DATAERR
   * ends the work. */
  int (*accept)(void *context, const struct translated *translated);
  void *context;
};

/* Translate all sentences and flush the output after each batch. Return the exit code, after
 * messages. */
int batches_run(const struct batch_job *job, struct sentences *sentences, struct output *output);

#endif
