/* The decoder with attention: teacher-forced over a batch, or one step at a time (steps = 1) when
 * it translates. docs/bptt.md, (4) to (9) and (13) to (21); docs/beyond.md: (35) (bridge), (37) and
 * (38) (residual connections), (43) and (44) (attentional layer, input feeding);
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
  bool residual; /* layers from the second on add their input to what they give */
  size_t embedding, hidden, vocabulary; /* E, H, V_tgt */
  size_t layers;
  struct attention_config self_attention; /* of no heads: none */
  struct attention_config attention;
  size_t attentional; /* A, the size of the attentional layer; 0 = none */
  bool input_feeding; /* the attentional state joins the next input; needs the attentional layer */
  size_t features;    /* F: A, or 2H: what the output layer reads of a token */
  bool bridge;        /* d_0 is a learned function of the encoder's final states, not their copy */
};

/* Weights, or their gradients. What the configuration does not have is NULL. */
struct decoder_parameters {
  struct decoder_sizes sizes;
  real *embedding; /* (V_tgt,E) */
  struct rnn_parameters rnn[MAX_LAYERS];
  real *bridge_weight[MAX_LAYERS][MAX_STATE_PARTS]; /* (H,H) */
  real *bridge_bias[MAX_LAYERS][MAX_STATE_PARTS];   /* (H) */
  struct attention_parameters self_attention;       /* over the decoder's own states so far */
  struct attention_parameters attention;            /* over the source states */
  real *attentional_weight; /* (A,2H): its left half meets d_t, its right half c_t */
  real *attentional_bias;   /* (A) */
  real *out_weight;         /* (V_tgt,F), or the embedding itself where they are tied */
  real *out_bias;           /* (V_tgt) */
};

size_t decoder_input_size(struct decoder_sizes sizes, size_t layer); /* E [+ A], then H */

/* The source side as the decoder sees it. */
struct decoder_source {
  const real *states;      /* (S,B,H) */
  const real *finals;      /* (layers,parts,B,H): each sentence's last real state */
  const size_t *lengths;   /* (B) */
  const bool *clause_ends; /* (S,B): as in struct sequence */
  size_t steps;            /* S */
};

/* Results of a forward pass that the backward pass and search read, or their gradients. N is the
 * number of real target positions: the output layer runs on these only, packed time-major. */
struct decoder_arrays {
  real *inputs[MAX_LAYERS];             /* (T,B,E [+ A]) or (T,B,H); gradients share the widest */
  struct rnn_states states[MAX_LAYERS]; /* d_0 .. d_T */
  real *top; /* (T,B,H): what the last layer gives; its states themselves unless it is residual */
  struct attention_arrays self_attention;
  real *outputs; /* (T,B,H): d_t as attention and output layer read them: what the last layer gives,
                    after self-attention if there is any */
  struct attention_arrays attention;
  real *combined;    /* (T,B,2H): [d_t ; c_t]; only with an attentional layer */
  real *attentional; /* (T+1,B,A): h_0 .. h_T; only with an attentional layer */
  real *features;    /* (N,F): the attentional state, or [d_t ; c_t] */
  real *logits;      /* (N,V_tgt), or of some rows at a time; in training, in tiles; no gradients */
};

/* Sizes of its arrays. */
struct decoder_extent {
  size_t source_steps, steps, batch; /* S, T, B */
  size_t tokens;                     /* N */
  size_t rows;                       /* of logits */
};

void decoder_allocate(struct decoder_arrays *arrays, struct arena *arena,
                      const struct decoder_sizes *sizes, const struct decoder_extent *extent,
                      enum arrays_for purpose);

/* A batch on its way through the decoder. */
struct decoder_pass {
  const struct decoder_parameters *weights;
  struct dropouts dropouts;
  const struct attention_overrides *overrides; /* of attention; NULL = none */
  const struct guide *guide;                   /* of attention; NULL = none */
  real guide_scale;
  struct self_attention_history *history; /* NULL with teacher forcing; step by step its memory */
  const struct sequence *target;
  struct decoder_source source;
  const struct decoder_arrays *arrays;
  /* By decoder_plan: */
  size_t steps_at_once;
  struct dropout dropout_of_features;
  struct embedding_pass embedding;
  struct rnn_pass layers[MAX_LAYERS];
  struct attention_pass self_attention, attention;
  struct linear attentional;
};

/* Fills in what follows from the rest, once before the functions below. */
void decoder_plan(struct decoder_pass *pass);

/* To the features; the output layer (decoder/output.h) goes on from there. */
void decoder_forward(const struct decoder_pass *pass);

/* losses (T B), after the forward pass with a guide: see attention/attention.h. */
void decoder_guide_losses(double *losses, const struct decoder_pass *pass);

/* Its parts, for a search: fills block 0 of all states from the encoder's final states, and
 * h_0 = 0; projects the source states for attention, once for all steps; runs all steps of the
 * target from block 0 of the states. */
void decoder_start(const struct decoder_pass *pass);
void decoder_prepare(const struct decoder_pass *pass);
void decoder_steps(const struct decoder_pass *pass);

/* From the gradient of the features in scratch->features, which it overwrites: adds to the
 * gradients of the weights and to dsource (S,B,H), the gradient of the source states, and
 * overwrites dfinals (layers,parts,B,H). */
void decoder_backward(const struct decoder_parameters *gradients, real *dsource, real *dfinals,
                      const struct decoder_arrays *scratch, const struct decoder_pass *pass);

#endif
