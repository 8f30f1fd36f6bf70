/* Dropout masks as a whole: each site drops its fraction, and no two positions of the network are
 * dropped together more often than by chance. */
#include "check.h"

#include <string.h>

#include "corpus/batch.h"
#include "model/network.h"
#include "tensor/blas_kernels.h"

/* All sentences have equal length, so no position is padding. The last target token is </s>. */
enum { BATCH = 24, STEPS = 10, EMBEDDING = 20, HIDDEN = 24, HEADS = 4, WORDS = 9 };

/* A site as (STEPS,BATCH,width): whether each position was dropped, and whether it could have
 * been. */
struct mask {
  const char *name;
  bool *dropped, *there;
  size_t width;
};

enum { ENCODER_EMBEDDING, ENCODER_LAYER, DECODER_EMBEDDING, DECODER_LAYER, OUTPUT, UNIT_SITES };
enum { ENCODER_SELF = UNIT_SITES, DECODER_SELF, ATTENTION, SITES };

struct masks {
  struct mask of[SITES];
};

static size_t size_of(const struct mask *mask) {
  return (size_t)STEPS * BATCH * mask->width;
}

/* `values` has `stride` entries per row, and the first `width` belong to the site. With `before`
 * NULL, no entry was zero before dropout. */
static struct mask mask_of(const char *name, const real *values, const real *before, size_t stride,
                           size_t width) {
  struct mask mask = {.name = name, .width = width};
  mask.dropped = calloc(size_of(&mask), sizeof(bool));
  mask.there = calloc(size_of(&mask), sizeof(bool));
  cr_assert(mask.dropped != NULL && mask.there != NULL);
  for (size_t row = 0; row < (size_t)STEPS * BATCH; row++) {
    for (size_t i = 0; i < width; i++) {
      const size_t at = row * stride + i;
      mask.dropped[row * width + i] = values[at] == 0;
      mask.there[row * width + i] = before == NULL || before[at] != 0;
    }
  }
  return mask;
}

static void fill_side(struct sentences *side, size_t length, uint32_t first) {
  side->count = BATCH;
  side->starts = calloc(BATCH + 1, sizeof *side->starts);
  side->ids = calloc(BATCH * length, sizeof *side->ids);
  for (size_t i = 0; i <= BATCH; i++) side->starts[i] = i * length;
  for (size_t i = 0; i < BATCH * length; i++)
    side->ids[i] = first + (uint32_t)(i * 5 + i / 4) % WORDS;
}

static struct masks masks_of(const struct workspace *workspace, size_t attentional) {
  const struct encoder_arrays *encoder = &workspace->encoder;
  const struct decoder_arrays *decoder = &workspace->decoder;
  const struct attention_arrays *own = &encoder->self_attention;
  const struct attention_arrays *target = &decoder->self_attention,
                                *attention = &decoder->attention;
  const size_t fed = EMBEDDING + attentional, weights = HEADS * STEPS;
  const size_t features = attentional > 0 ? attentional : 2 * HIDDEN;
  return (struct masks){
      {[ENCODER_EMBEDDING] =
           mask_of("the source words", encoder->inputs[0], NULL, EMBEDDING, EMBEDDING),
       [ENCODER_LAYER] =
           mask_of("between encoder layers", encoder->inputs[1], NULL, HIDDEN, HIDDEN),
       [DECODER_EMBEDDING] = mask_of("the target words", decoder->inputs[0], NULL, fed, EMBEDDING),
       [DECODER_LAYER] =
           mask_of("between decoder layers", decoder->inputs[1], NULL, HIDDEN, HIDDEN),
       [OUTPUT] = mask_of("the output layer", decoder->features, NULL, features, features),
       [ENCODER_SELF] =
           mask_of("the encoder's self-attention", own->dropped, own->weights, weights, weights),
       [DECODER_SELF] = mask_of("the decoder's self-attention", target->dropped, target->weights,
                                weights, weights),
       [ATTENTION] =
           mask_of("attention", attention->dropped, attention->weights, weights, weights)}};
}

/* Collect the masks of a forward pass in training. With input feeding the decoder runs step by
 * step. */
static struct masks draw(double units, double attention, bool input_feeding) {
  const struct model_config config = {.source_vocabulary = WORDS + 1,
                                      .target_vocabulary = WORDS + 3,
                                      .embedding_size = EMBEDDING,
                                      .hidden_size = HIDDEN,
                                      .layers = 2,
                                      .bidirectional = true,
                                      .attention = "multihead",
                                      .attention_heads = HEADS,
                                      .attentional_layer = input_feeding,
                                      .input_feeding = input_feeding,
                                      .encoder_self_attention = HEADS,
                                      .decoder_self_attention = HEADS};
  const struct random_stream stream = {3, RANDOM_DROPOUT, 8};
  const struct regularization regularization = {.dropouts = {{units, stream}, {attention, stream}}};
  struct parameter_table table;
  struct parameters weights;
  owned_by(corpus_free) struct corpus corpus = {0};
  owned_by(batch_free) struct batch batch = {0};
  owned_by(workspace_free) struct workspace workspace = {0};
  real *block;
  size_t indices[BATCH];
  blas_set_up();
  cr_assert_eq(parameter_table_create(&table, &config, NULL), ELMAN_OK);
  cr_assert_eq(parameter_block_create(&block, &table, NULL), ELMAN_OK);
  cr_assert_eq(parameters_initialize(block, &table, INITIAL_PYTORCH, 2, NULL), ELMAN_OK);
  parameters_bind(&weights, block, &config);
  fill_side(&corpus.source, STEPS, 1);
  fill_side(&corpus.target, STEPS - 1, 3);
  for (size_t i = 0; i < BATCH; i++) indices[i] = i;
  cr_assert_eq(batch_fill(&batch, &corpus, indices, BATCH, NULL), ELMAN_OK);
  cr_assert_eq(workspace_fit(&workspace, &weights, &batch, WITH_GRADIENTS, NULL), ELMAN_OK);
  (void)network_forward(&(struct network_pass){.weights = &weights,
                                               .batch = &batch,
                                               .regularization = &regularization,
                                               .workspace = &workspace});
  const struct masks masks = masks_of(&workspace, input_feeding ? HIDDEN : 0);
  parameter_block_free(block);
  return masks;
}

static void masks_free(struct masks *masks) {
  for (size_t i = 0; i < SITES; i++) {
    free(masks->of[i].dropped);
    free(masks->of[i].there);
  }
}

/* Return five standard deviations of the mean of n independent signs. */
static double chance(size_t n) {
  return 5 / sqrt((double)n);
}

static void check_share(const struct mask *mask, double p) {
  size_t dropped = 0, n = 0;
  for (size_t j = 0; j < size_of(mask); j++) {
    n += mask->there[j];
    dropped += mask->there[j] && mask->dropped[j];
  }
  cr_assert_float_eq((double)dropped / (double)n, p, sqrt(p * (1 - p)) * chance(n),
                     "%s: %zu of %zu", mask->name, dropped, n);
}

Test(dropout, every_site_drops_its_fraction) {
  static const double shares[][2] = {{0.1, 0.7}, {0.5, 0.2}, {0.3, 0}, {0, 0.4}};
  for (size_t k = 0; k < 2 * sizeof shares / sizeof *shares; k++) {
    const double units = shares[k / 2][0], attention = shares[k / 2][1];
    owned_by(masks_free) struct masks masks = draw(units, attention, k % 2 == 1);
    for (size_t i = 0; i < SITES; i++) {
      if (i < UNIT_SITES || attention > 0)
        check_share(&masks.of[i], i < UNIT_SITES ? units : attention);
    }
  }
}

/* For probability one half: the mean product of the signs of position i and of position i + lag in
 * the other mask is 0 up to chance, and 1 for equal masks. */
struct sum {
  double products;
  size_t n;
};

static void add_product(struct sum *sum, const struct mask *a, size_t i, const struct mask *b,
                        size_t j) {
  if (!a->there[i] || !b->there[j]) return;
  sum->products += a->dropped[i] == b->dropped[j] ? 1 : -1;
  sum->n++;
}

static void check_independent(struct sum sum, const char *a, const char *b) {
  cr_assert_gt(sum.n, 1000);
  const double correlation = sum.products / (double)sum.n;
  cr_assert(fabs(correlation) < chance(sum.n), "%s and %s: %.3f", a, b, correlation);
}

/* Sites that share a random stream would drop the same positions of their arrays. */
Test(dropout, sites_are_independent) {
  owned_by(masks_free) struct masks masks = draw(0.5, 0.5, false);
  for (size_t a = 0; a < SITES; a++) {
    for (size_t b = 0; b < a; b++) {
      const struct mask *left = &masks.of[a], *right = &masks.of[b];
      struct sum sum = {0};
      for (size_t i = 0; i < size_of(left) && i < size_of(right); i++)
        add_product(&sum, left, i, right, i);
      check_independent(sum, left->name, right->name);
    }
  }
}

/* Compare groups of `group` positions that follow each other within groups of `limit`. */
static void check_neighbors(const struct masks *masks, size_t site, size_t group, size_t limit,
                            const char *what) {
  const struct mask *mask = &masks->of[site];
  struct sum sum = {0};
  for (size_t i = 0; i + group < size_of(mask); i++)
    if (i / limit == (i + group) / limit) add_product(&sum, mask, i, mask, i + group);
  check_independent(sum, mask->name, what);
}

Test(dropout, time_steps_and_sentences_are_independent) {
  for (int feeding = 0; feeding < 2; feeding++) {
    owned_by(masks_free) struct masks masks = draw(0.5, 0.5, feeding);
    for (size_t i = 0; i < SITES; i++) {
      const size_t width = masks.of[i].width, step = BATCH * width;
      check_neighbors(&masks, i, step, size_of(&masks.of[i]), "the next time step");
      check_neighbors(&masks, i, width, step, "the next sentence");
    }
  }
}

Test(dropout, heads_are_independent) {
  owned_by(masks_free) struct masks masks = draw(0.5, 0.5, false);
  for (size_t i = UNIT_SITES; i < SITES; i++)
    check_neighbors(&masks, i, STEPS, HEADS * STEPS, "the next head");
}

Test(dropout, neighbors_are_independent) {
  owned_by(masks_free) struct masks masks = draw(0.5, 0.5, false);
  for (size_t i = 0; i < SITES; i++)
    check_neighbors(&masks, i, 1, masks.of[i].width, "the next unit or key");
}
