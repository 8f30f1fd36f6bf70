#include "metric/metric.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric/lowercase.h"
#include "vocab/characters.h"

/* ---- counting ---- */

struct metric_work {
  enum bleu_tokenizer tokenizer;
  struct bleu_work bleu;
  struct chrf_work chrf;
  struct text hypothesis;
  struct text *references; /* (set_count) */
  struct buffer *lowered;  /* (1 + set_count): hypothesis and references in lower case */
};

static void work_free(struct metric_work *work, size_t set_count) {
  bleu_work_free(&work->bleu);
  chrf_work_free(&work->chrf);
  for (size_t r = 0; work->lowered != NULL && r <= set_count; r++) buffer_free(&work->lowered[r]);
  free(work->lowered);
  free(work->references);
}

static elman_status check_line(struct text line, const char *what, size_t set, size_t number,
                               elman_error *error) {
  const size_t valid = text_valid_prefix(line);
  if (valid == line.length && line.length <= METRIC_MOST_BYTES) return ELMAN_OK;
  char where[64];
  if (set > 0)
    snprintf(where, sizeof where, "%s %zu, line %zu", what, set, number);
  else
    snprintf(where, sizeof where, "%s, line %zu", what, number);
  if (valid < line.length)
    return fail(error, ELMAN_BAD_DATA, where, "is not valid UTF-8 at byte %zu of the line",
                valid + 1);
  return fail(error, ELMAN_BAD_DATA, where, "has %zu bytes, more than the %zu that can be scored",
              line.length, METRIC_MOST_BYTES);
}

/* The sentence's texts, in lower case if `lower`; they stay valid until the next call. */
static elman_status prepare_texts(struct metric_work *work, struct text hypothesis,
                                  const struct metric_references *references, size_t index,
                                  bool lower, elman_error *error) {
  work->hypothesis = hypothesis;
  for (size_t r = 0; r < references->set_count; r++)
    work->references[r] = references->sets[r][index];
  if (!lower) return ELMAN_OK;
  lowercase(&work->lowered[0], hypothesis);
  work->hypothesis = buffer_text(&work->lowered[0]);
  bool failed = work->lowered[0].failed;
  for (size_t r = 0; r < references->set_count; r++) {
    struct buffer *buffer = &work->lowered[r + 1];
    lowercase(buffer, work->references[r]);
    work->references[r] = buffer_text(buffer);
    failed = failed || buffer->failed;
  }
  return failed ? fail_no_memory(error) : ELMAN_OK;
}

static elman_status count_sentence(struct sentence_counts *counts, struct metric_work *work,
                                   struct text hypothesis,
                                   const struct metric_references *references, size_t index,
                                   const elman_metric_options *options, elman_error *error) {
  const size_t sets = references->set_count;
  elman_status status = check_line(hypothesis, "hypothesis", 0, index + 1, error);
  for (size_t r = 0; r < sets && status == ELMAN_OK; r++)
    status = check_line(references->sets[r][index], "reference", r + 1, index + 1, error);
  if (status == ELMAN_OK)
    status = prepare_texts(work, hypothesis, references, index, options->lowercase, error);
  if (status == ELMAN_OK)
    status = bleu_count(counts->bleu, &work->bleu, work->hypothesis, work->references, sets,
                        work->tokenizer, error);
  if (status == ELMAN_OK)
    status = prepare_texts(work, hypothesis, references, index, options->chrf_lowercase, error);
  if (status == ELMAN_OK)
    status = chrf_count(counts->chrf, &work->chrf, work->hypothesis, work->references, sets, error);
  return status;
}

elman_status metric_count(struct sentence_counts *counts, const struct text *hypotheses,
                          const struct metric_references *references,
                          const elman_metric_options *options, elman_error *error) {
  struct metric_work work = {.lowered = calloc(references->set_count + 1, sizeof *work.lowered),
                             .references = calloc(references->set_count, sizeof *work.references)};
  elman_status status = ELMAN_OK;
  if (work.lowered == NULL || work.references == NULL) status = fail_no_memory(error);
  if (status == ELMAN_OK) status = metric_tokenizer(&work.tokenizer, options, references, error);
  for (size_t i = 0; i < references->count && status == ELMAN_OK; i++)
    status = count_sentence(&counts[i], &work, hypotheses[i], references, i, options, error);
  work_free(&work, references->set_count);
  return status;
}

/* ---- scores ---- */

void metric_add(struct corpus_counts *sums, const struct sentence_counts *counts) {
  for (size_t i = 0; i < BLEU_COUNTS; i++) sums->bleu[i] += counts->bleu[i];
  for (size_t i = 0; i < CHRF_COUNTS; i++) sums->chrf[i] += counts->chrf[i];
}

void metric_score(elman_metric_scores *scores, const struct corpus_counts *sums) {
  bleu_score(scores, sums->bleu);
  scores->chrf = chrf_score(sums->chrf);
}

void metric_score_sum(elman_metric_scores *scores, const struct sentence_counts *counts,
                      size_t count) {
  struct corpus_counts sums = {0};
  for (size_t i = 0; i < count; i++) metric_add(&sums, &counts[i]);
  metric_score(scores, &sums);
}

elman_status metric_score_all(elman_metric_scores *scores, const struct text *hypotheses,
                              const struct metric_references *references,
                              const elman_metric_options *options, elman_error *error) {
  struct sentence_counts *counts = calloc(references->count, sizeof *counts);
  if (counts == NULL) return fail_no_memory(error);
  const elman_status status = metric_count(counts, hypotheses, references, options, error);
  if (status == ELMAN_OK) metric_score_sum(scores, counts, references->count);
  free(counts);
  return status == ELMAN_OK ? metric_sign(scores, options, references, 0, error) : status;
}

/* ---- tokenisers and signatures ---- */

elman_metric_options metric_options_default(void) {
  return (elman_metric_options){.resamples = 1000, .seed = 1};
}

elman_status metric_tokenizer(enum bleu_tokenizer *tokenizer, const elman_metric_options *options,
                              const struct metric_references *references, elman_error *error) {
  struct script_counts counts = {0};
  if (options->bleu_tokens != NULL) {
    size_t index;
    if (!choice_parse(&index, bleu_tokenizer_name, options->bleu_tokens))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "'%s' is no tokeniser of BLEU; there are 13a, zh, char and none",
                  options->bleu_tokens);
    *tokenizer = (enum bleu_tokenizer)index;
    return ELMAN_OK;
  }
  for (size_t i = 0; i < references->count; i++) script_count(&counts, references->sets[0][i]);
  *tokenizer = script_is_han(&counts) ? BLEU_ZH : BLEU_13A;
  return ELMAN_OK;
}

elman_status metric_sign(elman_metric_scores *scores, const elman_metric_options *options,
                         const struct metric_references *references, size_t resamples,
                         elman_error *error) {
  const char *bleu_case = options->lowercase ? "lc" : "mixed";
  const char *chrf_case = options->chrf_lowercase ? "lc" : "mixed";
  enum bleu_tokenizer tokenizer = BLEU_13A;
  const elman_status status = metric_tokenizer(&tokenizer, options, references, error);
  if (status != ELMAN_OK) return status;
  char drawn[64] = "";
  if (resamples > 0)
    snprintf(drawn, sizeof drawn, "bs:%zu|seed:%" PRIu64 "|", resamples, options->seed);
  snprintf(scores->bleu_signature, sizeof scores->bleu_signature,
           "nrefs:%zu|%scase:%s|eff:no|tok:%s|smooth:exp|version:elman-" ELMAN_VERSION,
           references->set_count, drawn, bleu_case, bleu_tokenizer_name(tokenizer));
  snprintf(scores->chrf_signature, sizeof scores->chrf_signature,
           "nrefs:%zu|%scase:%s|eff:yes|nc:%d|nw:0|space:no|version:elman-" ELMAN_VERSION,
           references->set_count, drawn, chrf_case, CHRF_ORDERS);
  return ELMAN_OK;
}
