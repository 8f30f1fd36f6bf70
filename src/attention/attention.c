#include "attention/attention.h"

#include <string.h>
#include <tgmath.h>

#include "tensor/blas.h"
#include "tensor/softmax.h"

enum { PARALLEL_WORK = 1 << 15 };

static real dot_scale(size_t size) {
  (void)size;
  return 1;
}

static real scaled_scale(size_t size) {
  return 1 / sqrt((real)size);
}

static const struct {
  const char *name;
  real (*scale)(size_t size); /* α of equation 6 */
} kinds[] = {
    [ATTENTION_DOT] = {"dot", dot_scale},
    [ATTENTION_SCALED] = {"scaled", scaled_scale},
};

const char *attention_name(enum attention_kind kind) {
  return kind < sizeof kinds / sizeof *kinds ? kinds[kind].name : NULL;
}

bool attention_parse(enum attention_kind *kind, const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, name) == 0) {
      *kind = (enum attention_kind)i;
      return true;
    }
  }
  return false;
}

/* Row b of a time-major array (time,B,width): a matrix whose rows lie B · width apart. */
static struct operand sentence(const real *data, size_t b, size_t width, size_t batch,
                               enum transpose transpose) {
  return (struct operand){data + b * width, batch * width, transpose};
}

void attention_forward(real *context, real *weights, const real *queries, const real *keys,
                       const real *values, enum attention_kind kind, struct attention_shape shape) {
  const size_t T = shape.queries, S = shape.keys, B = shape.batch, H = shape.size;
  const real scale = kinds[kind].scale(H);

#pragma omp parallel for schedule(static) if (T * S * B * H > PARALLEL_WORK)
  for (size_t b = 0; b < B; b++) {
    const size_t T_b = shape.query_lengths[b], S_b = shape.key_lengths[b];
    real *a = weights + b * S; /* row t lies at t B S */
    real *c = context + b * H;
    /* u_ts = α d_t·e_s                                                             (6) */
    matrix_product(a, B * S, 0, scale, sentence(queries, b, H, B, AS_IT_IS),
                   sentence(keys, b, H, B, TRANSPOSED), T_b, S_b, H);
    /* a_t = softmax over the real source positions                                 (7) */
    for (size_t t = 0; t < T_b; t++) {
      softmax_forward(a + t * B * S, S_b);
      memset(a + t * B * S + S_b, 0, (S - S_b) * sizeof *a);
    }
    /* c_t = Σ_s a_ts e_s                                                           (8) */
    matrix_product(c, B * H, 0, 1, (struct operand){a, B * S, AS_IT_IS},
                   sentence(values, b, H, B, AS_IT_IS), T_b, H, S_b);
    for (size_t t = T_b; t < T; t++) {
      memset(a + t * B * S, 0, S * sizeof *a);
      memset(c + t * B * H, 0, H * sizeof *c);
    }
  }
}

void attention_backward(real *dqueries, real *dkeys, real *dvalues, real *scratch,
                        const real *dcontext, const real *weights, const real *queries,
                        const real *keys, const real *values, enum attention_kind kind,
                        struct attention_shape shape) {
  const size_t T = shape.queries, S = shape.keys, B = shape.batch, H = shape.size;
  const real scale = kinds[kind].scale(H);

#pragma omp parallel for schedule(static) if (T * S * B * H > PARALLEL_WORK)
  for (size_t b = 0; b < B; b++) {
    const size_t T_b = shape.query_lengths[b], S_b = shape.key_lengths[b];
    const struct operand a = {weights + b * S, B * S, AS_IT_IS};
    const struct operand a_transposed = {weights + b * S, B * S, TRANSPOSED};
    const struct operand dc = sentence(dcontext, b, H, B, AS_IT_IS);
    real *da = scratch + b * S;
    /* c_t = Σ_s a_ts e_s, so da_ts = dc_t·e_s and de_s += Σ_t a_ts dc_t           (15) */
    matrix_product(da, B * S, 0, 1, dc, sentence(values, b, H, B, TRANSPOSED), T_b, S_b, H);
    matrix_product(dvalues + b * H, B * H, 1, 1, a_transposed, dc, S_b, H, T_b);
    /* a_t = softmax(u_t): da becomes du                                           (16) */
    for (size_t t = 0; t < T_b; t++) softmax_backward(da + t * B * S, a.data + t * B * S, S_b);
    /* u_ts = α d_t·e_s, so dd_t += α Σ_s du_ts e_s and de_s += α Σ_t du_ts d_t    (17) */
    matrix_product(dqueries + b * H, B * H, 1, scale, (struct operand){da, B * S, AS_IT_IS},
                   sentence(keys, b, H, B, AS_IT_IS), T_b, H, S_b);
    matrix_product(dkeys + b * H, B * H, 1, scale, (struct operand){da, B * S, TRANSPOSED},
                   sentence(queries, b, H, B, AS_IT_IS), S_b, H, T_b);
  }
}
