/* Translation of any number of sentences, in batches that processes and threads share. The division
 * into batches affects the last bits of a result. The division does not depend on the number of
 * processes and threads. */
#ifndef ELMAN_TRANSLATE_TRANSLATE_ALL_H
#define ELMAN_TRANSLATE_TRANSLATE_ALL_H

#include <stddef.h>

#include "base/group.h"
#include "base/status.h"
#include "translate/translator.h"

/* Batches of sentences with similar lengths. Similar lengths keep padding small. Sentences with a
 * reference are in batches of their own, because forced decoding needs no beam. */
struct length_batches {
  const elman_sentence **order; /* first those without a reference; the longest of them first */
  size_t *starts; /* (count + 1): batch i is order[starts[i]] to order[starts[i + 1] - 1] */
  size_t count;
};

/* Create batches of at most `batch_size` of the n sentences for beam size `width`. Batches of long
 * sentences are smaller, so that memory does not grow with their length. */
elman_status length_batches_create(struct length_batches *batches, const elman_sentence *sentences,
                                   size_t n, size_t batch_size, size_t width,
                                   elman_error *error) CHECKED;
void length_batches_free(struct length_batches *batches);

/* Process the result of sentence `number`, item i of the translator. Several threads call it
 * concurrently, for different sentences. An error ends the job. */
typedef elman_status translate_receive(void *context, size_t number, struct translator *translator,
                                       size_t i, elman_error *error);

struct translate_job {
  const struct model *model;
  const struct screen *screen; /* as in search_run */
  struct translator *only;     /* translates a job of one sentence, to reuse its memory; or NULL */
  const elman_sentence *sentences;
  size_t count, batch_size;
  const elman_translate_options *options;
  const elman_group *group; /* group that shares the batches; each process receives only its own
                               results. NULL = one process */
  translate_receive *receive;
  void *context;
  /* Called after each sentence, never concurrently; the job stops if it returns false. May be NULL.
   * `done` is an estimate: it assumes that the other processes of the group progress at the same
   * rate. */
  bool (*progress)(void *context, size_t done, size_t total);
  void *progress_context;
};

elman_status translate_all(const struct translate_job *job, elman_error *error) CHECKED;

#endif
