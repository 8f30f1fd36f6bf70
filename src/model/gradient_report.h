/* Gradient checks and traces of sentence pairs given as text: make the batch, and make reports that
 * name tensors and tokens. */
#ifndef ELMAN_MODEL_GRADIENT_REPORT_H
#define ELMAN_MODEL_GRADIENT_REPORT_H

#include "corpus/batch.h"
#include "model/gradient_check.h"
#include "model/model.h"

struct pair_batch {
  struct encoding source, target; /* texts of the last pair */
  struct corpus corpus;
  struct batch batch;
};

/* Fill the batch. Return ELMAN_BAD_DATA for an invalid alignment, and for a side that is empty, not
 * UTF-8 or too long. `alignments` may be NULL. The caller must call pair_batch_free, even after a
 * failure. */
elman_status pair_batch_fill(struct pair_batch *texts, const struct model *model,
                             const char *const *sources, const char *const *targets,
                             const char *const *alignments, size_t count,
                             elman_error *error) CHECKED;
void pair_batch_free(struct pair_batch *texts);

/* Set tensors[i] to the elements of row i of the model's table. The functions of
 * model/gradient_check.h take these tensors. */
void model_tensors(const float *tensors[MAX_PARAMETERS], const struct model *model);

/* The public part comes first, so a pointer to the public part also points to the whole struct. */
struct gradient_report {
  elman_gradient_report outer;
  elman_checked_tensor tensors[MAX_PARAMETERS];
  struct parameter_table table; /* rows with the names of the tensors */
};

void gradient_report_fill(struct gradient_report *report, const struct model *model,
                          const struct gradient_check *check, const struct pair_batch *texts);

/* The tokens of one side, including </s>. */
struct named_tokens {
  const char **tokens;
  bool *known;
};

/* The public part comes first, so a pointer to the public part also points to the whole struct. */
struct trace_report {
  elman_gradient_trace outer;
  struct trace inner;      /* the measurements */
  struct pair_batch texts; /* contains the ids */
  struct named_tokens names[2];
  struct arena arena; /* memory of the names */
};

/* Fill the public part from the measurements, and the names from the ids. */
elman_status trace_report_fill(struct trace_report *report, size_t target_step,
                               elman_error *error) CHECKED;

#endif
