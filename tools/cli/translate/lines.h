/* One sentence in, one line out: `translate`, and the REPL when nobody sits at a terminal. */
#ifndef ELMAN_CLI_LINES_H
#define ELMAN_CLI_LINES_H

#include "elman.h"
#include "input/model_input.h"
#include "input/sentences.h"

struct translate_lines {
  elman_translate_options options;
  bool json;
  bool n_best;     /* write all translations of a sentence, as Moses does, and not just the best */
  const char *tag; /* in front of each translation; NULL = none */
};

/* A sentence that is not valid text is reported and gives an empty line (null in JSON), so that
 * lines in and out stay side by side. Opens the models and closes them. `output_path` as in
 * output_open. Gives the exit code. */
int translate_lines(struct translate_lines *job, struct models *models, struct sentences *sentences,
                    const char *output_path);

#endif
