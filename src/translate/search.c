#include "translate/search.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "corpus/batch.h"
#include "tensor/softmax.h"

static void search_member_free(struct search_member *member) {
  self_attention_history_free(&member->history);
}

/* ---- a member: memory ---- */

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

/* Whether BLAS, which counts in int, can do S source tokens in B sentences: every number of rows
 * and every distance between rows must fit. */
static bool search_member_fits(const struct search_member *member, size_t S, size_t B,
                               size_t width) {
  const struct model_config *config = &member->model->config;
  const size_t H = config->hidden_size, E = config->embedding_size;
  const size_t heads = larger(config->attention_heads, config->encoder_self_attention);
  const size_t states = larger(2, rnn_columns(member->model->weights.decoder.sizes.cell));
  const size_t widest = larger(states * larger(H, E), S * heads);
  const size_t longest = S + 1 > widest ? S + 1 : widest;
  return B <= INT_MAX / width && longest <= INT_MAX / (B * width) && S <= INT_MAX / H;
}

/* Memory but for the scores; the decoder has room for the features and logits of `features` rows.
 */
static void search_member_take(struct search_member *member, struct arena *arena,
                               const struct search_rows *rows, size_t features) {
  const struct model_config *config = &member->model->config;
  const size_t S = rows->source.steps, R = rows->target.batch;
  const struct decoder_extent extent = {S, 1, R, features, features};
  encoder_take(&member->encoder, arena, member->model->weights.encoder.sizes, &rows->source, false);
  decoder_take(&member->decoder, arena, member->model->weights.decoder.sizes, &extent, false);
  member->row_states = rows->width > 1 ? arena_reals(arena, S, R, config->hidden_size) : NULL;
}

static void search_member_take_scores(struct search_member *member, struct arena *arena, size_t R) {
  member->scores.logits = member->decoder.logits;
  output_scores_allocate(&member->scores, arena, R, member->model->weights.decoder.sizes);
}

/* ---- a member: start ---- */

/* rows (S,B·width,H) = each sentence's part of `sentences` (S,B,H), `width` times. They may start
 * at one place: from the last on, nothing is overwritten that is still needed. */
static void repeat(real *rows, const real *sentences, size_t S, size_t B, size_t width, size_t H) {
  for (size_t i = S * B; i-- > 0;) {
    for (size_t j = width; j-- > 0;)
      memmove(rows + (i * width + j) * H, sentences + i * H, H * sizeof *rows);
  }
}

/* Each sentence's first row starts from block 0 of its states; other rows, not in use, from zero.
 */
static void start_rows(struct search_member *member, const struct decoder_pass *sentences,
                       const struct search_rows *rows) {
  const struct decoder_sizes sizes = sentences->weights->sizes;
  const size_t B = rows->source.batch, H = sizes.hidden, width = rows->width;
  decoder_start(sentences);
  const size_t parts = sizes.cell->parts;
  for (size_t i = 0; i < sizes.layers * parts && width > 1; i++) {
    real *states = member->decoder.states[i / parts].part[i % parts];
    for (size_t b = B; b-- > 0;) { /* from the last: what moves goes where nothing waits */
      memmove(states + b * width * H, states + b * H, H * sizeof *states);
      memset(states + (b * width + 1) * H, 0, (width - 1) * H * sizeof *states);
    }
  }
  if (sizes.attentional > 0)
    memset(member->decoder.attentional, 0, B * width * sizes.attentional * sizeof(real));
}

/* Gives the source as the rows see it. */
static struct decoder_source prepare(struct search_member *member,
                                     const struct decoder_pass *sentences,
                                     const struct search_rows *rows) {
  const size_t S = rows->source.steps, B = rows->source.batch, H = sentences->weights->sizes.hidden;
  const size_t width = rows->width;
  const struct attention_cache attention = member->decoder.attention;
  decoder_prepare(sentences);
  if (width == 1) return sentences->source;
  if (attention.keys != NULL) repeat(attention.keys, attention.keys, S, B, width, H);
  if (attention.values != NULL) repeat(attention.values, attention.values, S, B, width, H);
  repeat(member->row_states, member->encoder.outputs, S, B, width, H);
  return (struct decoder_source){.states = member->row_states,
                                 .lengths = rows->lengths,
                                 .clause_ends = rows->clause_ends,
                                 .steps = S};
}

/* Encodes the source and begins a hypothesis in each sentence's first row. */
static elman_status search_member_start(struct search_member *member,
                                        const struct search_rows *rows,
                                        const elman_translate_options *options,
                                        elman_error *error) {
  const struct model *model = member->model;
  const struct encoder_pass encoder = {
      .weights = &model->weights.encoder, .source = &rows->source, .cache = &member->encoder};
  struct decoder_pass *pass = &member->pass;
  encoder_forward(&encoder);
  /* At first a row a sentence, then `width` rows. */
  *pass = (struct decoder_pass){.weights = &model->weights.decoder,
                                .target = &rows->source,
                                .source = {member->encoder.outputs, member->encoder.finals,
                                           rows->source.lengths, rows->source.clause_ends,
                                           rows->source.steps},
                                .cache = &member->decoder};
  start_rows(member, pass, rows);
  pass->source = prepare(member, pass, rows);
  pass->target = &rows->target;
  member->overrides = (struct attention_overrides){options->overrides, options->override_count,
                                                   options->override_seed, 0};
  if (member->overrides.count > 0) pass->overrides = &member->overrides;
  if (pass->weights->sizes.self_attention.heads == 0) return ELMAN_OK;
  pass->history = &member->history;
  return self_attention_history_start(&member->history, pass->weights->sizes.self_attention,
                                      rows->target.batch, error);
}

/* ---- a member: steps ---- */

/* A step of the decoder for all rows in use, to the features. */
static void search_member_step(struct search_member *member) {
  decoder_steps(&member->pass);
  member->overrides.first++;
}

/* And to the scores of the `used` rows in use. */
static void search_member_score(struct search_member *member, size_t used) {
  output_scores_fill(&member->scores, member->decoder.features, used, member->pass.weights);
}

/* Block 0 of row r = block 1 of the row that its hypothesis was grown from. */
static void pass_on(struct search_member *member, size_t R, size_t r, size_t from) {
  const struct decoder_sizes sizes = member->pass.weights->sizes;
  const size_t H = sizes.hidden, A = sizes.attentional;
  struct decoder_cache *cache = &member->decoder;
  const size_t parts = sizes.cell->parts;
  for (size_t i = 0; i < sizes.layers * parts; i++) {
    real *states = cache->states[i / parts].part[i % parts];
    memcpy(states + r * H, states + (R + from) * H, H * sizeof(real));
  }
  if (A > 0)
    memcpy(cache->attentional + r * A, cache->attentional + (R + from) * A, A * sizeof(real));
}

/* The rows in use go on from those that rows->moves names. */
static elman_status search_member_move(struct search_member *member, const struct search_rows *rows,
                                       elman_error *error) {
  const size_t R = rows->target.batch;
  for (size_t r = 0; r < R; r++)
    if (rows->target.lengths[r] > 0) pass_on(member, R, r, rows->moves[r]);
  if (member->pass.history == NULL) return ELMAN_OK;
  self_attention_history_move(&member->history, rows->moves);
  return self_attention_history_grow(&member->history, error);
}

/* ---- several members as one ---- */

struct join {
  const struct search_member *members;
  size_t count;
};

/* The mean of the logits less the mean of log Σ exp is the mean of log p                   (55)
 * All means are the first number and the mean of what the others differ by: so that of equal
 * numbers is that number. */
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

/* Into the scores of the first of `count` members: the mean of the logarithms of their
 * probabilities. */
static void search_members_join_scores(struct search_member *members, size_t count, size_t used) {
  const struct join join = {members, count};
  const double numbers = (double)(used * members[0].scores.V) * (double)count;
  share_out(used, (double)WORK_OF_NUMBER * numbers, join_row, &join);
}

static double weight_of(const struct search_member *member, size_t S, size_t row, size_t s) {
  const size_t N = member->pass.weights->sizes.attention.heads;
  return (double)mean_weight(member->decoder.attention.weights + row * N * S, N, S, s);
}

/* weights (R,1,S) of the rows in use: the mean of what the members look at, heads and all. */
static void search_members_join_weights(real *weights, const struct search_member *members,
                                        size_t count, const struct search_rows *rows) {
  const size_t S = rows->source.steps;
  for (size_t r = 0; r < rows->target.batch; r++) {
    for (size_t s = 0; s < rows->lengths[r] && rows->target.lengths[r] > 0; s++) {
      const double first = weight_of(&members[0], S, r, s);
      double more = 0;
      for (size_t m = 1; m < count; m++) more += weight_of(&members[m], S, r, s) - first;
      weights[r * S + s] = (real)(first + more / (double)count);
    }
  }
}

/* ---- the screen of greedy search ---- */

elman_status model_screen_create(struct screen **out, const struct model *model,
                                 const elman_translate_options *options, elman_error *error) {
  const struct decoder_parameters *weights = &model->weights.decoder;
  *out = NULL;
  if (options->beam > 1 || options->ensemble_count > 0 || options->sample) return ELMAN_OK;
  *out = calloc(1, sizeof **out);
  if (*out == NULL) return fail_no_memory(error);
  const struct screened_layer layer = {
      weights->out_weight,     weights->out_bias, weights->sizes.vocabulary,
      weights->sizes.features, TOKEN_START,       model->merges[ELMAN_TARGET] != NULL};
  const elman_status status = screen_create(*out, layer, quantized_kernel_at(0), error);
  if (status == ELMAN_OK) return ELMAN_OK;
  model_screen_free(*out);
  *out = NULL;
  return status;
}

void model_screen_free(struct screen *screen) {
  if (screen == NULL) return;
  screen_free(screen);
  free(screen);
}

/* ---- greedy search without the logits ---- */

/* K, for R rows at a step: products of fewer rows spend their time on reading the weights. */
static size_t greedy_capacity(const struct greedy *greedy, size_t rows) {
  enum { LEAST = 64 };
  if (!greedy->active || !greedy->scores) return rows;
  return rows > LEAST ? rows : LEAST;
}

/* Takes over the features and logits (K rows) of the decoder, which has been given its memory. */
static void greedy_take(struct greedy *greedy, struct arena *arena, struct decoder_cache *decoder,
                        size_t rows) {
  if (!greedy->active) return;
  greedy->count = 0;
  greedy->most = greedy_capacity(greedy, rows);
  greedy->features = decoder->features;
  greedy->logits = decoder->logits;
  decoder->logits = NULL;
  greedy->chosen = arena_allocate(arena, sizeof *greedy->chosen, rows, 1, 1);
  greedy->tokens = arena_allocate(arena, sizeof *greedy->tokens, greedy->most, 1, 1);
  if (greedy->screen != NULL) screen_scratch_take(&greedy->scratch, arena, greedy->screen, rows);
}

/* log p of the tokens that wait. */
static void score_waiting(struct greedy *greedy, struct beam *beams,
                          const struct decoder_parameters *weights) {
  const size_t V = weights->sizes.vocabulary;
  output_logits(greedy->logits, greedy->features, greedy->count, weights);
  for (size_t i = 0; i < greedy->count; i++) {
    const real *logits = greedy->logits + i * V;
    struct beam *beam = &beams[greedy->tokens[i].sentence];
    if (greedy->tokens[i].node == BEAM_START) continue;
    const double log_probability =
        (double)logits[greedy->tokens[i].id] - (double)log_sum_exp(logits, V);
    if (isfinite(log_probability))
      beam_add_log_probability(beam, greedy->tokens[i].node, log_probability);
    else
      beam->overflow = true;
  }
  greedy->count = 0;
}

/* Before each step of the decoder, of R rows at most: sees to its place for the features. */
static void greedy_before_step(struct greedy *greedy, struct decoder_cache *decoder,
                               struct beam *beams, const struct decoder_parameters *weights,
                               size_t rows) {
  if (!greedy->active) return;
  if (greedy->count + rows > greedy->most) score_waiting(greedy, beams, weights);
  decoder->features = greedy->features + greedy->count * weights->sizes.features;
}

/* After it: chooses for the rows in use, whose features the decoder gave. */
static void greedy_after_step(struct greedy *greedy, const struct decoder_cache *decoder,
                              size_t rows) {
  if (greedy->active && greedy->screen != NULL)
    screen_largest(greedy->chosen, greedy->screen, &greedy->scratch, decoder->features, rows);
}

/* Grows the hypothesis of a sentence, whose row in use has the number `row`. */
static elman_status greedy_grow(struct greedy *greedy, struct beam *beams, size_t sentence,
                                size_t row, const real *weights, size_t stride,
                                elman_error *error) {
  struct beam *beam = &beams[sentence];
  if (beam->forced == NULL && greedy->chosen[row] == SCREEN_NONE) {
    beam->overflow = true;
    beam->open = 0;
  }
  const bool grows = beam->open > 0;
  const uint32_t id =
      beam->forced != NULL ? beam_forced_token(beam) : (uint32_t)greedy->chosen[row];
  const elman_status status = grows ? beam_take(beam, id, weights, stride, error) : ELMAN_OK;
  if (status != ELMAN_OK || !greedy->scores) return status;
  /* The row of one that has overflowed has its features too; its probability is not looked at. */
  greedy->tokens[greedy->count++] = grows ? (struct waiting_token){sentence, beam_newest(beam), id}
                                          : (struct waiting_token){sentence, BEAM_START, 0};
  return ELMAN_OK;
}

/* Gives all sentences their probabilities and scores; NaN if nobody wants them. */
static void greedy_finish(struct greedy *greedy, struct beam *beams, size_t count,
                          const struct decoder_parameters *weights) {
  if (!greedy->active) return;
  if (greedy->count > 0) score_waiting(greedy, beams, weights);
  for (size_t b = 0; b < count; b++) {
    if (!greedy->scores) beam_forget_log_probability(&beams[b]);
    beam_score(&beams[b]);
  }
}

void search_free(struct search *search) {
  for (size_t m = 0; m < search->member_capacity; m++) search_member_free(&search->members[m]);
  free(search->members);
  arena_free(&search->arena);
  beam_pool_free(&search->pool);
  *search = (struct search){0};
}

/* ---- memory ---- */

static void take(struct search *search, struct arena *arena) {
  struct search_rows *rows = &search->rows;
  const size_t S = rows->source.steps, B = rows->source.batch, R = rows->target.batch;
  const size_t features = greedy_capacity(&search->greedy, R);
  for (size_t m = 0; m < search->member_count; m++) {
    search_member_take(&search->members[m], arena, rows, features);
    if (!search->greedy.active) search_member_take_scores(&search->members[m], arena, R);
  }
  greedy_take(&search->greedy, arena, &search->members[0].decoder, R);
  search->weights = search->member_count > 1 ? arena_reals(arena, R, S, 1) : NULL;
  rows->source.ids = arena_allocate(arena, sizeof(uint32_t), S, B, 1);
  rows->source.lengths = arena_allocate(arena, sizeof(size_t), B, 1, 1);
  rows->source.clause_ends = arena_allocate(arena, sizeof(bool), S, B, 1);
  rows->clause_ends = arena_allocate(arena, sizeof(bool), S, R, 1);
  rows->target.ids = arena_allocate(arena, sizeof(uint32_t), R, 1, 1);
  rows->target.lengths = arena_allocate(arena, sizeof(size_t), R, 1, 1);
  rows->lengths = arena_allocate(arena, sizeof *rows->lengths, R, 1, 1);
  rows->moves = arena_allocate(arena, sizeof *rows->moves, R, 1, 1);
  search->beams = arena_allocate(arena, sizeof *search->beams, B, 1, 1);
  search->paths = arena_allocate(arena, sizeof *search->paths, B, 3, rows->width);
}

static elman_status fit(struct search *search, const struct search_request *requests, size_t count,
                        size_t width, elman_error *error) {
  struct search_rows *rows = &search->rows;
  size_t S = 0;
  for (size_t b = 0; b < count; b++) S = requests[b].count > S ? requests[b].count : S;
  for (size_t m = 0; m < search->member_count; m++)
    if (!search_member_fits(&search->members[m], S, count, width))
      return fail(error, ELMAN_BAD_DATA, NULL,
                  "%zu sentence%s of up to %zu token%s %s too much for a beam of %zu", count,
                  plural_ending(count), S, plural_ending(S), count == 1 ? "is" : "are", width);
  rows->source.steps = S;
  rows->source.batch = count;
  rows->target.steps = 1;
  rows->target.batch = count * width;
  rows->width = width;
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &search->arena, error)) take(search, fit.now);
  return fit.status;
}

/* ---- start ---- */

/* The models, in memory that is kept. */
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

static void fill(struct search *search, const struct search_request *requests, size_t heads,
                 const elman_translate_options *options) {
  const struct vocabulary *words = search->members[0].model->source_vocabulary;
  struct search_rows *rows = &search->rows;
  const size_t S = rows->source.steps, B = rows->source.batch, width = rows->width;
  for (size_t b = 0; b < B; b++) {
    const struct search_request *request = &requests[b];
    struct beam_path *paths = search->paths + b * 3 * width;
    batch_fill_source(&rows->source, b, request->ids, request->count, words);
    search->beams[b] = (struct beam){.paths = paths,
                                     .ended = paths + width,
                                     .grown = paths + 2 * width,
                                     .pool = &search->pool,
                                     .options = options,
                                     .source_count = request->count,
                                     .heads = heads,
                                     .without_unknown = search->without_unknown,
                                     .limit = request->forced != NULL && !request->goes_on
                                                  ? request->forced_count + 1
                                                  : request->limit,
                                     .forced = request->forced,
                                     .forced_count = request->forced_count,
                                     .goes_on = request->goes_on,
                                     .number = request->number};
    beam_start(&search->beams[b]);
    for (size_t r = b * width; r < (b + 1) * width; r++) {
      rows->target.ids[r] = TOKEN_START;
      rows->target.lengths[r] = r == b * width; /* a sentence starts with one hypothesis */
      rows->lengths[r] = request->count;
      for (size_t s = 0; s < S; s++)
        rows->clause_ends[s * B * width + r] = rows->source.clause_ends[s * B + b];
    }
  }
}

/* ---- steps ---- */

/* What all members say of the `used` rows in use is left in the scores of the first. */
static void ask(struct search *search, size_t used) {
  const size_t count = search->member_count;
  for (size_t m = 0; m < count; m++) {
    search_member_step(&search->members[m]);
    if (!search->greedy.active) search_member_score(&search->members[m], used);
  }
  if (count == 1) return;
  search_members_join_scores(search->members, count, used);
  search_members_join_weights(search->weights, search->members, count, &search->rows);
}

/* Grows the hypotheses of all sentences by what was said. */
static elman_status grow(size_t *open, struct search *search, elman_error *error) {
  struct search_rows *rows = &search->rows;
  const struct search_member *first = &search->members[0];
  const real *weights =
      search->member_count > 1 ? search->weights : first->decoder.attention.weights;
  const size_t S = rows->source.steps, width = rows->width;
  size_t used = 0; /* rows, so far */
  *open = 0;
  for (size_t r = 0; r < rows->target.batch; r++) rows->moves[r] = r;
  for (size_t b = 0; b < rows->source.batch; b++) {
    struct beam *beam = &search->beams[b];
    const size_t at = b * width, before = beam->open;
    if (before == 0) continue;
    const real *of_sentence = weights + at * beam->heads * S;
    const elman_status status =
        search->greedy.active
            ? greedy_grow(&search->greedy, search->beams, b, used, of_sentence, S, error)
            : beam_grow(beam, &first->scores, used, of_sentence, S, error);
    if (status != ELMAN_OK) return status;
    used += before;
    for (size_t i = 0; i < width; i++) {
      rows->target.lengths[at + i] = i < beam->open;
      if (i >= beam->open) continue;
      rows->moves[at + i] = at + beam->paths[i].row;
      rows->target.ids[at + i] = search->pool.nodes[beam->paths[i].last].id;
    }
    *open += beam->open;
  }
  return ELMAN_OK;
}

static elman_status step(size_t *open, struct search *search, elman_error *error) {
  ask(search, *open);
  greedy_after_step(&search->greedy, &search->members[0].decoder, *open);
  elman_status status = grow(open, search, error);
  for (size_t m = 0; m<search->member_count && * open> 0 && status == ELMAN_OK; m++)
    status = search_member_move(&search->members[m], &search->rows, error);
  /* Nodes that wait for their probabilities stay where they are; greedy search drops none. */
  if (status == ELMAN_OK && !search->greedy.active)
    status = beam_pool_tidy(&search->pool, search->beams, search->rows.source.batch, error);
  return status;
}

/* ---- results ---- */

size_t search_count(const struct search *search, size_t b) {
  const struct beam *beam = &search->beams[b];
  if (beam->overflow) return 0;
  return beam->finished < search->n_best ? beam->finished : search->n_best;
}

const struct beam_path *search_path(const struct search *search, size_t b, size_t n) {
  return &search->beams[b].ended[n];
}

void search_ids(uint32_t *ids, const struct search *search, size_t b, size_t n) {
  const struct beam_path *path = search_path(search, b, n);
  size_t at = path->last;
  for (size_t t = path->count; t-- > 0; at = search->pool.nodes[at].previous)
    ids[t] = search->pool.nodes[at].id;
}

void search_log_probabilities(double *log_probabilities, const struct search *search, size_t b,
                              size_t n) {
  const struct beam_path *path = search_path(search, b, n);
  const bool known = !isnan(path->log_probability);
  size_t at = path->last;
  for (size_t t = path->count; t-- > 0; at = search->pool.nodes[at].previous)
    log_probabilities[t] = known ? search->pool.nodes[at].log_probability : (double)NAN;
}

void search_attention(float *attention, float *heads, const struct search *search, size_t b,
                      size_t n) {
  const struct beam_path *path = search_path(search, b, n);
  const size_t T = path->count, S = search->beams[b].source_count, N = search->beams[b].heads;
  size_t at = path->last;
  for (size_t t = T; t-- > 0; at = search->pool.nodes[at].previous) {
    const real *rows = search->pool.attention + search->pool.nodes[at].attention; /* (N,S) */
    for (size_t s = 0; s < S; s++) attention[t * S + s] = (float)mean_weight(rows, N, S, s);
    for (size_t h = 0; h < N && heads != attention; h++)
      for (size_t s = 0; s < S; s++) heads[(h * T + t) * S + s] = (float)rows[h * S + s];
  }
}

void search_sentinel(float *sentinel, const struct search *search, size_t b, size_t n) {
  const struct beam_path *path = search_path(search, b, n);
  size_t at = path->last;
  for (size_t t = path->count; t-- > 0; at = search->pool.nodes[at].previous)
    sentinel[t] = (float)mask_rest(search->pool.attention + search->pool.nodes[at].attention,
                                   search->beams[b].source_count);
}

size_t search_looked_at(const struct search *search, size_t b, size_t n, size_t t) {
  const struct beam_path *path = search_path(search, b, n);
  const size_t S = search->beams[b].source_count, N = search->beams[b].heads;
  size_t at = path->last, best = 0;
  for (size_t i = path->count - 1; i > t; i--) at = search->pool.nodes[at].previous;
  const real *rows = search->pool.attention + search->pool.nodes[at].attention;
  for (size_t s = 1; s < S; s++)
    if (mean_weight(rows, N, S, s) > mean_weight(rows, N, S, best)) best = s;
  return best;
}

/* ---- all of it ---- */

/* Where each step has one row a sentence whose token is known without its probability. */
static void start_greedy(struct search *search, const struct search_request *requests, size_t count,
                         const elman_translate_options *options, const struct screen *screen) {
  bool any_forced = false, all_forced = true, any_goes_on = false;
  for (size_t b = 0; b < count; b++) {
    any_forced = any_forced || requests[b].forced != NULL;
    all_forced = all_forced && requests[b].forced != NULL;
    any_goes_on = any_goes_on || requests[b].goes_on;
  }
  const bool alone = search->member_count == 1;
  if (screen != NULL && (options->sample || !screen_is_worth(screen, count))) screen = NULL;
  search->greedy.active =
      alone && options->beam == 1 && !any_goes_on && (screen != NULL || all_forced);
  search->greedy.screen = all_forced ? NULL : screen;
  search->greedy.scores = any_forced || !options->without_scores;
}

elman_status search_run(struct search *search, const struct model *model,
                        const struct search_request *requests, size_t count,
                        const elman_translate_options *options, const struct screen *screen,
                        elman_error *error) {
  const struct decoder_parameters *weights = &model->weights.decoder;
  search->n_best = options->n_best;
  search->without_unknown = model->merges[ELMAN_TARGET] != NULL;
  elman_status status = gather(search, model, options, error);
  if (status != ELMAN_OK) return status;
  start_greedy(search, requests, count, options, screen);
  status = fit(search, requests, count, options->beam, error);
  if (status != ELMAN_OK) return status;
  fill(search, requests, ensemble_heads(model, options), options);
  beam_pool_clear(&search->pool);
  for (size_t m = 0; m < search->member_count && status == ELMAN_OK; m++)
    status = search_member_start(&search->members[m], &search->rows, options, error);
  /* Every hypothesis grows at every step, and none beyond its limit. */
  for (size_t open = count; open > 0 && status == ELMAN_OK;) {
    greedy_before_step(&search->greedy, &search->members[0].decoder, search->beams, weights, open);
    status = step(&open, search, error);
  }
  if (status == ELMAN_OK) greedy_finish(&search->greedy, search->beams, count, weights);
  return status;
}
