/* The row sums of attention weights agree with elman.h: with every mechanism and override, in every
 * head, and after training with attention dropout. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elman.h"
#include "forced.h"
#include "toy.h"

static const char sentence[] = "我 爱 学习 她 是 我 的 老师 我们";
static const double rounding = 1e-5;

/* Return the smallest possible row sum without overrides. */
static double least_of(const char *mechanism) {
  return strcmp(mechanism, "local") == 0 ? exp(-2) : strcmp(mechanism, "sentinel") == 0 ? 0 : 1;
}

static elman_model *model_with(const char *mechanism, const elman_pairs *pairs) {
  elman_model_options options = elman_model_options_default();
  elman_model *model;
  options.attention = mechanism;
  options.embedding_size = 8;
  options.hidden_size = 16;
  const bool has_window = strcmp(mechanism, "local") == 0 || strcmp(mechanism, "hierarchical") == 0;
  options.attention_window = has_window ? 2 : 0;
  cr_assert_eq(elman_model_create(&model, pairs, &options, NULL, NULL), ELMAN_OK);
  return model;
}

/* The smallest and the largest row sum. */
struct range {
  double least, most;
};

static struct range range_of(const float *weights, size_t rows, size_t columns) {
  struct range range = {INFINITY, -INFINITY};
  for (size_t t = 0; t < rows; t++) {
    double sum = 0;
    for (size_t s = 0; s < columns; s++) {
      cr_assert_geq(weights[t * columns + s], 0);
      sum += (double)weights[t * columns + s];
    }
    if (sum < range.least) range.least = sum;
    if (sum > range.most) range.most = sum;
  }
  return range;
}

static void check_range(struct range range, double least, const char *mechanism, const char *what) {
  cr_assert_geq(range.least, least - rounding, "%s, %s: %g", mechanism, what, range.least);
  cr_assert_leq(range.most, 1 + rounding, "%s, %s: %g", mechanism, what, range.most);
}

/* Check that the sentinel gets the weight that the keys lack, also after an override. */
static void check_sentinel(const elman_translation *found, const char *mechanism) {
  cr_assert_eq(found->sentinel != NULL, strcmp(mechanism, "sentinel") == 0, "%s", mechanism);
  if (found->sentinel == NULL) return;
  for (size_t t = 0; t < found->target_count; t++) {
    const float *row = found->attention + t * found->source_count;
    const struct range sum = range_of(row, 1, found->source_count);
    cr_assert_geq(found->sentinel[t], 0);
    cr_assert_float_eq(sum.least + (double)found->sentinel[t], 1, rounding);
  }
}

/* Check the row sums with `override` (NULL = none): all are at least `least`. */
static struct range check_translation(const elman_model *model, const char *mechanism,
                                      const elman_override *override, double least) {
  static const char *const kinds[] = {"uniform", "shuffle", "position", "cell"};
  const char *what = override == NULL ? "as it is" : kinds[override->kind];
  elman_translate_options options = elman_translate_options_default();
  owned_translator *translator;
  owned_translation *found;
  options.overrides = override;
  options.override_count = override != NULL;
  cr_assert_eq(elman_translator_create(&translator, model, NULL), ELMAN_OK);
  found = force(translator, sentence, "I love you and she is my teacher", &options);
  cr_assert_eq(found->source_count, 9);
  cr_assert_eq(found->heads, strcmp(mechanism, "multihead") == 0 ? 4 : 1);
  const struct range range = range_of(found->attention, found->target_count, found->source_count);
  check_sentinel(found, mechanism);
  check_range(range, least, mechanism, what);
  check_range(
      range_of(found->head_attention, found->heads * found->target_count, found->source_count),
      least, mechanism, what);
  return range;
}

static void check_overrides(const elman_model *model, const char *mechanism) {
  const double least = least_of(mechanism);
  elman_override one = {.kind = ELMAN_OVERRIDE_UNIFORM};
  check_translation(model, mechanism, &one, 1);
  one = (elman_override){.kind = ELMAN_OVERRIDE_POSITION, .column = 3};
  check_translation(model, mechanism, &one, 1);
  one.kind = ELMAN_OVERRIDE_SHUFFLE;
  const struct range shuffled = check_translation(model, mechanism, &one, least);
  if (least < 1) cr_assert_lt(shuffled.least, 0.99);
  /* Only the row of the overridden cell. */
  for (size_t row = 0; row < 9; row++) {
    one = (elman_override){.kind = ELMAN_OVERRIDE_CELL, .row = row, .column = 4, .weight = 0.3};
    const struct range range = check_translation(model, mechanism, &one, least);
    if (least < 1) cr_assert_geq(range.most, 1 - rounding, "the row of the cell");
  }
}

Test(api_rows, rows_of_translations_sum_to_one) {
  owned_pairs *pairs = toy();
  const char *mechanism;
  for (size_t kind = 0; (mechanism = elman_attention_name(kind)) != NULL; kind++) {
    const double least = least_of(mechanism);
    owned_model *model = model_with(mechanism, pairs);
    const struct range range = check_translation(model, mechanism, NULL, least);
    if (least < 1) cr_assert_lt(range.most, 0.999, "%s: the sentinel gets no weight", mechanism);
    check_overrides(model, mechanism);
    elman_train_options training = elman_train_options_default();
    training.epochs = 2;
    training.attention_dropout = 0.5;
    cr_assert_eq(elman_train(model, pairs, &training, NULL), ELMAN_OK);
    check_translation(model, mechanism, NULL, least);
  }
}

/* ---- self-attention ---- */

static elman_model *model_with_self_attention(size_t sources, size_t targets,
                                              const elman_pairs *pairs) {
  elman_model_options options = elman_model_options_default();
  options.embedding_size = 8;
  options.hidden_size = 16;
  options.encoder_self_attention = sources;
  options.decoder_self_attention = targets;
  return create(pairs, &options);
}

/* Check the weights (heads,n,n) of a side. */
static void check_self(const float *weights, size_t heads, size_t expected, size_t n, bool causal) {
  cr_assert_eq(heads, expected);
  cr_assert_eq(weights != NULL, heads > 0);
  if (heads == 0) return;
  check_range(range_of(weights, heads * n, n), 1, "self-attention", causal ? "target" : "source");
  for (size_t row = 0; row < heads * n && causal; row++)
    for (size_t later = row % n + 1; later < n; later++)
      cr_assert_eq(weights[row * n + later], 0, "row %zu", row);
}

/* Weights exist for each side with self-attention, for each of the n best, and only if the options
 * request them. */
Test(api_rows, rows_of_self_attention_sum_to_one) {
  static const size_t heads[][2] = {{0, 0}, {2, 0}, {0, 1}, {4, 2}};
  owned_pairs *pairs = toy();
  for (size_t i = 0; i < 4; i++) {
    owned_model *model = model_with_self_attention(heads[i][0], heads[i][1], pairs);
    owned_translator *translator = translator_of(model);
    for (int asked = 0; asked < 2; asked++) {
      elman_translate_options options = elman_translate_options_default();
      options.beam = options.n_best = 2;
      options.self_attention = asked;
      elman_translation *best = translate(translator, sentence, &options);
      for (const elman_translation *one = best; one != NULL; one = one->next) {
        check_self(one->source_self_attention, one->source_self_heads, asked * heads[i][0],
                   one->source_count, false);
        check_self(one->target_self_attention, one->target_self_heads, asked * heads[i][1],
                   one->target_count, true);
      }
      elman_translation_free(best);
      best = translate(translator, " ", &options);
      cr_assert_eq(best->source_self_heads + best->target_self_heads, 0);
      elman_translation_free(best);
    }
  }
}
