#include "translate/beam.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "vocab/vocabulary.h"

/* ---- the score of a hypothesis ---- */

const char *length_norm_name(size_t index) {
  static const char *const names[] = {[ELMAN_LENGTH_POWER] = "power", [ELMAN_LENGTH_WU] = "wu"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

double score_of_length(double log_probability, size_t count,
                       const elman_translate_options *options) {
  const double length =
      options->length_norm == ELMAN_LENGTH_WU ? (5 + (double)count) / 6 : (double)count;
  return log_probability / pow(length, options->length_penalty);
}

/* In real numbers: let L <= 0 be the logarithm so far, L' that of the whole, n <= limit its tokens,
 * and f(n) > 0 what it is divided by. A probability is at most 1, so L' <= L; f never falls, as
 * A >= 0; and min(c, 1) <= 1, so that with B >= 0 no source token adds more than 0. Hence
 *
 *   score = L' / f(n) + B sum log min(c, 1) <= L' / f(n) <= L / f(n) <= L / f(limit).         (58)
 *
 * In floating point beam.c keeps L' <= L. The two quotients and the two powers in them err by a few
 * units in the last place, for which the bound is raised. */
double score_bound(double log_probability, size_t limit, const elman_translate_options *options) {
  return score_of_length(log_probability, limit, options) * (1 - 8 * DBL_EPSILON);
}

/* log min(coverage, 1), where `coverage` is the sum of a source token's attention weights    (57)
 * A token without any counts as one with the smallest weight of a softmax in float, so that a score
 * stays a number. */
static double score_of_coverage(double coverage) {
  return log(fmin(fmax(coverage, (double)FLT_MIN), 1));
}

/* ---- sampling ---- */

/* What is drawn from. */
struct tokens_seen {
  const real *logits; /* (V) */
  size_t V;
  bool without_unknown;
};

static bool may_come(const struct tokens_seen *seen, size_t id) {
  return id != TOKEN_START && (id != TOKEN_UNKNOWN || !seen->without_unknown);
}

struct ranked {
  real logit;
  size_t id;
};

/* Among equals the smaller id comes first. */
static bool is_before(struct ranked a, struct ranked b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

/* A heap, the last in rank at the root. */
static void sift_down(struct ranked *heap, size_t count, size_t at) {
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && is_before(heap[child], heap[child + 1])) child++;
    if (!is_before(heap[at], heap[child])) return;
    const struct ranked kept = heap[at];
    heap[at] = heap[child];
    heap[child] = kept;
  }
}

/* The last of the k tokens that may be drawn; of fewer than k, one behind all. */
static struct ranked last_of(const struct tokens_seen *seen, size_t k) {
  struct ranked heap[ELMAN_MOST_TOP_K];
  size_t count = 0;
  for (size_t id = 0; id < seen->V; id++) {
    const struct ranked one = {seen->logits[id], id};
    if (!may_come(seen, id)) continue;
    if (count < k) {
      heap[count++] = one;
      for (size_t i = count / 2; count == k && i-- > 0;) sift_down(heap, count, i);
    } else if (is_before(one, heap[0])) {
      heap[0] = one;
      sift_down(heap, count, 0);
    }
  }
  return count < k ? (struct ranked){-(real)INFINITY, SIZE_MAX} : heap[0];
}

uint32_t sample_token(const real *logits, size_t V, bool without_unknown,
                      const elman_translate_options *options, uint64_t sentence, size_t step) {
  const struct tokens_seen seen = {logits, V, without_unknown};
  const struct random_stream stream = {options->sample_seed, RANDOM_SAMPLE, (uint32_t)step};
  const struct ranked last = options->top_k == 0 ? (struct ranked){-(real)INFINITY, SIZE_MAX}
                                                 : last_of(&seen, options->top_k);
  double largest = -INFINITY, part = INFINITY;
  size_t drawn = TOKEN_END;
  for (size_t id = 0; id < V; id++)
    if (may_come(&seen, id)) largest = fmax(largest, (double)logits[id]);
  /* The first time all of it is summed, the second time up to the part that was drawn. */
  for (int time = 0; time < 2; time++) {
    double sum = 0;
    for (size_t id = 0; id < V && sum <= part; id++) {
      if (!may_come(&seen, id) || is_before(last, (struct ranked){logits[id], id})) continue;
      sum += exp(((double)logits[id] - largest) / options->temperature);
      drawn = id;
    }
    part = random_uniform(stream, sentence) * sum;
  }
  return (uint32_t)drawn;
}

/* ---- the pool ---- */

static const size_t TIDY_AT = (size_t)1 << 23; /* weights: 32 MiB of floats */

void beam_pool_clear(struct beam_pool *pool) {
  pool->node_count = 0;
  pool->attention_count = 0;
  pool->tidy_at = TIDY_AT;
}

void beam_pool_free(struct beam_pool *pool) {
  free(pool->nodes);
  free(pool->attention);
  free(pool->moved);
  *pool = (struct beam_pool){0};
}

void beam_start(struct beam *beam) {
  beam->paths[0] = (struct beam_path){.last = BEAM_START};
  beam->open = 1;
  beam->finished = 0;
  beam->overflow = false;
}

/* ---- the pool ---- */

/* Adds a node that looked at the source as `weights` (heads,stride) says. */
static elman_status add_node(const struct beam *beam, struct beam_node node, const real *weights,
                             size_t stride, elman_error *error) {
  struct beam_pool *pool = beam->pool;
  const size_t S = beam->source_count, N = beam->heads;
  elman_status status = array_grow(&pool->nodes, &pool->node_capacity, pool->node_count + 1,
                                   sizeof *pool->nodes, error);
  if (status == ELMAN_OK)
    status = array_grow(&pool->attention, &pool->attention_capacity, pool->attention_count + N * S,
                        sizeof *pool->attention, error);
  if (status != ELMAN_OK) return status;
  for (size_t n = 0; n < N; n++)
    memcpy(pool->attention + pool->attention_count + n * S, weights + n * stride,
           S * sizeof *weights);
  node.attention = pool->attention_count;
  pool->nodes[pool->node_count++] = node;
  pool->attention_count += N * S;
  return ELMAN_OK;
}

enum { UNUSED, USED }; /* in `moved`, before the new places are known */

static void mark(const struct beam_pool *pool, const struct beam_path *paths, size_t count) {
  for (size_t i = 0; i < count; i++) {
    for (size_t at = paths[i].last; at != BEAM_START && pool->moved[at] == UNUSED;
         at = pool->nodes[at].previous)
      pool->moved[at] = USED;
  }
}

/* A node comes after its previous one, so that one pass from the front finds new places known. */
static void move_nodes(struct beam_pool *pool) {
  size_t nodes = 0, weights = 0;
  for (size_t i = 0; i < pool->node_count; i++) {
    const bool used = pool->moved[i] == USED;
    struct beam_node node = pool->nodes[i];
    const size_t end =
        i + 1 < pool->node_count ? pool->nodes[i + 1].attention : pool->attention_count;
    pool->moved[i] = nodes;
    if (!used) continue;
    memmove(pool->attention + weights, pool->attention + node.attention,
            (end - node.attention) * sizeof *pool->attention);
    const size_t size = end - node.attention;
    if (node.previous != BEAM_START) node.previous = pool->moved[node.previous];
    node.attention = weights;
    pool->nodes[nodes++] = node;
    weights += size;
  }
  pool->node_count = nodes;
  pool->attention_count = weights;
}

static void follow(const struct beam_pool *pool, struct beam_path *paths, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (paths[i].last != BEAM_START) paths[i].last = pool->moved[paths[i].last];
  }
}

elman_status beam_pool_tidy(struct beam_pool *pool, const struct beam *beams, size_t count,
                            elman_error *error) {
  if (pool->attention_count < pool->tidy_at) return ELMAN_OK;
  const elman_status status =
      array_grow(&pool->moved, &pool->moved_capacity, pool->node_count, sizeof *pool->moved, error);
  if (status != ELMAN_OK) return status;
  for (size_t i = 0; i < pool->node_count; i++) pool->moved[i] = UNUSED;
  for (size_t b = 0; b < count; b++) {
    mark(pool, beams[b].paths, beams[b].open);
    mark(pool, beams[b].ended, beams[b].finished);
  }
  move_nodes(pool);
  for (size_t b = 0; b < count; b++) {
    follow(pool, beams[b].paths, beams[b].open);
    follow(pool, beams[b].ended, beams[b].finished);
  }
  /* So it is done each time that the used part has doubled, and costs little. */
  if (pool->tidy_at < 2 * pool->attention_count) pool->tidy_at = 2 * pool->attention_count;
  return ELMAN_OK;
}

/* ---- choosing ---- */

/* The best continuations so far, the likeliest first. `last` of a path is not a node here but the
 * token that it would grow by. */
struct choice {
  struct beam_path *paths;
  size_t count, most;
  bool without_unknown;
};

/* Among equals the first offered stays in front: the smallest row, then the smallest id. */
static void offer(struct choice *choice, struct beam_path path) {
  if (choice->count == choice->most) {
    if (!(path.log_probability > choice->paths[choice->most - 1].log_probability)) return;
    choice->count--;
  }
  size_t at = choice->count++;
  for (; at > 0 && path.log_probability > choice->paths[at - 1].log_probability; at--)
    choice->paths[at] = choice->paths[at - 1];
  choice->paths[at] = path;
}

/* Offers the tokens from `first` up to `end`, whose logits add to `path`, but for those that are
 * never a translation. A probability is at most 1, whatever rounding makes of it: the sum stays at
 * or below `most`, that of the path so far. */
static void offer_tokens(struct choice *choice, struct beam_path path, double most,
                         const real *logits, size_t first, size_t end) {
  const double before = path.log_probability;
  for (size_t id = first; id < end; id++) {
    if (id == TOKEN_START || (id == TOKEN_UNKNOWN && choice->without_unknown)) continue;
    path.last = id;
    path.log_probability = before + (double)logits[id];
    if (path.log_probability > most) path.log_probability = most;
    offer(choice, path);
  }
}

/* Whether the next token of hypotheses of `count` tokens is not chosen. */
static bool is_forced(const struct beam *beam, size_t count) {
  return beam->forced != NULL && (!beam->goes_on || count < beam->forced_count);
}

uint32_t beam_forced_token(const struct beam *beam) {
  const size_t count = beam->paths[0].count;
  return count < beam->forced_count ? beam->forced[count] : (uint32_t)TOKEN_END;
}

/* Offers what may follow open hypothesis i, with the scores of `row`. False: numbers overflowed. */
static bool offer_row(struct choice *choice, const struct beam *beam, size_t i,
                      const struct output_scores *scores, size_t row) {
  const struct beam_path *last = &beam->paths[i];
  const real *logits = scores->logits + row * scores->V;
  const real *largest = scores->largest + row * scores->blocks;
  const struct beam_path path = {.count = last->count + 1,
                                 .row = i,
                                 .log_probability = last->log_probability - scores->log_sums[row]};
  if (!isfinite(path.log_probability)) return false;
  if (is_forced(beam, last->count)) {
    const size_t id = beam_forced_token(beam);
    offer_tokens(choice, path, last->log_probability, logits, id, id + 1);
    return true;
  }
  if (beam->options->sample) {
    const size_t id = sample_token(logits, scores->V, beam->without_unknown, beam->options,
                                   beam->number, last->count);
    offer_tokens(choice, path, last->log_probability, logits, id, id + 1);
    return true;
  }
  for (size_t block = 0; block < scores->blocks; block++) {
    const size_t first = block * SCORES_BLOCK, rest = scores->V - first;
    /* Nearly all tokens are less likely than what is there already. */
    if (choice->count == choice->most && !(path.log_probability + (double)largest[block] >
                                           choice->paths[choice->most - 1].log_probability))
      continue;
    offer_tokens(choice, path, last->log_probability, logits, first,
                 first + (rest < SCORES_BLOCK ? rest : SCORES_BLOCK));
  }
  return true;
}

static bool choose(struct choice *choice, const struct beam *beam,
                   const struct output_scores *scores, size_t first) {
  for (size_t i = 0; i < beam->open; i++) {
    if (!offer_row(choice, beam, i, scores, first + i)) return false;
  }
  for (size_t i = 0; i < choice->count; i++) {
    if (!isfinite(choice->paths[i].log_probability)) return false;
  }
  return choice->count > 0;
}

/* ---- growing ---- */

/* Σ_s log min(Σ_t a_ts, 1), with the mean of the heads                                     (57) */
static double coverage_of(const struct beam *beam, const struct beam_path *path) {
  const struct beam_pool *pool = beam->pool;
  const size_t S = beam->source_count;
  double sum = 0;
  for (size_t s = 0; s < S; s++) {
    double coverage = 0;
    for (size_t at = path->last; at != BEAM_START; at = pool->nodes[at].previous)
      coverage +=
          (double)mean_weight(pool->attention + pool->nodes[at].attention, beam->heads, S, s);
    sum += score_of_coverage(coverage);
  }
  return sum;
}

static double score_of(const struct beam *beam, const struct beam_path *path) {
  const elman_translate_options *options = beam->options;
  double score = score_of_length(path->log_probability, path->count, options);
  if (options->coverage_penalty > 0) score += options->coverage_penalty * coverage_of(beam, path);
  return score;
}

static void end_path(struct beam *beam, struct beam_path path) {
  path.score = score_of(beam, &path);
  size_t at = beam->finished++;
  for (; at > 0 && path.score > beam->ended[at - 1].score; at--)
    beam->ended[at] = beam->ended[at - 1];
  beam->ended[at] = path;
}

/* Among equal scores the first that ended stays in front, so that one must exceed the last of the n
 * best to change them. No open hypothesis is likelier than the first, and no bound is above its. */
static bool can_still_win(const struct beam *beam) {
  const elman_translate_options *options = beam->options;
  if (beam->finished < options->n_best) return true;
  return score_bound(beam->paths[0].log_probability, beam->limit, options) >
         beam->ended[options->n_best - 1].score;
}

static elman_status take(struct beam *beam, const struct choice *choice, const real *weights,
                         size_t stride, elman_error *error) {
  size_t open = 0;
  for (size_t i = 0; i < choice->count; i++) {
    struct beam_path path = choice->paths[i];
    const struct beam_path *before = &beam->paths[path.row];
    const uint32_t id = (uint32_t)path.last;
    const struct beam_node node = {.previous = before->last,
                                   .log_probability =
                                       path.log_probability - before->log_probability,
                                   .id = id};
    const elman_status status =
        add_node(beam, node, weights + path.row * beam->heads * stride, stride, error);
    if (status != ELMAN_OK) return status;
    path.last = beam_newest(beam);
    if (id == TOKEN_END || path.count == beam->limit)
      end_path(beam, path);
    else
      choice->paths[open++] = path; /* never ahead of i */
  }
  memcpy(beam->paths, choice->paths, open * sizeof *beam->paths);
  beam->open = open > 0 && can_still_win(beam) ? open : 0;
  return ELMAN_OK;
}

elman_status beam_grow(struct beam *beam, const struct output_scores *scores, size_t first,
                       const real *weights, size_t stride, elman_error *error) {
  struct choice choice = {
      .paths = beam->grown,
      .most = is_forced(beam, beam->paths[0].count) ? 1 : beam->options->beam - beam->finished,
      .without_unknown = beam->without_unknown};
  if (choose(&choice, beam, scores, first)) return take(beam, &choice, weights, stride, error);
  beam->overflow = true;
  beam->open = 0;
  return ELMAN_OK;
}

/* ---- greedy search whose probabilities come later ---- */

elman_status beam_take(struct beam *beam, uint32_t id, const real *weights, size_t stride,
                       elman_error *error) {
  beam->grown[0] = beam->paths[0];
  beam->grown[0].last = id;
  beam->grown[0].count++;
  beam->grown[0].row = 0;
  const struct choice choice = {.paths = beam->grown, .count = 1, .most = 1};
  return take(beam, &choice, weights, stride, error);
}

static struct beam_path *only_path(struct beam *beam) {
  return beam->finished > 0 ? &beam->ended[0] : &beam->paths[0];
}

size_t beam_newest(const struct beam *beam) {
  return beam->pool->node_count - 1;
}

void beam_add_log_probability(struct beam *beam, size_t node, double log_probability) {
  only_path(beam)->log_probability += log_probability;
  beam->pool->nodes[node].log_probability = log_probability;
}

void beam_forget_log_probability(struct beam *beam) {
  only_path(beam)->log_probability = (double)NAN;
}

void beam_score(struct beam *beam) {
  struct beam_path *path = only_path(beam);
  path->score = score_of(beam, path);
}
