/* u_ts = v·tanh(q_t + k_s): additive attention (Bahdanau et al. 2015) after its projections. */
#include "attention/score.h"
#include "tensor/elementary.h"

void score_additive_forward(real *u, const struct score_input *in) {
  for (size_t t = 0; t < in->queries; t++) {
    const real *q = in->q + t * in->vector_step;
    for (size_t s = 0; s < in->keys; s++) {
      const real *k = in->k + s * in->vector_step;
      real sum = 0;
#pragma omp simd reduction(+ : sum)
      for (size_t i = 0; i < in->size; i++) sum += in->score_weight[i] * tanh_real(q[i] + k[i]);
      u[t * in->score_step + s] = sum; /* (30) */
    }
  }
}

void score_additive_backward(real *dq, real *dk, real *dv, const real *du,
                             const struct score_input *in) {
  const real *v = in->score_weight;
  for (size_t t = 0; t < in->queries; t++) {
    const real *q = in->q + t * in->vector_step;
    real *dq_row = dq + t * in->vector_step;
    for (size_t s = 0; s < in->keys; s++) {
      const real *k = in->k + s * in->vector_step;
      real *dk_row = dk + s * in->vector_step;
      const real du_ts = du[t * in->score_step + s];
      /* The tanh is made again rather than kept: it would need T S H numbers. (31) */
#pragma omp simd
      for (size_t i = 0; i < in->size; i++) {
        const real g = tanh_real(q[i] + k[i]);
        const real dz = du_ts * v[i] * (1 - g * g);
        dv[i] += du_ts * g;
        dq_row[i] += dz;
        dk_row[i] += dz;
      }
    }
  }
}
