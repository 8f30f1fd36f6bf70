/* Additive attention (Bahdanau et al. 2015). After the projections, u_ts = ω·tanh(q_t + k_s). */
#include "attention/mechanism.h"
#include "tensor/elementary.h"

/* Return ω·tanh(q + k) for vectors of length n. Add the terms in LANES partial sums. */
static real weighted_tanh(const real *omega, const real *q, const real *k, size_t n) {
  _Alignas(64) real lanes[LANES] = {0};
  real sum = 0;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t l = 0; l < LANES; l++) lanes[l] += omega[i + l] * tanh_real(q[i + l] + k[i + l]);
  }
  for (; i < n; i++) sum += omega[i] * tanh_real(q[i] + k[i]);
  for (size_t l = 0; l < LANES; l++) sum += lanes[l];
  return sum;
}

void score_additive_forward(real *u, const struct score_input *in) {
  for (size_t t = 0; t < in->queries; t++) {
    const real *q = in->q + t * in->vector_step;
    for (size_t s = 0; s < in->keys; s++) {
      const real *k = in->k + s * in->vector_step;
      u[t * in->score_step + s] = weighted_tanh(in->own[0], q, k, in->size); /* (46) */
    }
  }
}

/* Add the contribution of one score to the gradients. Recompute the tanh, because storing it would
 * take T S H elements. (47) */
static void add_gradients(real *restrict dq, real *restrict dk, real *restrict domega, real du,
                          const struct score_input *in, const real *q, const real *k) {
  const real *omega = in->own[0];
  for (size_t i = 0; i < in->size; i++) {
    const real g = tanh_real(q[i] + k[i]);
    const real dz = du * omega[i] * (1 - g * g);
    domega[i] += du * g;
    dq[i] += dz;
    dk[i] += dz;
  }
}

void score_additive_backward(real *dq, real *dk, real *const *down, const real *du,
                             const struct score_input *in) {
  for (size_t t = 0; t < in->queries; t++) {
    const real *q = in->q + t * in->vector_step;
    real *dq_row = dq + t * in->vector_step;
    for (size_t s = 0; s < in->keys; s++) {
      const real *k = in->k + s * in->vector_step;
      real *dk_row = dk + s * in->vector_step;
      add_gradients(dq_row, dk_row, down[0], du[t * in->score_step + s], in, q, k);
    }
  }
}

const struct attention_mechanism attention_additive = {
    .projections = PROJECT_QUERIES_BIASED | PROJECT_KEYS,
    .own = {{.name = "score.weight", .rows = ONE, .columns = SIZE, .by_sentence = true}},
    .one_head = true,
    .no_scale = true,
    .score = score_additive_forward,
    .score_backward = score_additive_backward};
