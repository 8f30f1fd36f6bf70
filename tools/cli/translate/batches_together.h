/* Batches of sentences shared out among processes. */
#ifndef ELMAN_CLI_BATCHES_TOGETHER_H
#define ELMAN_CLI_BATCHES_TOGETHER_H

#include "input/unknown_words.h"
#include "translate/batches.h"

/* Where job->take writes and counts. */
struct line_sink {
  FILE *stream;
  bool terminal; /* what is written ends on one; set where the output is known, and handed on */
  struct unknown_words unknown;
};

/* As batches_run in the process that leads, which reads the sentences and writes the output; each
 * batch is the one that batches_run would have made, so that the output is the same. The others
 * look at neither. job->take writes to the sink. */
int batches_run_together(const struct batch_job *job, struct line_sink *sink,
                         struct sentences *sentences, struct output *output);

#endif
