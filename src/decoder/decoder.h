/* The decoder with attention: teacher-forced over a batch, or one step at a time (steps = 1) when
 * it translates. docs/bptt.md, equations 4 to 9 and 13 to 21; docs/beyond.md, the bridge: 33; the
 * attentional layer and input feeding: 34 and 35; self-attention: 44. */
#ifndef ELMAN_DECODER_DECODER_H
#define ELMAN_DECODER_DECODER_H

#include "attention/self_attention.h"
#include "corpus/batch.h"
#include "rnn/elman.h"
#include "tensor/dropout.h"

/* Weights, or their gradients. What the configuration does not have is NULL. */
struct decoder_parameters {
  real *embedding; /* (V_tgt,E) */
  struct rnn_parameters rnn[MAX_LAYERS];
  real *bridge_weight[MAX_LAYERS];            /* (H,H) */
  real *bridge_bias[MAX_LAYERS];              /* (H) */
  struct attention_parameters self_attention; /* over the decoder's own states so far */
  struct attention_parameters attention;      /* over the source states */
  real *attentional_weight; /* (A,2H): its left half meets d_t, its right half c_t */
  real *attentional_bias;   /* (A) */
  real *out_weight;         /* (V_tgt,F), or the embedding itself where they are tied */
  real *out_bias;           /* (V_tgt) */
};

struct decoder_sizes {
  size_t embedding, hidden, vocabulary; /* E, H, V_tgt */
  size_t layers;
  struct attention_config self_attention; /* of no heads: none */
  struct attention_config attention;
  size_t attentional; /* A, the size of the attentional layer; 0 = none */
  bool input_feeding; /* the attentional state joins the next input; needs the attentional layer */
  bool bridge;        /* d_0 is a learned function of the encoder's final states, not their copy */
};

size_t decoder_input_size(struct decoder_sizes sizes, size_t layer); /* E [+ A], then H */
size_t decoder_feature_size(struct decoder_sizes sizes);             /* F: A, or 2H */

/* The source side as attention sees it. */
struct decoder_source {
  const real *states;    /* (S,B,H) */
  const size_t *lengths; /* (B) */
  size_t steps;          /* S */
};

/* What the forward pass leaves for the backward pass and for those who look at it. N is the number
 * of real target positions: the output layer runs on these only, packed time-major. */
struct decoder_cache {
  real *inputs[MAX_LAYERS]; /* (T,B,E [+ A]) or (T,B,H) */
  real *states[MAX_LAYERS]; /* (T+1,B,H): d_0 .. d_T */
  struct attention_cache self_attention;
  const struct attention_overrides *overrides; /* of attention; NULL = none */
  struct self_attention_history *history; /* NULL with teacher forcing; step by step its memory */
  real *outputs; /* (T,B,H): the states after self-attention; only with it */
  struct attention_cache attention;
  real *combined;    /* (T,B,2H): [d_t ; c_t]; only with an attentional layer */
  real *attentional; /* (T+1,B,A): h_0 .. h_T; only with an attentional layer */
  real *features;    /* (N,F): the attentional state, or [d_t ; c_t] */
  real *logits;      /* (N,V_tgt), or of some rows at a time; while it learns, in tiles */
};

/* What attention and the output layer see of the decoder (T,B,H): the top layer's states, after
 * self-attention if there is any. */
const real *decoder_outputs(const struct decoder_cache *cache, size_t batch,
                            struct decoder_sizes sizes);

/* Fills block 0 of all states from the encoder's final states (layers,B,H), and h_0 = 0. */
void decoder_start(struct decoder_cache *cache, const real *finals, size_t batch,
                   const struct decoder_parameters *weights, struct decoder_sizes sizes);

/* Maps the source states for attention, once for all steps. */
void decoder_prepare(struct decoder_cache *cache, size_t batch, struct decoder_source source,
                     const struct decoder_parameters *weights, struct decoder_sizes sizes);

/* Runs all steps of `target` from block 0 of the states, to the features; the output layer
 * (decoder/output.h) goes on from there. */
void decoder_forward(struct decoder_cache *cache, const struct sequence *target,
                     struct decoder_source source, const struct decoder_parameters *weights,
                     struct dropouts dropouts, struct decoder_sizes sizes);

/* Scratch of the backward pass, with the shapes of the cache's arrays. */
struct decoder_scratch {
  real *inputs; /* (T,B,the widest input) */
  real *states[MAX_LAYERS];
  struct attention_scratch self_attention;
  real *outputs; /* (T,B,H); only with self-attention */
  struct attention_scratch attention;
  real *context;              /* (T,B,H) */
  real *combined;             /* (T,B,2H) */
  real *attentional;          /* (T+1,B,A) */
  real *features;             /* (N,F) */
  real *reaching[MAX_LAYERS]; /* (T,B,H): see rnn_backward_states; or NULL */
};

/* From the gradient of the features in scratch->features, which it overwrites: adds to the
 * gradients of the weights and to dsource (S,B,H), the gradient of the source states, and
 * overwrites dfinals (layers,B,H). */
void decoder_backward(const struct decoder_parameters *gradients, real *dsource, real *dfinals,
                      const struct decoder_scratch *scratch, const struct decoder_cache *cache,
                      const real *finals, const struct sequence *target,
                      struct decoder_source source, const struct decoder_parameters *weights,
                      struct dropouts dropouts, struct decoder_sizes sizes);

#endif
