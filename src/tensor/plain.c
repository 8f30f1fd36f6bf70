#include "tensor/plain.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

void plain_linear(double *y, const struct plain_map *map, const real *x) {
  for (size_t i = 0; i < map->out; i++) {
    y[i] = map->b == NULL ? 0 : (double)map->b[i];
    for (size_t j = 0; j < map->in; j++) y[i] += (double)map->W[i * map->in + j] * (double)x[j];
  }
}

/* Replace row by exp(row - max) / Σ exp(row - max), (7) and (10). */
static void softmax(double *row, size_t n) {
  double largest = row[0], sum = 0;
  for (size_t i = 1; i < n; i++) largest = fmax(largest, row[i]);
  for (size_t i = 0; i < n; i++) sum += row[i] = exp(row[i] - largest);
  for (size_t i = 0; i < n; i++) row[i] /= sum;
}

void plain_attention(const struct plain_attention *p) {
  for (size_t t = 0; t < p->T; t++) {
    double *a = p->a + t * p->S, *c = p->c + t * p->H;
    for (size_t s = 0; s < p->S; s++) {
      a[s] = 0;
      for (size_t i = 0; i < p->H; i++)
        a[s] += p->alpha * (double)p->d[t * p->H + i] * (double)p->e[s * p->H + i]; /* (6) */
    }
    softmax(a, p->S); /* (7) */
    for (size_t i = 0; i < p->H; i++) {
      c[i] = 0;
      for (size_t s = 0; s < p->S; s++) c[i] += a[s] * (double)p->e[s * p->H + i]; /* (8) */
    }
  }
}

void plain_attention_backward(double *dd, double *de, const struct plain_attention *p,
                              const real *dc) {
  double *da = calloc(p->S, sizeof *da);
  for (size_t t = 0; da != NULL && t < p->T; t++) {
    const double *a = p->a + t * p->S;
    double mean = 0;
    for (size_t s = 0; s < p->S; s++) {
      da[s] = 0;
      for (size_t i = 0; i < p->H; i++) {
        da[s] += (double)dc[t * p->H + i] * (double)p->e[s * p->H + i]; /* (15) */
        de[s * p->H + i] += a[s] * (double)dc[t * p->H + i];
      }
      mean += a[s] * da[s];
    }
    for (size_t s = 0; s < p->S; s++) {
      const double du = a[s] * (da[s] - mean); /* (16) */
      for (size_t i = 0; i < p->H; i++) {
        dd[t * p->H + i] += p->alpha * du * (double)p->e[s * p->H + i]; /* (17) */
        de[s * p->H + i] += p->alpha * du * (double)p->d[t * p->H + i];
      }
    }
  }
  free(da);
}

double plain_output(double *dx, const struct plain_map *map, const real *x, size_t target,
                    double smoothing, size_t N) {
  const size_t V = map->out, F = map->in;
  double *p = calloc(V, sizeof *p), loss = 0;
  if (p == NULL) return NAN;
  plain_linear(p, map, x); /* (9) */
  softmax(p, V);           /* (10) */
  for (size_t j = 0; j < F; j++) dx[j] = 0;
  for (size_t v = 0; v < V; v++) {
    const double q = smoothing / (double)V + (v == target ? 1 - smoothing : 0); /* (73) */
    const double gradient = (p[v] - q) / (double)N;                             /* (12) */
    loss -= q > 0 ? q * log(p[v]) : 0;                                          /* (11) */
    map->db[v] += gradient;                                                     /* (13) */
    for (size_t j = 0; j < F; j++) {
      map->dW[v * F + j] += gradient * (double)x[j];
      dx[j] += gradient * (double)map->W[v * F + j]; /* (14) */
    }
  }
  free(p);
  return loss;
}

size_t plain_likeliest(const struct plain_map *map, const real *x, size_t never) {
  double *o = calloc(map->out, sizeof *o);
  size_t best = SIZE_MAX;
  if (o == NULL) return best;
  plain_linear(o, map, x); /* (9) */
  for (size_t v = 0; v < map->out; v++)
    if (v != never && (best == SIZE_MAX || o[v] > o[best])) best = v;
  free(o);
  return best;
}

void plain_adam(struct plain_adam *state, double g, const double options[4], size_t k) {
  const double rate = options[0], beta1 = options[1], beta2 = options[2], epsilon = options[3];
  state->m = beta1 * state->m + (1 - beta1) * g;     /* (26) */
  state->v = beta2 * state->v + (1 - beta2) * g * g; /* (27) */
  const double m_hat = state->m / (1 - pow(beta1, (double)k));
  const double v_hat = state->v / (1 - pow(beta2, (double)k));
  state->weight -= rate * m_hat / (sqrt(v_hat) + epsilon); /* (28) */
}
