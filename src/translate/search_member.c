#include "translate/search_member.h"

#include <limits.h>
#include <string.h>

#include "attention/mean_weight.h"
#include "base/team.h"
#include "tensor/softmax.h"

void search_member_free(struct search_member *member) {
  self_attention_history_free(&member->history);
}

/* ---- memory ---- */

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

/* Every number of rows and every distance between rows must fit. */
bool search_member_fits(const struct search_member *member, size_t S, size_t B, size_t width) {
  const struct model_config *config = &member->model->config;
  const size_t H = config->hidden_size, E = config->embedding_size;
  const size_t heads = larger(config->attention_heads, config->encoder_self_attention);
  const size_t states = larger(2, rnn_columns(decoder_sizes_of(config).cell));
  const size_t widest = larger(states * larger(H, E), S * heads);
  const size_t longest = S + 1 > widest ? S + 1 : widest;
  return B <= INT_MAX / width && longest <= INT_MAX / (B * width) && S <= INT_MAX / H;
}

void search_member_take(struct search_member *member, struct arena *arena,
                        const struct search_rows *rows, size_t features) {
  const struct model_config *config = &member->model->config;
  const size_t S = rows->source.steps, R = rows->target.batch;
  const struct decoder_extent extent = {S, 1, R, features, features};
  encoder_take(&member->encoder, arena, encoder_sizes_of(config), &rows->source, false);
  decoder_take(&member->decoder, arena, decoder_sizes_of(config), &extent, false);
  member->row_states = rows->width > 1 ? arena_reals(arena, S, R, config->hidden_size) : NULL;
}

void search_member_take_scores(struct search_member *member, struct arena *arena, size_t R) {
  member->scores.logits = member->decoder.logits;
  output_scores_take(&member->scores, arena, R, decoder_sizes_of(&member->model->config));
}

/* ---- start ---- */

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
  const struct decoder_sizes sizes = sentences->sizes;
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
  const size_t S = rows->source.steps, B = rows->source.batch, H = sentences->sizes.hidden;
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

elman_status search_member_start(struct search_member *member, const struct search_rows *rows,
                                 const elman_translate_options *options, elman_error *error) {
  const struct model *model = member->model;
  const struct encoder_pass encoder = {.sizes = encoder_sizes_of(&model->config),
                                       .weights = &model->weights.encoder,
                                       .source = &rows->source,
                                       .cache = &member->encoder};
  struct decoder_pass *pass = &member->pass;
  encoder_forward(&encoder);
  /* At first a row a sentence, then `width` rows. */
  *pass = (struct decoder_pass){.sizes = decoder_sizes_of(&model->config),
                                .weights = &model->weights.decoder,
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
  if (pass->sizes.self_attention.heads == 0) return ELMAN_OK;
  pass->history = &member->history;
  return self_attention_history_start(&member->history, pass->sizes.self_attention,
                                      rows->target.batch, error);
}

/* ---- steps ---- */

void search_member_step(struct search_member *member) {
  decoder_steps(&member->pass);
  member->overrides.first++;
}

void search_member_score(struct search_member *member, size_t used) {
  output_scores_fill(&member->scores, member->decoder.features, used, member->pass.weights,
                     member->pass.sizes);
}

/* Block 0 of row r = block 1 of the row that its hypothesis was grown from. */
static void pass_on(struct search_member *member, size_t R, size_t r, size_t from) {
  const struct decoder_sizes sizes = member->pass.sizes;
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

elman_status search_member_move(struct search_member *member, const struct search_rows *rows,
                                elman_error *error) {
  const size_t R = rows->target.batch;
  for (size_t r = 0; r < R; r++)
    if (rows->target.lengths[r] > 0) pass_on(member, R, r, rows->moves[r]);
  if (member->pass.history == NULL) return ELMAN_OK;
  self_attention_history_move(&member->history, rows->moves);
  return self_attention_history_grow(&member->history, error);
}

/* ---- several as one ---- */

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

void search_members_join_scores(struct search_member *members, size_t count, size_t used) {
  const struct join join = {members, count};
  const double numbers = (double)(used * members[0].scores.V) * (double)count;
  share_out(used, (double)WORK_OF_NUMBER * numbers, join_row, &join);
}

static double weight_of(const struct search_member *member, size_t S, size_t row, size_t s) {
  const size_t N = member->pass.sizes.attention.heads;
  return (double)mean_weight(member->decoder.attention.weights + row * N * S, N, S, s);
}

void search_members_join_weights(real *weights, const struct search_member *members, size_t count,
                                 const struct search_rows *rows) {
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
