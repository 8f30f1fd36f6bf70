/* Attention of translations: files of matrices, what overrides changed, and `elman attention` on
 * sentences. */
#ifndef ELMAN_CLI_ATTENTION_JOB_H
#define ELMAN_CLI_ATTENTION_JOB_H

#include "console/output.h"
#include "elman.h"
#include "input/model_input.h"
#include "input/sentences.h"

/* ---- files of attention matrices ---- */

/* Their formats: those of the library, and PNG, which is converted from a picture of the library's.
 */
extern const struct formats attention_formats;

/* Whether these units are there to be shown: subwords need a model that has such. `what` asks
 * for them. Gives an exit code, after a message if that is not 0. */
int units_check(const char *what, elman_alignment_units units, const struct models *models);

/* Writes `best` and those after it into a file, which is replaced at once. Gives an exit code,
 * after a message if that is not 0. */
int hypotheses_save(const char *path, const elman_translation *best, const char *format,
                    const elman_text_style *style);

/* ---- what overrides changed ---- */

/* Starts from all zero. */
struct override_effect {
  size_t compared, same;             /* sentences; those whose best translation did not change */
  double log_probability;            /* gained, in all */
  size_t most_targets, most_sources; /* tokens of a matrix */
  bool reached[ELMAN_MAX_OVERRIDES];
};

/* Adds a sentence: its translations, and the best one with the attention as it is. */
void override_effect_add(struct override_effect *effect, const elman_translate_options *options,
                         const elman_translation *changed, const elman_translation *plain);

/* Tells it, unless there is an override that no matrix has a place for: that is reported, as one
 * given at `where`. Gives the exit code. */
int override_effect_note(const struct override_effect *effect,
                         const elman_translate_options *options, const char *where);

/* ---- the job: every matrix is written, or all are summed up ---- */

/* Models in turn; the sentences are read again for each. */
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
