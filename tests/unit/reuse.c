/* Searches reuse the memory of earlier searches with models, ensembles, beam sizes and sentences of
 * other sizes. Each must return the result of a search in fresh memory. */
#include "searching.h"

#include "translate/translator.h"

enum { MODELS = 10, RUNS = 80, LONG_LIMIT = 75, MAX_WIDTH = 5, MAX_MEMBERS = 4, ANY = 13 };

static struct model_config config_at(size_t i) {
  static const struct {
    size_t hidden, embedding, layers, heads, window, encoder_heads, decoder_heads;
    const char *cell, *attention;
    bool bidirectional, attentional;
  } shapes[MODELS] = {{8, 6, 1, 1, 0, 0, 1, "elman", "dot", false, false},
                      {64, 5, 1, 1, 0, 0, 1, "elman", "dot", false, false},
                      {8, 3, 2, 2, 0, 2, 4, "lstm", "multihead", true, false},
                      {24, 20, 1, 1, 0, 0, 0, "gru", "additive", false, true},
                      {40, 7, 3, 4, 0, 1, 8, "gru", "multihead", false, true},
                      {6, 4, 1, 1, 2, 3, 3, "relu", "local", true, false},
                      {16, 9, 2, 1, 3, 0, 2, "elman", "hierarchical", false, false},
                      {12, 30, 1, 1, 0, 1, 1, "lstm", "sentinel", true, true},
                      {48, 2, 1, 1, 0, 4, 16, "elman", "adaptive", true, false},
                      {4, 4, 1, 1, 0, 0, 2, "gru", "projected", false, false}};
  struct model_config config = plain_config(ANY);
  config.hidden_size = shapes[i].hidden;
  config.embedding_size = shapes[i].embedding;
  config.layers = shapes[i].layers;
  config.cell = shapes[i].cell;
  config.attention = shapes[i].attention;
  config.attention_heads = shapes[i].heads;
  config.attention_window = shapes[i].window;
  config.encoder_self_attention = shapes[i].encoder_heads;
  config.decoder_self_attention = shapes[i].decoder_heads;
  config.plain_self_attention = shapes[i].decoder_heads % 3 == 1 && i > 0;
  config.bidirectional = shapes[i].bidirectional;
  config.attentional_layer = config.input_feeding = shapes[i].attentional;
  return config;
}

static void set_up_models(struct setup *models, struct screen *screens) {
  for (size_t m = 0; m < MODELS; m++) {
    set_up(&models[m], config_at(m), m + 1, LONG_LIMIT);
    models[m].model.weights.decoder.out_bias[TOKEN_END] -= 4; /* makes translations long */
    make_screen(&screens[m], &models[m], quantized_kernel_at(0));
  }
}

static void tear_down_models(struct setup *models, struct screen *screens) {
  for (size_t m = 0; m < MODELS; m++) {
    screen_free(&screens[m]);
    tear_down(&models[m]);
  }
}

static size_t draw(size_t run, size_t what, size_t below) {
  return (size_t)random_below((struct random_stream){27, 99, (uint32_t)run}, what, below);
}

/* The parameters of search number `run`. */
struct trial {
  struct setup *setup;
  const elman_model *members[MAX_MEMBERS];
  struct search_request requests[SENTENCES];
  size_t count;
  elman_translate_options options;
};

static void choose(struct trial *trial, struct setup *models, size_t run) {
  static const uint32_t forced[] = {3, 0, 7, 7, 12};
  enum { FIRST, MEMBERS, WIDTH, KIND, COUNT, SHORT, MEMBER };
  const size_t kind = draw(run, KIND, 4), count = 1 + draw(run, COUNT, SENTENCES);
  trial->setup = &models[draw(run, FIRST, MODELS)];
  trial->count = count;
  memcpy(trial->requests, trial->setup->requests, sizeof trial->requests);
  for (size_t i = 0; i < SENTENCES; i++) {
    if (draw(run, SHORT, 2) > 0) trial->requests[i].limit = 5;
    if (kind != 1) continue;
    trial->requests[i].forced = forced;
    trial->requests[i].forced_count = i % 6;
  }
  trial->options = (elman_translate_options){.beam = 1, .length_penalty = 1, .temperature = 1};
  if (kind == 2) trial->options.sample = true;
  if (kind == 3) trial->options.beam = 1 + draw(run, WIDTH, MAX_WIDTH);
  trial->options.n_best = trial->options.beam;
  trial->options.ensemble = trial->members;
  trial->options.ensemble_count = draw(run, MEMBERS, MAX_MEMBERS + 1);
  for (size_t m = 0; m < MAX_MEMBERS; m++)
    trial->members[m] = (const elman_model *)&models[draw(run, MEMBER + m, MODELS)].model;
}

static void search_for(struct search *search, const struct trial *trial) {
  const struct search_request *requests[SENTENCES];
  for (size_t i = 0; i < trial->count; i++) requests[i] = &trial->requests[i];
  succeeds(search_run(search, &trial->setup->model, requests, trial->count, &trial->options,
                      trial->setup->screen, &why));
}

static void same_hypothesis(const struct search *kept, const struct search *fresh, size_t b,
                            size_t n, size_t run) {
  static struct found found[2];
  const struct search *searches[] = {kept, fresh};
  for (size_t i = 0; i < 2; i++) {
    const struct hypothesis *path = &searches[i]->beams[b].ended[n];
    cr_assert_leq(path->count, MAX_STEPS);
    found[i].count = path->count;
    found[i].score = path->score;
    path_ids(found[i].ids, &searches[i]->beams[b], &searches[i]->beams[b].ended[n]);
    hypothesis_attention(found[i].attention, found[i].attention, &searches[i]->beams[b], n);
  }
  cr_assert(same_ids(&found[0], &found[1]), "run %zu, sentence %zu", run, b);
  cr_assert_float_eq(found[0].score, found[1].score, CLOSE * (1 - found[1].score), "run %zu", run);
  for (size_t i = 0; i < found[0].count * kept->beams[b].request->count; i++)
    cr_assert_float_eq(found[0].attention[i], found[1].attention[i], WEIGHT_CLOSE, "run %zu", run);
}

Test(reuse, search_memory_is_reused_across_sizes) {
  static struct setup models[MODELS];
  static struct screen screens[MODELS];
  owned_by(search_free) struct search kept = {0};
  size_t longest = 0;
  set_up_models(models, screens);
  for (size_t run = 0; run < RUNS; run++) {
    struct trial trial;
    owned_by(search_free) struct search fresh = {0};
    choose(&trial, models, run);
    search_for(&kept, &trial);
    search_for(&fresh, &trial);
    for (size_t b = 0; b < trial.count; b++) {
      cr_assert_eq(kept.beams[b].finished, fresh.beams[b].finished, "run %zu", run);
      for (size_t n = 0; n < kept.beams[b].finished; n++) {
        same_hypothesis(&kept, &fresh, b, n, run);
        const size_t T = kept.beams[b].ended[n].count;
        longest = T > longest ? T : longest;
      }
    }
  }
  cr_assert_gt(longest, 64, "no search had to enlarge its memory");
  tear_down_models(models, screens);
}

/* The same comparison without other searches in between: two rows of a small model, then of a large
 * one. */
Test(reuse, search_memory_grows_for_a_larger_model) {
  static struct setup models[MODELS];
  static struct screen screens[MODELS];
  set_up_models(models, screens);
  for (size_t from = 0; from < MODELS; from++) {
    for (size_t to = 0; to < MODELS; to++) {
      struct trial trial = {.count = 2, .options = search_options((struct beam_options){3, 1, 1})};
      owned_by(search_free) struct search kept = {0}, fresh = {0};
      trial.setup = &models[from];
      memcpy(trial.requests, trial.setup->requests, sizeof trial.requests);
      search_for(&kept, &trial);
      trial.setup = &models[to];
      memcpy(trial.requests, trial.setup->requests, sizeof trial.requests);
      search_for(&kept, &trial);
      search_for(&fresh, &trial);
      for (size_t b = 0; b < trial.count; b++)
        same_hypothesis(&kept, &fresh, b, 0, from * MODELS + to);
    }
  }
  tear_down_models(models, screens);
}

/* The pass that computes self-attention weights, for one translation after the other. */
Test(reuse, self_attention_memory_is_reused_across_sizes) {
  enum { MAX_SELF_HEADS = 16, MAX_TOKENS = 12 };
  static const uint32_t target[MAX_TOKENS] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 3, 4};
  static float weights[2][MAX_SELF_HEADS * MAX_TOKENS * MAX_TOKENS];
  static struct setup models[MODELS];
  static struct screen screens[MODELS];
  owned_by(self_weights_free) struct self_weights kept = {0};
  set_up_models(models, screens);
  for (size_t run = 0; run < RUNS; run++) {
    const struct model *model = &models[draw(run, 0, MODELS)].model;
    const size_t S = 1 + draw(run, 1, LONGEST), T = draw(run, 2, MAX_TOKENS + 1);
    owned_by(self_weights_free) struct self_weights fresh = {0};
    struct self_weights *both[] = {&kept, &fresh};
    for (size_t i = 0; i < 2; i++)
      succeeds(self_weights_run(both[i], model, models[0].ids[1], S, target, T, &why));
    for (elman_side side = ELMAN_SOURCE; side <= ELMAN_TARGET; side++) {
      const size_t N = side == ELMAN_SOURCE ? model->config.encoder_self_attention
                                            : model->config.decoder_self_attention;
      const size_t count = side == ELMAN_SOURCE ? S : T;
      for (size_t i = 0; i < 2 && N > 0; i++)
        self_weights_copy(weights[i], both[i], side, N, count);
      for (size_t i = 0; i < N * count * count; i++)
        cr_assert_float_eq(weights[0][i], weights[1][i], WEIGHT_CLOSE, "run %zu", run);
    }
  }
  tear_down_models(models, screens);
}
