/* BLEU and chrF of any lines, with every tokenizer, are from 0 to 100, and 100 for a copy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "metric/metric.h"

enum { MAX_LINES = 8 };

static void require_scores(const elman_metric_scores *scores) {
  const double most = 100 + 1e-9;
  REQUIRE(scores->bleu >= 0 && scores->bleu <= most);
  REQUIRE(scores->chrf >= 0 && scores->chrf <= most);
  REQUIRE(scores->ter >= 0);
  REQUIRE(scores->brevity_penalty >= 0 && scores->brevity_penalty <= 1);
  for (size_t n = 0; n < BLEU_ORDERS; n++)
    REQUIRE(scores->precisions[n] >= 0 && scores->precisions[n] <= most);
}

static void require_copy_is_best(const char *const *lines, size_t count,
                                 const elman_metric_options *options) {
  elman_metric_scores scores;
  REQUIRE(elman_metrics(&scores, lines, &lines, 1, count, options, NULL) == ELMAN_OK);
  require_scores(&scores);
  if (scores.hypothesis_length >= BLEU_ORDERS * count && count == 1)
    REQUIRE(fabs(scores.bleu - 100) < 1e-9);
  REQUIRE(scores.ter == 0);
  REQUIRE(scores.chrf == 0 || fabs(scores.chrf - 100) < 1e-9);
}

static void compare(const char *const *lines, const char *const *const *sets, size_t set_count,
                    size_t count, const elman_metric_options *options) {
  const char *const *const outputs[] = {lines, sets[0]};
  elman_compared compared[2];
  elman_p_values p_values[4];
  REQUIRE(elman_metrics_compare(compared, p_values, outputs, 2, sets, set_count, count, options,
                                NULL) == ELMAN_OK);
  REQUIRE(p_values[1].bleu > 0 && p_values[1].bleu <= 1);
  REQUIRE(p_values[1].chrf > 0 && p_values[1].chrf <= 1);
  REQUIRE(p_values[1].ter > 0 && p_values[1].ter <= 1);
}

bool fuzz_one(const uint8_t *bytes, size_t size) {
  const uint8_t choice = fuzz_take_byte(&bytes, &size);
  const elman_metric_options options = {
      .bleu_tokens = elman_bleu_tokens_name(1 + (choice & 3) + (choice >> 7)),
      .lowercase = choice & 4,
      .chrf_lowercase = choice & 8,
      .ter = choice & 32,
      .resamples = 5,
      .seed = 1};
  const struct text text = fuzz_text(bytes, size);
  char *const copy = strndup(text.length == 0 ? "" : text.bytes, text.length);
  const char *lines[2 * MAX_LINES];
  size_t count = 0;
  REQUIRE(copy != NULL);
  for (char *rest = copy; rest != NULL && count < 2 * MAX_LINES;)
    lines[count++] = strsep(&rest, "\n");
  count /= 2;
  if (count > 0) {
    const char *const *const sets[] = {lines + count, lines};
    const size_t set_count = choice & 16 ? 2 : 1;
    const elman_metric_options fitting = {0}; /* the tokenizer fits the references */
    elman_metric_scores scores;
    REQUIRE(elman_metrics(&scores, lines, sets, set_count, count, &options, NULL) == ELMAN_OK);
    require_scores(&scores);
    require_copy_is_best(lines, count, &options);
    compare(lines, sets, set_count, count, &options);
    REQUIRE(elman_metrics(&scores, lines, sets, set_count, count, &fitting, NULL) == ELMAN_OK);
  }
  free(copy);
  return count > 0;
}
