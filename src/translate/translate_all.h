/* Any number of sentences, in batches that processes and threads share out among themselves. How
 * sentences come to batches, on which their last bits depend, depends on neither. */
#ifndef ELMAN_TRANSLATE_TRANSLATE_ALL_H
#define ELMAN_TRANSLATE_TRANSLATE_ALL_H

#include <stddef.h>

#include "base/group.h"
#include "base/status.h"
#include "translate/translator.h"

/* Sentences in batches of like length, so that few of a batch wait for the longest. */
struct length_batches {
  size_t *order;  /* the sentences' numbers, the longest first */
  size_t *starts; /* (count + 1): batch i is order[starts[i]] up to order[starts[i + 1]] */
  size_t count;
};

/* Batches of `batch_size` sentences at most, each searched with a beam of `width`; long sentences
 * make smaller ones, so that memory does not grow with their length. `lengths` (n) may be in any
 * unit that is not smaller than a token. */
elman_status length_batches_create(struct length_batches *batches, const size_t *lengths, size_t n,
                                   size_t batch_size, size_t width, elman_error *error) CHECKED;
void length_batches_free(struct length_batches *batches);

/* Looks at what came of sentence `number`, which is item i of the translator. Several threads call
 * it at once, each for other sentences. An error ends the work. */
typedef elman_status translate_receive(void *context, size_t number, struct translator *translator,
                                       size_t i, elman_error *error);

struct translate_job {
  const struct model *model;
  const struct screen *screen; /* as in search_run */
  const elman_sentence *sentences;
  size_t count, batch_size;
  const elman_translate_options *options;
  const elman_group *group; /* does the batches together with this process, which looks at its own
                               alone; NULL = this process does all */
  translate_receive *receive;
  void *context;
  /* After each sentence, one at a time; false stops. May be NULL. The others of a group are taken
   * to be as far as this one. */
  bool (*progress)(void *context, size_t done, size_t total);
  void *progress_context;
};

elman_status translate_all(const struct translate_job *job, elman_error *error) CHECKED;

#endif
