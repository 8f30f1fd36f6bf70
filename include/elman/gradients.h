/* Gradients, for those who learn how they come about. */
#ifndef ELMAN_GRADIENTS_H
#define ELMAN_GRADIENTS_H

#include <stdio.h>

#include "elman/model.h"

ELMAN_BEGIN

/* How a tensor's gradient compares with differences of the loss. */
typedef enum elman_verdict {
  ELMAN_GRADIENT_PASSED,
  ELMAN_GRADIENT_TOO_SMALL, /* not measured: rounding explains all of the difference */
  ELMAN_GRADIENT_FAILED,
  ELMAN_GRADIENT_TIED, /* the tensor is another one's, under which it is checked */
  ELMAN_GRADIENT_KINK  /* not measured: every step crosses a point where the loss is not smooth: a
                          rectifier switches, or a key enters or leaves a window */
} elman_verdict;

/* "right", "too small", "wrong", "tied", "kink"; NULL for any other value. */
ELMAN_API const char *elman_verdict_name(elman_verdict verdict);

/* A tensor of the model, and its gradient in both ways. */
typedef struct elman_checked_tensor {
  const char *name;     /* as in the file; lives as long as the report, like the next one */
  const char *tied_to;  /* whose numbers these are; NULL if they are its own */
  size_t rows, columns; /* a vector has 1 column */
  int dimensions;       /* 1 or 2 */
  size_t checked;       /* how many of its numbers were tried */
  size_t kinks;         /* those of them that are left out, since every step crosses a kink */
  double step;          /* the smallest step; below that of the options where the error of a step,
                           which grows with its square, or a kink demanded it */
  /* Norms of the gradient of those that are left. */
  double analytic;  /* by back-propagation through time */
  double numerical; /* by differences */
  double error;     /* |a - b| / (|a| + |b|), from 0 to 1 */
  elman_verdict verdict;
} elman_checked_tensor;

/* Read only; freed whole. */
typedef struct elman_gradient_report {
  double loss;       /* mean over the target tokens, label smoothing included */
  size_t tokens;     /* target tokens, </s> included */
  double guide_loss; /* mean over the linked target tokens, without its weight; 0 without a guide */
  size_t linked;     /* those tokens */
  size_t unknown_source, unknown_target;
  size_t tensor_count;
  const elman_checked_tensor *tensors; /* in the order of the file */
  const elman_checked_tensor *worst;   /* the one with the largest error that is not of rounding;
                                          NULL if nothing could be measured */
  bool passed; /* at least one tensor could be measured, and all that could are right */
  bool failed; /* a tensor is wrong */
} elman_gradient_report;

typedef struct elman_gradient_options {
  double step;      /* h: a number is moved by it up and down; default 1e-5; 1e-12 to 1. Tensors
                       whose error it explains are measured with smaller steps, too */
  double tolerance; /* the largest error of a right gradient; default 1e-7; 0 to 1 */
  size_t samples;   /* numbers tried of a tensor, chosen at random; 0 = all; default 50. Of an
                       embedding so many again, and at least one a word, in the rows of the
                       words of the pairs: other rows have no gradient */
  double dropout;   /* as in training, with one fixed mask; default 0; below 1 */
  double attention_dropout;
  double label_smoothing;        /* as in training; default 0; below 1 */
  const char *const *alignments; /* of the pairs, "i-j i-j ...", which guide attention as in
                                    training, "" for none; NULL (default) = no guide */
  double guide_weight;           /* default 0, at most 1000; goes with alignments */
  uint64_t seed;                 /* of the numbers tried and of the mask; default 1 */
  bool (*progress)(void *context, size_t done,
                   size_t total); /* tensors; false stops; may be NULL */
  void *context;
} elman_gradient_options;

ELMAN_API elman_gradient_options elman_gradient_options_default(void);

/* Holds the gradient of the mean loss of `count` pairs, sources[i] with targets[i], with a guide's,
 * as one batch, against central differences, both in double. A side that is empty, not valid UTF-8
 * or of more than 5,000 tokens is ELMAN_BAD_DATA, and so is an alignment that is none. That a
 * gradient is wrong is no error of the call. */
ELMAN_CHECKED elman_status elman_gradient_check(elman_gradient_report **report,
                                                const elman_model *model,
                                                const char *const *sources,
                                                const char *const *targets, size_t count,
                                                const elman_gradient_options *options,
                                                elman_error *error);
ELMAN_API void elman_gradient_report_free(elman_gradient_report *report);

/* A tanh that gives more than this, up to 1, lets less than a tenth of its gradient pass; so does a
 * gate that is as near to 0 or 1, on its scale. */
#define ELMAN_SATURATED 0.95

/* One layer in one direction. The arrays have one element a token, in the order of the tokens. */
typedef struct elman_traced_layer {
  elman_side side;     /* ELMAN_SOURCE: the encoder */
  size_t layer;        /* from 0, as in the names of tensors */
  bool reverse;        /* reads from the last token to the first */
  size_t steps, units; /* steps: S or T */
  double *states;      /* the norm of the gradient of the loss with respect to the state */
  double *inputs;      /* the same with respect to what the cell's tanh and gates are taken of */
  double *saturated;   /* share of these functions, 0 to 1; of a rectifier, of units that are off */
} elman_traced_layer;

/* Read only; freed whole. */
typedef struct elman_gradient_trace {
  double loss;                       /* whose gradients these are */
  size_t target_step;                /* the target token that this is the loss of; 0 = the mean */
  size_t source_count, target_count; /* S and T, </s> included */
  const char *const *source_tokens;  /* (S); also words that are unknown */
  const bool *source_known;          /* (S) */
  const char *const *target_tokens;  /* (T); the last is "</s>" */
  const bool *target_known;          /* (T) */
  const double *losses;              /* (T): -log p of each target token */
  size_t layer_count;
  const elman_traced_layer *layers; /* the encoder's, then the decoder's */
} elman_gradient_trace;

/* How far back learning reaches for `source` and `target`, one pair: the size of the gradient at
 * every step of encoder and decoder, in double and under teacher forcing. `target_step` is the
 * target token, from 1 to T, whose loss is followed; 0 = the mean over all. Errors are those of
 * elman_gradient_check; a step that is not there is ELMAN_INVALID_ARGUMENT. */
ELMAN_CHECKED elman_status elman_trace(elman_gradient_trace **trace, const elman_model *model,
                                       const char *source, const char *target, size_t target_step,
                                       elman_error *error);
ELMAN_API void elman_trace_free(elman_gradient_trace *trace);

/* Draws the norms on a logarithmic scale, a panel for each layer and direction with the share that
 * is saturated below, all on one scale; a norm of 0 has no mark. The format is "svg", an image for
 * light and dark, or "html", the same on a page with the numbers in tables, without a script;
 * another is ELMAN_INVALID_ARGUMENT. No token can do harm to image or page. Write errors stay in
 * the stream's error flag. */
ELMAN_CHECKED elman_status elman_trace_draw(FILE *stream, const elman_gradient_trace *trace,
                                            const char *format, elman_error *error);

ELMAN_END

#endif
