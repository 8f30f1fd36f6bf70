#include <stdlib.h>

#include "api/call.h"
#include "metric/metric.h"

/* ---- the caller's strings as texts ---- */

enum { MAX_OUTPUTS = 2 };

/* All sentences of a call in one block of memory. The outputs come first, then the sets of
 * references. */
struct texts {
  struct text *outputs[MAX_OUTPUTS];
  const struct text **sets;
  struct text *block;
  struct metric_references references; /* refers to `sets` */
};

static void texts_free(struct texts *texts) {
  free(texts->block);
  free(texts->sets);
}

/* Allocate memory for `outputs` outputs and `sets` sets of references, each with `count`
 * sentences. */
static elman_status texts_create(struct texts *texts, size_t outputs, size_t sets, size_t count,
                                 elman_error *error) {
  size_t total;
  *texts = (struct texts){0};
  if (sets == 0) return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "no references were given");
  if (count == 0) return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "no sentences were given");
  if (sets > SIZE_MAX - outputs || __builtin_mul_overflow(sets + outputs, count, &total))
    return fail_no_memory(error);
  texts->block = calloc(total, sizeof *texts->block);
  texts->sets = calloc(sets, sizeof *texts->sets);
  if (texts->block == NULL || texts->sets == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < outputs; i++) texts->outputs[i] = texts->block + i * count;
  texts->references = (struct metric_references){texts->sets, sets, count};
  return ELMAN_OK;
}

static struct text *copy_set(struct text *into, const char *const *strings, size_t count) {
  for (size_t i = 0; i < count; i++) into[i] = text_of(strings[i]);
  return into;
}

static void texts_fill(struct texts *texts, const char *const *const *outputs, size_t output_count,
                       const char *const *const *references) {
  const size_t count = texts->references.count;
  for (size_t o = 0; o < output_count; o++) copy_set(texts->outputs[o], outputs[o], count);
  for (size_t r = 0; r < texts->references.set_count; r++)
    texts->sets[r] = copy_set(texts->block + (output_count + r) * count, references[r], count);
}

/* ---- scoring ---- */

elman_status elman_metrics(elman_metric_scores *scores, const char *const *hypotheses,
                           const char *const *const *references, size_t sets, size_t count,
                           const elman_metric_options *options, elman_error *error) {
  const elman_metric_options defaults = elman_metric_options_default();
  struct texts texts;
  elman_metric_scores found;
  elman_status status = texts_create(&texts, 1, sets, count, error);
  if (status == ELMAN_OK) {
    texts_fill(&texts, &hypotheses, 1, references);
    status = metric_score_all(&found, texts.outputs[0], &texts.references,
                              options == NULL ? &defaults : options, error);
  }
  if (status == ELMAN_OK) *scores = found;
  texts_free(&texts);
  return status;
}

static elman_status compare(elman_comparison *result, const struct texts *texts,
                            const elman_metric_options *options, elman_error *error) {
  const size_t count = texts->references.count;
  if (count > SIZE_MAX / MAX_OUTPUTS) return fail_no_memory(error);
  struct sentence_counts *counts = calloc(MAX_OUTPUTS * count, sizeof *counts);
  if (counts == NULL) return fail_no_memory(error);
  elman_status status = ELMAN_OK;
  for (size_t o = 0; o < MAX_OUTPUTS && status == ELMAN_OK; o++)
    status =
        metric_count(counts + o * count, texts->outputs[o], &texts->references, options, error);
  if (status == ELMAN_OK) status = bootstrap(result, counts, counts + count, count, options, error);
  for (size_t o = 0; o < MAX_OUTPUTS && status == ELMAN_OK; o++)
    status =
        metric_sign(&result->scores[o], options, &texts->references, options->resamples, error);
  free(counts);
  return status;
}

elman_status elman_metrics_compare(elman_comparison *comparison,
                                   const char *const *const outputs[2],
                                   const char *const *const *references, size_t sets, size_t count,
                                   const elman_metric_options *options, elman_error *error) {
  const elman_metric_options defaults = elman_metric_options_default();
  struct texts texts;
  elman_comparison result;
  if (options == NULL) options = &defaults;
  if (options->resamples == 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the number of resamples must be at least 1, not 0");
  elman_status status = texts_create(&texts, MAX_OUTPUTS, sets, count, error);
  if (status == ELMAN_OK) {
    texts_fill(&texts, outputs, MAX_OUTPUTS, references);
    status = compare(&result, &texts, options, error);
  }
  if (status == ELMAN_OK) *comparison = result;
  texts_free(&texts);
  return status;
}
