/* Encoder, decoder and loss as one function of the parameters, with its gradient. */
#ifndef ELMAN_MODEL_NETWORK_H
#define ELMAN_MODEL_NETWORK_H

#include "base/sequence.h"
#include "decoder/output.h"
#include "model/parameters.h"

/* Activations and scratch of one batch. Start from all zero; fits itself to each batch and keeps
 * the memory of the largest. */
struct workspace {
  struct arena arena;
  struct encoder_arrays encoder;
  struct decoder_arrays decoder;
  size_t block;         /* rows of logits that are held at a time */
  double *losses;       /* (N): the loss of each label */
  double *guide_losses; /* (T B): of each target position; only where the batch has a guide */
  /* Only with gradients: */
  struct encoder_arrays encoder_scratch;
  struct decoder_arrays decoder_scratch;
  struct output_scratch output_scratch;
};

/* Flags: which arrays a workspace has. */
enum purpose {
  FORWARD_ONLY = 0,
  WITH_GRADIENTS = 1,
  WITH_EVERY_STEP = WITH_GRADIENTS | 2, /* keeps what reaches every state, in both scratches */
  WITH_LOGITS = 4,                      /* network_forward leaves the logits of all tokens */
  WITH_GRADIENTS_AND_LOGITS = WITH_GRADIENTS | WITH_LOGITS
};

/* Only while the network learns. All zero = none. */
struct regularization {
  struct dropouts dropouts; /* other streams for every update */
  double label_smoothing;   /* η */
  double guide;             /* λ/N_ξ: what each loss of the batch's guide counts; 0 = no guide */
};

/* Sums over the tokens of a batch. */
struct losses {
  double cross_entropy; /* (11) times N */
  double guide;         /* Σ_t ℓ_t of (75) */
};

/* Must be called before the functions below, once a batch. */
elman_status workspace_fit(struct workspace *workspace, const struct parameters *weights,
                           const struct batch *batch, enum purpose purpose,
                           elman_error *error) CHECKED;
void workspace_free(struct workspace *workspace);

/* Given to whoever waits for a part of the gradient; all zero = nobody does. */
struct notice {
  void (*give)(void *context);
  void *context;
};

/* A batch on its way through the network. */
struct network_pass {
  const struct parameters *weights;
  const struct batch *batch;
  const struct regularization *regularization;
  struct workspace *workspace;
  size_t mean_of;    /* tokens: what the mean loss divides by, N of (11), where the batch is
                        part of another; 0 = its own */
  size_t only_token; /* the gradient is that of this token's loss, from 1; 0 = of the mean loss */
  struct notice output_done; /* the gradient of the output layer is whole; where it is tied to an
                                  embedding, but for that one's own part */
};

/* Returns the sum of the losses over all real target tokens, (11) times N; the single losses
 * are left in workspace->losses, the attention weights in workspace->decoder.attention. */
double network_forward(const struct network_pass *pass);

/* After one of the two, the sum of the losses by the batch's guide, Σ_t ℓ_t of (75); 0 without
 * one. */
double network_guide_loss(const struct network_pass *pass);

/* Gives the same, and adds the gradient of the mean loss, and of the guide's, to `gradients`; with
 * only_token, what goes back from the features is that of one loss. The workspace is one with
 * gradients. */
double network_gradient(const struct parameters *gradients, const struct network_pass *pass);

/* ELMAN_BAD_DATA, for a loss or scores that are not finite. */
elman_status fail_overflow(elman_error *error);

#endif
