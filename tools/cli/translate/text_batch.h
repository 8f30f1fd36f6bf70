/* Sentences that are translated at once, and what came of them. */
#ifndef ELMAN_CLI_TEXT_BATCH_H
#define ELMAN_CLI_TEXT_BATCH_H

#include "elman.h"
#include "input/sentences.h"

enum { MOST_SENTENCES = 256 };

/* Start from all zero, on the heap: it is large. */
struct text_batch {
  struct sentence sentences[MOST_SENTENCES];
  elman_sentence texts[MOST_SENTENCES];
  elman_translation *translations[MOST_SENTENCES], *plain[MOST_SENTENCES];
  elman_error errors[MOST_SENTENCES];
  size_t count, bytes;
  size_t cells; /* of attention matrices, at most */
};

/* Frees what it holds. */
void text_batch_clear(struct text_batch *batch);

/* The batch owns the sentence from now on. */
void text_batch_add(struct text_batch *batch, struct sentence sentence);

/* Waits for one sentence and takes those that have come by then: nobody's answer waits for what is
 * not yet written. False when there is nothing more to read, with *code as in sentences_next. */
bool text_batch_fill(struct text_batch *batch, struct sentences *sentences, int *code);

/* Gives an exit code, after a message if that is not 0. A sentence that cannot be translated is no
 * reason: it has an error and no translation. */
int text_batch_translate(struct text_batch *batch, elman_translator *translator,
                         const elman_translate_options *options);

/* A sentence and what came of it. */
struct translated {
  const struct sentence *sentence;
  const elman_translation *translation; /* NULL where there is none, which has been reported */
  const elman_error *error;             /* why there is none; NULL where there is one */
  const elman_translation *plain; /* what it is without the options' overrides; NULL without any */
};

struct translated text_batch_get(const struct text_batch *batch, size_t i);

#endif
