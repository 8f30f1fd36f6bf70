/* Encoder, decoder and loss as one function of the parameters, with its gradient. */
#ifndef ELMAN_MODEL_NETWORK_H
#define ELMAN_MODEL_NETWORK_H

#include "base/sequence.h"
#include "decoder/output.h"
#include "model/parameters.h"

/* Activations and temporary arrays of one batch. The caller initializes the struct with zeros.
 * workspace_fit adapts the arrays to each batch and keeps the memory of the largest batch. */
struct workspace {
  struct arena arena;
  struct encoder_arrays encoder;
  struct decoder_arrays decoder;
  size_t block;         /* number of rows of logits in memory at a time */
  double *losses;       /* (N): the loss of each label */
  double *guide_losses; /* (T B): the guide loss of each target position; NULL if the batch has no
                           guide */
  /* Only with gradients: */
  struct encoder_arrays encoder_scratch;
  struct decoder_arrays decoder_scratch;
  struct output_scratch output_scratch;
};

/* Flags that select the arrays of a workspace. */
enum purpose {
  FORWARD_ONLY = 0,
  WITH_GRADIENTS = 1,
  WITH_EVERY_STEP =
      WITH_GRADIENTS | 2, /* keep the gradient of every hidden state, in both scratches */
  WITH_LOGITS = 4,        /* keep the logits of all tokens after network_forward */
  WITH_GRADIENTS_AND_LOGITS = WITH_GRADIENTS | WITH_LOGITS
};

/* Dropout, label smoothing, R-Drop and guided alignment, for training only. All zero = none. */
struct regularization {
  struct dropouts dropouts; /* the random streams must differ between updates */
  double label_smoothing;   /* η */
  double r_drop;            /* α, for a batch with two copies of each pair; 0 = none */
  double guide;             /* λ/N_ξ: factor of each guide loss of the batch; 0 = no guide */
};

/* Sums over the tokens of a batch. */
struct losses {
  double cross_entropy; /* sum of the cross-entropies: (11) times N */
  double guide;         /* sum of the guide losses: Σ_t ℓ_t of (75) */
};

/* Fit the arrays to a batch. The caller must do this once per batch, before it calls the following
 * functions. */
elman_status workspace_fit(struct workspace *workspace, const struct parameters *weights,
                           const struct batch *batch, enum purpose purpose,
                           elman_error *error) CHECKED;
void workspace_free(struct workspace *workspace);

/* A callback that is called when a part of the gradient is complete; all zero = none. */
struct notice {
  void (*call)(void *context);
  void *context;
};

/* A pass of the network over a batch. */
struct network_pass {
  const struct parameters *weights;
  const struct batch *batch;
  const struct regularization *regularization;
  struct workspace *workspace;
  size_t mean_of;    /* divisor of the mean loss: if the batch is part of a larger one, N of (11) or
                        2N of (98) for the larger batch; 0 = number of tokens of this batch */
  size_t only_token; /* number of the token, from 1, whose loss alone is differentiated; 0 = the
                        mean loss */
  elman_precision precision; /* of the operands of large products in network_gradient: float32 or
                                bfloat16 */
  struct notice output_done; /* called when the gradient of the output layer is complete; for a tied
                                layer, the part of the embedding lookup is still missing */
};

/* Return the sum of the losses over all real target tokens, (11) times N, without the divergences
 * of R-Drop. Store the losses of single tokens in workspace->losses and the attention weights in
 * workspace->decoder.attention. */
double network_forward(const struct network_pass *pass);

/* Return the sum of the guide losses, Σ_t ℓ_t of (75); 0 without a guide. The caller must first
 * call network_forward or network_gradient. */
double network_guide_loss(const struct network_pass *pass);

/* Return the sum of the losses, as network_forward does. Add the gradients of the mean loss, (11)
 * or (98), and of the guide loss to `gradients`. With only_token, the gradients below the output
 * layer belong to one token's loss. The workspace must have been fitted with gradients. */
double network_gradient(const struct parameters *gradients, const struct network_pass *pass);

/* Return ELMAN_BAD_DATA and report a loss or scores that are not finite. */
elman_status fail_overflow(elman_error *error);

/* Return whether `error` is that of fail_overflow. */
bool is_overflow(const elman_error *error);

#endif
