#include "metric/bleu.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void words_free(struct bleu_words *sentence) {
  tokens_free(&sentence->words);
  free(sentence->numbers);
}

void bleu_work_free(struct bleu_work *work) {
  bleu_passes_free(&work->passes);
  words_free(&work->hypothesis);
  words_free(&work->reference);
  table_free(&work->index);
  ngrams_free(&work->ngrams);
}

static bool is_word(const void *words, size_t position, const void *word) {
  return text_equal(tokens_get(words, position), *(const struct text *)word);
}

/* Numbers the words by where they first stand in `known`, whose words `index` finds; SYMBOL_UNKNOWN
 * for those that it lacks. A sentence that is itself the known one is put into the index. */
static elman_status number_words(struct bleu_words *sentence, const struct bleu_words *known,
                                 struct table *index, elman_error *error) {
  const struct tokens *words = &sentence->words;
  elman_status status = array_grow(&sentence->numbers, &sentence->capacity, words->count,
                                   sizeof *sentence->numbers, error);
  if (status == ELMAN_OK && known == sentence) status = table_reset(index, words->count, error);
  for (size_t i = 0; status == ELMAN_OK && i < words->count; i++) {
    const struct text word = tokens_get(words, i);
    const uint64_t hash = text_hash(word);
    uint32_t *number = &sentence->numbers[i];
    *number = table_find(index, hash, is_word, &known->words, &word);
    if (*number != TABLE_NONE || known != sentence) continue;
    *number = (uint32_t)i;
    status = table_add(index, hash, i, error);
  }
  return status;
}

static elman_status count_hypothesis(uint32_t counts[BLEU_COUNTS], struct bleu_work *work,
                                     struct text text, enum bleu_tokenizer tokenizer,
                                     elman_error *error) {
  struct bleu_words *hypothesis = &work->hypothesis;
  elman_status status = bleu_tokenize(&hypothesis->words, &work->passes, text, tokenizer, error);
  const size_t length = hypothesis->words.count;
  if (status == ELMAN_OK) status = number_words(hypothesis, hypothesis, &work->index, error);
  if (status == ELMAN_OK)
    status = ngrams_count(&work->ngrams, hypothesis->numbers, length, BLEU_ORDERS, error);
  if (status != ELMAN_OK) return status;
  counts[BLEU_HYPOTHESIS_LENGTH] = (uint32_t)length;
  for (size_t n = 1; n <= BLEU_ORDERS; n++)
    counts[BLEU_TOTAL + n - 1] = (uint32_t)ngrams_in(length, n);
  return ELMAN_OK;
}

static size_t distance(size_t a, size_t b) {
  return a < b ? b - a : a - b;
}

static bool is_closer(size_t length, size_t than, size_t to) {
  const size_t near = distance(length, to), far = distance(than, to);
  return near < far || (near == far && length < than);
}

elman_status bleu_count(uint32_t counts[BLEU_COUNTS], struct bleu_work *work,
                        struct text hypothesis, const struct text *references,
                        size_t reference_count, enum bleu_tokenizer tokenizer, elman_error *error) {
  struct bleu_words *reference = &work->reference;
  memset(counts, 0, BLEU_COUNTS * sizeof *counts);
  elman_status status = count_hypothesis(counts, work, hypothesis, tokenizer, error);
  for (size_t r = 0; r < reference_count && status == ELMAN_OK; r++) {
    status = bleu_tokenize(&reference->words, &work->passes, references[r], tokenizer, error);
    if (status == ELMAN_OK)
      status = number_words(reference, &work->hypothesis, &work->index, error);
    if (status != ELMAN_OK) break;
    const size_t length = reference->words.count;
    ngrams_match(&work->ngrams, reference->numbers, length, BLEU_ORDERS, counts + BLEU_MATCHED);
    if (r == 0 || is_closer(length, counts[BLEU_REFERENCE_LENGTH], counts[BLEU_HYPOTHESIS_LENGTH]))
      counts[BLEU_REFERENCE_LENGTH] = (uint32_t)length;
  }
  return status;
}

static double brevity_penalty(double hypothesis_length, double reference_length) {
  if (hypothesis_length >= reference_length) return 1;
  return hypothesis_length > 0 ? exp(1 - reference_length / hypothesis_length) : 0;
}

static bool matched_any(const uint64_t sums[BLEU_COUNTS]) {
  for (size_t n = 0; n < BLEU_ORDERS; n++)
    if (sums[BLEU_MATCHED + n] > 0) return true;
  return false;
}

void bleu_score(elman_metric_scores *scores, const uint64_t sums[BLEU_COUNTS]) {
  scores->bleu = 0;
  memset(scores->precisions, 0, sizeof scores->precisions);
  scores->hypothesis_length = (size_t)sums[BLEU_HYPOTHESIS_LENGTH];
  scores->reference_length = (size_t)sums[BLEU_REFERENCE_LENGTH];
  scores->brevity_penalty =
      brevity_penalty((double)scores->hypothesis_length, (double)scores->reference_length);
  if (!matched_any(sums)) return;
  double halving = 1, log_sum = 0;
  bool zero = false; /* an order without a single n-gram makes the mean zero */
  for (size_t n = 0; n < BLEU_ORDERS; n++) {
    const double matched = (double)sums[BLEU_MATCHED + n], total = (double)sums[BLEU_TOTAL + n];
    if (total == 0) {
      zero = true;
      break;
    }
    /* Each order without a match counts half of the one before: 1/2, 1/4, ... matches. */
    if (matched == 0) halving *= 2;
    scores->precisions[n] = matched == 0 ? 100 / (halving * total) : 100 * matched / total;
    log_sum += log(scores->precisions[n]);
  }
  if (!zero) scores->bleu = scores->brevity_penalty * exp(log_sum / BLEU_ORDERS);
}
