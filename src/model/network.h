/* Encoder, decoder and loss as one function of the parameters, with its gradient. */
#ifndef ELMAN_MODEL_NETWORK_H
#define ELMAN_MODEL_NETWORK_H

#include "base/sequence.h"
#include "decoder/output.h"
#include "model/parameters.h"

/* Activations and temporary arrays of one batch. Initialize to zero. workspace_fit adapts it to
 * each batch and keeps the memory of the largest. */
struct workspace {
  struct arena arena;
  struct encoder_arrays encoder;
  struct decoder_arrays decoder;
  size_t block;         /* rows of logits in memory at a time */
  double *losses;       /* (N): the loss of each label */
  double *guide_losses; /* (T B): the guide loss of each target position; only if the batch has a
                           guide */
  /* Only with gradients: */
  struct encoder_arrays encoder_scratch;
  struct decoder_arrays decoder_scratch;
  struct output_scratch output_scratch;
};

/* Flags: the arrays of a workspace. */
enum purpose {
  FORWARD_ONLY = 0,
  WITH_GRADIENTS = 1,
  WITH_EVERY_STEP = WITH_GRADIENTS | 2, /* keeps the gradient of every state, in both scratches */
  WITH_LOGITS = 4,                      /* network_forward leaves the logits of all tokens */
  WITH_GRADIENTS_AND_LOGITS = WITH_GRADIENTS | WITH_LOGITS
};

/* Only for training. All zero = none. */
struct regularization {
  struct dropouts dropouts; /* with other streams for every update */
  double label_smoothing;   /* η */
  double guide;             /* λ/N_ξ: weight of each guide loss of the batch; 0 = no guide */
};

/* Sums over the tokens of a batch. */
struct losses {
  double cross_entropy; /* (11) times N */
  double guide;         /* Σ_t ℓ_t of (75) */
};

/* Call this once per batch, before the functions below. */
elman_status workspace_fit(struct workspace *workspace, const struct parameters *weights,
                           const struct batch *batch, enum purpose purpose,
                           elman_error *error) CHECKED;
void workspace_free(struct workspace *workspace);

/* A callback for a finished part of the gradient; all zero = none. */
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
  size_t mean_of;    /* number of tokens by which the mean loss divides, N of (11), if the batch is
                        part of a larger one; 0 = its own number of tokens */
  size_t only_token; /* differentiate only this token's loss, from 1; 0 = the mean loss */
  struct notice
      output_done; /* called when the gradient of the output layer is complete; if the layer is tied
                      to an embedding, the embedding's own part is still missing */
};

/* Return the sum of the losses over all real target tokens, (11) times N. Store the single losses
 * in workspace->losses and the attention weights in workspace->decoder.attention. */
double network_forward(const struct network_pass *pass);

/* Return the sum of the guide losses, Σ_t ℓ_t of (75), after network_forward or network_gradient; 0
 * without a guide. */
double network_guide_loss(const struct network_pass *pass);

/* Return the same sum as network_forward, and add the gradients of the mean loss and of the guide
 * loss to `gradients`. With only_token, the gradients below the output layer are those of one
 * token's loss. The workspace must have been fitted with gradients. */
double network_gradient(const struct parameters *gradients, const struct network_pass *pass);

/* Fail with ELMAN_BAD_DATA for a loss or scores that are not finite. */
elman_status fail_overflow(elman_error *error);

#endif
