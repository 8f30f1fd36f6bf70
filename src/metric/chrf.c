#include "metric/chrf.h"

#include <stdlib.h>
#include <string.h>

#include "metric/bleu_tokens.h"
#include "vocab/characters.h"

void chrf_work_free(struct chrf_work *work) {
  free(work->hypothesis.codepoints);
  free(work->reference.codepoints);
  ngrams_free(&work->ngrams);
}

static elman_status read_characters(struct characters *characters, struct text text,
                                    elman_error *error) {
  const elman_status status = array_grow(&characters->codepoints, &characters->capacity,
                                         text.length, sizeof *characters->codepoints, error);
  if (status != ELMAN_OK) return status;
  characters->count = 0;
  for (size_t at = 0; at < text.length;) {
    const int codepoint = character_at(text, &at);
    if (!is_python_space(codepoint))
      characters->codepoints[characters->count++] = (uint32_t)codepoint;
  }
  return ELMAN_OK;
}

static void count_against(uint32_t counts[CHRF_COUNTS], struct chrf_work *work) {
  const struct characters *reference = &work->reference;
  memset(counts, 0, CHRF_COUNTS * sizeof *counts);
  for (size_t n = 1; n <= CHRF_ORDERS; n++) {
    const size_t in_reference = ngrams_in(reference->count, n);
    const size_t in_hypothesis = in_reference == 0 ? 0 : ngrams_in(work->hypothesis.count, n);
    counts[CHRF_HYPOTHESIS + n - 1] = (uint32_t)in_hypothesis;
    counts[CHRF_REFERENCE + n - 1] = (uint32_t)in_reference;
  }
  ngrams_forget(&work->ngrams);
  ngrams_match(&work->ngrams, reference->codepoints, reference->count, CHRF_ORDERS,
               counts + CHRF_MATCHED);
}

static double sentence_score(const uint32_t counts[CHRF_COUNTS]) {
  uint64_t sums[CHRF_COUNTS];
  for (size_t i = 0; i < CHRF_COUNTS; i++) sums[i] = counts[i];
  return chrf_score(sums);
}

elman_status chrf_count(uint32_t counts[CHRF_COUNTS], struct chrf_work *work,
                        struct text hypothesis, const struct text *references,
                        size_t reference_count, elman_error *error) {
  struct characters *characters = &work->hypothesis;
  elman_status status = read_characters(characters, hypothesis, error);
  if (status == ELMAN_OK)
    status =
        ngrams_count(&work->ngrams, characters->codepoints, characters->count, CHRF_ORDERS, error);
  double best = -1;
  for (size_t r = 0; r < reference_count && status == ELMAN_OK; r++) {
    status = read_characters(&work->reference, references[r], error);
    if (status != ELMAN_OK) break;
    uint32_t found[CHRF_COUNTS];
    count_against(found, work);
    const double score = sentence_score(found);
    if (score <= best) continue;
    best = score;
    memcpy(counts, found, sizeof found);
  }
  return status;
}

double chrf_score(const uint64_t sums[CHRF_COUNTS]) {
  const double beta_squared = 2 * 2;
  double precision = 0, recall = 0, orders = 0;
  for (size_t n = 0; n < CHRF_ORDERS; n++) {
    const double hypothesis = (double)sums[CHRF_HYPOTHESIS + n];
    const double reference = (double)sums[CHRF_REFERENCE + n];
    const double matched = (double)sums[CHRF_MATCHED + n];
    if (hypothesis == 0 || reference == 0) continue; /* too short for n-grams of this order */
    precision += matched / hypothesis;
    recall += matched / reference;
    orders++;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  const double score = (1 + beta_squared) * precision * recall;
  return 100 * (score / (beta_squared * precision + recall));
}
