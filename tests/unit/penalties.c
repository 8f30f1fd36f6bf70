/* Scores of translations of different lengths: compared with their definition, with an enumeration
 * of all translations, and with a search that does not end early. */
#include "searching.h"
#include "translate/beam.h"

/* The length norms and penalties to test. */
struct penalties {
  elman_length_norm norm;
  double length, coverage;
};
static const struct penalties penalties[] = {
    {ELMAN_LENGTH_POWER, 0, 0},  {ELMAN_LENGTH_POWER, 0.6, 0}, {ELMAN_LENGTH_POWER, 1, 0},
    {ELMAN_LENGTH_POWER, 2, 0},  {ELMAN_LENGTH_POWER, 1, 0.5}, {ELMAN_LENGTH_WU, 0.2, 0},
    {ELMAN_LENGTH_WU, 0.6, 0.2}, {ELMAN_LENGTH_WU, 1, 0},      {ELMAN_LENGTH_WU, 2, 3}};
enum { PENALTIES = sizeof penalties / sizeof *penalties };

static void set_penalties(struct setup *s, size_t p) {
  s->others.length_norm = penalties[p].norm;
  s->others.coverage_penalty = penalties[p].coverage;
}

/* The tolerance for a sum of S logarithms of weights, which are rounded to float. */
static double close_to(const struct setup *s, double score) {
  return 10 * CLOSE * (1 - score) * (1 + s->others.coverage_penalty);
}

static void check_scores(struct model_config config, uint64_t seed) {
  owned_by(tear_down) struct setup s;
  set_up(&s, config, seed, 6);
  const size_t p = seed % PENALTIES;
  set_penalties(&s, p);
  if (config.attention_window > 0) s.others.coverage_penalty = 0; /* log 0: see below */
  for (size_t width = 1; width <= 4; width += 3) {
    run(&s, 0, SENTENCES, (struct beam_options){width, width, penalties[p].length});
    for (size_t i = 0; i < SENTENCES; i++) {
      for (size_t n = 0; n < s.search.beams[i].finished; n++) {
        const struct found one = found_in(&s, i, n);
        const double expected =
            score_by_definition(&s, &s.requests[i], one.ids, one.count, penalties[p].length);
        cr_assert_float_eq(one.score, expected, close_to(&s, expected), "%g, not %g", one.score,
                           expected);
      }
    }
  }
}

Test(penalties, scores_match_their_definition) {
  for_all_shapes(check_scores);
}

/* A source word that no target word attends to has a finite penalty, equal for all such words. */
Test(penalties, unattended_source_word_has_finite_penalty) {
  owned_by(tear_down) struct setup s;
  const elman_override first = {.kind = ELMAN_OVERRIDE_POSITION, .column = 0};
  set_up(&s, plain_config(13), 2, 5);
  s.others.overrides = &first;
  s.others.override_count = 1;
  run(&s, 0, SENTENCES, greedy);
  struct found plain[SENTENCES];
  for (size_t i = 0; i < SENTENCES; i++) plain[i] = found_in(&s, i, 0);
  s.others.coverage_penalty = 0.5;
  run(&s, 0, SENTENCES, greedy);
  for (size_t i = 0; i < SENTENCES; i++) {
    const double unseen = (double)(source_lengths[i] - 1);
    const double lost = plain[i].score - found_in(&s, i, 0).score;
    cr_assert_float_eq(lost, -0.5 * unseen * log((double)FLT_MIN), 1e-9 * (1 + lost));
  }
}

Test(penalties, length_norms_have_names) {
  cr_assert_str_eq(elman_length_norm_name(ELMAN_LENGTH_POWER), "power");
  cr_assert_str_eq(elman_length_norm_name(ELMAN_LENGTH_WU), "wu");
  cr_assert_null(elman_length_norm_name(2));
}

/* ---- enumeration of all translations ---- */

Test(penalties, wide_beam_finds_the_best_translation) {
  struct candidate all[ALL + 27];
  for (uint64_t seed = 1; seed <= 5; seed++) {
    owned_by(tear_down) struct setup s;
    set_up(&s, plain_config(TINY), seed, TINY_LIMIT);
    for (size_t p = 0; p < PENALTIES; p++) {
      size_t found = 0;
      set_penalties(&s, p);
      enumerate(all, &found, (struct candidate){.count = 0});
      for (size_t i = 0; i < found; i++)
        all[i].score =
            score_by_definition(&s, &s.requests[0], all[i].ids, all[i].count, penalties[p].length);
      qsort(all, found, sizeof *all, best_first);
      /* With one translation wanted, the search may stop early; with all of them wanted, it must
       * not. */
      const size_t wanted[] = {1, 3, found};
      for (size_t w = 0; w < 3; w++) {
        run(&s, 0, 1, (struct beam_options){125, wanted[w], penalties[p].length});
        cr_assert_eq(s.search.beams[0].finished, wanted[w]);
        for (size_t n = 0; n < wanted[w]; n++) {
          const struct found one = found_in(&s, 0, n), *hypothesis = &one;
          cr_assert_float_eq(hypothesis->score, all[n].score, close_to(&s, all[n].score));
          if (n + 1 < found && all[n].score - all[n + 1].score > 1e-3 && n == 0)
            cr_assert_arr_eq(hypothesis->ids, all[n].ids, all[n].count * sizeof(uint32_t));
        }
      }
    }
  }
}

/* ---- the early end ---- */

/* If as many translations are wanted as the beam size, the search ends only when all hypotheses
 * have ended. Its best ones must equal, to the last bit, those of a search that may end early.
 * Sentences are translated one by one, because the composition of a batch changes bits. The
 * function adds up the nodes that each search created. */
static void compare(struct setup *s, struct beam_options options, size_t nodes[2]) {
  const struct beam_options all = {options.width, options.width, options.length_penalty};
  struct found whole[2];
  for (size_t i = 0; i < SENTENCES; i++) {
    run(s, i, 1, all);
    nodes[0] += s->search.pool.node_count;
    for (size_t n = 0; n < options.n_best; n++) whole[n] = found_in(s, 0, n);
    run(s, i, 1, options);
    nodes[1] += s->search.pool.node_count;
    for (size_t n = 0; n < options.n_best; n++) {
      const struct found early = found_in(s, 0, n);
      cr_assert(same_ids(&whole[n], &early));
      cr_assert_eq(whole[n].score, early.score);
    }
  }
}

Test(penalties, ending_early_changes_nothing) {
  size_t nodes[PENALTIES][2] = {{0}};
  for (uint64_t seed = 1; seed <= 60; seed++) {
    owned_by(tear_down) struct setup s;
    set_up(&s, plain_config(13), seed, 12);
    /* The models end sentences early or late, and are certain or uncertain. */
    s.model.weights.decoder.out_bias[TOKEN_END] += (real)(seed % 5) - 1;
    for (size_t i = 0; i < s.model.table.block && seed % 2 == 0; i++) s.model.block[i] *= 2;
    for (size_t p = 0; p < PENALTIES; p++) {
      set_penalties(&s, p);
      compare(&s, (struct beam_options){2 + seed % 5, 1 + seed % 2, penalties[p].length}, nodes[p]);
    }
  }
  for (size_t p = 0; p < PENALTIES; p++) cr_assert_leq(nodes[p][1], nodes[p][0]);
  cr_assert_lt(nodes[0][1], nodes[0][0]); /* the search does end early */
}

/* Check the score bound for all lengths up to the limit, including the rounding of pow. */
Test(penalties, scores_do_not_exceed_the_bound) {
  static const double lengths[] = {0, 1e-17, 1e-15, 0.2, 0.6, 1, 1.7, 10};
  for (unsigned norm = 0; norm < 2; norm++) {
    for (size_t a = 0; a < sizeof lengths / sizeof *lengths; a++) {
      const elman_translate_options options = {.length_norm = (elman_length_norm)norm,
                                               .length_penalty = lengths[a]};
      for (size_t limit = 1; limit <= 300; limit++) {
        const double log_probability = -3.7 / (double)limit;
        const double bound = score_bound(log_probability, limit, &options);
        for (size_t n = 1; n <= limit; n++)
          cr_assert_leq(score_of_length(log_probability, n, &options), bound);
        cr_assert_float_eq(bound, score_of_length(log_probability, limit, &options),
                           -1e-14 * bound);
      }
    }
  }
}
