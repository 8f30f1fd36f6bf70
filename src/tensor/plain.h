/* The equations of docs/bptt.md, one token or one sentence at a time, in double. Read this file
 * first. The program computes the same results faster, and the tests compare it with these
 * functions:
 *
 *   plain_linear      tensor/linear.c on BLAS, tensor/few_rows.c, tensor/quantized.c
 *   plain_attention   attention/attention.c: all sentences, heads and mechanisms
 *   plain_output      decoder/output.c: in tiles of the vocabulary
 *   plain_likeliest   tensor/screen.c: without most of the multiplications
 *   plain_adam        train/adam.c, and train/optimizer.c for embeddings of words not in the batch
 *
 * Compiled into tests only. */
#ifndef ELMAN_TENSOR_PLAIN_H
#define ELMAN_TENSOR_PLAIN_H

#include "tensor/real.h"

/* A linear map with its accumulated gradients; W is (out,in). */
struct plain_map {
  const real *W, *b;
  double *dW, *db;
  size_t out, in;
};

/* Compute y = W x + b. */
void plain_linear(double *y, const struct plain_map *map, const real *x);

/* Attention of one sentence: (6) to (8), and backward (15) to (17). */
struct plain_attention {
  size_t T, S, H;
  double alpha;
  const real *d, *e; /* (T,H), (S,H) */
  double *a, *c;     /* (T,S), (T,H) */
};
void plain_attention(const struct plain_attention *attention);
/* Add the gradients to dd (T,H) and de (S,H). */
void plain_attention_backward(double *dd, double *de, const struct plain_attention *attention,
                              const real *dc);

/* Compute (9) to (14) for one of N tokens with the features x = [d ; c]. Return its loss, add its
 * gradients to those of the map, and set dx. Label smoothing: docs/training.md, (73). */
double plain_output(double *dx, const struct plain_map *map, const real *x, size_t target,
                    double smoothing, size_t N);

/* Return the index of the largest logit except that of `never`; if several are equal, the first. */
size_t plain_likeliest(const struct plain_map *map, const real *x, size_t never);

/* Apply (26) to (28): update k of one parameter. */
struct plain_adam {
  double weight, m, v;
};
void plain_adam(struct plain_adam *state, double gradient, const double options[4], size_t k);

#endif
