#include "translate/search.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/mask.h"
#include "base/team.h"
#include "corpus/batch.h"
#include "decoder/output.h"
#include "model/ensemble.h"
#include "tensor/few_rows.h"
#include "tensor/softmax.h"

/* One model's part of a search: its encoder, and a decoder step for all hypotheses. All fields
 * except `model` are initialized with zeros. */
struct search_member {
  const struct model *model; /* borrowed */
  struct encoder_arrays encoder;
  struct decoder_arrays decoder;
  struct decoder_pass pass; /* the pass of one step */
  struct attention_overrides overrides;
  real *spare; /* (R,max(H,A)): temporary memory for moving rows; only if R > B */
  struct self_attention_history history;
  struct output_scores scores; /* not used while greedy search is active */
};

void search_free(struct search *search) {
  for (size_t m = 0; m < search->member_capacity; m++)
    self_attention_history_free(&search->members[m].history);
  free(search->members);
  arena_free(&search->arena);
  beam_pool_free(&search->pool);
  free(search->partial_ids);
  *search = (struct search){0};
}

/* ---- memory ---- */

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

/* Return whether every number of rows and every row stride fits in an int, as BLAS requires, for S
 * source tokens in B sentences. */
static bool fits_blas(const struct model *model, size_t S, size_t B, size_t width) {
  const struct model_config *config = &model->config;
  const size_t H = config->hidden_size, E = config->embedding_size;
  const size_t heads = larger(config->attention_heads, config->encoder_self_attention);
  const size_t states = larger(2, rnn_columns(model->weights.decoder.sizes.cell));
  const size_t longest = larger(S + 1, larger(states * larger(H, E), S * heads));
  return B <= INT_MAX / width && longest <= INT_MAX / (B * width) && S <= INT_MAX / H;
}

/* Return K, the maximum number of waiting tokens, for steps of R rows. Products of few rows spend
 * most of their time reading the weights, so the rows of several steps are collected. */
static size_t waiting_rows(const struct greedy *greedy, size_t rows) {
  enum { LEAST = 64 };
  return greedy->active && greedy->scores ? larger(rows, LEAST) : rows;
}

/* Allocate a member. Its features and logits have `features` rows. */
static void allocate_member(struct search_member *member, struct arena *arena,
                            const struct search_rows *rows, size_t features) {
  const struct parameters *weights = &member->model->weights;
  const struct decoder_sizes *sizes = &weights->decoder.sizes;
  const size_t S = rows->source.steps, R = rows->most;
  const struct decoder_extent extent = {S, 1, R, features, features};
  encoder_allocate(&member->encoder, arena, &weights->encoder, &rows->source, VALUES);
  decoder_allocate(&member->decoder, arena, &weights->decoder, &extent, VALUES);
  member->spare = R > rows->source.batch
                      ? arena_reals(arena, R, larger(sizes->hidden, sizes->attentional), 1)
                      : NULL;
}

static void allocate_scores(struct search_member *member, struct arena *arena, size_t rows,
                            bool without_sums) {
  member->scores.logits = member->decoder.logits;
  member->scores.without_sums = without_sums;
  output_scores_allocate(&member->scores, arena, rows, member->model->weights.decoder.sizes);
}

/* Allocate the arrays of greedy search. The waiting tokens use the member's arrays of features and
 * logits, which have K rows. */
static void allocate_greedy(struct greedy *greedy, struct arena *arena,
                            struct decoder_arrays *decoder, size_t rows) {
  greedy->count = 0;
  greedy->most = waiting_rows(greedy, rows);
  greedy->features = decoder->features;
  greedy->logits = decoder->logits;
  decoder->logits = NULL;
  greedy->chosen = arena_allocate(arena, sizeof *greedy->chosen, rows, 1, 1);
  greedy->waiting = arena_allocate(arena, sizeof *greedy->waiting, greedy->most, 1, 1);
  if (greedy->screen != NULL)
    screen_scratch_allocate(&greedy->scratch, arena, greedy->screen, rows);
}

static void allocate(struct search *search, struct arena *arena) {
  struct search_rows *rows = &search->rows;
  const size_t S = rows->source.steps, B = rows->source.batch, R = rows->most;
  for (size_t m = 0; m < search->member_count; m++) {
    allocate_member(&search->members[m], arena, rows, waiting_rows(&search->greedy, R));
    if (!search->greedy.active)
      allocate_scores(&search->members[m], arena, R, search->without_sums);
  }
  if (search->greedy.active)
    allocate_greedy(&search->greedy, arena, &search->members[0].decoder, R);
  search->weights = search->member_count > 1 ? arena_reals(arena, R, S, 1)
                                             : search->members[0].decoder.attention.weights;
  rows->source.ids = arena_allocate(arena, sizeof(uint32_t), S, B, 1);
  rows->source.lengths = arena_allocate(arena, sizeof(size_t), B, 1, 1);
  rows->source.clause_ends = arena_allocate(arena, sizeof(bool), S, B, 1);
  rows->target.ids = arena_allocate(arena, sizeof(uint32_t), R, 1, 1);
  rows->target.lengths = arena_allocate(arena, sizeof(size_t), R, 1, 1);
  rows->sentences = arena_allocate(arena, sizeof *rows->sentences, R, 1, 1);
  rows->moves = arena_allocate(arena, sizeof *rows->moves, R, 1, 1);
  search->beams = arena_allocate(arena, sizeof *search->beams, B, 1, 1);
  search->paths = arena_allocate(arena, sizeof *search->paths, 3, R, 1);
}

/* Return the minimum number of rows of a step. Products of few floats use other kernels, whose sums
 * have another order. A step with fewer rows is therefore padded, so that the bits of a result do
 * not depend on how many hypotheses are open. */
static size_t least_rows(const struct search *search) {
  const size_t R = search->rows.most, least = R <= FEW_ROWS ? 2 : (size_t)FEW_ROWS + 1;
  for (size_t m = 0; m < search->member_count; m++)
    if (search->members[m].model->weights.numerics->eight_bits == NULL)
      return R < least ? R : least;
  return 1;
}

static elman_status fit(struct search *search, const struct search_request *const *requests,
                        size_t count, size_t width, elman_error *error) {
  struct search_rows *rows = &search->rows;
  size_t S = 0;
  for (size_t b = 0; b < count; b++) S = larger(S, requests[b]->count);
  for (size_t m = 0; m < search->member_count; m++)
    if (!fits_blas(search->members[m].model, S, count, width))
      return fail(
          error, ELMAN_BAD_DATA, NULL,
          "%zu sentence%s of up to %zu token%s exceed%s the limits of BLAS with beam size %zu; "
          "use a smaller beam",
          count, plural_ending(count), S, plural_ending(S), count == 1 ? "s" : "", width);
  rows->source.steps = S;
  rows->source.batch = count;
  rows->target.steps = 1;
  rows->most = count * width;
  rows->least = least_rows(search);
  const unsigned char *before = search->arena.base;
  const size_t size = search->arena.size;
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &search->arena, error)) allocate(search, fit.now);
  if (fit.status == ELMAN_OK && (search->arena.base != before || search->arena.size != size))
    advise_large_pages(search->arena.base, search->arena.size);
  return fit.status;
}

/* ---- start ---- */

/* Set the members of the search to these models. The memory of earlier members is reused. */
static elman_status gather(struct search *search, const struct model *model,
                           const elman_translate_options *options, elman_error *error) {
  const size_t count = ensemble_size(options);
  const elman_status status = array_grow_zeroed(&search->members, &search->member_capacity, count,
                                                sizeof *search->members, error);
  if (status != ELMAN_OK) return status;
  search->member_count = count;
  for (size_t m = 0; m < count; m++) search->members[m].model = ensemble_member(model, options, m);
  return ELMAN_OK;
}

/* Decide whether greedy search without logits is possible. It requires exactly one row per sentence
 * in each step, and tokens that a screen or a reference determines. */
static void choose_method(struct search *search, const struct search_request *const *requests,
                          size_t count, const elman_translate_options *options,
                          const struct screen *screen) {
  bool any_forced = false, all_forced = true, any_prefix = false;
  for (size_t b = 0; b < count; b++) {
    any_forced = any_forced || requests[b]->forced != NULL;
    all_forced = all_forced && requests[b]->forced != NULL;
    any_prefix = any_prefix || requests[b]->is_prefix;
  }
  const bool alone = search->member_count == 1;
  const bool in_eight_bits = search->members[0].model->weights.numerics->eight_bits != NULL;
  /* In portable arithmetic, use a screen on all processors or on none, because it computes logits
   * in another order than a product. */
  const bool always = search->members[0].model->weights.numerics->arithmetic == ARITHMETIC_PORTABLE;
  if (screen != NULL && !always && !screen_is_worth(screen, count)) screen = NULL;
  search->greedy.active =
      alone && options->beam == 1 && !any_prefix && (screen != NULL || all_forced);
  search->greedy.screen = all_forced ? NULL : screen;
  /* The method can depend on the processor. Whether there are scores must not depend on either. */
  search->unscored = options->beam == 1 && options->without_scores && !any_forced;
  search->without_sums = search->unscored && alone && in_eight_bits;
  search->greedy.scores = !search->unscored;
}

/* Set the number of rows in use, and the lengths of the rows. */
static void use_rows(struct search_rows *rows, size_t used) {
  rows->before = rows->target.batch;
  rows->used = used;
  rows->target.batch = larger(used, rows->least);
  for (size_t r = 0; r < rows->target.batch; r++) {
    rows->target.lengths[r] = r < used;
    if (r < used) continue;
    rows->sentences[r] = 0; /* padding must have keys */
    rows->moves[r] = r;
  }
}

/* Start a sentence with one hypothesis. */
static void start_sentence(struct search *search, size_t b, const struct search_request *request,
                           const struct vocabulary *words) {
  struct search_rows *rows = &search->rows;
  batch_fill_source(&rows->source, b, request->ids, request->count, words);
  rows->target.ids[b] = TOKEN_START;
  rows->sentences[b] = b;
}

static void start_batch(struct search *search, const struct search_request *const *requests,
                        const elman_translate_options *options) {
  const struct model *model = search->members[0].model;
  const size_t B = search->rows.source.batch, width = search->rows.most / B;
  for (size_t b = 0; b < B; b++) {
    struct hypothesis *paths = search->paths + b * 3 * width;
    search->beams[b] = (struct beam){.request = requests[b],
                                     .options = options,
                                     .pool = &search->pool,
                                     .heads = ensemble_heads(model, options),
                                     .without_unknown = without_unknown(model, options),
                                     .texts = search->texts,
                                     .paths = paths,
                                     .ended = paths + width,
                                     .grown = paths + 2 * width};
    beam_start(&search->beams[b]);
    start_sentence(search, b, requests[b], model->source_vocabulary);
  }
  search->rows.target.batch = B;
  use_rows(&search->rows, B);
  beam_pool_clear(&search->pool);
}

/* Set the rows of padding to zero. */
static void clear_padding(struct search_member *member, const struct search_rows *rows) {
  const struct decoder_sizes sizes = member->pass.weights->sizes;
  const size_t used = rows->used, padding = rows->target.batch - used, parts = sizes.cell->parts;
  for (size_t i = 0; i < sizes.layers * parts; i++)
    memset(member->decoder.states[i / parts].part[i % parts] + used * sizes.hidden, 0,
           padding * sizes.hidden * sizeof(real));
  if (sizes.attentional > 0)
    memset(member->decoder.attentional + used * sizes.attentional, 0,
           padding * sizes.attentional * sizeof(real));
}

/* Fit the pass to the number of rows of the next step. */
static void plan_step(struct search_member *member, const struct search_rows *rows) {
  decoder_resize(&member->decoder, &member->pass.weights->sizes, rows->target.batch);
  decoder_plan(&member->pass);
}

/* Encode the source and start a hypothesis in each sentence's first row. */
static elman_status start_member(struct search_member *member, const struct search_rows *rows,
                                 const elman_translate_options *options, elman_error *error) {
  const struct model *model = member->model;
  struct encoder_pass encoder = {
      .weights = &model->weights.encoder, .source = &rows->source, .arrays = &member->encoder};
  struct decoder_pass *pass = &member->pass;
  encoder_plan(&encoder);
  encoder_forward(&encoder);
  /* The pass first has one row per sentence, and later one row per open hypothesis. */
  *pass = (struct decoder_pass){.weights = &model->weights.decoder,
                                .target = &rows->source,
                                .source = {member->encoder.outputs, member->encoder.finals,
                                           rows->source.lengths, rows->source.clause_ends,
                                           rows->source.steps, 0, NULL},
                                .arrays = &member->decoder};
  decoder_plan(pass);
  decoder_start(pass);
  decoder_prepare(pass);
  clear_padding(member, rows);
  pass->source.batch = rows->source.batch;
  pass->source.columns = rows->sentences;
  pass->target = &rows->target;
  member->overrides = (struct attention_overrides){.options = options};
  if (options->override_count > 0) pass->overrides = &member->overrides;
  if (pass->weights->sizes.self_attention.heads > 0) pass->history = &member->history;
  plan_step(member, rows);
  if (pass->history == NULL) return ELMAN_OK;
  return self_attention_history_start(&member->history, pass->weights->sizes.self_attention,
                                      rows->most, error);
}

/* ---- joint scores of the members for the rows in use ---- */

struct join {
  const struct search_member *members;
  size_t count;
};

/* Compute the mean of log p as the mean of the logits minus the mean of log Σ exp (89). Compute
 * each mean as the first number plus the mean difference of the others, so that the mean of equal
 * numbers is exact. */
static void join_row(const void *context, size_t row) {
  const struct join *join = context;
  const struct output_scores *into = &join->members[0].scores;
  const size_t V = into->V;
  const double count = (double)join->count;
  double more = 0;
  for (size_t m = 1; m < join->count; m++)
    more += join->members[m].scores.log_sums[row] - into->log_sums[row];
  into->log_sums[row] += more / count;
  for (size_t block = 0; block < into->blocks; block++) {
    const size_t at = row * V + block * SCORES_BLOCK, rest = V - block * SCORES_BLOCK;
    const size_t n = rest < SCORES_BLOCK ? rest : SCORES_BLOCK;
    real *logits = into->logits + at;
    double sums[SCORES_BLOCK] = {0};
    for (size_t m = 1; m < join->count; m++) {
      const real *others = join->members[m].scores.logits + at;
      for (size_t v = 0; v < n; v++) sums[v] += (double)others[v] - (double)logits[v];
    }
    for (size_t v = 0; v < n; v++) logits[v] = (real)((double)logits[v] + sums[v] / count);
    into->largest[row * into->blocks + block] = maximum(logits, n);
  }
}

static double weight_of(const struct search_member *member, size_t S, size_t row, size_t s) {
  const size_t K = member->pass.weights->sizes.attention.heads;
  return (double)mean_weight(member->decoder.attention.weights + row * K * S, K, S, s);
}

/* Compute weights (R,1,S): average each member's attention over its heads, then over the
 * members. */
static void join_weights(real *weights, const struct join *join, const struct search_rows *rows) {
  const size_t S = rows->source.steps;
  for (size_t r = 0; r < rows->used; r++) {
    for (size_t s = 0; s < rows->source.lengths[rows->sentences[r]]; s++) {
      double sum = 0;
      for (size_t m = 0; m < join->count; m++) sum += weight_of(&join->members[m], S, r, s);
      weights[r * S + s] = (real)(sum / (double)join->count);
    }
  }
}

/* Store the mean log-probabilities in the scores of the first member, and the mean attention in
 * search->weights. */
static void score_rows(const struct search *search) {
  const struct join join = {search->members, search->member_count};
  const size_t used = search->rows.used;
  for (size_t m = 0; m < join.count; m++) {
    const struct search_member *member = &join.members[m];
    output_scores_fill(&member->scores, member->decoder.features, used, member->pass.weights);
  }
  if (join.count == 1) return;
  const double numbers = (double)(used * join.members[0].scores.V) * (double)join.count;
  share_out(used, (double)WORK_OF_NUMBER * numbers, join_row, &join);
  join_weights(search->weights, &join, &search->rows);
}

/* ---- greedy search without logits ---- */

/* Compute the log-probabilities of the waiting tokens. */
static void score_waiting(struct search *search) {
  struct greedy *greedy = &search->greedy;
  const struct decoder_parameters *weights = search->members[0].pass.weights;
  const size_t V = weights->sizes.vocabulary;
  output_logits(greedy->logits, greedy->features, greedy->count, weights);
  for (size_t i = 0; i < greedy->count; i++) {
    const struct waiting_token *token = &greedy->waiting[i];
    const real *logits = greedy->logits + i * V;
    struct beam *beam = &search->beams[token->sentence];
    if (token->node == BEAM_START) continue;
    const double log_probability = (double)logits[token->id] - (double)log_sum_exp(logits, V);
    if (isfinite(log_probability))
      beam_add_log_probability(beam, token->node, log_probability);
    else
      beam->overflow = true;
  }
  greedy->count = 0;
}

/* Make the next step write its features after those of the waiting tokens. */
static void place_features(struct search *search) {
  struct greedy *greedy = &search->greedy;
  struct search_member *only = &search->members[0];
  if (greedy->count + search->rows.used > greedy->most) score_waiting(search);
  only->decoder.features = greedy->features + greedy->count * only->pass.weights->sizes.features;
}

/* Extend the hypothesis of sentence b. `row` is an index among the rows in use. */
static void greedy_grow(struct search *search, size_t b, size_t row, const real *weights) {
  struct greedy *greedy = &search->greedy;
  struct beam *beam = &search->beams[b];
  struct waiting_token token = {.sentence = b, .node = BEAM_START};
  if (beam->request->forced == NULL && greedy->chosen[row] == SCREEN_NONE) {
    beam->overflow = true;
    beam->open = 0;
  } else {
    token.id =
        beam->request->forced != NULL ? beam_forced_token(beam) : (uint32_t)greedy->chosen[row];
    token.node = beam_append(beam, token.id, weights, search->rows.source.steps);
  }
  if (greedy->scores) greedy->waiting[greedy->count++] = token;
}

/* ---- steps ---- */

/* Reserve the memory of the next step in advance, so that the step fails only if the beams compare
 * texts. */
static elman_status prepare_step(struct search *search, elman_error *error) {
  const size_t B = search->rows.source.batch;
  elman_status status = ELMAN_OK;
  /* Do not compact the pool in greedy search: waiting tokens refer to nodes by index, and no nodes
   * are dropped. */
  if (search->greedy.active)
    place_features(search);
  else
    status = beams_tidy(search->beams, B, error);
  if (status == ELMAN_OK) status = beams_reserve(search->beams, B, error);
  for (size_t m = 0; m < search->member_count && status == ELMAN_OK; m++)
    if (search->members[m].pass.history != NULL)
      status = self_attention_history_grow(&search->members[m].history, error);
  return status;
}

/* Extend every open hypothesis, up to its limit. Set rows->moves[r] to the row that row r
 * continues. Rows are numbered again, without those of hypotheses that have ended. */
static elman_status grow(struct search *search, elman_error *error) {
  struct search_rows *rows = &search->rows;
  const size_t S = rows->source.steps;
  elman_status status = ELMAN_OK;
  size_t row = 0, used = 0; /* rows in use before and after the step */
  for (size_t b = 0; b < rows->source.batch && status == ELMAN_OK; b++) {
    struct beam *beam = &search->beams[b];
    const size_t open = beam->open;
    if (open == 0) continue;
    const real *seen = search->weights + row * beam->heads * S;
    if (search->greedy.active)
      greedy_grow(search, b, row, seen);
    else
      status = beam_grow(beam, &search->members[0].scores, row, seen, S, error);
    for (size_t i = 0; i < beam->open; i++, used++) {
      rows->moves[used] = row + beam->paths[i].row;
      rows->sentences[used] = b;
      rows->target.ids[used] = search->pool.nodes[beam->paths[i].last].id;
    }
    row += open;
  }
  use_rows(rows, used);
  return status;
}

/* Copy to each row r of block 0 (rows,size) the row moves[r] of block 1, which begins after
 * `before` rows. Block 0 may reach into block 1 if there are more rows than before. */
static void move_block(real *blocks, const struct search_rows *rows, size_t size, real *spare) {
  const bool overlaps = rows->target.batch > rows->before;
  real *to = overlaps ? spare : blocks;
  const real *from = blocks + rows->before * size;
  for (size_t r = 0; r < rows->used; r++)
    memcpy(to + r * size, from + rows->moves[r] * size, size * sizeof *to);
  if (overlaps) memcpy(blocks, spare, rows->used * size * sizeof *blocks);
}

/* Move the states of each row's hypothesis to the row. */
static void move_rows(struct search_member *member, const struct search_rows *rows) {
  const struct decoder_sizes sizes = member->pass.weights->sizes;
  struct decoder_arrays *arrays = &member->decoder;
  const size_t parts = sizes.cell->parts;
  for (size_t i = 0; i < sizes.layers * parts; i++)
    move_block(arrays->states[i / parts].part[i % parts], rows, sizes.hidden, member->spare);
  if (sizes.attentional > 0)
    move_block(arrays->attentional, rows, sizes.attentional, member->spare);
  clear_padding(member, rows);
  if (member->pass.history != NULL)
    self_attention_history_move(&member->history, rows->moves, rows->used);
  plan_step(member, rows);
}

/* Compute a token for each row in use: run a decoder step of all members, score the tokens, and
 * extend the beams. */
static elman_status step(struct search *search, elman_error *error) {
  struct greedy *greedy = &search->greedy;
  for (size_t m = 0; m < search->member_count; m++) {
    decoder_steps(&search->members[m].pass);
    search->members[m].overrides.first++;
  }
  if (!greedy->active)
    score_rows(search);
  else if (greedy->screen != NULL)
    screen_largest(greedy->chosen, greedy->screen, &greedy->scratch,
                   search->members[0].decoder.features, search->rows.used);
  const elman_status status = grow(search, error);
  for (size_t m = 0; m < search->member_count && search->rows.used > 0 && status == ELMAN_OK; m++)
    move_rows(&search->members[m], &search->rows);
  return status;
}

elman_status search_pass_partial(const elman_partial *partial,
                                 const elman_translate_options *options, elman_error *error) {
  if (options->partial == NULL || options->partial(options->partial_context, partial))
    return ELMAN_OK;
  return fail(error, ELMAN_INTERRUPTED, NULL, "translation was stopped");
}

/* Pass the open hypotheses to the callback of the options. A search for further texts has no tokens
 * to pass, but the callback can stop it. */
static elman_status pass_partials(struct search *search, const elman_translate_options *options,
                                  elman_error *error) {
  elman_status status = ELMAN_OK;
  for (size_t b = 0; b < search->rows.source.batch && status == ELMAN_OK; b++) {
    const struct beam *beam = &search->beams[b];
    if (beam->open == 0) continue;
    const size_t count = search->texts == NULL ? beam->paths[0].count : 0;
    status = array_grow(&search->partial_ids, &search->partial_capacity, count,
                        sizeof *search->partial_ids, error);
    if (status != ELMAN_OK) break;
    if (count > 0) path_ids(search->partial_ids, beam, &beam->paths[0]);
    const elman_partial partial = {beam->request->number, beam->request->part, count,
                                   search->partial_ids};
    status = search_pass_partial(&partial, options, error);
  }
  return status;
}

static void finish(struct search *search) {
  struct greedy *greedy = &search->greedy;
  if (greedy->active && greedy->count > 0) score_waiting(search);
  for (size_t b = 0; b < search->rows.source.batch; b++) {
    if (greedy->active || search->unscored) beam_score(&search->beams[b], !search->unscored);
    beam_close(&search->beams[b]);
  }
}

elman_status search_run(struct search *search, const struct model *model,
                        const struct search_request *const *requests, size_t count,
                        const elman_translate_options *options, const struct screen *screen,
                        elman_error *error) {
  elman_status status = gather(search, model, options, error);
  if (status != ELMAN_OK) return status;
  choose_method(search, requests, count, options, screen);
  status = fit(search, requests, count, options->beam, error);
  if (status != ELMAN_OK) return status;
  start_batch(search, requests, options);
  for (size_t m = 0; m < search->member_count && status == ELMAN_OK; m++)
    status = start_member(&search->members[m], &search->rows, options, error);
  while (search->rows.used > 0 && status == ELMAN_OK) {
    status = prepare_step(search, error);
    if (status == ELMAN_OK) status = step(search, error);
    if (status == ELMAN_OK && options->partial != NULL)
      status = pass_partials(search, options, error);
  }
  if (status == ELMAN_OK) finish(search);
  return status;
}
