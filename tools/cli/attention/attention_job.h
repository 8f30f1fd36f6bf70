/* Attention of translations: files of matrices, the effect of overrides, and the job of `elman
 * attention`, which processes sentences. */
#ifndef ELMAN_CLI_ATTENTION_JOB_H
#define ELMAN_CLI_ATTENTION_JOB_H

#include "console/output.h"
#include "elman.h"
#include "input/model_input.h"
#include "input/sentences.h"

/* ---- files of attention matrices ---- */

/* Formats of the library, and those that are drawn from SVG. */
extern const struct formats attention_formats;

/* Return the name of the units at `index`, for tables of options; NULL past the last. */
const char *units_choice(size_t index);

/* Check that the models support the units: subwords need token mode bpe. `what` names the option in
 * messages. Return an exit code; print a message if it is not 0. */
int units_check(const char *what, elman_alignment_units units, const struct models *models);

/* Write `best` and the hypotheses after it to a file. An existing file is replaced only when the
 * new one is complete. Return an exit code; print a message if it is not 0. */
int hypotheses_save(const char *path, const elman_translation *best, const char *format,
                    const elman_text_style *style);

/* ---- effect of overrides ---- */

/* Effect of overrides on translations. The caller initializes the struct to zero. */
struct override_effect {
  size_t compared, same;  /* number of sentences; number of sentences whose best translation is the
                             same without overrides */
  double log_probability; /* sum of the changes in log-probability */
  elman_override_reach reach;
};

/* Add a sentence: its translations with overrides, and its best translation with unmodified
 * attention. */
void override_effect_add(struct override_effect *effect, const elman_translate_options *options,
                         const elman_translation *changed, const elman_translation *plain);

/* Print the effect. If an override lies outside every matrix, report an error instead; `where` is
 * the place of the override. Return the exit code. */
int override_effect_note(const struct override_effect *effect,
                         const elman_translate_options *options, const char *where);

/* ---- the job: write every matrix, or a summary ---- */

/* Models that are used one after the other. The sentences are read again for each model. */
struct model_sequence {
  char *const *paths;
  size_t count; /* number of paths; 0 = only the model that is already open */
  const char *input_path;
  const struct operands *operands;
};

struct attention_job {
  struct model_sequence sequence;
  elman_translate_options options;
  struct search_given given; /* for a sequence: options that replace a model's stored search */
  const char *format;        /* NULL = write a summary */
  elman_text_style style;
  bool json; /* write the summary as a JSON object */
};

/* Run the job. With a sequence, `model` must be NULL, and the sentences must not be open. `path` is
 * the path for output_open. Return an exit code; print a message if it is not 0. */
int attention_job_run(const struct attention_job *job, const elman_model *model,
                      struct sentence_input *sentences, const char *path);

#endif
