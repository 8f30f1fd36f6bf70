#include "translate/search.h"

#include <limits.h>
#include <string.h>

void search_free(struct search *search) {
  arena_free(&search->arena);
  self_attention_history_free(&search->history);
  beam_pool_free(&search->pool);
  *search = (struct search){0};
}

/* ---- memory ---- */

static void take(struct search *search, struct arena *arena, const struct model_config *config,
                 size_t width) {
  const size_t S = search->source.steps, B = search->source.batch, R = B * width;
  const size_t H = config->hidden_size;
  const size_t features = greedy_capacity(&search->greedy, R);
  const struct decoder_extent extent = {S, 1, R, features, features};
  encoder_take(&search->encoder, arena, encoder_sizes_of(config), &search->source, false);
  decoder_take(&search->decoder, arena, decoder_sizes_of(config), &extent, false);
  greedy_take(&search->greedy, arena, &search->decoder, R);
  search->scores.logits = search->decoder.logits;
  if (!search->greedy.active)
    output_scores_take(&search->scores, arena, R, decoder_sizes_of(config));
  search->source.ids = arena_take(arena, sizeof(uint32_t), S, B, 1);
  search->source.lengths = arena_take(arena, sizeof(size_t), B, 1, 1);
  search->target.ids = arena_take(arena, sizeof(uint32_t), R, 1, 1);
  search->target.lengths = arena_take(arena, sizeof(size_t), R, 1, 1);
  search->row_lengths = arena_take(arena, sizeof(size_t), R, 1, 1);
  search->row_states = width > 1 ? arena_reals(arena, S, R, H) : NULL;
  search->moves = arena_take(arena, sizeof *search->moves, R, 1, 1);
  search->beams = arena_take(arena, sizeof *search->beams, B, 1, 1);
  search->paths = arena_take(arena, sizeof *search->paths, B, 3, width);
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

/* BLAS counts in int: every number of rows and every distance between rows must fit. */
static bool fits_blas(const struct model_config *config, size_t S, size_t B, size_t width) {
  const size_t H = config->hidden_size, E = config->embedding_size;
  const size_t heads = larger(config->attention_heads, config->encoder_self_attention);
  const size_t widest = larger(2 * larger(H, E), S * heads);
  const size_t longest = S + 1 > widest ? S + 1 : widest;
  return B <= INT_MAX / width && longest <= INT_MAX / (B * width) && S <= INT_MAX / H;
}

static elman_status fit(struct search *search, const struct model_config *config,
                        const struct search_request *requests, size_t count, size_t width,
                        elman_error *error) {
  size_t S = 0;
  for (size_t b = 0; b < count; b++) S = requests[b].count > S ? requests[b].count : S;
  if (!fits_blas(config, S, count, width))
    return fail(error, ELMAN_BAD_DATA, NULL,
                "%zu sentence%s of up to %zu token%s %s too much for a beam of %zu", count,
                plural(count), S, plural(S), count == 1 ? "is" : "are", width);
  search->source.steps = S;
  search->source.batch = count;
  search->target.steps = 1;
  search->target.batch = count * width;
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &search->arena, error)) take(search, fit.now, config, width);
  return fit.status;
}

/* ---- start ---- */

static void fill(struct search *search, const struct search_request *requests, size_t heads,
                 const elman_translate_options *options) {
  const size_t width = options->beam;
  const size_t S = search->source.steps, B = search->source.batch;
  for (size_t b = 0; b < B; b++) {
    const struct search_request *request = &requests[b];
    struct beam_path *paths = search->paths + b * 3 * width;
    search->source.lengths[b] = request->count;
    for (size_t s = 0; s < S; s++)
      search->source.ids[s * B + b] = s < request->count ? request->ids[s] : 0;
    search->beams[b] =
        (struct beam){.paths = paths,
                      .ended = paths + width,
                      .grown = paths + 2 * width,
                      .pool = &search->pool,
                      .options = options,
                      .source_count = request->count,
                      .heads = heads,
                      .limit = request->forced != NULL ? request->forced_count + 1 : request->limit,
                      .forced = request->forced,
                      .forced_count = request->forced_count};
    beam_start(&search->beams[b]);
    for (size_t r = b * width; r < (b + 1) * width; r++) {
      search->target.ids[r] = TOKEN_START;
      search->target.lengths[r] = r == b * width; /* a sentence starts with one hypothesis */
      search->row_lengths[r] = request->count;
    }
  }
}

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
static void start_rows(struct search *search, const struct decoder_pass *sentences, size_t width) {
  const struct decoder_sizes sizes = sentences->sizes;
  const size_t B = search->source.batch, H = sizes.hidden;
  decoder_start(sentences);
  for (size_t l = 0; l < sizes.layers && width > 1; l++) {
    real *states = search->decoder.states[l];
    for (size_t b = B; b-- > 0;) { /* from the last: what moves goes where nothing waits */
      memmove(states + b * width * H, states + b * H, H * sizeof *states);
      memset(states + (b * width + 1) * H, 0, (width - 1) * H * sizeof *states);
    }
  }
  if (sizes.attentional > 0)
    memset(search->decoder.attentional, 0, B * width * sizes.attentional * sizeof(real));
}

/* Gives the source as the rows see it. */
static struct decoder_source prepare(struct search *search, const struct decoder_pass *sentences,
                                     size_t width) {
  const size_t S = search->source.steps, B = search->source.batch, H = sentences->sizes.hidden;
  const struct attention_cache attention = search->decoder.attention;
  decoder_prepare(sentences);
  if (width == 1) return sentences->source;
  if (attention.keys != NULL) repeat(attention.keys, attention.keys, S, B, width, H);
  if (attention.values != NULL) repeat(attention.values, attention.values, S, B, width, H);
  repeat(search->row_states, search->encoder.outputs, S, B, width, H);
  return (struct decoder_source){
      .states = search->row_states, .lengths = search->row_lengths, .steps = S};
}

/* ---- steps ---- */

/* Block 0 of row r = block 1 of the row that its hypothesis was grown from. */
static void pass_on(struct search *search, struct decoder_sizes sizes, size_t r, size_t from) {
  const size_t R = search->target.batch, H = sizes.hidden, A = sizes.attentional;
  struct decoder_cache *cache = &search->decoder;
  for (size_t l = 0; l < sizes.layers; l++)
    memcpy(cache->states[l] + r * H, cache->states[l] + (R + from) * H, H * sizeof(real));
  if (A > 0)
    memcpy(cache->attentional + r * A, cache->attentional + (R + from) * A, A * sizeof(real));
}

/* Grows the hypotheses of all sentences by what the decoder gave. */
static elman_status step(size_t *open, struct search *search, struct decoder_sizes sizes,
                         size_t width, elman_error *error) {
  const size_t S = search->source.steps;
  size_t used = 0; /* rows, so far */
  *open = 0;
  for (size_t r = 0; r < search->target.batch; r++) search->moves[r] = r;
  for (size_t b = 0; b < search->source.batch; b++) {
    struct beam *beam = &search->beams[b];
    const size_t first = b * width, rows = beam->open;
    if (rows == 0) continue;
    const real *attention = search->decoder.attention.weights + first * sizes.attention.heads * S;
    const elman_status status =
        search->greedy.active
            ? greedy_grow(&search->greedy, search->beams, b, used, attention, S, error)
            : beam_grow(beam, &search->scores, used, attention, S, error);
    if (status != ELMAN_OK) return status;
    used += rows;
    for (size_t i = 0; i < width; i++) {
      search->target.lengths[first + i] = i < beam->open;
      search->moves[first + i] = first + (i < beam->open ? beam->paths[i].row : i);
      if (i >= beam->open) continue;
      search->target.ids[first + i] = search->pool.nodes[beam->paths[i].last].id;
      pass_on(search, sizes, first + i, search->moves[first + i]);
    }
    *open += beam->open;
  }
  if (sizes.self_attention.heads == 0 || *open == 0) return ELMAN_OK;
  self_attention_history_move(&search->history, sizes.self_attention, search->moves);
  return self_attention_history_grow(&search->history, sizes.self_attention, error);
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

/* Of the rows of N heads at source token s. */
static real mean_weight(const real *rows, size_t N, size_t S, size_t s) {
  real sum = 0;
  for (size_t n = 0; n < N; n++) sum += rows[n * S + s];
  return sum / (real)N;
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
  bool any_forced = false, all_forced = true;
  for (size_t b = 0; b < count; b++) {
    any_forced = any_forced || requests[b].forced != NULL;
    all_forced = all_forced && requests[b].forced != NULL;
  }
  if (screen != NULL && !screen_is_worth(screen, count)) screen = NULL;
  search->greedy.active = options->beam == 1 && (screen != NULL || all_forced);
  search->greedy.screen = all_forced ? NULL : screen;
  search->greedy.scores = any_forced || !options->without_scores;
}

elman_status search_run(struct search *search, const struct model *model,
                        const struct search_request *requests, size_t count,
                        const elman_translate_options *options, const struct screen *screen,
                        elman_error *error) {
  const size_t width = options->beam;
  const struct decoder_sizes sizes = decoder_sizes_of(&model->config);
  const struct decoder_parameters *weights = &model->weights.decoder;
  const struct encoder_pass encoder = {.sizes = encoder_sizes_of(&model->config),
                                       .weights = &model->weights.encoder,
                                       .source = &search->source,
                                       .cache = &search->encoder};
  struct decoder_pass decoder = {
      .sizes = sizes, .weights = weights, .target = &search->source, .cache = &search->decoder};
  search->n_best = options->n_best;
  start_greedy(search, requests, count, options, screen);
  elman_status status = fit(search, &model->config, requests, count, width, error);
  if (status != ELMAN_OK) return status;
  fill(search, requests, sizes.attention.heads, options);
  beam_pool_clear(&search->pool);
  encoder_forward(&encoder);
  /* At first a row a sentence, then `width` rows. */
  decoder.source = (struct decoder_source){search->encoder.outputs, search->encoder.finals,
                                           search->source.lengths, search->source.steps};
  start_rows(search, &decoder, width);
  decoder.source = prepare(search, &decoder, width);
  decoder.target = &search->target;
  struct attention_overrides overrides = {options->overrides, options->override_count,
                                          options->override_seed, 0};
  if (overrides.count > 0) decoder.overrides = &overrides;
  if (sizes.self_attention.heads > 0) {
    decoder.history = &search->history;
    self_attention_history_start(&search->history, search->target.batch);
    status = self_attention_history_grow(&search->history, sizes.self_attention, error);
    if (status != ELMAN_OK) return status;
  }
  /* Every hypothesis grows at every step, and none beyond its limit. */
  for (size_t open = count; open > 0;) {
    greedy_before_step(&search->greedy, &search->decoder, search->beams, weights, sizes, open);
    decoder_steps(&decoder);
    if (!search->greedy.active)
      output_scores_fill(&search->scores, search->decoder.features, open, weights, sizes);
    overrides.first++;
    greedy_after_step(&search->greedy, &search->decoder, open);
    status = step(&open, search, sizes, width, error);
    if (status == ELMAN_OK) status = beam_pool_tidy(&search->pool, search->beams, count, error);
    if (status != ELMAN_OK) return status;
  }
  greedy_finish(&search->greedy, search->beams, count, weights, sizes);
  return ELMAN_OK;
}
