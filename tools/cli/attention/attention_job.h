/* `elman attention` on sentences: every matrix is written, or all are summed up. */
#ifndef ELMAN_CLI_ATTENTION_JOB_H
#define ELMAN_CLI_ATTENTION_JOB_H

#include "elman.h"
#include "input/sentences.h"

/* Models that are asked in turn; the sentences are read anew for each. */
struct model_sequence {
  char *const *paths;
  size_t count; /* 0 = there is one model, which is open */
  const char *input_path;
  const struct operands *operands;
};

struct attention_job {
  struct model_sequence sequence;
  elman_translate_options options;
  const char *format; /* NULL: sum up */
  elman_text_style style;
  bool json; /* the sum as a JSON object */
};

/* With a sequence `model` is NULL, and the sentences are not open yet. `path` as in output_open.
 * Gives an exit code, after a message if that is not 0. */
int attention_job_run(const struct attention_job *job, const elman_model *model,
                      struct sentences *sentences, const char *path);

#endif
