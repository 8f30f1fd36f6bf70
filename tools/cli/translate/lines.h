/* Translate lines: read one sentence and write one line. `translate` and the REPL without a
 * terminal use this module. */
#ifndef ELMAN_CLI_LINES_H
#define ELMAN_CLI_LINES_H

#include "elman.h"
#include "input/model_input.h"
#include "input/sentences.h"

struct translate_lines {
  elman_translate_options options;
  bool json;
  bool n_best;     /* write the n-best list: as JSON, or in the format of Moses */
  const char *tag; /* text before each translation; NULL = none */
};

/* Open the models, translate the sentences, and close the models. Report a sentence that is not
 * valid text, and write an empty line for it (null in JSON). Input and output therefore stay
 * parallel. `output_path` is the path for output_open. Return the exit code. */
int translate_lines(struct translate_lines *job, struct models *models,
                    struct sentence_input *sentences, const char *output_path);

#endif
