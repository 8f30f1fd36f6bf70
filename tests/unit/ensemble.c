/* Compare ensemble translation with the single networks under teacher forcing. */
#include "searching.h"

enum { MEMBERS = 2, LIMIT = 6 };

/* The first model and a second one that differs as much as possible. */
struct duo {
  struct setup members[MEMBERS];
  const elman_model *ensemble[3]; /* the second model; with a model as its own ensemble: the first
                                     model three times */
};

static void set_up_duo(struct duo *duo, struct model_config config, uint64_t seed, size_t limit) {
  struct model_config other = plain_config(config.target_vocabulary);
  other.hidden_size = 6;
  other.embedding_size = 3;
  other.layers = 2;
  other.bidirectional = true;
  other.cell = "lstm";
  other.attention = "multihead";
  other.attention_heads = 2;
  other.decoder_self_attention = 1;
  set_up(&duo->members[0], config, seed, limit);
  set_up(&duo->members[1], other, seed + 100, limit);
  duo->ensemble[0] = (const elman_model *)&duo->members[1].model;
  duo->members[0].others.ensemble = duo->ensemble;
  duo->members[0].others.ensemble_count = 1;
}

static void tear_down_duo(struct duo *duo) {
  for (size_t m = 0; m < MEMBERS; m++) tear_down(&duo->members[m]);
}

/* Forced decoding leaves its results in the members. */
static double joint_log_probability(struct duo *duo, const struct search_request *request,
                                    const uint32_t *ids, size_t count) {
  double sum = 0;
  for (size_t m = 0; m < MEMBERS; m++)
    sum += forced_log_probability(&duo->members[m], request, ids, count);
  return sum / MEMBERS;
}

static void check_joint(struct duo *duo, const struct search_request *request,
                        const struct found *found, double length_penalty) {
  const size_t T = found->count, S = request->count;
  const double expected = joint_log_probability(duo, request, found->ids, T);
  cr_assert_float_eq(found->log_probability, expected, 10 * CLOSE * (1 - expected));
  cr_assert_float_eq(found->score, found->log_probability / pow((double)T, length_penalty), 1e-9);
  for (size_t t = 0; t < T; t++) {
    for (size_t i = 0; i < S; i++) {
      double sum = 0;
      for (size_t m = 0; m < MEMBERS; m++) sum += forced_weight(&duo->members[m], S, t, i);
      cr_assert_float_eq((double)found->attention[t * S + i], sum / MEMBERS, WEIGHT_CLOSE);
      cr_assert_eq(found->heads[t * S + i], found->attention[t * S + i]);
    }
  }
}

static void check_means(struct model_config config, uint64_t seed) {
  static const struct beam_options options[] = {{1, 1, 1}, {4, 3, 0.7}};
  owned_by(tear_down_duo) struct duo duo;
  struct setup *s = &duo.members[0];
  set_up_duo(&duo, config, seed, LIMIT);
  for (size_t o = 0; o < 2; o++) {
    run(s, 0, SENTENCES, options[o]);
    for (size_t i = 0; i < SENTENCES; i++) {
      cr_assert_eq(s->search.beams[i].finished, options[o].n_best);
      for (size_t n = 0; n < options[o].n_best; n++) {
        const struct found found = found_in(s, i, n);
        check_joint(&duo, &s->requests[i], &found, options[o].length_penalty);
      }
    }
  }
}

Test(ensemble, ensemble_averages_log_probabilities_and_attention) {
  for_all_shapes(check_means);
}

/* At each step greedy search takes the token with the largest mean log p. Mean logits differ from
 * it only by a term common to all tokens. */
Test(ensemble, greedy_search_takes_the_largest_mean) {
  for (uint64_t seed = 1; seed <= 10; seed++) {
    owned_by(tear_down_duo) struct duo duo;
    struct setup *s = &duo.members[0];
    set_up_duo(&duo, plain_config(13), seed, LIMIT);
    run(s, 0, SENTENCES, greedy);
    for (size_t i = 0; i < SENTENCES; i++) {
      const struct found found = found_in(s, i, 0);
      for (size_t t = 0; t < found.count; t++) {
        double means[13] = {0};
        uint32_t best = TOKEN_UNKNOWN;
        for (size_t m = 0; m < MEMBERS; m++) {
          force(&duo.members[m], &s->requests[i], found.ids, t);
          const real *logits = duo.members[m].workspace.decoder.logits + t * 13;
          for (size_t id = 0; id < 13; id++) means[id] += (double)logits[id] / MEMBERS;
        }
        for (uint32_t id = 0; id < 13; id++)
          if (id != TOKEN_START && means[id] > means[best]) best = id;
        cr_assert_float_eq(means[found.ids[t]], means[best], 10 * CLOSE);
      }
    }
  }
}

static void check_itself(struct model_config config, uint64_t seed) {
  static const struct beam_options options[] = {{1, 1, 1}, {4, 3, 0.7}};
  owned_by(tear_down) struct setup s;
  struct found alone[SENTENCES];
  set_up(&s, config, seed, LIMIT);
  const elman_model *const itself[] = {(const elman_model *)&s.model,
                                       (const elman_model *)&s.model};
  for (size_t o = 0; o < 2; o++) {
    for (size_t n = 0; n < options[o].n_best; n++) {
      s.others.ensemble_count = 0;
      run(&s, 0, SENTENCES, options[o]);
      for (size_t i = 0; i < SENTENCES; i++) alone[i] = found_in(&s, i, n);
      s.others.ensemble = itself;
      for (s.others.ensemble_count = 1; s.others.ensemble_count <= 2; s.others.ensemble_count++) {
        run(&s, 0, SENTENCES, options[o]);
        for (size_t i = 0; i < SENTENCES; i++) {
          const struct found together = found_in(&s, i, n);
          const size_t weights = together.count * source_lengths[i];
          cr_assert(same_ids(&alone[i], &together));
          cr_assert_eq(alone[i].score, together.score);
          cr_assert_eq(alone[i].log_probability, together.log_probability);
          cr_assert_arr_eq(alone[i].attention, together.attention, weights * sizeof(float));
        }
      }
    }
  }
}

/* Results are equal to the last bit, because the mean of equal numbers is that number. */
Test(ensemble, model_with_itself_matches_model_alone) {
  for_all_shapes(check_itself);
}

Test(ensemble, wide_beam_finds_the_best_translation) {
  struct candidate all[ALL + 27];
  for (uint64_t seed = 1; seed <= 5; seed++) {
    owned_by(tear_down_duo) struct duo duo;
    struct setup *s = &duo.members[0];
    size_t found = 0;
    set_up_duo(&duo, plain_config(TINY), seed, TINY_LIMIT);
    enumerate(all, &found, (struct candidate){.count = 0});
    for (size_t i = 0; i < found; i++)
      all[i].score = joint_log_probability(&duo, &s->requests[0], all[i].ids, all[i].count) /
                     (double)all[i].count;
    qsort(all, found, sizeof *all, best_first);
    run(s, 0, 1, (struct beam_options){125, found, 1});
    cr_assert_eq(s->search.beams[0].finished, found);
    for (size_t n = 0; n < found; n++)
      cr_assert_float_eq(found_in(s, 0, n).score, all[n].score, 10 * CLOSE * (1 - all[n].score));
  }
}

Test(ensemble, forced_target_is_returned) {
  static const uint32_t forced[] = {3, 0, 7, 7, 12, TOKEN_END};
  owned_by(tear_down_duo) struct duo duo;
  struct setup *s = &duo.members[0];
  set_up_duo(&duo, plain_config(13), 4, 2);
  s->requests[1].forced = forced;
  s->requests[1].forced_count = 5;
  run(s, 1, 1, greedy);
  const struct found found = found_in(s, 0, 0);
  cr_assert_eq(found.count, 6);
  cr_assert_arr_eq(found.ids, forced, sizeof forced);
  check_joint(&duo, &s->requests[1], &found, 1);
}

/* Screening applies to the first model alone, so an ensemble does not use it. */
Test(ensemble, screening_is_not_used) {
  owned_by(tear_down_duo) struct duo duo;
  struct setup *s = &duo.members[0];
  owned_by(screen_free) struct screen screen;
  struct found plain[SENTENCES];
  set_up_duo(&duo, plain_config(13), 7, LIMIT);
  run(s, 0, SENTENCES, greedy);
  for (size_t i = 0; i < SENTENCES; i++) plain[i] = found_in(s, i, 0);
  make_screen(&screen, s, quantized_kernel_at(0));
  run(s, 0, SENTENCES, greedy);
  for (size_t i = 0; i < SENTENCES; i++) {
    const struct found found = found_in(s, i, 0);
    cr_assert(same_ids(&plain[i], &found));
    cr_assert_eq(plain[i].log_probability, found.log_probability);
  }
}

Test(ensemble, overflow_in_one_member_fails_the_sentence) {
  owned_by(tear_down_duo) struct duo duo;
  struct setup *s = &duo.members[0];
  set_up_duo(&duo, plain_config(13), 8, LIMIT);
  duo.members[1].model.weights.decoder.out_bias[3] = (real)NAN;
  run(s, 0, SENTENCES, (struct beam_options){3, 2, 1});
  for (size_t i = 0; i < SENTENCES; i++) cr_assert_eq(s->search.beams[i].finished, 0);
}
