/* Guided alignment when attention weights underflow. */
#include "check.h"

#include <string.h>

#include "attention/attention.h"
#include "attention/mechanism.h"

enum { S = 4, H = 4, TESTED_HEADS = 2 };

static const double VANISHED =
    -200; /* score of a weight that underflows to 0 in float, next to a weight of 1 */

/* One query of one sentence, with the given attention weights. */
struct query {
  struct attention_pass pass;

  size_t query_length, key_length;
  real vectors[2][H * S]; /* the query, and keys with scores whose softmax is `weights` */
  real weights[TESTED_HEADS * S];
  size_t starts[2];
  uint32_t keys[S];
  struct guide guide;
  real center; /* of local attention */
};

static void set_up(struct query *q, enum attention_kind kind, size_t heads, const double *weights,
                   const uint32_t *keys, size_t links) {
  static struct attention_parameters none;
  none.numerics = FAST;
  *q = (struct query){.query_length = 1, .key_length = S, .starts = {0, links}};
  for (size_t i = 0; i < heads * S; i++) q->weights[i] = (real)weights[i];
  for (size_t n = 0; n < heads; n++) {
    q->vectors[0][n * (H / heads)] = 1;
    for (size_t s = 0; s < S; s++) {
      const double weight = weights[n * S + s];
      q->vectors[1][s * H + n * (H / heads)] = (real)(weight > 0 ? log(weight) : VANISHED);
    }
  }
  for (size_t i = 0; i < links; i++) q->keys[i] = keys[i];
  q->guide = (struct guide){q->starts, q->keys, links, links > 0};
  q->pass = (struct attention_pass){
      .layer = {.config = {.kind = kind, .size = H, .heads = heads, .window = 1, .scale = 1},
                .weights = &none,
                .guide = &q->guide,
                .guide_scale = (real)0.5},
      .shape = {.queries = 1,
                .keys = S,
                .batch = 1,
                .query_lengths = &q->query_length,
                .key_lengths = &q->key_length},
      .cache = {.weights = q->weights,
                .queries = q->vectors[0],
                .keys = q->vectors[1],
                .own = {NULL, &q->center}},
      .queries = q->vectors[0],
      .keys = q->vectors[1]};
}

static double loss_of(struct query *q) {
  double loss;
  guide_losses(&loss, &q->pass);
  return loss;
}

/* Compute dscores (S) of one head, starting from zero. */
static void gradient_of(real *dscores, real *dcenter, struct query *q, size_t head) {
  const struct attention_arrays scratch = {.own = {NULL, dcenter}};
  const struct attention_row row = {
      .pass = &q->pass, .visible = {0, S}, .weights = q->weights + head * S};
  memset(dscores, 0, S * sizeof *dscores);
  guide_backward(dscores, &row, head, &scratch);
}

/* If the softmax is certain of a wrong key, no gradient passes through its weights. */
Test(guide, underflowed_weights_get_a_gradient) {
  struct query q;
  real dscores[S];
  const double one[] = {1, 0, 0, 0}, two[] = {1, 0, 0, 0, 0, 1, 0, 0};
  set_up(&q, ATTENTION_DOT, 1, one, (const uint32_t[]){2}, 1);
  cr_assert_float_eq(loss_of(&q), -VANISHED, -VANISHED * CLOSE);
  gradient_of(dscores, NULL, &q, 0);
  cr_assert_float_eq((double)dscores[0], 0.5, CLOSE);
  cr_assert_float_eq((double)dscores[2], -0.5, CLOSE);
  /* Each head takes half of it; if only one head sees the key, it takes all. */
  set_up(&q, ATTENTION_MULTIHEAD, 2, two, (const uint32_t[]){2}, 1);
  gradient_of(dscores, NULL, &q, 1);
  cr_assert_float_eq((double)dscores[2], -0.25, CLOSE);
  cr_assert_float_eq((double)dscores[1], 0.25, CLOSE);
  set_up(&q, ATTENTION_MULTIHEAD, 2, two, (const uint32_t[]){1}, 1);
  gradient_of(dscores, NULL, &q, 0);
  for (size_t s = 0; s < S; s++) cr_assert_eq((double)dscores[s], 0);
  gradient_of(dscores, NULL, &q, 1);
  cr_assert_float_eq((double)dscores[1], 0, CLOSE); /* it attends to the key already */
}

/* The window of 1 around the center at position 1 ends at position 2, and the last key is at
 * position 4. By (79) the guide moves the center toward that key, and changes no score. */
Test(guide, center_moves_to_keys_outside_window) {
  struct query q;
  real dscores[S], dcenter = 0;
  const double weights[] = {1, 0, 0, 0};
  set_up(&q, ATTENTION_LOCAL, 1, weights, (const uint32_t[]){3}, 1);
  q.center = 1;
  cr_assert_float_eq(loss_of(&q), 2 * 3 * 3, CLOSE);
  gradient_of(dscores, &dcenter, &q, 0);
  cr_assert_float_eq((double)dcenter, -0.5 * 4 * 3, 1e-5);
  for (size_t s = 0; s < S; s++) cr_assert_eq((double)dscores[s], 0);
}

/* The window has the keys at positions 1 and 2, and the second has underflowed. Keys outside the
 * window have larger scores, but are not part of the softmax. */
Test(guide, underflowed_weight_in_window_gets_gradient) {
  struct query q;
  const double weights[] = {1, 0, exp(50), 1};
  set_up(&q, ATTENTION_LOCAL, 1, weights, (const uint32_t[]){1}, 1);
  q.center = 1;
  q.weights[2] = q.weights[3] = 0;
  cr_assert_float_eq(loss_of(&q), -VANISHED + 2, -VANISHED * CLOSE);
}
