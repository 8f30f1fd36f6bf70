/* Mechanisms whose score is u_ts = α q_t·k_s without further terms: dot, general (after a
 * projection; Luong et al. 2015), and scaled with and without projections (Vaswani et al. 2017). */
#include "attention/mechanism.h"
#include "tensor/blas.h"

void score_product_forward(real *u, const struct score_input *in) {
  /* u_ts = α q_t·k_s                                                                 (6) */
  matrix_product((struct product){
      u, in->score_step, 0, in->scale, not_transposed(in->q, in->vector_step),
      transposed(in->k, in->vector_step), in->queries, in->keys, in->size, in->numerics});
}

void score_product_backward(real *dq, real *dk, real *const *down, const real *du,
                            const struct score_input *in) {
  (void)down;
  /* dq_t += α Σ_s du_ts k_s and dk_s += α Σ_t du_ts q_t                             (17) */
  matrix_product((struct product){
      dq, in->vector_step, 1, in->scale, not_transposed(du, in->score_step),
      not_transposed(in->k, in->vector_step), in->queries, in->size, in->keys, in->numerics});
  matrix_product((struct product){dk, in->vector_step, 1, in->scale, transposed(du, in->score_step),
                                  not_transposed(in->q, in->vector_step), in->keys, in->size,
                                  in->queries, in->numerics});
}

const struct attention_mechanism attention_dot = {.score = score_product_forward,
                                                  .score_backward = score_product_backward};

const struct attention_mechanism attention_scaled = {
    .scaled = true, .score = score_product_forward, .score_backward = score_product_backward};

const struct attention_mechanism attention_general = {.projections = PROJECT_QUERIES,
                                                      .score = score_product_forward,
                                                      .score_backward = score_product_backward};

const struct attention_mechanism attention_projected = {.projections = PROJECT_ALL_BIASED,
                                                        .scaled = true,
                                                        .score = score_product_forward,
                                                        .score_backward = score_product_backward};
