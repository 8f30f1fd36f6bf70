/* The equations of docs/bptt.md as they stand there, one token or one sentence at a time, in
 * double: to be read first. The program computes the same faster, and the tests hold it to these:
 *
 *   plain_linear      tensor/linear.c on BLAS, tensor/few_rows.c, tensor/quantized.c
 *   plain_attention   attention/attention.c: all sentences, heads and mechanisms
 *   plain_output      decoder/output.c: in tiles of the vocabulary
 *   plain_likeliest   tensor/screen.c: without most of the multiplications
 *   plain_adam        train/adam.c, and train/optimizer.c for rows that no batch touches
 *
 * Compiled into tests only. */
#ifndef ELMAN_TENSOR_PLAIN_H
#define ELMAN_TENSOR_PLAIN_H

#include "tensor/real.h"

/* A linear map, and where its gradients gather; W is (out,in). */
struct plain_map {
  const real *W, *b;
  double *dW, *db;
  size_t out, in;
};

/* y = W x + b */
void plain_linear(double *y, const struct plain_map *map, const real *x);

/* (6) to (8), and (15) to (17), of one sentence. */
struct plain_attention {
  size_t T, S, H;
  double alpha;
  const real *d, *e; /* (T,H), (S,H) */
  double *a, *c;     /* (T,S), (T,H) */
};
void plain_attention(const struct plain_attention *attention);
/* Adds to dd (T,H) and de (S,H). */
void plain_attention_backward(double *dd, double *de, const struct plain_attention *attention,
                              const real *dc);

/* (9) to (14) of one token of N, with the features x = [d ; c]: returns its loss, adds to the
 * gradients of the map, fills dx. Label smoothing: docs/training.md, (73). */
double plain_output(double *dx, const struct plain_map *map, const real *x, size_t target,
                    double smoothing, size_t N);

/* The largest of the logits but one, the first among equals. */
size_t plain_likeliest(const struct plain_map *map, const real *x, size_t never);

/* (26) to (28): update k of one weight. */
struct plain_adam {
  double weight, m, v;
};
void plain_adam(struct plain_adam *state, double gradient, const double options[4], size_t k);

#endif
