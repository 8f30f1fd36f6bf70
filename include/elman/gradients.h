/* Gradient checks, and traces of gradients over the time steps. */
#ifndef ELMAN_GRADIENTS_H
#define ELMAN_GRADIENTS_H

#include <stdio.h>

#include "elman/model.h"

ELMAN_BEGIN

/* Result of comparing the gradient of a tensor with numerical differences of the loss. */
typedef enum elman_verdict {
  ELMAN_GRADIENT_PASSED,
  ELMAN_GRADIENT_TOO_SMALL, /* not checked: rounding errors explain the whole difference */
  ELMAN_GRADIENT_FAILED,
  ELMAN_GRADIENT_TIED, /* the tensor is an alias; see tied_to */
  ELMAN_GRADIENT_KINK  /* not checked: every step crosses a kink of the loss, where a rectifier
                          switches or a key enters or leaves a window */
} elman_verdict;

/* Return "passed", "too small", "failed", "tied" or "kink"; NULL for any other value. */
ELMAN_API const char *elman_verdict_name(elman_verdict verdict);

/* A tensor of the model and the comparison of its gradient. */
typedef struct elman_checked_tensor {
  const char *name;     /* as in the model file; valid as long as the report, like tied_to */
  const char *tied_to;  /* the tensor with which it shares its values; NULL if none */
  size_t rows, columns; /* a vector has 1 column */
  int dimensions;       /* 1 or 2 */
  size_t checked;       /* number of entries checked */
  size_t kinks;         /* entries excluded because every step crosses a kink */
  double step; /* smallest step used; smaller than the step of the options if a kink or the error of
                  a larger step made that necessary */
  /* Norms of the gradient over the checked entries that are not excluded. */
  double analytic;  /* norm of the gradient of back-propagation through time */
  double numerical; /* norm of the gradient of central differences */
  double error;     /* norm of the difference, divided by the sum of both norms; 0 to 1 */
  elman_verdict verdict;
} elman_checked_tensor;

/* Results of a gradient check. The report is read-only. */
typedef struct elman_gradient_report {
  double loss;       /* mean over the target tokens, with label smoothing */
  size_t tokens;     /* target tokens, </s> included */
  double guide_loss; /* guide loss: mean over the linked target tokens, not multiplied by
                        guide_weight; 0 without alignments */
  size_t linked;     /* linked target tokens */
  size_t unknown_source, unknown_target;
  size_t tensor_count;
  const elman_checked_tensor *tensors; /* in the order of the model file */
  const elman_checked_tensor
      *worst;  /* the checked tensor with the largest error; NULL if none could be checked */
  bool passed; /* at least one tensor was checked, and all checked tensors passed */
  bool failed; /* at least one tensor failed */
} elman_gradient_report;

typedef struct elman_gradient_options {
  double step; /* step h: each entry x is changed to x + h and x - h; default 1e-5; 1e-12 to 1. If
                  the error of this step explains the difference, smaller steps are tried */
  double tolerance; /* maximum relative error of a gradient; default 1e-7; 0 to 1 */
  size_t samples;   /* random entries per tensor; 0 = all; default 50. In an embedding, additional
                       entries are checked: at least one for each word that occurs in the pairs. The
                       gradients of other words are zero */
  double dropout;   /* as in training, with one fixed mask; default 0; below 1 */
  double attention_dropout;
  double label_smoothing;        /* as in training; default 0; below 1 */
  const char *const *alignments; /* alignments of the pairs, "i-j i-j ...", for guided alignment; ""
                                    for no links; NULL (default) = no guided alignment */
  double guide_weight;           /* default 0, at most 1000; requires alignments */
  uint64_t seed;                 /* selects the entries and the mask; default 1 */
  bool (*progress)(void *context, size_t done,
                   size_t total); /* progress in tensors; return false to stop; may be NULL */
  void *context;
  uint64_t reserved[4];
} elman_gradient_options;

ELMAN_API elman_gradient_options elman_gradient_options_default(void);

/* Compute the mean loss of `count` pairs, sources[i] with targets[i], and compare its gradient with
 * central differences, in double. The pairs form one batch; the loss includes guided alignment.
 * Return ELMAN_BAD_DATA if a side is empty, not valid UTF-8 or longer than 5,000 tokens, and for a
 * malformed alignment. A gradient that fails is not an error of the call. */
ELMAN_CHECKED elman_status elman_gradient_check(elman_gradient_report **report,
                                                const elman_model *model,
                                                const char *const *sources,
                                                const char *const *targets, size_t count,
                                                const elman_gradient_options *options,
                                                elman_error *error);
ELMAN_API void elman_gradient_report_free(elman_gradient_report *report);

/* Limit of saturation. A tanh unit with an absolute value above this limit (the maximum is 1)
 * passes less than a tenth of its gradient. A gate is saturated if it is equally close to 0 or 1 on
 * its scale. */
#define ELMAN_SATURATED 0.95

/* One layer in one direction. The arrays have one element per token, in the order of the tokens. */
typedef struct elman_traced_layer {
  elman_side side;     /* ELMAN_SOURCE: the encoder */
  size_t layer;        /* from 0, as in the names of tensors */
  bool reverse;        /* runs from the last token to the first */
  size_t steps, units; /* number of steps, S or T; number of units */
  double *states;      /* norm of the gradient of the loss with respect to the state */
  double *inputs; /* norm of the gradient with respect to the pre-activations of tanh and gates */
  double *saturated; /* fraction of saturated functions, 0 to 1; for rectifiers, fraction of units
                        whose output is 0 */
  double *hidden;    /* (steps,units): the hidden state h of each step, before dropout */
} elman_traced_layer;

/* Gradient norms at every step. The trace is read-only. */
typedef struct elman_gradient_trace {
  double loss;                       /* the loss that is differentiated */
  size_t target_step;                /* the target token of that loss; 0 = mean over all */
  size_t source_count, target_count; /* S and T, </s> included */
  const char *const *source_tokens;  /* (S): text of each token, unknown ones included */
  const bool *source_known;          /* (S) */
  const char *const *target_tokens;  /* (T); the last is "</s>" */
  const bool *target_known;          /* (T) */
  const double *losses;              /* (T): -log p of each target token */
  size_t layer_count;
  const elman_traced_layer *layers; /* layers of the encoder, then layers of the decoder */
} elman_gradient_trace;

/* Compute the gradient norms at every encoder and decoder step for the pair of `source` and
 * `target`, in double and with teacher forcing. The norms show how far gradients propagate back.
 * `target_step` selects the target token, from 1 to T, whose loss is differentiated; 0 = the mean
 * over all tokens. Errors are those of elman_gradient_check; a step outside the sentence is
 * ELMAN_INVALID_ARGUMENT. */
ELMAN_CHECKED elman_status elman_trace(elman_gradient_trace **trace, const elman_model *model,
                                       const char *source, const char *target, size_t target_step,
                                       elman_error *error);
ELMAN_API void elman_trace_free(elman_gradient_trace *trace);

/* Draw the norms on a logarithmic scale: one panel per layer and direction, all on the same scale,
 * with the fraction of saturated units below. A norm of 0 has no mark. `format` is "svg" or "html".
 * The html page contains the image and tables of the numbers, but no script; it follows dark mode.
 * A format other than these two is ELMAN_INVALID_ARGUMENT. Tokens are escaped. A write error sets
 * the stream's error flag. */
ELMAN_CHECKED elman_status elman_trace_draw(FILE *stream, const elman_gradient_trace *trace,
                                            const char *format, elman_error *error);

ELMAN_END

#endif
