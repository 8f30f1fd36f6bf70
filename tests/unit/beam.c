/* Compare beam search in both precisions with the network under teacher forcing: greedy search,
 * probabilities, the best of all translations, and independence of the batch. */
#include "searching.h"
#include "tensor/softmax.h"
#include "translate/translate_all.h"

/* Decode greedily by definition: at each step take the largest logit after the tokens chosen so
 * far. */
static size_t greedy_by_definition(struct setup *s, const struct search_request *request,
                                   uint32_t *ids) {
  const size_t V = s->model.config.target_vocabulary;
  for (size_t t = 0; t < request->limit; t++) {
    force(s, request, ids, t);
    const real *logits = s->workspace.decoder.logits + t * V;
    uint32_t best = TOKEN_UNKNOWN;
    for (uint32_t id = 0; id < V; id++) {
      if (id != TOKEN_START && logits[id] > logits[best]) best = id;
    }
    ids[t] = best;
    if (best == TOKEN_END) return t + 1;
  }
  return request->limit;
}

static void check_hypothesis(struct setup *s, const struct search_request *request,
                             const struct found *hypothesis, double length_penalty) {
  const size_t S = request->count, T = hypothesis->count;
  cr_assert(T >= 1 && T <= request->limit);
  for (size_t t = 0; t < T; t++) {
    cr_assert_neq(hypothesis->ids[t], TOKEN_START);
    cr_assert(t + 1 == T || hypothesis->ids[t] != TOKEN_END);
  }
  cr_assert(T == request->limit || hypothesis->ids[T - 1] == TOKEN_END);
  const double expected = forced_log_probability(s, request, hypothesis->ids, T);
  cr_assert_float_eq(hypothesis->log_probability, expected, 10 * CLOSE * (1 - expected));
  cr_assert_float_eq(hypothesis->score,
                     hypothesis->log_probability / pow((double)T, length_penalty), 1e-9);
  const size_t N = s->model.config.attention_heads;
  const real *weights = s->workspace.decoder.attention.weights; /* (T,1,N,S) */
  for (size_t t = 0; t < T; t++) {
    for (size_t i = 0; i < S; i++) {
      real sum = 0;
      for (size_t n = 0; n < N; n++) {
        const real weight = weights[(t * N + n) * S + i];
        cr_assert_float_eq((real)hypothesis->heads[(n * T + t) * S + i], weight, WEIGHT_CLOSE);
        sum += weight;
      }
      cr_assert_float_eq((real)hypothesis->attention[t * S + i], sum / (real)N, WEIGHT_CLOSE);
    }
  }
}

/* ---- every kind of network ---- */

enum { LIMIT = 7 };

static void check_greedy_run(struct setup *s, uint32_t expected[SENTENCES][LIMIT],
                             const size_t counts[SENTENCES]) {
  run(s, 0, SENTENCES, greedy);
  for (size_t i = 0; i < SENTENCES; i++) {
    cr_assert_eq(s->search.beams[i].finished, 1);
    const struct found hypothesis = found_in(s, i, 0), *found = &hypothesis;
    cr_assert_eq(found->count, counts[i]);
    cr_assert_arr_eq(found->ids, expected[i], counts[i] * sizeof **expected);
    if (s->without_scores)
      cr_assert(isnan(found->log_probability) && isnan(found->score));
    else
      check_hypothesis(s, &s->requests[i], found, 1);
  }
}

static void check_greedy(struct model_config config, uint64_t seed) {
  owned_by(tear_down) struct setup s;
  uint32_t expected[SENTENCES][LIMIT];
  size_t counts[SENTENCES];
  set_up(&s, config, seed, LIMIT);
  for (size_t i = 0; i < SENTENCES; i++)
    counts[i] = greedy_by_definition(&s, &s.requests[i], expected[i]);
  check_greedy_run(&s, expected, counts);
  for (size_t i = 0; quantized_kernel_at(i) != NULL; i++) {
    struct quantized_kernel kernel = *quantized_kernel_at(i);
    owned_by(screen_free) struct screen screen;
    kernel.one_row = false; /* also on processors where float products are faster */
    make_screen(&screen, &s, &kernel);
    for (int without = 0; without < 2; without++) {
      s.without_scores = without;
      check_greedy_run(&s, expected, counts);
    }
  }
}

Test(beam, beam_size_1_is_greedy_search) {
  for_all_shapes(check_greedy);
}

/* Use more steps than the buffer of delayed probabilities has room for. */
Test(beam, long_greedy_search_has_its_probability) {
  owned_by(tear_down) struct setup s;
  owned_by(screen_free) struct screen screen;
  set_up(&s, plain_config(13), 3, 150);
  s.model.weights.decoder.out_bias[TOKEN_END] = -100;
  make_screen(&screen, &s, quantized_kernel_at(0));
  run(&s, 0, SENTENCES, greedy);
  for (size_t i = 0; i < SENTENCES; i++) {
    const struct found hypothesis = found_in(&s, i, 0), *found = &hypothesis;
    cr_assert_eq(found->count, 150);
    cr_assert_float_eq(found->log_probability,
                       forced_log_probability(&s, &s.requests[i], found->ids, 150), 1000 * CLOSE);
  }
}

static void check_n_best(struct model_config config, uint64_t seed) {
  const struct beam_options options = {5, 4, 0.7};
  owned_by(tear_down) struct setup s;
  set_up(&s, config, seed, 6);
  run(&s, 0, SENTENCES, options);
  for (size_t i = 0; i < SENTENCES; i++) {
    cr_assert_eq(s.search.beams[i].finished, options.n_best);
    for (size_t n = 0; n < options.n_best; n++) {
      const struct found one = found_in(&s, i, n);
      check_hypothesis(&s, &s.requests[i], &one, options.length_penalty);
      for (size_t m = 0; m < n; m++) {
        const struct found better = found_in(&s, i, m);
        cr_assert(better.score >= one.score);
        cr_assert_not(same_ids(&better, &one));
      }
    }
  }
}

Test(beam, n_best_lists_are_sorted_and_distinct) {
  for_all_shapes(check_n_best);
}

static void check_independence(struct model_config config, uint64_t seed) {
  const struct beam_options options = {4, 2, 1};
  owned_by(tear_down) struct setup together, alone;
  set_up(&together, config, seed, 6);
  set_up(&alone, config, seed, 6);
  run(&together, 0, SENTENCES, options);
  for (size_t i = 0; i < SENTENCES; i++) {
    run(&alone, i, 1, options);
    cr_assert_eq(together.search.beams[i].finished, alone.search.beams[0].finished);
    for (size_t n = 0; n < alone.search.beams[0].finished; n++) {
      const struct found x = found_in(&together, i, n), y = found_in(&alone, 0, n);
      /* If all rectifiers are off, different words have equal scores up to rounding. */
      cr_assert(same_ids(&x, &y) || decoder_sizes_of(&config).cell == rnn_cell_of(CELL_RELU));
      cr_assert_float_eq(x.score, y.score, 10 * CLOSE * (1 - y.score));
    }
  }
}

Test(beam, results_do_not_depend_on_the_batch) {
  for_all_shapes(check_independence);
}

/* ---- widths ---- */

Test(beam, wider_beams_do_not_lose_on_average) {
  double sums[3] = {0};
  static const size_t widths[3] = {1, 4, 16};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    owned_by(tear_down) struct setup s;
    set_up(&s, plain_config(13), seed, 8);
    for (size_t w = 0; w < 3; w++) {
      run(&s, 0, SENTENCES, (struct beam_options){widths[w], 1, 1});
      for (size_t i = 0; i < SENTENCES; i++) sums[w] += s.search.beams[i].ended[0].score;
    }
  }
  cr_assert_lt(sums[0], sums[1]);
  cr_assert_leq(sums[1], sums[2]);
}

/* ---- limits and overflow ---- */

Test(beam, length_limits_hold) {
  owned_by(tear_down) struct setup s;
  set_up(&s, plain_config(13), 3, 1);
  s.model.weights.decoder.out_bias[TOKEN_END] = -1000; /* never ends by itself */
  for (size_t limit = 1; limit <= 64; limit *= 4) {
    for (size_t i = 0; i < SENTENCES; i++) s.requests[i].limit = limit + i;
    run(&s, 0, SENTENCES, (struct beam_options){3, 3, 1});
    for (size_t i = 0; i < SENTENCES; i++)
      for (size_t n = 0; n < 3; n++) cr_assert_eq(s.search.beams[i].ended[n].count, limit + i);
  }
  s.model.weights.decoder.out_bias[TOKEN_END] = 1000; /* ends at once */
  run(&s, 0, SENTENCES, (struct beam_options){3, 1, 1});
  for (size_t i = 0; i < SENTENCES; i++) {
    const struct found found = found_in(&s, i, 0);
    cr_assert_eq(found.count, 1);
    cr_assert_eq(found.ids[0], TOKEN_END);
  }
}

Test(beam, forced_targets_may_exceed_the_limit) {
  static const uint32_t forced[] = {3, 0, 7, 7, 12};
  owned_by(tear_down) struct setup s;
  set_up(&s, plain_config(13), 4, 2);
  s.requests[1].forced = forced;
  s.requests[1].forced_count = 5;
  run(&s, 0, 3, greedy);
  const struct found hypothesis = found_in(&s, 1, 0), *found = &hypothesis;
  cr_assert_eq(found->count, 6);
  cr_assert_arr_eq(found->ids, forced, sizeof forced);
  cr_assert_eq(found->ids[5], TOKEN_END);
  cr_assert_float_eq(found->log_probability,
                     forced_log_probability(&s, &s.requests[1], found->ids, 6), 100 * CLOSE);
  cr_assert_leq(s.search.beams[0].ended[0].count, 2);
}

static void check_overflow(struct beam_options options, bool screened, bool without_scores) {
  owned_by(tear_down) struct setup s, healthy;
  owned_by(screen_free) struct screen screen = {0}, healthy_screen = {0};
  set_up(&s, plain_config(13), 5, 6);
  for (size_t i = 0; i < SENTENCES; i++)
    for (size_t j = 0; j < LONGEST; j++)
      if (i == 2 || s.ids[i][j] == 10) s.ids[i][j] = i == 2 ? 10 : 9;
  set_up(&healthy, plain_config(13), 5, 6);
  memcpy(healthy.ids, s.ids, sizeof s.ids);
  s.model.weights.encoder.embedding[10 * 6] = NAN;
  if (screened) {
    make_screen(&screen, &s, quantized_kernel_at(0));
    make_screen(&healthy_screen, &healthy, quantized_kernel_at(0));
  }
  s.without_scores = healthy.without_scores = without_scores;
  run(&s, 0, SENTENCES, options);
  run(&healthy, 0, SENTENCES, options);
  for (size_t i = 0; i < SENTENCES; i++) {
    cr_assert_eq(s.search.beams[i].finished, i == 2 ? 0 : options.n_best);
    if (i == 2) continue;
    const struct found a = found_in(&s, i, 0), b = found_in(&healthy, i, 0);
    cr_assert(same_ids(&a, &b));
  }
}

Test(beam, overflow_fails_only_its_sentence) {
  check_overflow((struct beam_options){3, 2, 1}, false, false);
  check_overflow(greedy, false, false);
  check_overflow(greedy, true, false);
  check_overflow(greedy, true, true);
}

/* ---- end of the search ---- */

/* Logits and their scores, laid out as by the output layer. */
enum { MAX_ROWS = 5, MAX_BLOCKS = 3 };
struct small_scores {
  real largest[MAX_ROWS * MAX_BLOCKS];
  double log_sums[MAX_ROWS];
  struct output_scores scores;
};

static void score(struct small_scores *small, real *logits, size_t rows, size_t V) {
  const size_t blocks = (V + SCORES_BLOCK - 1) / SCORES_BLOCK;
  for (size_t i = 0; i < rows; i++) {
    for (size_t v = 0; v < V; v += SCORES_BLOCK)
      small->largest[i * blocks + v / SCORES_BLOCK] =
          maximum(logits + i * V + v, V - v < SCORES_BLOCK ? V - v : SCORES_BLOCK);
    small->log_sums[i] = (double)log_sum_exp(logits + i * V, V);
  }
  small->scores = (struct output_scores){.logits = logits,
                                         .largest = small->largest,
                                         .log_sums = small->log_sums,
                                         .V = V,
                                         .blocks = blocks};
}

/* Make a beam for one source token; the caller owns paths (3,width) and the pool. */
static struct beam small_beam(struct hypothesis *paths, struct beam_pool *pool,
                              const elman_translate_options *options,
                              const struct search_request *request) {
  struct beam beam = {.request = request,
                      .options = options,
                      .pool = pool,
                      .heads = 1,
                      .paths = paths,
                      .ended = paths + options->beam,
                      .grown = paths + 2 * options->beam};
  beam_start(&beam);
  return beam;
}

static void grow(struct beam *beam, const struct small_scores *small, const real *weights) {
  cr_assert_eq(beams_reserve(beam, 1, NULL), ELMAN_OK);
  cr_assert_eq(beam_grow(beam, &small->scores, 0, weights, beam->request->count, NULL), ELMAN_OK);
}

/* A search for a sentence of one token, in which the test chooses the logits. */
struct trial {
  elman_translate_options options;
  struct search_request request;
  struct hypothesis paths[3 * MAX_ROWS];
  struct beam_pool pool;
  struct small_scores small;
  struct beam beam;
  bool exact; /* logits are log-probabilities */
};

static void trial_start(struct trial *trial, struct beam_options options, size_t limit) {
  *trial =
      (struct trial){.options = search_options(options), .request = {.count = 1, .limit = limit}};
  trial->beam = small_beam(trial->paths, &trial->pool, &trial->options, &trial->request);
  beam_pool_clear(&trial->pool);
}

static void trial_free(struct trial *trial) {
  beam_pool_free(&trial->pool);
}

static void trial_grow(struct trial *trial, real *logits, size_t rows, size_t V) {
  static const real weights[MAX_ROWS] = {1, 1, 1, 1, 1};
  score(&trial->small, logits, rows, V);
  for (size_t i = 0; i < rows && trial->exact; i++) trial->small.log_sums[i] = 0;
  grow(&trial->beam, &trial->small, weights);
}

static uint32_t last_id(const struct trial *trial, const struct hypothesis *path) {
  return trial->pool.nodes[path->last].id;
}

/* Make a finished hypothesis of score -1 and an open one whose score at the length limit is at most
 * `open` / 4. Return whether the search continues. */
static bool search_continues(double open) {
  enum { V = 6 };
  owned_by(trial_free) struct trial trial;
  real logits[V] = {-50, -50, -50, (real)open, -50, -50};
  logits[TOKEN_END] = -1;
  trial_start(&trial, (struct beam_options){2, 1, 1}, 4);
  trial.exact = true;
  trial_grow(&trial, logits, 1, V);
  cr_assert_eq(trial.beam.finished, 1);
  cr_assert_float_eq(trial.beam.ended[0].score, -1, 1e-5);
  return trial.beam.open > 0;
}

Test(beam, search_ends_when_no_open_hypothesis_can_win) {
  cr_assert(search_continues(-2));
  cr_assert(search_continues(-3.99));
  cr_assert_not(search_continues(-4.01));
  cr_assert_not(search_continues(-5.5));
}

/* Among equally likely hypotheses, the one with the smaller token comes first. */
Test(beam, ties_keep_the_vocabulary_order) {
  enum { V = 8, WIDTH = 4 };
  static const uint32_t expected[WIDTH] = {4, 6, 3, 5};
  real logits[V] = {-9, -9, -9, 1, 2, 1, 2, 1};
  owned_by(trial_free) struct trial trial;
  trial_start(&trial, (struct beam_options){WIDTH, WIDTH, 0}, 9);
  trial_grow(&trial, logits, 1, V);
  cr_assert_eq(trial.beam.open, WIDTH);
  for (size_t i = 0; i < WIDTH; i++)
    cr_assert_eq(last_id(&trial, &trial.beam.paths[i]), expected[i], "place %zu", i);
}

/* A continuation of a row by a token. */
struct continuation {
  double log_probability;
  size_t row, id;
};

static int most_probable_first(const void *left, const void *right) {
  const struct continuation *a = left, *b = right;
  if (a->log_probability != b->log_probability)
    return a->log_probability > b->log_probability ? -1 : 1;
  if (a->row != b->row) return a->row < b->row ? -1 : 1;
  return (a->id > b->id) - (a->id < b->id);
}

/* Sort all continuations of the open hypotheses. Return the array, which the caller frees. */
static struct continuation *sorted_continuations(const struct beam *beam,
                                                 const struct small_scores *small, size_t V) {
  struct continuation *all = calloc(beam->open * V, sizeof *all);
  size_t count = 0;
  for (size_t row = 0; row < beam->open; row++)
    for (size_t id = 0; id < V; id++) {
      const double before = beam->paths[row].log_probability - small->log_sums[row];
      const double sum = before + (double)small->scores.logits[row * V + id];
      const double most = beam->paths[row].log_probability;
      all[count++] = (struct continuation){sum > most ? most : sum, row, id};
    }
  qsort(all, count, sizeof *all, most_probable_first);
  return all;
}

/* Blocks and parts of blocks may be skipped only if none of their tokens is chosen, also if many
 * tokens are equally probable. */
Test(beam, the_best_tokens_of_many_blocks_are_chosen) {
  enum { V = 2 * SCORES_BLOCK + 37, WIDTH = 5, STEPS = 6, LEVELS = 12 };
  for (unsigned which = 0; which < 40; which++) {
    owned_by(trial_free) struct trial trial;
    trial_start(&trial, (struct beam_options){WIDTH, WIDTH, 0}, STEPS + 1);
    const struct beam *beam = &trial.beam;
    for (size_t step = 0; step < STEPS; step++) {
      owned real *logits =
          random_reals(beam->open * V, LEVELS / 4.0, which * STEPS + (unsigned)step);
      for (size_t i = 0; i < beam->open * V; i++) {
        if (which % 2 == 0) logits[i] = (real)round((double)logits[i]);
        if (i % V == TOKEN_START || i % V == TOKEN_END) logits[i] = -99;
      }
      score(&trial.small, logits, beam->open, V);
      owned struct continuation *expected = sorted_continuations(beam, &trial.small, V);
      trial_grow(&trial, logits, beam->open, V);
      cr_assert_eq(beam->open, WIDTH);
      for (size_t i = 0; i < WIDTH; i++) {
        cr_assert_eq(last_id(&trial, &beam->paths[i]), expected[i].id, "%u, %zu, %zu", which, step,
                     i);
        cr_assert_eq(beam->paths[i].row, expected[i].row);
        cr_assert_eq(beam->paths[i].log_probability, expected[i].log_probability);
      }
    }
  }
}

/* Among finished hypotheses with equal scores, the one that ended first comes first. */
Test(beam, ties_keep_the_order_of_ending) {
  enum { V = 6, WIDTH = 3 };
  static const uint32_t last[WIDTH] = {TOKEN_END, TOKEN_END, 4};
  static const size_t counts[WIDTH] = {1, 2, 2};
  /* log p is -1 for </s> as the only token, and -2 for 4 </s> and for 4 4 */
  real first[V] = {-50, -50, -1, -50, -1, -50}, second[2 * V] = {-50, -50, -1, -50, -1, -50};
  for (size_t v = 0; v < V; v++) second[V + v] = -60;
  owned_by(trial_free) struct trial trial;
  trial_start(&trial, (struct beam_options){WIDTH, WIDTH, 1}, 2);
  trial.exact = true;
  trial_grow(&trial, first, 1, V);
  cr_assert_eq(trial.beam.finished, 1);
  cr_assert_eq(last_id(&trial, &trial.beam.paths[0]), 4);
  trial_grow(&trial, second, 2, V);
  cr_assert_eq(trial.beam.finished, WIDTH);
  for (size_t i = 0; i < WIDTH; i++) {
    const struct hypothesis *ended = &trial.beam.ended[i];
    cr_assert_eq(ended->score, -1);
    cr_assert_eq(ended->count, counts[i], "place %zu", i);
    cr_assert_eq(last_id(&trial, ended), last[i], "place %zu", i);
  }
}

/* ---- hypotheses with equal text ---- */

/* Append the text: "a" for token 3, "b" for 4, "ab" for 5, and nothing for 6. */
static void append_letters(struct buffer *text, const struct beam *beam,
                           const struct hypothesis *path) {
  static const char *const letters[] = {"?", "", "", "a", "b", "ab", ""};
  uint32_t ids[MAX_STEPS];
  path_ids(ids, beam, path);
  for (size_t t = 0; t < path->count; t++) buffer_append_text(text, text_of(letters[ids[t]]));
}

/* Text "b" is not wanted. */
static elman_status letters_key(void *context, uint64_t *key, const struct beam *beam,
                                const struct hypothesis *path, bool is_finished,
                                elman_error *error) {
  owned_by(buffer_free) struct buffer text = {0};
  (void)error;
  (*(size_t *)context)++;
  append_letters(&text, beam, path);
  *key = text.length == 0 || (is_finished && text_equal(buffer_text(&text), text_of("b")))
             ? 0
             : text_hash(buffer_text(&text));
  return ELMAN_OK;
}

enum { LETTERS = 7, LETTER_STEPS = 4, LETTER_WIDTH = 4 };

/* Search with the same logits at each step. Return the number of finished texts. */
static size_t search_letters(struct buffer *found, const real *logits, bool merge) {
  size_t calls = 0;
  const struct beam_texts texts = {letters_key, &calls};
  owned_by(trial_free) struct trial trial;
  trial_start(&trial, (struct beam_options){LETTER_WIDTH, LETTER_WIDTH, 1}, LETTER_STEPS);
  struct beam *beam = &trial.beam;
  if (merge) beam->texts = &texts;
  while (beam->open > 0) {
    real rows[LETTER_WIDTH * LETTERS];
    for (size_t i = 0; i < beam->open; i++)
      memcpy(rows + i * LETTERS, logits, LETTERS * sizeof *rows);
    trial_grow(&trial, rows, beam->open, LETTERS);
    cr_assert_leq(beam->open + beam->finished, (size_t)LETTER_WIDTH);
  }
  beam_close(beam);
  for (size_t n = 0; n < beam->finished; n++) {
    append_letters(found, beam, &beam->ended[n]);
    buffer_append(found, " ", 1);
    if (n > 0) cr_assert_geq(beam->ended[n - 1].score, beam->ended[n].score);
  }
  cr_assert_eq(calls > 0, merge);
  return beam->finished;
}

static bool lists(const struct buffer *found, const char *word) {
  const size_t length = strlen(word);
  for (struct text rest = buffer_text(found), one; rest.length > 0;) {
    one = text_cut(&rest, ' ');
    if (one.length == length && memcmp(one.bytes, word, length) == 0) return true;
  }
  return false;
}

/* "ab" has two tokenizations. Token 6 has no text, so that every text has more tokenizations. */
Test(beam, hypotheses_with_equal_text_are_merged) {
  const real logits[LETTERS] = {-30, -30, -1, -2, -2, -2, (real)-1.5};
  owned_by(buffer_free) struct buffer plain = {0}, merged = {0};
  cr_assert_eq(search_letters(&plain, logits, false), LETTER_WIDTH);
  cr_assert(lists(&plain, ""), "without a comparison: %s", plain.bytes);
  cr_assert_eq(search_letters(&merged, logits, true), LETTER_WIDTH, "%s", merged.bytes);
  struct text rest = buffer_text(&merged);
  struct text words[LETTER_WIDTH];
  for (size_t n = 0; n < LETTER_WIDTH; n++) {
    words[n] = text_cut(&rest, ' ');
    cr_assert_gt(words[n].length, 0, "%s", merged.bytes);
    for (size_t m = 0; m < n; m++)
      cr_assert_not(text_equal(words[n], words[m]), "%s", merged.bytes);
  }
  cr_assert(lists(&merged, "ab"), "%s", merged.bytes);
  cr_assert(!lists(&merged, "b"), "not wanted: %s", merged.bytes);
}

/* A text keeps the best score, whichever of its tokenizations ends first. */
Test(beam, a_text_keeps_its_best_score) {
  enum { V = LETTERS };
  size_t calls = 0;
  const struct beam_texts texts = {letters_key, &calls};
  owned_by(trial_free) struct trial trial;
  trial_start(&trial, (struct beam_options){3, 3, 0}, 3);
  trial.exact = true;
  struct beam *beam = &trial.beam;
  beam->texts = &texts;
  /* Open: 5 ("ab", -2), 3 ("a", -1). Then "ab" ends with -4, and 3 5 ("aab") with 3 4 ("ab"). */
  real first[V] = {-50, -50, -50, -1, -50, -2, -50}, second[3 * V], third[3 * V];
  for (size_t i = 0; i < 3 * V; i++) second[i] = third[i] = -50;
  trial_grow(&trial, first, 1, V);
  cr_assert_eq(last_id(&trial, &beam->paths[0]), 3);
  cr_assert_eq(last_id(&trial, &beam->paths[1]), 5);
  second[4] = (real)-0.5;           /* "a" + "b" is more probable than "ab" was */
  second[V + TOKEN_END] = (real)-2; /* "ab" ends with -4 */
  trial_grow(&trial, second, 3, V);
  cr_assert_eq(beam->finished, 1);
  cr_assert_float_eq(beam->ended[0].score, -4, 1e-6);
  cr_assert_float_eq(beam->paths[0].log_probability, -1.5, 1e-6);
  third[TOKEN_END] = -1;
  trial_grow(&trial, third, 3, V);
  cr_assert_float_eq(beam->ended[0].score, -2.5, 1e-6, "%g", beam->ended[0].score);
  cr_assert_eq(beam->ended[0].count, 3);
  for (size_t n = 1; n < beam->finished; n++) cr_assert_neq(beam->ended[n].key, beam->ended[0].key);
}

/* The text of a hypothesis is its last token. If no text is wanted, all are merged. */
struct id_texts {
  size_t calls;
  bool wanted;
};

static elman_status id_key(void *context, uint64_t *key, const struct beam *beam,
                           const struct hypothesis *path, bool is_finished, elman_error *error) {
  struct id_texts *texts = context;
  (void)is_finished;
  (void)error;
  texts->calls++;
  *key = texts->wanted ? beam->pool->nodes[path->last].id : 0;
  return ELMAN_OK;
}

/* End all hypotheses in one step, in which token v has the log-probability -v / 8. Return the best
 * token with a text that is wanted and a score of at most `ceiling`; 0 if there is none. */
static size_t end_all(size_t *calls, double ceiling, double coverage, bool wanted) {
  enum { V = MAX_BLOCKS * SCORES_BLOCK };
  struct id_texts context = {.wanted = wanted};
  const struct beam_texts texts = {id_key, &context};
  owned_by(trial_free) struct trial trial;
  real logits[V];
  for (size_t v = 0; v < V; v++) logits[v] = -(real)v / 8;
  trial_start(&trial, (struct beam_options){2, 2, 2}, 1);
  trial.options.coverage_penalty = coverage;
  trial.request.ceiling = ceiling;
  trial.exact = true;
  const struct beam *beam = &trial.beam;
  trial.beam.texts = &texts;
  trial_grow(&trial, logits, 1, V);
  cr_assert_eq(beam->open, 0);
  cr_assert_not(beam->overflow);
  const size_t best = beam->finished == 0 ? 0 : last_id(&trial, &beam->ended[0]);
  if (wanted && coverage == 0)
    for (size_t n = 1; n < beam->finished; n++)
      cr_assert_eq(last_id(&trial, &beam->ended[n]), best + n);
  *calls = context.calls;
  return best;
}

/* A step looks at few texts, although nearly all continuations do not count. */
Test(beam, many_continuations_that_do_not_count_are_skipped) {
  static const struct {
    double ceiling, coverage;
    bool wanted;
    size_t best, most_calls;
  } cases[] = {{-50, 0, true, 400, 3},
               {-1e6, 0, true, 0, 0},
               {0, 0, false, 0, 64},
               {-50, 1, true, 0, 0},
               {-1, 1, true, 8, 64}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t calls;
    cr_assert_eq(end_all(&calls, cases[i].ceiling, cases[i].coverage, cases[i].wanted),
                 cases[i].best, "case %zu", i);
    cr_assert_leq(calls, cases[i].most_calls, "case %zu", i);
  }
}

/* ---- memory ---- */

/* The hypotheses of two sentences grow in two pools, and one pool is compacted after every step.
 * One hypothesis of each sentence ends long before the others. */
Test(beam, compaction_keeps_all_hypotheses) {
  enum { V = 6, STEPS = 20, WIDTH = 3, S = 2, ENDS_IN = 4 };
  const elman_translate_options options = search_options((struct beam_options){WIDTH, WIDTH, 0});
  const struct search_request request = {.count = S, .limit = STEPS};
  struct hypothesis paths[2][2][3 * WIDTH];
  struct beam beams[2][2];
  struct beam_pool pools[2] = {{0}, {0}};
  for (size_t k = 0; k < 2; k++) {
    beam_pool_clear(&pools[k]);
    for (size_t b = 0; b < 2; b++)
      beams[k][b] = small_beam(paths[k][b], &pools[k], &options, &request);
  }
  for (unsigned step = 0; step < STEPS; step++) {
    for (unsigned b = 0; b < 2; b++) {
      owned real *logits = random_reals(WIDTH * V, 2, 4 * step + b);
      owned real *weights = random_reals(WIDTH * S, 1, 4 * step + 2 + b);
      struct small_scores small;
      for (size_t i = 0; i < WIDTH; i++) logits[i * V + TOKEN_END] = -50;
      if (step == ENDS_IN) logits[TOKEN_END] = 50;
      score(&small, logits, WIDTH, V);
      for (size_t k = 0; k < 2; k++) grow(&beams[k][b], &small, weights);
    }
    pools[1].tidy_at = 0;
    for (size_t k = 0; k < 2; k++) cr_assert_eq(beams_tidy(beams[k], 2, NULL), ELMAN_OK);
  }
  cr_assert_lt(pools[1].node_count, pools[0].node_count);
  for (size_t b = 0; b < 2; b++) {
    size_t early = 0;
    cr_assert_eq(beams[0][b].finished, WIDTH);
    cr_assert_eq(beams[1][b].finished, WIDTH);
    for (size_t i = 0; i < WIDTH; i++) {
      size_t at[2] = {beams[0][b].ended[i].last, beams[1][b].ended[i].last};
      early += beams[0][b].ended[i].count == ENDS_IN + 1;
      for (; at[0] != BEAM_START;
           at[0] = pools[0].nodes[at[0]].previous, at[1] = pools[1].nodes[at[1]].previous) {
        cr_assert_lt(at[1], pools[1].node_count, "a path contains a deleted node");
        const struct beam_node *x = &pools[0].nodes[at[0]], *y = &pools[1].nodes[at[1]];
        cr_assert_eq(x->id, y->id);
        cr_assert_arr_eq(pools[0].attention + x->attention, pools[1].attention + y->attention,
                         S * sizeof(real));
      }
      cr_assert_eq(at[1], BEAM_START);
    }
    cr_assert_eq(early, 1);
  }
  beam_pool_free(&pools[0]);
  beam_pool_free(&pools[1]);
}

/* ---- batches of similar length ---- */

Test(beam, sentences_are_batched_by_length) {
  static const elman_sentence sentences[] = {{.length = 3},
                                             {.length = 100000},
                                             {.length = 7},
                                             {.length = 7},
                                             {.length = 0},
                                             {.length = 40000},
                                             {.length = 5},
                                             {.length = 1},
                                             {.length = 6000, .reference = ""},
                                             {.length = 6001, .reference = ""}};
  enum { COUNT = 10 };
  struct length_batches batches;
  cr_assert_eq(length_batches_create(&batches, sentences, COUNT, 3, 5, NULL), ELMAN_OK);
  static const size_t order[COUNT] = {1, 5, 2, 3, 6, 0, 7, 4, 9, 8};
  static const size_t starts[] = {0, 1, 2, 5, 8, 10};
  cr_assert_eq(batches.count, 5);
  for (size_t i = 0; i < COUNT; i++) cr_assert_eq(batches.order[i], &sentences[order[i]]);
  cr_assert_arr_eq(batches.starts, starts, sizeof starts);
  length_batches_free(&batches);
  cr_assert_eq(length_batches_create(&batches, sentences, 0, 3, 5, NULL), ELMAN_OK);
  cr_assert_eq(batches.count, 0);
  length_batches_free(&batches);
}

/* The number of rows is sentences times beam size. Neither the rows nor the source positions may
 * exceed their bounds. */
Test(beam, length_batches_bound_rows_and_positions) {
  enum { COUNT = 700, ROWS = 512, POSITIONS = 1 << 16 };
  static const size_t widths[] = {1, 5, 100, 600};
  elman_sentence sentences[COUNT] = {0};
  for (size_t i = 0; i < COUNT; i++) sentences[i].length = i * i % 997 * (i % 10 == 0 ? 200 : 1);
  for (size_t w = 0; w < 4; w++) {
    owned_by(length_batches_free) struct length_batches batches;
    cr_assert_eq(length_batches_create(&batches, sentences, COUNT, 1000, widths[w], NULL),
                 ELMAN_OK);
    for (size_t i = 0; i < batches.count; i++) {
      const size_t start = batches.starts[i], size = batches.starts[i + 1] - start;
      const size_t rows = size * widths[w], longest = batches.order[start]->length;
      cr_assert(size == 1 || (rows <= ROWS && rows * longest <= POSITIONS),
                "a beam of %zu: %zu sentences of up to %zu", widths[w], size, longest);
    }
  }
}
