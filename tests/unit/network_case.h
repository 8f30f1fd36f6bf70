/* Compare the network with central differences; used by all tests of its gradients. */
#ifndef ELMAN_TESTS_NETWORK_CASE_H
#define ELMAN_TESTS_NETWORK_CASE_H

#include <math.h>
#include <string.h>

#include "check.h"
#include "config_of.h"
#include "corpus/batch.h"
#include "model/network.h"
#include "tensor/softmax.h"
#include "words_of.h"

struct network_case {
  struct model_config config;
  struct parameters weights;
  struct regularization regularization;
  struct batch batch;
  struct workspace workspace;
};

/* Return the mean over the tokens of α/2 (KL(p || p') + KL(p' || p)), with R-Drop (98). */
static inline double mean_divergence(const struct network_case *c) {
  const size_t N = c->batch.tokens, V = c->config.target_vocabulary;
  double sum = 0;
  for (size_t n = 0; n < N && c->regularization.r_drop > 0; n += 2) {
    const real *one = c->workspace.decoder.logits + n * V, *other = one + V;
    const real log_sum = log_sum_exp(one, V), other_log_sum = log_sum_exp(other, V);
    for (size_t v = 0; v < V; v++) {
      const double log_p = (double)(one[v] - log_sum), log_q = (double)(other[v] - other_log_sum);
      sum += exp(log_p) * (log_p - log_q) + exp(log_q) * (log_q - log_p);
    }
  }
  return c->regularization.r_drop / 2 * sum / (double)N;
}

static inline double network_loss(void *context) {
  struct network_case *c = context;
  const struct network_pass pass = {&c->weights, &c->batch, &c->regularization,      &c->workspace,
                                    0,           0,         ELMAN_PRECISION_FLOAT32, {0}};
  const double loss = network_forward(&pass) / (double)c->batch.tokens;
  return loss + mean_divergence(c) + c->regularization.guide * network_guide_loss(&pass);
}

/* Bound the rounding error of the mean loss. A logit sums F products of at most |w| |f| together,
 * and a loss depends on two logits. The sums along the way: a step of the encoder and of the
 * decoder, the scores, their softmax, the context, the logit, the softmax, the mean. */
static inline double rounding_of_loss(const struct network_case *c) {
  const size_t N = c->batch.tokens, V = c->config.target_vocabulary;
  const size_t H = c->config.hidden_size, E = c->config.embedding_size;
  const size_t F = decoder_sizes_of(&c->config).features;
  double weight = 0, feature = 0;
  for (size_t v = 0; v < V; v++)
    weight = fmax(weight, norm(c->weights.decoder.out_weight + v * F, F));
  for (size_t n = 0; n < N; n++)
    feature = fmax(feature, norm(c->workspace.decoder.features + n * F, F));
  const size_t terms = 2 * (E + H) + H + 2 * c->batch.source.steps + F + V + N;
  return rounding_of_sum(terms,
                         2 * (weight * feature + largest_size(c->weights.decoder.out_bias, V)));
}

/* Make pairs with the given numbers of words; words repeat. */
static inline struct corpus make_corpus(const size_t (*lengths)[2], size_t count) {
  struct corpus corpus = {.source.count = count, .target.count = count};
  struct sentences *sides[] = {&corpus.source, &corpus.target};
  for (size_t side = 0; side < 2; side++) {
    sides[side]->starts = calloc(count + 1, sizeof(size_t));
    for (size_t i = 0; i < count; i++)
      sides[side]->starts[i + 1] = sides[side]->starts[i] + lengths[i][side];
    const size_t total = sides[side]->starts[count];
    sides[side]->ids = calloc(total + 1, sizeof(uint32_t));
    for (size_t i = 0; i < total; i++)
      sides[side]->ids[i] = side == 0 ? (uint32_t)(i * 7 % 5) : (uint32_t)(i * 5 % 3 + 3);
  }
  return corpus;
}

/* Check the network with the initial weights of a seed; the message describes a wrong gradient. */
static inline bool is_right_for_seed(char message[300], struct network_case *c, uint64_t seed) {
  struct parameter_table table;
  real *weights, *gradients;
  cr_assert_eq(parameter_table_create(&table, &c->config, NULL), ELMAN_OK);
  cr_assert_eq(parameter_block_create(&weights, &table, NULL), ELMAN_OK);
  cr_assert_eq(parameter_block_create(&gradients, &table, NULL), ELMAN_OK);
  cr_assert_eq(parameters_initialize(weights, &table, INITIAL_PYTORCH, seed, NULL), ELMAN_OK);
  /* The weights are larger than initial weights, because a gradient close to zero cannot be
   * measured. A recurrent matrix of twice the identity would double the states at each step. */
  const struct random_stream stream = {seed, 98, 0};
  const bool identity = decoder_sizes_of(&c->config).cell->identity;
  for (size_t i = 0; i < table.block; i++)
    weights[i] = identity ? (real)(0.4 * random_normal(stream, i)) : 2 * weights[i];
  parameters_bind(&c->weights, weights, &c->config);
  struct parameters views;
  parameters_bind(&views, gradients, &c->config);
  const double loss = network_loss(c), divergence = mean_divergence(c);
  const struct network_pass pass = {&c->weights, &c->batch, &c->regularization,      &c->workspace,
                                    0,           0,         ELMAN_PRECISION_FLOAT32, {0}};
  const double again = network_gradient(&views, &pass) / (double)c->batch.tokens + divergence +
                       c->regularization.guide * network_guide_loss(&pass);
  cr_assert_float_eq(loss, again, 1e-13 * (1 + loss));
  const double rounding = rounding_of_loss(c);
  bool right = true;
  for (size_t i = 0; i < table.count && right; i++) {
    const struct parameter *row = &table.rows[i];
    char what[200];
    right = is_gradient_or_zero(what, weights + row->offset, gradients + row->offset,
                                parameter_size(row), rounding, network_loss, c);
    snprintf(message, 300, "%s: %s", row->name, what);
  }
  parameter_block_free(weights);
  parameter_block_free(gradients);
  return right;
}

/* Link some target words with no, one or several source words. */
static inline void add_guides(struct corpus *corpus, const size_t (*lengths)[2], size_t count) {
  struct token_links *links = &corpus->links;
  cr_assert_eq(corpus_create_guides(corpus, count, NULL), ELMAN_OK);
  for (size_t i = 0, n = 0; i < count; i++) {
    for (uint32_t t = 0; t < lengths[i][1]; t++) {
      for (uint32_t s = 0; s < lengths[i][0]; s++) {
        if ((t * 3 + s + i) % 4 != 1) continue;
        succeeds(array_grow(&links->items, &links->capacity, n + 1, sizeof *links->items, &why));
        links->items[n++] = (struct token_link){t, s};
      }
    }
    links->starts[i + 1] = n;
  }
}

static inline struct vocabulary *words_with_signs(void) {
  static const char *const words[] = {"<unk>", "，", "b", "。", "d"};
  static const uint64_t counts[] = {0, 4, 3, 2, 1};
  return vocabulary_of(words, counts, sizeof words / sizeof *words, ELMAN_SOURCE);
}

/* A rectifier has a kink, and differences across a kink are no derivatives. This happens at some
 * weights only, while a wrong gradient is wrong at all weights. */
static inline void check_network(struct model_config config, struct regularization regularization,
                                 const size_t (*lengths)[2], size_t count) {
  struct network_case c = {.config = config, .regularization = regularization};
  cr_assert_eq(model_config_check(&config, &why), ELMAN_OK);
  owned_by(corpus_free) struct corpus corpus = make_corpus(lengths, count);
  owned_vocabulary *words = config.clause_segments ? words_with_signs() : NULL;
  corpus.source_words = words;
  if (regularization.guide > 0) add_guides(&corpus, lengths, count);
  const size_t indices[] = {0, 1, 2, 3};
  const bool r_drop = regularization.r_drop > 0;
  succeeds(batch_fill_copies(&c.batch, &corpus, indices, count, r_drop ? 2 : 1, &why));
  parameters_bind(&c.weights, NULL, &config);
  succeeds(workspace_fit(&c.workspace, &c.weights, &c.batch,
                         r_drop ? WITH_GRADIENTS_AND_LOGITS : WITH_GRADIENTS, &why));
  const uint64_t seeds = config.cell != NULL && strcmp(config.cell, "relu") == 0 ? 10 : 1;
  char message[300];
  bool right = false;
  for (uint64_t seed = 3; seed < 3 + seeds && !right; seed++)
    right = is_right_for_seed(message, &c, seed);
  cr_assert(right, "%s", message);
  workspace_free(&c.workspace);
  batch_free(&c.batch);
}

static inline struct model_config small_config(void) {
  return config_of(5, 6, 3, 4);
}

static const struct regularization plain = {0};
static const size_t mixed_lengths[4][2] = {{3, 5}, {7, 2}, {1, 6}, {4, 1}};

static inline void choose_attention(struct model_config *config, enum attention_kind kind) {
  config->attention = elman_attention_name(kind);
  config->attention_heads = kind == ATTENTION_MULTIHEAD ? 2 : 1;
  config->attention_window = kind == ATTENTION_LOCAL || kind == ATTENTION_HIERARCHICAL ? 2 : 0;
}

#endif
