/* The encoder. It computes one state per source token with one or more recurrent layers, in one or
 * both directions, and with self-attention over their states. docs/bptt.md, (1) to (3) and (22) to
 * (24); docs/beyond.md: (34) (both directions), (37) and (38) (residual connections);
 * docs/mechanisms.md, (51) (self-attention). */
#ifndef ELMAN_ENCODER_ENCODER_H
#define ELMAN_ENCODER_ENCODER_H

#include "attention/attention.h"
#include "base/sequence.h"
#include "rnn/rnn.h"
#include "tensor/dropout.h"

enum { DIRECTIONS = 2 };

/* Sizes and options of the encoder. If there are two directions, each has H/2 units, so attention
 * always reads (S,B,H). */
struct encoder_sizes {
  const struct rnn_cell *cell;
  bool layer_norm;
  bool residual;            /* layers after the first add their input to their output */
  size_t embedding, hidden; /* E, H */
  size_t layers;
  size_t directions;                      /* 1 or 2 */
  struct attention_config self_attention; /* configuration of self-attention; heads = 0: none */
};

/* Weights of the encoder, or their gradients. */
struct encoder_parameters {
  struct encoder_sizes sizes;
  real *embedding; /* (V_src,E) */
  struct rnn_parameters rnn[MAX_LAYERS][DIRECTIONS];
  struct attention_parameters self_attention;
};

/* Return the number of units per direction: H, or H/2 with both directions. */
static inline size_t encoder_direction_size(struct encoder_sizes sizes) {
  return sizes.hidden / sizes.directions;
}
/* Return the input size of a layer: E for the first layer, H for others. */
static inline size_t encoder_input_size(struct encoder_sizes sizes, size_t layer) {
  return layer == 0 ? sizes.embedding : sizes.hidden;
}
/* Return parts · H, the size of a layer's final state per sentence. */
static inline size_t encoder_final_size(struct encoder_sizes sizes) {
  return sizes.cell->parts * sizes.hidden;
}

/* Arrays that a forward pass fills and the backward pass reads, or the gradients of these
 * arrays. */
struct encoder_arrays {
  real *inputs[MAX_LAYERS]; /* (S,B,E) or (S,B,H); in gradients, all layers share (S,B,max(E,H)) */
  struct rnn_states states[MAX_LAYERS]
                          [DIRECTIONS]; /* states of H or H/2 units; in gradients, all layers share
                                           memory unless every step is kept */
  real
      *recurrent; /* (S,B,H): output of the last layer; equal to `outputs` without self-attention */
  struct attention_arrays self_attention;
  real *outputs; /* (S,B,H): the states that attention reads */
  real *finals;  /* (layers,parts,B,H): each sentence's last real state, with all its parts */
};

void encoder_allocate(struct encoder_arrays *arrays, struct arena *arena,
                      const struct encoder_parameters *weights, const struct sequence *source,
                      enum arrays_for purpose);

/* A pass of the encoder over a batch. */
struct encoder_pass {
  const struct encoder_parameters *weights;
  struct dropouts dropouts;
  const struct sequence *source;
  const struct encoder_arrays *arrays;
  /* Set by encoder_plan: */
  struct embedding_pass embedding;
  struct rnn_pass layers[MAX_LAYERS][DIRECTIONS];
  struct attention_pass self_attention;
};

/* Compute the derived fields. The caller must do this once, before it calls the following
 * functions. */
void encoder_plan(struct encoder_pass *pass);

void encoder_forward(const struct encoder_pass *pass);

/* Propagate the gradients in scratch->outputs and scratch->finals. Overwrite scratch->outputs. Add
 * to the gradients of the weights. */
void encoder_backward(const struct encoder_parameters *gradients,
                      const struct encoder_arrays *scratch, const struct encoder_pass *pass);

#endif
