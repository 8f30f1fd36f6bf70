/* Helpers for the tests of search: a small model with random weights, sentences, results of a
 * search, and the network under teacher forcing. */
#ifndef ELMAN_TESTS_SEARCHING_H
#define ELMAN_TESTS_SEARCHING_H

#include "check.h"
#include "config_of.h"

#include <string.h>

#include "corpus/batch.h"
#include "model/network.h"
#include "tensor/blas_kernels.h"
#include "translate/search.h"

enum { SENTENCES = 6, LONGEST = 9, WORDS = 11 };
static const size_t source_lengths[SENTENCES] = {3, LONGEST, 1, 4, 6, 1};

struct setup {
  struct model model;
  struct workspace workspace;
  struct batch batch;
  struct search search;
  const struct screen *screen; /* NULL at first */
  bool without_scores;
  elman_translate_options others; /* options that struct beam_options does not have */
  uint32_t ids[SENTENCES][LONGEST];
  struct search_request requests[SENTENCES];
};

static inline void set_up(struct setup *s, struct model_config config, uint64_t seed,
                          size_t limit) {
  *s = (struct setup){.model.config = config};
  struct model *model = &s->model;
  blas_set_up();
  cr_assert_eq(model_config_check(&config, NULL), ELMAN_OK);
  cr_assert_eq(parameter_table_create(&model->table, &config, NULL), ELMAN_OK);
  cr_assert_eq(parameter_block_create(&model->block, &model->table, NULL), ELMAN_OK);
  succeeds(parameters_initialize(model->block, &model->table, INITIAL_PYTORCH, seed, &why));
  /* Initial weights give all words similar probabilities, so they are enlarged. Rectified states
   * have no bound and grow with each step. */
  const bool bounded = decoder_sizes_of(&config).cell != rnn_cell_of(CELL_RELU);
  for (size_t i = 0; i < model->table.block && bounded; i++) model->block[i] *= 2;
  parameters_bind(&model->weights, model->block, &config);
  for (size_t i = 0; i < SENTENCES; i++) {
    for (size_t j = 0; j < LONGEST; j++)
      s->ids[i][j] = (uint32_t)(1 + (i * 7 + j * 3) % (WORDS - 1));
    s->requests[i] =
        (struct search_request){.ids = s->ids[i], .count = source_lengths[i], .limit = limit};
  }
}

static inline void tear_down(struct setup *s) {
  parameter_block_free(s->model.block);
  workspace_free(&s->workspace);
  batch_free(&s->batch);
  search_free(&s->search);
}

static inline struct model_config plain_config(size_t target_vocabulary) {
  struct model_config config = config_of(WORDS, target_vocabulary, 6, 8);
  config.attention = "dot";
  return config;
}

struct beam_options {
  size_t width, n_best;
  double length_penalty;
};

static const struct beam_options greedy = {1, 1, 1};

static inline elman_translate_options search_options(struct beam_options options) {
  return (elman_translate_options){
      .beam = options.width, .n_best = options.n_best, .length_penalty = options.length_penalty};
}

enum { MAX_STEPS = 150, TESTED_HEADS = 2 };

/* The result of a search. */
struct found {
  size_t count;
  double log_probability, score;
  uint32_t ids[MAX_STEPS];
  float attention[MAX_STEPS * LONGEST], heads[TESTED_HEADS * MAX_STEPS * LONGEST];
};

static inline struct found found_in(const struct setup *s, size_t sentence, size_t n) {
  static struct found found;
  const struct hypothesis *path = &s->search.beams[sentence].ended[n];
  cr_assert(n < s->search.beams[sentence].finished && path->count <= MAX_STEPS);
  found.count = path->count;
  found.log_probability = path->log_probability;
  found.score = path->score;
  path_ids(found.ids, &s->search.beams[sentence], &s->search.beams[sentence].ended[n]);
  hypothesis_attention(found.attention, found.heads, &s->search.beams[sentence], n);
  return found;
}

static inline void run(struct setup *s, size_t first, size_t count, struct beam_options options) {
  elman_translate_options search = s->others;
  search.beam = options.width;
  search.n_best = options.n_best;
  search.length_penalty = options.length_penalty;
  search.without_scores = s->without_scores;
  const struct search_request *requests[SENTENCES];
  for (size_t i = 0; i < count; i++) requests[i] = &s->requests[first + i];
  succeeds(search_run(&s->search, &s->model, requests, count, &search, s->screen, &why));
}

/* Run the network with the target `ids` forced. The workspace then contains the logits and losses
 * of ids and of the </s> after them. */
static inline void force(struct setup *s, const struct search_request *request, const uint32_t *ids,
                         size_t count) {
  const struct regularization plain = {0};
  const size_t index = 0;
  size_t source_starts[] = {0, request->count}, target_starts[] = {0, count};
  const struct corpus corpus = {
      .source = {.ids = (uint32_t *)request->ids,
                 .starts = source_starts,
                 .count = 1,
                 .longest = request->count},
      .target = {.ids = (uint32_t *)ids, .starts = target_starts, .count = 1, .longest = count}};
  cr_assert_eq(batch_fill(&s->batch, &corpus, &index, 1, NULL), ELMAN_OK);
  succeeds(workspace_fit(&s->workspace, &s->model.weights, &s->batch, WITH_LOGITS, &why));
  network_forward(&(struct network_pass){.weights = &s->model.weights,
                                         .batch = &s->batch,
                                         .regularization = &plain,
                                         .workspace = &s->workspace});
}

static inline double forced_log_probability(struct setup *s, const struct search_request *request,
                                            const uint32_t *ids, size_t count) {
  const bool ends = count > 0 && ids[count - 1] == TOKEN_END;
  double sum = 0;
  force(s, request, ids, ends ? count - 1 : count);
  for (size_t t = 0; t < count; t++) sum -= s->workspace.losses[t];
  return sum;
}

static inline bool same_ids(const struct found *a, const struct found *b) {
  return a->count == b->count && memcmp(a->ids, b->ids, a->count * sizeof *a->ids) == 0;
}

/* Attention weights are returned as floats. */
static const double WEIGHT_CLOSE = 10 * CLOSE > 1e-7 ? 10 * CLOSE : 1e-7;

/* ---- every kind of network ---- */

typedef void shape_check(struct model_config config, uint64_t seed);

static inline void for_all_shapes(shape_check *check) {
  uint64_t seed = 1;
  unsigned cells = 0;
  while (elman_cell_name(cells) != NULL) cells++;
  for (unsigned kind = 0; elman_attention_name(kind) != NULL; kind++) {
    for (unsigned shape = 0; shape < 16; shape++) {
      struct model_config config = plain_config(13);
      config.attention = elman_attention_name(kind);
      config.attention_heads = kind == ATTENTION_MULTIHEAD ? 2 : 1;
      config.attention_window = kind == ATTENTION_LOCAL || kind == ATTENTION_HIERARCHICAL ? 2 : 0;
      config.encoder_self_attention = shape & 4 ? 2 : 0;
      config.decoder_self_attention = shape & 3 ? 1 : 0;
      config.plain_self_attention = (shape & 5) == 5;
      config.layers = shape & 1 ? 2 : 1;
      config.cell = elman_cell_name((kind + shape) % cells);
      config.layer_norm = (kind + shape / 4) % 2 != 0;
      config.residual = config.layers > 1 && kind % 2 != 0;
      config.bidirectional = (shape & 2) != 0;
      config.attentional_layer = shape >= 4;
      config.input_feeding = shape >= 8;
      config.tie_embeddings = shape >= 12;
      check(config, seed++);
    }
  }
}

/* Eight-bit screening does not change the results. */
static inline void make_screen(struct screen *screen, struct setup *s,
                               const struct quantized_kernel *kernel) {
  const struct decoder_parameters *weights = &s->model.weights.decoder;
  const struct decoder_sizes sizes = decoder_sizes_of(&s->model.config);
  const struct screened_layer layer = {weights->out_weight, weights->out_bias, sizes.vocabulary,
                                       sizes.features,      TOKEN_START,       false};
  cr_assert_eq(screen_create(screen, layer, kernel, NULL), ELMAN_OK);
  s->screen = screen;
}

/* ---- scores by definition ---- */

/* Return the mean over the heads at step t and source token i, after forced decoding. */
static inline double forced_weight(const struct setup *s, size_t S, size_t t, size_t i) {
  const size_t N = s->model.config.attention_heads;
  double sum = 0;
  for (size_t n = 0; n < N; n++)
    sum += (double)s->workspace.decoder.attention.weights[(t * N + n) * S + i];
  return sum / (double)N;
}

/* Compute (86) and (87) for a whole hypothesis. */
static inline double score_by_definition(struct setup *s, const struct search_request *request,
                                         const uint32_t *ids, size_t T, double length_penalty) {
  const size_t S = request->count;
  const double length =
      s->others.length_norm == ELMAN_LENGTH_WU ? (5.0 + (double)T) / 6 : (double)T;
  double score = forced_log_probability(s, request, ids, T) / pow(length, length_penalty);
  for (size_t i = 0; i < S && s->others.coverage_penalty > 0; i++) {
    double coverage = 0;
    for (size_t t = 0; t < T; t++) coverage += forced_weight(s, S, t, i);
    score += s->others.coverage_penalty * log(fmin(fmax(coverage, (double)FLT_MIN), 1));
  }
  return score;
}

/* ---- enumeration of all translations ---- */

enum { TINY = 5, TINY_LIMIT = 3, ALL = 1 + 3 + 9 + 27 };

struct candidate {
  uint32_t ids[TINY_LIMIT];
  size_t count;
  double score;
};

static inline void enumerate(struct candidate *all, size_t *found, struct candidate prefix) {
  for (uint32_t id = 0; id < TINY; id++) {
    if (id == TOKEN_START) continue;
    struct candidate next = prefix;
    next.ids[next.count++] = id;
    if (id == TOKEN_END || next.count == TINY_LIMIT)
      all[(*found)++] = next;
    else
      enumerate(all, found, next);
  }
}

static inline int best_first(const void *left, const void *right) {
  const struct candidate *a = left, *b = right;
  return (a->score < b->score) - (a->score > b->score);
}

#endif
