#include "translate/search.h"

#include <math.h>
#include <stdlib.h>

#include "attention/mask.h"
#include "attention/mean_weight.h"
#include "corpus/batch.h"

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
                  plural(count), S, plural(S), count == 1 ? "is" : "are", width);
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
  const struct decoder_sizes sizes = decoder_sizes_of(&model->config);
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
    greedy_before_step(&search->greedy, &search->members[0].decoder, search->beams, weights, sizes,
                       open);
    status = step(&open, search, error);
  }
  if (status == ELMAN_OK) greedy_finish(&search->greedy, search->beams, count, weights, sizes);
  return status;
}
