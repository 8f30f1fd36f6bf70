/* Encoder, decoder and loss as one function of the parameters, with its gradient. */
#ifndef ELMAN_MODEL_NETWORK_H
#define ELMAN_MODEL_NETWORK_H

#include "corpus/batch.h"
#include "model/parameters.h"

/* Activations and scratch of one batch. Start from all zero; fits itself to each batch and keeps
 * the memory of the largest. */
struct workspace {
  struct arena arena;
  struct encoder_cache encoder;
  struct decoder_cache decoder;
  real *log_sums;                    /* (N) */
  double *losses;                    /* (N): -log p of each expected token */
  real *dencoder_states;             /* (S+1,B,H); only with gradients */
  real *dencoder_inputs;             /* (S,B,E); only with gradients */
  struct decoder_gradients ddecoder; /* only with gradients */
};

enum purpose { FORWARD_ONLY, WITH_GRADIENTS };

/* Must be called before the functions below, once a batch. */
enum status workspace_fit(struct workspace *workspace, const struct model_config *config,
                          const struct batch *batch, enum purpose purpose,
                          struct error *error) CHECKED;
void workspace_free(struct workspace *workspace);

/* Returns the sum of -log p over all real target tokens, equation 11 times N; the single losses are
 * left in workspace->losses, the attention weights in workspace->decoder.weights. */
double network_forward(struct workspace *workspace, const struct batch *batch,
                       const struct parameters *weights, const struct model_config *config);

/* Adds the gradient of the mean loss to `gradients`. Overwrites the logits. */
void network_backward(const struct parameters *gradients, struct workspace *workspace,
                      const struct batch *batch, const struct parameters *weights,
                      const struct model_config *config);

struct encoder_sizes encoder_sizes_of(const struct model_config *config);
struct decoder_sizes decoder_sizes_of(const struct model_config *config);

#endif
