/* A weight that cannot change the loss has a gradient of exactly zero, and training does not change
 * it. Rounding errors in the gradient would matter, because Adam and Muon divide by the gradient's
 * magnitude and would follow them. */
#include "lettered_model.h"
#include "network_case.h"

#include "whole_run.h"

enum { PAIRS = 6, LETTERS = 6, UPDATES = 25 };

struct scene {
  const char *name;
  size_t source_length; /* 0: lengths differ */
  size_t window;        /* for mechanisms with a window; 0 tests those without one */
  size_t still[16];     /* tensors without influence, per mechanism */
};

/* With one token, the encoder's W_hh is multiplied by e_0 = 0 only. */
static const struct scene scenes[] = {
    {"one source token",
     1,
     3,
     {[ATTENTION_DOT] = 1,
      [ATTENTION_SCALED] = 1,
      [ATTENTION_GENERAL] = 2,
      [ATTENTION_ADDITIVE] = 5,
      [ATTENTION_PROJECTED] = 5,
      [ATTENTION_MULTIHEAD] = 5,
      [ATTENTION_LOCAL] = 2,
      [ATTENTION_ADAPTIVE] = 6,
      [ATTENTION_SENTINEL] = 1,
      [ATTENTION_HIERARCHICAL] = 3}},
    {"several source tokens", 0, 3, {[ATTENTION_PROJECTED] = 1, [ATTENTION_MULTIHEAD] = 1}},
    {"a window over all tokens", 0, 50, {[ATTENTION_HIERARCHICAL] = 1}},
    {"segments of one token", 0, 1, {[ATTENTION_HIERARCHICAL] = 1}}};

static void fill_lengths(size_t lengths[PAIRS][2], const struct scene *scene) {
  for (size_t i = 0; i < PAIRS; i++) {
    lengths[i][0] = scene->source_length > 0 ? scene->source_length : 2 + i % 4;
    lengths[i][1] = 1 + i % 3;
  }
}

static double loss_of(const struct model *model, const struct corpus *corpus, double guide) {
  static const size_t indices[PAIRS] = {0, 1, 2, 3, 4, 5};
  struct network_case c = {.config = model->config, .weights = model->weights};
  cr_assert_eq(batch_fill(&c.batch, corpus, indices, PAIRS, NULL), ELMAN_OK);
  cr_assert_eq(workspace_fit(&c.workspace, &c.weights, &c.batch, FORWARD_ONLY, NULL), ELMAN_OK);
  if (guide > 0) c.regularization.guide = guide / (double)c.batch.guide.tokens;
  const double loss = network_loss(&c);
  workspace_free(&c.workspace);
  batch_free(&c.batch);
  return loss;
}

/* Return whether replacing the tensor by very different values changes the loss by more than
 * rounding. */
static bool has_influence(struct model *model, const struct parameter *row,
                          const struct corpus *corpus, double guide) {
  enum { DRAWS = 4 };
  const size_t size = parameter_size(row);
  real *tensor = model->block + row->offset;
  const double before = loss_of(model, corpus, guide);
  double change = 0;
  for (unsigned draw = 0; draw < DRAWS; draw++) {
    owned real *other = random_reals(size, 4, draw);
    for (size_t i = 0; i < size; i++) tensor[i] += other[i];
    change = fmax(change, fabs(loss_of(model, corpus, guide) - before));
    for (size_t i = 0; i < size; i++) tensor[i] -= other[i];
  }
  return change > CLOSE / 10 * (1 + fabs(before));
}

/* Count the tensors without influence. */
static size_t check_run(struct model_config config, const struct corpus *corpus, double guide,
                        const char *optimizer, const char *scene) {
  owned_model *model = lettered_model(config, LETTERS, LETTERS);
  const size_t bytes = model->table.block * sizeof(real);
  owned real *before = reals(model->table.block);
  bool influence[MAX_PARAMETERS];
  size_t still = 0;
  for (size_t i = 0; i < model->table.count; i++)
    influence[i] = has_influence(model, &model->table.rows[i], corpus, guide);
  succeeds(parameters_initialize(model->block, &model->table, INITIAL_PYTORCH, 1, &why));
  memcpy(before, model->block, bytes);
  const elman_train_options options = {.epochs = UPDATES,
                                       .batch_size = PAIRS,
                                       .shards = 1,
                                       .learning_rate = 0.01,
                                       .optimizer = optimizer,
                                       .seed = 1,
                                       .guide_weight = guide};
  cr_assert_eq(trainer_run(model, corpus, &options, NULL), ELMAN_OK);
  for (size_t i = 0; i < model->table.count; i++) {
    const struct parameter *row = &model->table.rows[i];
    const size_t at = row->offset, n = parameter_size(row);
    double moved = 0;
    for (size_t j = at; j < at + n; j++)
      moved = fmax(moved, fabs((double)(model->block[j] - before[j])));
    still += !influence[i];
    cr_assert_eq(moved > 0, influence[i], "%s, %s, %s, guide %g: %s moved by %g", scene,
                 config.attention, optimizer, guide, row->name, moved);
  }
  return still;
}

static void check_scene(const struct scene *scene, unsigned kind, bool self_attention) {
  size_t lengths[PAIRS][2];
  struct model_config config = {.embedding_size = 4,
                                .hidden_size = 6,
                                .layers = 1,
                                .attention = elman_attention_name(kind),
                                .attention_heads = kind == ATTENTION_MULTIHEAD ? 2 : 1,
                                .encoder_self_attention = self_attention ? 2 : 0,
                                .decoder_self_attention = self_attention ? 1 : 0};
  if (kind == ATTENTION_LOCAL || kind == ATTENTION_HIERARCHICAL)
    config.attention_window = scene->window;
  else if (scene->window != scenes[0].window)
    return;
  fill_lengths(lengths, scene);
  for (size_t i = 0; i < 4; i++) {
    const bool guided = i % 2 > 0;
    owned_by(corpus_free) struct corpus corpus = make_corpus((const size_t(*)[2])lengths, PAIRS);
    if (guided) add_guides(&corpus, (const size_t(*)[2])lengths, PAIRS);
    const size_t still =
        check_run(config, &corpus, guided ? 0.5 : 0, elman_optimizer_name(i / 2), scene->name);
    if (self_attention)
      cr_assert_geq(still, scene->still[kind] + 2, "%s", config.attention); /* both b_k (50) */
    else
      cr_assert_eq(still, scene->still[kind], "%s, %s: %zu", scene->name, config.attention, still);
  }
}

Test(no_influence, weights_without_influence_do_not_change) {
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
    for (unsigned kind = 0; elman_attention_name(kind) != NULL; kind++)
      for (int self_attention = 0; self_attention < 2; self_attention++)
        check_scene(&scenes[i], kind, self_attention > 0);
}
