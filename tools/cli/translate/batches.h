/* Sentences translated many at once. */
#ifndef ELMAN_CLI_BATCHES_H
#define ELMAN_CLI_BATCHES_H

#include "console/output.h"
#include "elman.h"
#include "input/sentences.h"

/* Sentences that are translated at once, and what came of them. */

enum { MAX_SENTENCES = 256 };

/* Start from all zero, on the heap: it is large. */
struct text_batch {
  elman_sentence sentences[MAX_SENTENCES]; /* owned */
  const char *alignments[MAX_SENTENCES];   /* in their texts; NULL = none */
  elman_translation *translations[MAX_SENTENCES], *plain[MAX_SENTENCES];
  elman_error errors[MAX_SENTENCES];
  size_t count, bytes;
  size_t cells; /* of attention matrices, at most */
};

/* Frees what it holds. */
void text_batch_clear(struct text_batch *batch);

/* The batch owns the sentence from now on. */
void text_batch_add(struct text_batch *batch, const elman_sentence *sentence,
                    const char *alignment);

/* Waits for one sentence and adds those that have come by then: no answer waits for a line that is
 * not yet written. False when there is nothing more to read, with *code as in sentences_next. */
bool text_batch_fill(struct text_batch *batch, struct sentences *sentences, int *code);

/* Gives an exit code, after a message if that is not 0. A sentence that cannot be translated is no
 * reason: it has an error and no translation. */
int text_batch_translate(struct text_batch *batch, elman_translator *translator,
                         const elman_translate_options *options);

/* A sentence and what came of it. */
struct translated {
  const elman_sentence *sentence;
  const char *alignment;                /* NULL = none */
  const elman_translation *translation; /* NULL where there is none, which has been reported */
  const elman_error *error;             /* why there is none; NULL where there is one */
  const elman_translation *plain; /* what it is without the options' overrides; NULL without any */
};

struct translated text_batch_get(const struct text_batch *batch, size_t i);

struct batch_job {
  const elman_model *model;
  const elman_translate_options *options;
  /* Called for each sentence in their order; gives an exit code. After one that is neither EX_OK
   * nor EX_DATAERR the work ends. */
  int (*accept)(void *context, const struct translated *translated);
  void *context;
};

/* Translates all sentences and hands on what was written to the output after each batch. Gives the
 * exit code, after messages. */
int batches_run(const struct batch_job *job, struct sentences *sentences, struct output *output);

#endif
