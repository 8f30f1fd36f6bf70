/* One sentence in, one line out: for `translate`, and for the REPL without a terminal. */
#ifndef ELMAN_CLI_LINES_H
#define ELMAN_CLI_LINES_H

#include "elman.h"
#include "input/model_input.h"
#include "input/sentences.h"

struct translate_lines {
  elman_translate_options options;
  bool json;
  bool n_best; /* write the n-best list in the format of Moses instead of the best translation only
                */
  const char *tag; /* in front of each translation; NULL = none */
};

/* Open the models, translate, and close the models. A sentence that is not valid text is reported
 * and becomes an empty line (null in JSON), so that input and output stay parallel. `output_path`
 * as in output_open. Return the exit code. */
int translate_lines(struct translate_lines *job, struct models *models, struct sentences *sentences,
                    const char *output_path);

#endif
