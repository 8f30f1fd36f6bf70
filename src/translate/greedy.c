#include "translate/greedy.h"

#include <math.h>

#include "decoder/output.h"
#include "tensor/softmax.h"

size_t greedy_capacity(const struct greedy *greedy, size_t rows) {
  enum { LEAST = 64 };
  if (!greedy->active || !greedy->scores) return rows;
  return rows > LEAST ? rows : LEAST;
}

void greedy_take(struct greedy *greedy, struct arena *arena, struct decoder_cache *decoder,
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
                          const struct decoder_parameters *weights, struct decoder_sizes sizes) {
  const size_t V = sizes.vocabulary;
  output_logits(greedy->logits, greedy->features, greedy->count, weights, sizes);
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

void greedy_before_step(struct greedy *greedy, struct decoder_cache *decoder, struct beam *beams,
                        const struct decoder_parameters *weights, struct decoder_sizes sizes,
                        size_t rows) {
  if (!greedy->active) return;
  if (greedy->count + rows > greedy->most) score_waiting(greedy, beams, weights, sizes);
  decoder->features = greedy->features + greedy->count * decoder_feature_size(sizes);
}

void greedy_after_step(struct greedy *greedy, const struct decoder_cache *decoder, size_t rows) {
  if (greedy->active && greedy->screen != NULL)
    screen_largest(greedy->chosen, greedy->screen, &greedy->scratch, decoder->features, rows);
}

elman_status greedy_grow(struct greedy *greedy, struct beam *beams, size_t sentence, size_t row,
                         const real *weights, size_t stride, elman_error *error) {
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

void greedy_finish(struct greedy *greedy, struct beam *beams, size_t count,
                   const struct decoder_parameters *weights, struct decoder_sizes sizes) {
  if (!greedy->active) return;
  if (greedy->count > 0) score_waiting(greedy, beams, weights, sizes);
  for (size_t b = 0; b < count; b++) {
    if (!greedy->scores) beam_forget_log_probability(&beams[b]);
    beam_score(&beams[b]);
  }
}
