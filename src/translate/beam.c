#include "translate/beam.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/mask.h"
#include "base/portable_math.h"
#include "base/random.h"
#include "tensor/softmax.h"
#include "vocab/vocabulary.h"

/* ---- the pool of nodes ---- */

static const size_t TIDY_AT = (size_t)1 << 23; /* elements of attention weights: 32 MiB of floats */

void beam_pool_clear(struct beam_pool *pool) {
  pool->node_count = 0;
  pool->attention_count = 0;
  pool->prefix_count = 0;
  pool->tidy_at = TIDY_AT;
}

void beam_pool_free(struct beam_pool *pool) {
  free(pool->nodes);
  free(pool->attention);
  free(pool->moved);
  free(pool->prefixes);
  free(pool->chosen);
  table_free(&pool->known);
  *pool = (struct beam_pool){0};
}

/* Reserve room for nodes and for elements of attention weights. */
static elman_status reserve(struct beam_pool *pool, size_t nodes, size_t weights,
                            elman_error *error) {
  elman_status status = array_grow(&pool->nodes, &pool->node_capacity, pool->node_count + nodes,
                                   sizeof *pool->nodes, error);
  if (status == ELMAN_OK)
    status = array_grow(&pool->attention, &pool->attention_capacity,
                        pool->attention_count + weights, sizeof *pool->attention, error);
  return status;
}

elman_status beams_reserve(const struct beam *beams, size_t count, elman_error *error) {
  size_t nodes = 0, weights = 0;
  for (size_t b = 0; b < count; b++) {
    const struct beam *beam = &beams[b];
    const size_t most = beam->open == 0 ? 0 : beam->options->beam - beam->finished;
    nodes += most;
    weights += most * beam->heads * beam->request->count;
  }
  return reserve(beams[0].pool, nodes, weights, error);
}

/* Append a node with the attention weights (heads,stride) and return its index. */
static size_t add_node(const struct beam *beam, struct beam_node node, const real *weights,
                       size_t stride) {
  struct beam_pool *pool = beam->pool;
  const size_t S = beam->request->count, K = beam->heads;
  node.attention = pool->attention_count;
  for (size_t n = 0; n < K; n++)
    memcpy(pool->attention + node.attention + n * S, weights + n * stride, S * sizeof *weights);
  pool->attention_count += K * S;
  pool->nodes[pool->node_count] = node;
  return pool->node_count++;
}

enum { UNUSED, USED }; /* Values of `moved` that mark nodes before their new indices are known. */

static void mark(const struct beam_pool *pool, const struct hypothesis *paths, size_t count) {
  for (size_t i = 0; i < count; i++) {
    for (size_t at = paths[i].last; at != BEAM_START && pool->moved[at] == UNUSED;
         at = pool->nodes[at].previous)
      pool->moved[at] = USED;
  }
}

/* Move the nodes in use to the front. Every node comes after its predecessor, so in one pass the
 * predecessor has always been moved already. */
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

static void follow(const struct beam_pool *pool, struct hypothesis *paths, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (paths[i].last != BEAM_START) paths[i].last = pool->moved[paths[i].last];
  }
}

elman_status beams_tidy(const struct beam *beams, size_t count, elman_error *error) {
  struct beam_pool *pool = beams[0].pool;
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
  /* Do nothing until the used part has doubled since the last call, so that the total cost is
   * small. */
  if (pool->tidy_at < 2 * pool->attention_count) pool->tidy_at = 2 * pool->attention_count;
  return ELMAN_OK;
}

/* ---- the score of a hypothesis ---- */

real mean_weight(const real *rows, size_t K, size_t S, size_t s) {
  real sum = 0;
  for (size_t n = 0; n < K; n++) sum += rows[n * S + s];
  return sum / (real)K;
}

/* docs/decoding.md, section 1. Wu et al., "Google's neural machine translation system", 2016,
 * equation 14. */

static double length_divisor(size_t count, const elman_translate_options *options) {
  const double length =
      options->length_norm == ELMAN_LENGTH_WU ? (5 + (double)count) / 6 : (double)count;
  return portable_power(length, options->length_penalty);
}

double score_of_length(double log_probability, size_t count,
                       const elman_translate_options *options) {
  return log_probability / length_divisor(count, options);
}

/* Return the bound (88). In exact arithmetic, let L <= 0 be the logarithm so far, L' the logarithm
 * of the complete translation, n <= limit its number of tokens, and f(n) > 0 the divisor. A
 * probability is at most 1, so L' <= L. f does not decrease, because A >= 0. As min(c, 1) <= 1 and
 * B >= 0, no source token adds more than 0. Hence
 *
 *   score = L' / f(n) + B sum log min(c, 1) <= L' / f(n) <= L / f(n) <= L / f(limit).         (88)
 *
 * In floating point, offer_tokens ensures L' <= L. The two quotients and their powers have errors
 * of a few units in the last place. The factor below raises the bound by more than these errors. */
double score_bound(double log_probability, size_t limit, const elman_translate_options *options) {
  return score_of_length(log_probability, limit, options) * (1 - 8 * DBL_EPSILON);
}

/* Return log min(coverage, 1), where `coverage` is the sum of a source token's attention weights
 * (87). Replace a coverage of 0 by the smallest normal float, so that the score is finite. */
static double score_of_coverage(double coverage) {
  return portable_log(fmin(fmax(coverage, (double)FLT_MIN), 1));
}

/* ---- sampling ---- */

/* The next token is drawn from the softmax of the logits, optionally restricted to the k most
 * probable tokens (Fan, Lewis and Dauphin, "Hierarchical neural story generation", ACL 2018).
 * docs/decoding.md, (90) and (91). */

/* The tokens from which the next token is drawn. */
struct candidates {
  const real *logits; /* (V) */
  size_t V;
  bool without_unknown;
};

static bool is_candidate(const struct candidates *candidates, size_t id) {
  return id != TOKEN_START && (id != TOKEN_UNKNOWN || !candidates->without_unknown);
}

struct ranked {
  real logit;
  size_t id;
};

/* Return whether a ranks before b. Equal logits are ordered by id. */
static bool is_before(struct ranked a, struct ranked b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

/* Restore the heap. Its root is the candidate that ranks last. */
static void sift_down(struct ranked *heap, size_t count, size_t at) {
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && is_before(heap[child], heap[child + 1])) child++;
    if (!is_before(heap[at], heap[child])) return;
    const struct ranked kept = heap[at];
    heap[at] = heap[child];
    heap[child] = kept;
  }
}

/* Return the candidate that ranks k-th. If there are fewer than k, return a value that ranks after
 * all of them. */
static struct ranked last_of(const struct candidates *candidates, size_t k) {
  struct ranked heap[ELMAN_MAX_TOP_K];
  size_t count = 0;
  for (size_t id = 0; id < candidates->V; id++) {
    const struct ranked one = {candidates->logits[id], id};
    if (!is_candidate(candidates, id)) continue;
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
  const struct candidates candidates = {logits, V, without_unknown};
  const struct random_stream stream = {options->seed, RANDOM_SAMPLE, (uint32_t)step};
  const struct ranked last = options->top_k == 0 ? (struct ranked){-(real)INFINITY, SIZE_MAX}
                                                 : last_of(&candidates, options->top_k);
  double largest = -INFINITY, part = INFINITY;
  size_t drawn = TOKEN_END;
  for (size_t id = 0; id < V; id++)
    if (is_candidate(&candidates, id)) largest = fmax(largest, (double)logits[id]);
  /* The first round sums all candidates. The second stops at the drawn fraction of the sum. */
  for (int time = 0; time < 2; time++) {
    double sum = 0;
    for (size_t id = 0; id < V && sum <= part; id++) {
      if (!is_candidate(&candidates, id) || is_before(last, (struct ranked){logits[id], id}))
        continue;
      sum += portable_exp(((double)logits[id] - largest) / options->temperature);
      drawn = id;
    }
    part = random_uniform(stream, sentence) * sum;
  }
  return (uint32_t)drawn;
}

/* ---- choosing ---- */

/* The best continuations so far, the most probable first. In these paths `last` is the id of the
 * next token, not a node. */
struct choice {
  struct hypothesis *paths;
  size_t count, most;
  bool without_unknown;
  const struct hypothesis *after; /* offer only what ranks after this path; NULL = offer all */
};

/* Return whether a path ranks after another one: by log-probability, then by row, then by id. */
static bool is_after(const struct hypothesis *path, const struct hypothesis *other) {
  if (path->log_probability != other->log_probability)
    return path->log_probability < other->log_probability;
  return path->row > other->row || (path->row == other->row && path->last > other->last);
}

/* Insert a path. Equally probable paths keep the order in which they are offered: by row, then by
 * id. */
static void offer(struct choice *choice, struct hypothesis path) {
  if (choice->count == choice->most &&
      !(path.log_probability > choice->paths[choice->most - 1].log_probability))
    return;
  if (choice->after != NULL && !is_after(&path, choice->after)) return;
  if (choice->count == choice->most) choice->count--;
  size_t at = choice->count++;
  for (; at > 0 && path.log_probability > choice->paths[at - 1].log_probability; at--)
    choice->paths[at] = choice->paths[at - 1];
  choice->paths[at] = path;
}

/* Offer the tokens from `first` to `end` - 1; skip tokens that never occur in a translation. Add
 * each token's logit to the log-probability of `path`. Limit the sum to `most`, the log-probability
 * before this token, because rounding error could make it larger. */
static void offer_tokens(struct choice *choice, struct hypothesis path, double most,
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

/* Return whether the next token of hypotheses with `count` tokens is given. */
static bool is_forced(const struct beam *beam, size_t count) {
  const struct search_request *request = beam->request;
  return request->forced != NULL && (!request->is_prefix || count < request->forced_count);
}

uint32_t beam_forced_token(const struct beam *beam) {
  const size_t count = beam->paths[0].count;
  return count < beam->request->forced_count ? beam->request->forced[count] : (uint32_t)TOKEN_END;
}

/* Return whether a path of this log-probability would be inserted. */
static bool can_enter(const struct choice *choice, double log_probability) {
  return choice->count < choice->most ||
         log_probability > choice->paths[choice->most - 1].log_probability;
}

/* Offer the tokens of a block in parts. Skip a part if none of its tokens can enter. Nearly all
 * parts are skipped. */
static void offer_block(struct choice *choice, struct hypothesis path, double most,
                        const real *logits, size_t V, size_t block) {
  enum { PART = 32 };
  const size_t start = block * SCORES_BLOCK, rest = V - start;
  const size_t end = start + (rest < SCORES_BLOCK ? rest : SCORES_BLOCK);
  for (size_t first = start; first < end; first += PART) {
    const size_t count = end - first < PART ? end - first : PART;
    if (can_enter(choice, path.log_probability + (double)maximum(logits + first, count)))
      offer_tokens(choice, path, most, logits, first, first + count);
  }
}

/* Return the number from which samples of a sentence are drawn: the number of the text in the low
 * bits, and the number of the part of the text in the high bits. */
static uint64_t random_number(const struct search_request *request) {
  enum { PART_BITS = 24 };
  return request->number ^ (uint64_t)request->part << (64 - PART_BITS);
}

/* Offer the continuations of open hypothesis i with the scores of `row`. Return false on
 * overflow. */
static bool offer_row(struct choice *choice, const struct beam *beam, size_t i,
                      const struct output_scores *scores, size_t row) {
  const struct hypothesis *last = &beam->paths[i];
  const real *logits = scores->logits + row * scores->V;
  const real *largest = scores->largest + row * scores->blocks;
  const struct hypothesis path = {.count = last->count + 1,
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
                                   random_number(beam->request), last->count);
    offer_tokens(choice, path, last->log_probability, logits, id, id + 1);
    return true;
  }
  for (size_t block = 0; block < scores->blocks; block++)
    if (can_enter(choice, path.log_probability + (double)largest[block]))
      offer_block(choice, path, last->log_probability, logits, scores->V, block);
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
  return choice->count > 0 || choice->after != NULL;
}

/* ---- growing ---- */

/* Return Σ_s log min(Σ_t a_ts, 1), with weights averaged over heads. (87) */
static double coverage_of(const struct beam *beam, const struct hypothesis *path) {
  const struct beam_pool *pool = beam->pool;
  const size_t S = beam->request->count;
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

static double score_of(const struct beam *beam, const struct hypothesis *path) {
  const elman_translate_options *options = beam->options;
  double score = score_of_length(path->log_probability, path->count, options);
  if (options->coverage_penalty > 0) score += options->coverage_penalty * coverage_of(beam, path);
  return score;
}

/* Insert a path into the finished hypotheses. Its score must be set. */
static void rank(struct beam *beam, struct hypothesis path) {
  size_t at = beam->finished++;
  for (; at > 0 && path.score > beam->ended[at - 1].score; at--)
    beam->ended[at] = beam->ended[at - 1];
  beam->ended[at] = path;
}

/* Return whether an open hypothesis can still enter the n best. Its score must exceed that of the
 * last of the n best, because among equal scores the hypothesis that ended first stays in front.
 * The first open hypothesis is the most probable, so its bound is the largest. */
static bool can_still_win(const struct beam *beam) {
  const elman_translate_options *options = beam->options;
  if (beam->finished < options->n_best) return true;
  return score_bound(beam->paths[0].log_probability, beam->limit, options) >
         beam->ended[options->n_best - 1].score;
}

/* Append the node of a chosen path. Let `last` of the path refer to the node. */
static void link_path(const struct beam *beam, struct hypothesis *path, const real *weights,
                      size_t stride) {
  const struct hypothesis *before = &beam->paths[path->row];
  const struct beam_node node = {.previous = before->last,
                                 .log_probability = path->log_probability - before->log_probability,
                                 .id = (uint32_t)path->last};
  path->last = add_node(beam, node, weights + path->row * beam->heads * stride, stride);
}

static bool has_ended(const struct beam *beam, const struct hypothesis *path) {
  return beam->pool->nodes[path->last].id == TOKEN_END || path->count == beam->limit;
}

/* Continue with the first `open` paths of `grown`, unless the search ends. */
static void continue_with(struct beam *beam, size_t open) {
  memcpy(beam->paths, beam->grown, open * sizeof *beam->paths);
  beam->open = open > 0 && can_still_win(beam) ? open : 0;
}

/* Convert the chosen paths to hypotheses. */
static void extend(struct beam *beam, const struct choice *choice, const real *weights,
                   size_t stride) {
  size_t open = 0;
  for (size_t i = 0; i < choice->count; i++) {
    struct hypothesis path = choice->paths[i];
    link_path(beam, &path, weights, stride);
    if (has_ended(beam, &path)) {
      path.score = score_of(beam, &path);
      rank(beam, path);
    } else {
      choice->paths[open++] = path; /* open <= i: no path is overwritten before it is read */
    }
  }
  continue_with(beam, open);
}

/* ---- hypotheses with equal text: docs/decoding.md, section 5 ---- */

static bool is_prefix(const void *items, size_t item, const void *key) {
  const struct beam_prefix *prefix = &((const struct beam_prefix *)items)[item], *wanted = key;
  return prefix->beam == wanted->beam && prefix->key == wanted->key;
}

/* Set *merged to whether an open hypothesis of this beam with the same text was at least as
 * probable. If there was none, remember the text. */
static elman_status merge_open(bool *merged, const struct beam *beam, const struct hypothesis *path,
                               uint64_t key, elman_error *error) {
  struct beam_pool *pool = beam->pool;
  const struct beam_prefix prefix = {beam, key, path->log_probability};
  if (key == 0) return ELMAN_OK;
  elman_status status = ELMAN_OK;
  if (pool->prefix_count == 0) status = table_reset(&pool->known, 0, error);
  if (status != ELMAN_OK) return status;
  const uint32_t at = table_find(&pool->known, key, is_prefix, pool->prefixes, &prefix);
  if (at != TABLE_NONE) {
    *merged = pool->prefixes[at].log_probability >= path->log_probability;
    if (!*merged) pool->prefixes[at] = prefix;
    return ELMAN_OK;
  }
  status = array_grow(&pool->prefixes, &pool->prefix_capacity, pool->prefix_count + 1,
                      sizeof *pool->prefixes, error);
  if (status == ELMAN_OK) status = table_add(&pool->known, key, pool->prefix_count, error);
  if (status == ELMAN_OK) pool->prefixes[pool->prefix_count++] = prefix;
  return status;
}

/* Return true if the text of a hypothesis that has ended is excluded, or equals the text of a
 * finished hypothesis. Replace the finished hypothesis if its score is lower. */
static bool merge_ended(struct beam *beam, const struct hypothesis *path) {
  if (path->key == 0) return true;
  for (size_t i = 0; i < beam->finished; i++) {
    if (beam->ended[i].key != path->key) continue;
    if (path->score > beam->ended[i].score) {
      beam->finished--;
      memmove(beam->ended + i, beam->ended + i + 1, (beam->finished - i) * sizeof *beam->ended);
      rank(beam, *path);
    }
    return true;
  }
  return false;
}

/* Link a chosen path. Set *merged if the path is merged into another hypothesis or does not count.
 * Otherwise the path takes a place: it becomes a finished hypothesis, or the last of the *open open
 * hypotheses in `grown`. */
static elman_status take_place(bool *merged, size_t *open, struct beam *beam,
                               struct hypothesis path, const real *weights, size_t stride,
                               elman_error *error) {
  uint64_t key = 0;
  elman_status status = reserve(beam->pool, 1, beam->heads * beam->request->count, error);
  *merged = false;
  if (status != ELMAN_OK) return status;
  link_path(beam, &path, weights, stride);
  const bool ended = has_ended(beam, &path);
  if (ended) path.score = score_of(beam, &path);
  if (ended && path.score > beam->request->ceiling) {
    *merged = true;
    return ELMAN_OK;
  }
  status = beam->texts->key(beam->texts->context, &key, beam, &path, ended, error);
  if (status != ELMAN_OK) return status;
  if (ended) {
    path.key = key;
    *merged = merge_ended(beam, &path);
    if (!*merged) rank(beam, path);
    return ELMAN_OK;
  }
  status = merge_open(merged, beam, &path, key, error);
  if (status == ELMAN_OK && !*merged) beam->grown[(*open)++] = path;
  return status;
}
void beam_start(struct beam *beam) {
  const struct search_request *request = beam->request;
  beam->paths[0] = (struct hypothesis){.last = BEAM_START};
  beam->open = 1;
  beam->finished = 0;
  beam->limit =
      request->forced != NULL && !request->is_prefix ? request->forced_count + 1 : request->limit;
  beam->overflow = false;
}

static void overflow(struct beam *beam) {
  beam->overflow = true;
  beam->open = 0;
}

/* Return whether all continuations end in this step and only their length and log-probability
 * decide their score. If so, set *after so that the continuations whose score exceeds the ceiling
 * rank before it; there may be very many of them. The last factor allows for rounding errors, as
 * the factor in score_bound does. */
static bool skip_above_ceiling(struct hypothesis *after, const struct beam *beam) {
  const elman_translate_options *options = beam->options;
  if (beam->paths[0].count + 1 < beam->limit || options->coverage_penalty > 0) return false;
  const double divisor = length_divisor(beam->limit, options);
  *after = (struct hypothesis){.log_probability =
                                   beam->request->ceiling * divisor * (1 - 8 * DBL_EPSILON)};
  return true;
}

/* Extend the open hypotheses. When a chosen path is merged, choose the next path for its place. Try
 * a limited number of paths, so that a step takes limited time. */
static elman_status grow_texts(struct beam *beam, const struct output_scores *scores, size_t first,
                               const real *weights, size_t stride, elman_error *error) {
  enum { TRIES = 16 }; /* maximum for each place of the beam */
  struct beam_pool *pool = beam->pool;
  const size_t width = beam->options->beam;
  struct hypothesis after;
  size_t open = 0, tried = 0;
  elman_status status =
      array_grow(&pool->chosen, &pool->chosen_capacity, width, sizeof *pool->chosen, error);
  if (status != ELMAN_OK) return status;
  struct choice choice = {.paths = pool->chosen,
                          .most = width - beam->finished,
                          .without_unknown = beam->without_unknown};
  if (skip_above_ceiling(&after, beam)) choice.after = &after;
  do {
    choice.count = 0;
    if (!choose(&choice, beam, scores, first)) {
      overflow(beam);
      return ELMAN_OK;
    }
    for (size_t i = 0; i < choice.count && beam->finished + open < width; i++) {
      bool merged;
      status = take_place(&merged, &open, beam, choice.paths[i], weights, stride, error);
      if (status != ELMAN_OK) return status;
      after = choice.paths[i];
      tried++;
    }
    choice.after = &after;
  } while (beam->finished + open < width && choice.count == choice.most && tried < TRIES * width);
  continue_with(beam, open);
  return ELMAN_OK;
}

elman_status beam_grow(struct beam *beam, const struct output_scores *scores, size_t first,
                       const real *weights, size_t stride, elman_error *error) {
  const bool forced = is_forced(beam, beam->paths[0].count);
  struct choice choice = {.paths = beam->grown,
                          .most = forced ? 1 : beam->options->beam - beam->finished,
                          .without_unknown = beam->without_unknown};
  if (beam->texts != NULL && !forced)
    return grow_texts(beam, scores, first, weights, stride, error);
  if (choose(&choice, beam, scores, first))
    extend(beam, &choice, weights, stride);
  else
    overflow(beam);
  return ELMAN_OK;
}

void beam_close(struct beam *beam) {
  if (beam->overflow) beam->finished = 0;
  if (beam->finished > beam->options->n_best) beam->finished = beam->options->n_best;
}

/* ---- greedy search with probabilities added later ---- */

size_t beam_append(struct beam *beam, uint32_t id, const real *weights, size_t stride) {
  beam->grown[0] = beam->paths[0];
  beam->grown[0].last = id;
  beam->grown[0].count++;
  beam->grown[0].row = 0;
  const struct choice choice = {.paths = beam->grown, .count = 1, .most = 1};
  extend(beam, &choice, weights, stride);
  return beam->pool->node_count - 1;
}

static struct hypothesis *only_path(struct beam *beam) {
  return beam->finished > 0 ? &beam->ended[0] : &beam->paths[0];
}

void beam_add_log_probability(struct beam *beam, size_t node, double log_probability) {
  only_path(beam)->log_probability += log_probability;
  beam->pool->nodes[node].log_probability = log_probability;
}

void beam_score(struct beam *beam, bool wanted) {
  struct hypothesis *path = only_path(beam);
  if (!wanted) path->log_probability = (double)NAN;
  path->score = score_of(beam, path);
}

/* ---- results ---- */

void path_ids(uint32_t *ids, const struct beam *beam, const struct hypothesis *path) {
  const struct beam_node *nodes = beam->pool->nodes;
  size_t at = path->last;
  for (size_t t = path->count; t-- > 0; at = nodes[at].previous) ids[t] = nodes[at].id;
}

void hypothesis_log_probabilities(double *log_probabilities, const struct beam *beam, size_t n) {
  const struct beam_node *nodes = beam->pool->nodes;
  const bool known = !isnan(beam->ended[n].log_probability);
  size_t at = beam->ended[n].last;
  for (size_t t = beam->ended[n].count; t-- > 0; at = nodes[at].previous)
    log_probabilities[t] = known ? nodes[at].log_probability : (double)NAN;
}

/* Return the weights (K,S) of node `at`. */
static const real *node_weights(const struct beam *beam, size_t at) {
  return beam->pool->attention + beam->pool->nodes[at].attention;
}

void hypothesis_attention(float *attention, float *heads, const struct beam *beam, size_t n) {
  const size_t T = beam->ended[n].count, S = beam->request->count, K = beam->heads;
  size_t at = beam->ended[n].last;
  for (size_t t = T; t-- > 0; at = beam->pool->nodes[at].previous) {
    const real *rows = node_weights(beam, at);
    for (size_t s = 0; s < S; s++) attention[t * S + s] = (float)mean_weight(rows, K, S, s);
    for (size_t h = 0; h < K && heads != attention; h++)
      for (size_t s = 0; s < S; s++) heads[(h * T + t) * S + s] = (float)rows[h * S + s];
  }
}

void hypothesis_sentinel(float *sentinel, const struct beam *beam, size_t n) {
  size_t at = beam->ended[n].last;
  for (size_t t = beam->ended[n].count; t-- > 0; at = beam->pool->nodes[at].previous)
    sentinel[t] = (float)mask_rest(node_weights(beam, at), beam->request->count);
}

size_t path_best_source(const struct beam *beam, const struct hypothesis *path, size_t t,
                        const size_t *firsts) {
  const size_t S = beam->request->count, K = beam->heads;
  double largest = -1;
  size_t at = path->last, best = S;
  for (size_t i = path->count - 1; i > t; i--) at = beam->pool->nodes[at].previous;
  const real *rows = node_weights(beam, at);
  for (size_t s = 0, next; s < S; s = next) {
    double weight = 0;
    for (next = s; next < S && (next == s || firsts[next] == s); next++)
      weight += mean_weight(rows, K, S, next);
    if (firsts[s] == s && weight > largest) {
      largest = weight;
      best = s;
    }
  }
  return best;
}
