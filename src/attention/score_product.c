/* u_ts = α q_t·k_s: dot, scaled and, after its projection, general (Luong et al. 2015). */
#include "attention/score.h"
#include "tensor/blas.h"

void score_product_forward(real *u, const struct score_input *in) {
  /* u_ts = α q_t·k_s                                                                 (6) */
  matrix_product((struct product){u, in->score_step, 0, in->scale, as_it_is(in->q, in->vector_step),
                                  transposed(in->k, in->vector_step), in->queries, in->keys,
                                  in->size});
}

void score_product_backward(real *dq, real *dk, real *dv, const real *du,
                            const struct score_input *in) {
  (void)dv;
  /* dq_t += α Σ_s du_ts k_s and dk_s += α Σ_t du_ts q_t                             (17) */
  matrix_product((struct product){dq, in->vector_step, 1, in->scale, as_it_is(du, in->score_step),
                                  as_it_is(in->k, in->vector_step), in->queries, in->size,
                                  in->keys});
  matrix_product((struct product){dk, in->vector_step, 1, in->scale, transposed(du, in->score_step),
                                  as_it_is(in->q, in->vector_step), in->keys, in->size,
                                  in->queries});
}
