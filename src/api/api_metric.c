#include "api/api_metric.h"

#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "corpus/line_file.h"
#include "metric/bootstrap.h"

/* ---- lines of a file ---- */

struct elman_lines {
  struct line_file file;
};

elman_status elman_lines_read(elman_lines **lines, const char *path, elman_error *error) {
  *lines = NULL;
  elman_lines *read = malloc(sizeof *read);
  if (read == NULL) return fail_no_memory(error);
  const elman_status status = line_file_read(&read->file, path, error);
  if (status == ELMAN_OK)
    *lines = read;
  else
    free(read);
  return status;
}

void elman_lines_free(elman_lines *lines) {
  if (lines == NULL) return;
  line_file_free(&lines->file);
  free(lines);
}

size_t elman_lines_count(const elman_lines *lines) {
  return lines->file.count;
}

const char *const *elman_lines_get(const elman_lines *lines) {
  return lines->file.lines;
}

/* ---- options and scores ---- */

const char *elman_bleu_tokens_name(size_t index) {
  return index <= BLEU_NONE ? bleu_tokenizer_name((enum bleu_tokenizer)index) : NULL;
}

elman_metric_options elman_metric_options_default(void) {
  return (elman_metric_options){.resamples = 1000, .seed = 1};
}

elman_status choose_tokenizer(enum bleu_tokenizer *tokenizer, const char *name,
                              elman_error *error) {
  if (name == NULL || bleu_tokenizer_parse(tokenizer, name)) return ELMAN_OK;
  return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
              "'%s' is no tokeniser of BLEU; there are 13a, zh, char and none", name);
}

elman_metric_scores outer_metric_scores(const struct metric_scores *scores,
                                        const struct metric_signatures *signatures) {
  elman_metric_scores outer = {.bleu = scores->bleu.bleu,
                               .brevity_penalty = scores->bleu.brevity_penalty,
                               .hypothesis_length = (size_t)scores->hypothesis_length,
                               .reference_length = (size_t)scores->reference_length,
                               .chrf = scores->chrf};
  memcpy(outer.precisions, scores->bleu.precisions, sizeof outer.precisions);
  memcpy(outer.bleu_signature, signatures->bleu, sizeof outer.bleu_signature);
  memcpy(outer.chrf_signature, signatures->chrf, sizeof outer.chrf_signature);
  return outer;
}

/* ---- the caller's strings as texts ---- */

/* All sentences of a call in one block of memory: outputs first, then the sets of references. */
struct texts {
  struct text *outputs[2];
  const struct text **sets;
  struct text *block;
  struct metric_references references; /* of `sets` */
  struct metric_options options;
};

static void texts_free(struct texts *texts) {
  free(texts->block);
  free(texts->sets);
}

static void copy_set(struct text *into, const char *const *strings, size_t count) {
  for (size_t i = 0; i < count; i++) into[i] = text_of(strings[i]);
}

static elman_status check_arguments(size_t sets, size_t count, elman_error *error) {
  if (sets == 0) return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "no references to score against");
  if (count == 0) return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "no sentence to score");
  return ELMAN_OK;
}

static elman_status texts_fill(struct texts *texts, const char *const *const *outputs,
                               size_t output_count, const char *const *const *references,
                               size_t sets, size_t count, const elman_metric_options *options,
                               elman_error *error) {
  *texts = (struct texts){
      .options = {.lowercase = options->lowercase, .chrf_lowercase = options->chrf_lowercase}};
  elman_status status = check_arguments(sets, count, error);
  if (status == ELMAN_OK)
    status = choose_tokenizer(&texts->options.tokenizer, options->bleu_tokens, error);
  if (status != ELMAN_OK) return status;
  size_t total;
  if (sets > SIZE_MAX - output_count || __builtin_mul_overflow(sets + output_count, count, &total))
    return fail_no_memory(error);
  texts->block = calloc(total, sizeof *texts->block);
  texts->sets = calloc(sets, sizeof *texts->sets);
  if (texts->block == NULL || texts->sets == NULL) return fail_no_memory(error);
  for (size_t o = 0; o < output_count; o++) {
    texts->outputs[o] = texts->block + o * count;
    copy_set(texts->outputs[o], outputs[o], count);
  }
  for (size_t r = 0; r < sets; r++) {
    struct text *set = texts->block + (output_count + r) * count;
    copy_set(set, references[r], count);
    texts->sets[r] = set;
  }
  if (options->bleu_tokens == NULL)
    texts->options.tokenizer = metric_tokenizer_for(texts->sets[0], count);
  texts->references = (struct metric_references){texts->sets, sets, count};
  return ELMAN_OK;
}

/* ---- scoring ---- */

elman_status elman_metrics(elman_metric_scores *scores, const char *const *hypotheses,
                           const char *const *const *references, size_t sets, size_t count,
                           const elman_metric_options *options, elman_error *error) {
  const elman_metric_options defaults = elman_metric_options_default();
  if (options == NULL) options = &defaults;
  struct texts texts;
  struct metric_scores found;
  elman_status status = texts_fill(&texts, &hypotheses, 1, references, sets, count, options, error);
  if (status == ELMAN_OK)
    status = metric_score_all(&found, texts.outputs[0], &texts.references, &texts.options, error);
  if (status == ELMAN_OK) {
    const struct metric_signatures signatures = metric_signatures(&texts.options, sets, 0, 0);
    *scores = outer_metric_scores(&found, &signatures);
  }
  texts_free(&texts);
  return status;
}

static void fill_comparison(elman_comparison *comparison, const struct bootstrap *result,
                            const struct metric_signatures *signatures) {
  *comparison = (elman_comparison){.bleu_p_value = result->bleu_p_value,
                                   .chrf_p_value = result->chrf_p_value};
  for (size_t o = 0; o < 2; o++) {
    comparison->scores[o] = outer_metric_scores(&result->scores[o], signatures);
    comparison->bleu[o] = (elman_estimate){result->bleu[o].mean, result->bleu[o].interval};
    comparison->chrf[o] = (elman_estimate){result->chrf[o].mean, result->chrf[o].interval};
  }
}

static elman_status compare(struct bootstrap *result, const struct texts *texts,
                            const elman_metric_options *options, elman_error *error) {
  const struct bootstrap_options inner = {options->resamples, options->seed};
  const size_t count = texts->references.count;
  if (count > SIZE_MAX / 2) return fail_no_memory(error);
  struct sentence_counts *counts = calloc(2 * count, sizeof *counts);
  if (counts == NULL) return fail_no_memory(error);
  elman_status status = ELMAN_OK;
  for (size_t o = 0; o < 2 && status == ELMAN_OK; o++)
    status = metric_count(counts + o * count, texts->outputs[o], &texts->references,
                          &texts->options, error);
  if (status == ELMAN_OK) status = bootstrap(result, counts, counts + count, count, &inner, error);
  free(counts);
  return status;
}

elman_status elman_metrics_compare(elman_comparison *comparison, const char *const *first,
                                   const char *const *second, const char *const *const *references,
                                   size_t sets, size_t count, const elman_metric_options *options,
                                   elman_error *error) {
  const elman_metric_options defaults = elman_metric_options_default();
  if (options == NULL) options = &defaults;
  const char *const *const outputs[] = {first, second};
  struct texts texts = {0};
  struct bootstrap result;
  elman_status status = ELMAN_OK;
  if (options->resamples == 0)
    status = fail(error, ELMAN_INVALID_ARGUMENT, NULL, "at least one resample is needed");
  if (status == ELMAN_OK)
    status = texts_fill(&texts, outputs, 2, references, sets, count, options, error);
  if (status == ELMAN_OK) status = compare(&result, &texts, options, error);
  if (status == ELMAN_OK) {
    const struct metric_signatures signatures =
        metric_signatures(&texts.options, sets, options->resamples, options->seed);
    fill_comparison(comparison, &result, &signatures);
  }
  texts_free(&texts);
  return status;
}
