/* Attention of translations: files of matrices, the effect of overrides, and `elman attention` for
 * sentences. */
#ifndef ELMAN_CLI_ATTENTION_JOB_H
#define ELMAN_CLI_ATTENTION_JOB_H

#include "console/output.h"
#include "elman.h"
#include "input/model_input.h"
#include "input/sentences.h"

/* ---- files of attention matrices ---- */

/* The formats of the library, and PNG, which is converted from SVG. */
extern const struct formats attention_formats;

/* Check that the models have these units: subwords need token mode bpe. `what` is the option, for
 * messages. Return an exit code; print a message if it is not 0. */
int units_check(const char *what, elman_alignment_units units, const struct models *models);

/* Write `best` and the hypotheses after it to a file, which is replaced as a whole. Return an exit
 * code; print a message if it is not 0. */
int hypotheses_save(const char *path, const elman_translation *best, const char *format,
                    const elman_text_style *style);

/* ---- effect of overrides ---- */

/* Start from all zero. */
struct override_effect {
  size_t compared,
      same; /* sentences, and those whose best translation is the same without overrides */
  double log_probability;            /* sum of the changes */
  size_t most_targets, most_sources; /* largest number of tokens in a matrix */
  bool reached[ELMAN_MAX_OVERRIDES];
};

/* Add a sentence: its translations, and the best one with unmodified attention. */
void override_effect_add(struct override_effect *effect, const elman_translate_options *options,
                         const elman_translation *changed, const elman_translation *plain);

/* Print the effect. If an override lies outside of every matrix, report it as given at `where`
 * instead. Return the exit code. */
int override_effect_note(const struct override_effect *effect,
                         const elman_translate_options *options, const char *where);

/* ---- the job: write every matrix, or a summary ---- */

/* Models used one after the other; the sentences are read again for each. */
struct model_sequence {
  char *const *paths;
  size_t count; /* 0 = there is one model, already open */
  const char *input_path;
  const struct operands *operands;
};

struct attention_job {
  struct model_sequence sequence;
  elman_translate_options options;
  const char *format; /* NULL: write a summary */
  elman_text_style style;
  bool json; /* write the summary as a JSON object */
};

/* Run the job. With a sequence, `model` is NULL and the sentences are not open yet. `path` as in
 * output_open. Return an exit code; print a message if it is not 0. */
int attention_job_run(const struct attention_job *job, const elman_model *model,
                      struct sentences *sentences, const char *path);

#endif
