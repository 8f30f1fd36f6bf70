/* BLEU and chrF of any lines, with every tokenizer, are from 0 to 100, and 100 for a copy. */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "metric/metric.h"

enum { MAX_LINES = 8 };

static void require_scores(const elman_metric_scores *scores) {
  const double most = 100 + 1e-9;
  REQUIRE(scores->bleu >= 0 && scores->bleu <= most);
  REQUIRE(scores->chrf >= 0 && scores->chrf <= most);
  REQUIRE(scores->brevity_penalty >= 0 && scores->brevity_penalty <= 1);
  for (size_t n = 0; n < BLEU_ORDERS; n++)
    REQUIRE(scores->precisions[n] >= 0 && scores->precisions[n] <= most);
}

static void require_copy_is_best(const struct text *lines, size_t count,
                                 const elman_metric_options *options) {
  const struct metric_references self = {&lines, 1, count};
  elman_metric_scores scores;
  REQUIRE(metric_score_all(&scores, lines, &self, options, NULL) == ELMAN_OK);
  require_scores(&scores);
  if (scores.hypothesis_length >= BLEU_ORDERS * count && count == 1)
    REQUIRE(fabs(scores.bleu - 100) < 1e-9);
  REQUIRE(scores.chrf == 0 || fabs(scores.chrf - 100) < 1e-9);
}

static void compare(const struct text *lines, const struct metric_references *references,
                    const elman_metric_options *options) {
  struct sentence_counts first[MAX_LINES], second[MAX_LINES];
  elman_comparison result;
  REQUIRE(metric_count(first, lines, references, options, NULL) == ELMAN_OK);
  REQUIRE(metric_count(second, references->sets[0], references, options, NULL) == ELMAN_OK);
  REQUIRE(bootstrap(&result, first, second, references->count, options, NULL) == ELMAN_OK);
  REQUIRE(result.bleu_p_value > 0 && result.bleu_p_value <= 1);
  REQUIRE(result.chrf_p_value > 0 && result.chrf_p_value <= 1);
}

bool fuzz_one(const uint8_t *bytes, size_t size) {
  const uint8_t choice = fuzz_take_byte(&bytes, &size);
  const elman_metric_options options = {
      .bleu_tokens = elman_bleu_tokens_name((enum bleu_tokenizer)(choice & 3)),
      .lowercase = choice & 4,
      .chrf_lowercase = choice & 8,
      .resamples = 5,
      .seed = 1};
  struct text rest = fuzz_text(bytes, size), lines[2 * MAX_LINES];
  size_t count = 0;
  while (count < 2 * MAX_LINES) {
    const char *end = rest.length == 0 ? NULL : memchr(rest.bytes, '\n', rest.length);
    const size_t length = end == NULL ? rest.length : (size_t)(end - rest.bytes);
    lines[count++] = (struct text){rest.bytes, length};
    if (end == NULL) break;
    rest = (struct text){end + 1, rest.length - length - 1};
  }
  count /= 2;
  if (count == 0) return false;
  const struct text *sets[] = {lines + count, lines};
  const struct metric_references references = {sets, choice & 16 ? 2 : 1, count};
  elman_metric_scores scores;
  REQUIRE(metric_score_all(&scores, lines, &references, &options, NULL) == ELMAN_OK);
  require_scores(&scores);
  require_copy_is_best(lines, count, &options);
  compare(lines, &references, &options);
  const elman_metric_options fitting = {0}; /* the tokenizer fits the references */
  REQUIRE(metric_score_all(&scores, lines, &references, &fitting, NULL) == ELMAN_OK);
  return true;
}
