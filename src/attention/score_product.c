/* u_ts = α q_t·k_s: dot, scaled and, after its map, general (Luong et al. 2015). */
#include "attention/score.h"
#include "tensor/blas.h"

static struct operand rows(const real *data, size_t step, enum transpose transpose) {
  return (struct operand){data, step, transpose};
}

void score_product_forward(real *u, const struct score_input *in) {
  /* u_ts = α q_t·k_s                                                                 (6) */
  matrix_product(u, in->score_step, 0, in->scale, rows(in->q, in->vector_step, AS_IT_IS),
                 rows(in->k, in->vector_step, TRANSPOSED), in->queries, in->keys, in->size);
}

void score_product_backward(real *dq, real *dk, real *dv, const real *du,
                            const struct score_input *in) {
  (void)dv;
  /* dq_t += α Σ_s du_ts k_s and dk_s += α Σ_t du_ts q_t                             (17) */
  matrix_product(dq, in->vector_step, 1, in->scale, rows(du, in->score_step, AS_IT_IS),
                 rows(in->k, in->vector_step, AS_IT_IS), in->queries, in->size, in->keys);
  matrix_product(dk, in->vector_step, 1, in->scale, rows(du, in->score_step, TRANSPOSED),
                 rows(in->q, in->vector_step, AS_IT_IS), in->keys, in->size, in->queries);
}
