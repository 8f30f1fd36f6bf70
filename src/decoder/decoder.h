/* The decoder with attention. It runs over a batch with teacher forcing, or one step at a time
 * (steps = 1) for translation. docs/bptt.md, (4) to (9) and (13) to (21); docs/beyond.md: (35)
 * (bridge), (37) and (38) (residual connections), (43) and (44) (attentional layer, input feeding);
 * docs/mechanisms.md, (51) (self-attention). */
#ifndef ELMAN_DECODER_DECODER_H
#define ELMAN_DECODER_DECODER_H

#include "attention/attention.h"
#include "base/sequence.h"
#include "rnn/rnn.h"
#include "tensor/dropout.h"
#include "tensor/linear.h"

struct decoder_sizes {
  const struct rnn_cell *cell;
  bool layer_norm;
  bool residual;                        /* layers after the first add their input to their output */
  size_t embedding, hidden, vocabulary; /* E, H, V_tgt */
  size_t layers;
  struct attention_config self_attention; /* configuration of self-attention; heads = 0: none */
  struct attention_config attention;
  size_t attentional; /* A: size of the attentional layer; 0 = none */
  bool input_feeding; /* the attentional state is part of the next input; requires the attentional
                         layer */
  size_t features;    /* F: A or 2H; size of the output layer's input per token */
  bool bridge; /* whether d_0 is a learned function of the encoder's final states; if not, d_0 is a
                  copy of these states */
};

/* Weights of the decoder, or their gradients. Parameters that the configuration lacks are NULL. */
struct decoder_parameters {
  struct decoder_sizes sizes;
  real *embedding; /* (V_tgt,E) */
  struct rnn_parameters rnn[MAX_LAYERS];
  real *bridge_weight[MAX_LAYERS][MAX_STATE_PARTS]; /* (H,H) */
  real *bridge_bias[MAX_LAYERS][MAX_STATE_PARTS];   /* (H) */
  struct attention_parameters self_attention; /* attention over the decoder's own states so far */
  struct attention_parameters attention;      /* attention over the source states */
  real *attentional_weight; /* (A,2H): the left half multiplies d_t, the right half c_t */
  real *attentional_bias;   /* (A) */
  real *out_weight;         /* (V_tgt,F); points to the embedding if the two are tied */
  real *out_bias;           /* (V_tgt) */
  const struct numerics *numerics;
};

size_t decoder_input_size(struct decoder_sizes sizes,
                          size_t layer); /* Return the input size of a layer: E [+ A] for the first
                                            layer, H for others. */

/* The results of the encoder that the decoder reads. */
struct decoder_source {
  const real *states;      /* (S,B,H) */
  const real *finals;      /* (layers,parts,B,H): each sentence's last real state */
  const size_t *lengths;   /* (B) */
  const bool *clause_ends; /* (S,B): as in struct sequence */
  size_t steps;            /* S */
  /* In a search, whose rows are hypotheses: B is `batch`, and columns[r] is the source sentence of
   * row r. With teacher forcing: 0 and NULL, because the rows are the sentences. */
  size_t batch;
  const size_t *columns;
};

/* Arrays that a forward pass fills, and that the backward pass and the search read; or the
 * gradients of these arrays. N is the number of real target positions. The output layer runs only
 * on these positions, packed time-major. */
struct decoder_arrays {
  real *inputs[MAX_LAYERS]; /* (T,B,E [+ A]) or (T,B,H); in gradients, all layers share an array of
                               the largest size */
  struct rnn_states states[MAX_LAYERS]; /* d_0 .. d_T */
  real *top; /* (T,B,H): output of the last layer; shares memory with the layer's states unless the
                layer is residual */
  struct attention_arrays self_attention;
  real *outputs; /* (T,B,H): d_t, which attention and output layer read: the output of the last
                    layer, after self-attention if there is any */
  struct attention_arrays attention;
  real *combined;    /* (T,B,2H): [d_t ; c_t]; only with an attentional layer */
  real *attentional; /* (T+1,B,A): h_0 .. h_T; only with an attentional layer */
  real *features;    /* (N,F): the attentional state, or [d_t ; c_t] */
  real *logits;      /* (N,V_tgt), or fewer rows at a time; in training, tiles of columns; NULL in
                        gradients */
};

/* Sizes of the arrays. */
struct decoder_extent {
  size_t source_steps, steps, batch; /* S, T, B */
  size_t tokens;                     /* N */
  size_t rows;                       /* number of rows of `logits` */
};

void decoder_allocate(struct decoder_arrays *arrays, struct arena *arena,
                      const struct decoder_parameters *weights, const struct decoder_extent *extent,
                      enum arrays_for purpose);

/* Adapt the arrays to another number of rows, which must not exceed the number that they were
 * allocated for. Then the block of each step is smaller, and the pass must be planned again. */
void decoder_resize(struct decoder_arrays *arrays, const struct decoder_sizes *sizes, size_t batch);

/* A pass of the decoder over a batch. */
struct decoder_pass {
  const struct decoder_parameters *weights;
  struct dropouts dropouts;
  const struct attention_overrides *overrides; /* overrides of the attention weights; NULL = none */
  const struct guide *guide; /* links that guide the attention weights; NULL = none */
  real guide_scale;
  struct self_attention_history
      *history; /* self-attention history for step-by-step decoding; NULL with teacher forcing */
  const struct sequence *target;
  struct decoder_source source;
  const struct decoder_arrays *arrays;
  /* Set by decoder_plan: */
  size_t steps_at_once;
  struct dropout dropout_of_features;
  struct embedding_pass embedding;
  struct rnn_pass layers[MAX_LAYERS];
  struct attention_pass self_attention, attention;
  struct linear attentional;
};

/* Compute the derived fields. The caller must do this once, before it calls the following
 * functions. */
void decoder_plan(struct decoder_pass *pass);

/* Compute the features, which are the input of the output layer (decoder/output.h). */
void decoder_forward(const struct decoder_pass *pass);

/* Set the guide losses (T B). The caller must first run a forward pass with a guide. See
 * attention/attention.h. */
void decoder_guide_losses(double *losses, const struct decoder_pass *pass);

/* The parts of decoder_forward, for a search. decoder_start sets block 0 of all states from the
 * encoder's final states, and h_0 to 0. decoder_prepare projects the source states for attention,
 * once for all steps. decoder_steps runs all steps of the target from block 0 of the states. */
void decoder_start(const struct decoder_pass *pass);
void decoder_prepare(const struct decoder_pass *pass);
void decoder_steps(const struct decoder_pass *pass);

/* Propagate the gradient of the features in scratch->features, and overwrite it. Add to the
 * gradients of the weights and to dsource (S,B,H), the gradient of the source states. Overwrite
 * dfinals (layers,parts,B,H). */
void decoder_backward(const struct decoder_parameters *gradients, real *dsource, real *dfinals,
                      const struct decoder_arrays *scratch, const struct decoder_pass *pass);

#endif
