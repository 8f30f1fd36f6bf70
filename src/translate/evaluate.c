#include "translate/evaluate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/alignment.h"

double validation_score(const struct scores *scores) {
  return scores->metric.bleu.bleu;
}

/* ---- the loss ---- */

static size_t count_unknown(const struct sentences *sentences) {
  size_t unknown = 0;
  for (size_t i = 0; i < sentences->starts[sentences->count]; i++)
    unknown += sentences->ids[i] == TOKEN_UNKNOWN;
  return unknown;
}

static enum status sum_losses(struct scores *scores, const struct model *model,
                              const struct corpus *corpus, size_t batch_size, struct error *error) {
  const size_t count = corpus->source.count;
  size_t *indices = malloc(batch_size * sizeof *indices);
  if (indices == NULL) return fail_no_memory(error);
  const struct regularization plain = {0};
  struct batch batch = {0};
  struct workspace workspace = {0};
  enum status status = STATUS_OK;
  double sum = 0;
  for (size_t start = 0; start < count && status == STATUS_OK; start += batch_size) {
    const size_t size = count - start < batch_size ? count - start : batch_size;
    for (size_t i = 0; i < size; i++) indices[i] = start + i;
    status = batch_fill(&batch, corpus, indices, size, error);
    if (status == STATUS_OK)
      status = workspace_fit(&workspace, &model->config, &batch, FORWARD_ONLY, error);
    if (status != STATUS_OK) break;
    sum += network_forward(&workspace, &batch, &model->weights, &model->config, &plain);
    scores->tokens += batch.tokens;
  }
  scores->loss = sum / (double)scores->tokens;
  workspace_free(&workspace);
  batch_free(&batch);
  free(indices);
  return status;
}

static enum status evaluate_loss(struct scores *scores, const struct model *model,
                                 const struct pairs *pairs, size_t batch_size,
                                 struct error *error) {
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  struct corpus corpus = {0};
  enum status status = corpus_encode(&corpus, pairs, &source, &target, MAX_SENTENCE_TOKENS, error);
  if (status != STATUS_OK) return status;
  scores->sentences = corpus.source.count;
  scores->too_long = corpus.too_long;
  scores->unknown_source = count_unknown(&corpus.source);
  scores->unknown_target = count_unknown(&corpus.target);
  if (corpus.source.count == 0)
    status = fail(error, STATUS_BAD_DATA, NULL, "no pair is short enough to be translated");
  else
    status = sum_losses(scores, model, &corpus,
                        batch_size < corpus.source.count ? batch_size : corpus.source.count, error);
  corpus_free(&corpus);
  return status;
}

/* ---- translations and alignments, one sentence after the other ---- */

struct sentence_scores {
  char *translation; /* NULL for a sentence that is left out */
  bool exact;
  size_t aligned_words, agreeing_words;
};

static size_t count_words(struct text normalized) {
  size_t words = normalized.length > 0;
  for (size_t i = 0; i < normalized.length; i++) words += normalized.bytes[i] == ' ';
  return words;
}

static size_t largest(const real *weights, size_t n) {
  size_t best = 0;
  for (size_t i = 1; i < n; i++) {
    if (weights[i] > weights[best]) best = i;
  }
  return best;
}

/* Under a forced reference: of the target words with a link, those whose largest weight lies on a
 * linked source word. */
static enum status score_alignment(struct sentence_scores *scores, struct translator *translator,
                                   const struct pair *pair, struct error *error) {
  enum status status = translator_run(translator, pair->source, pair->target, 0, error);
  if (status != STATUS_OK) return status;
  const size_t S = translator->source.tokens.count, T = translator->reference.tokens.count;
  if (count_words(buffer_text(&translator->source.normalized)) != S ||
      count_words(buffer_text(&translator->reference.normalized)) != T)
    return fail(error, STATUS_BAD_DATA, NULL,
                "gold alignments count words, but this model splits words into several tokens");

  for (size_t t = 0; t < T; t++) {
    const size_t looked_at = largest(translator->hypothesis.attention + t * S, S);
    bool linked = false, agrees = false;
    struct text rest = pair->alignment;
    for (struct link link; alignment_next(&link, &rest);) {
      if (link.source >= S || link.target >= T)
        return fail(error, STATUS_BAD_DATA, NULL,
                    "the alignment %zu-%zu names a word that is not there", link.source,
                    link.target);
      linked = linked || link.target == t;
      agrees = agrees || (link.target == t && link.source == looked_at);
    }
    if (rest.length > 0)
      return fail(error, STATUS_BAD_DATA, NULL, "\"%.*s\" is not an alignment of the form i-j",
                  rest.length < 40 ? (int)rest.length : 40, rest.bytes);
    scores->aligned_words += linked;
    scores->agreeing_words += agrees;
  }
  return STATUS_OK;
}

/* A pair whose target is too long is in no score, as it is not in the loss. Tokenising tells; that
 * a token has a byte, and that normalising gives at most thrice the bytes, spares it most
 * sentences. */
static enum status check_target_length(struct translator *translator, struct text target,
                                       struct error *error) {
  if (target.length <= MAX_SENTENCE_TOKENS / 3) return STATUS_OK;
  const struct codec codec = model_target_codec(translator->model);
  const enum status status = encode(&translator->reference, &codec, target, error);
  if (status == STATUS_OK && translator->reference.tokens.count > MAX_SENTENCE_TOKENS)
    return fail(error, STATUS_BAD_DATA, NULL, "the target is too long");
  return status;
}

static enum status score_sentence(struct sentence_scores *scores, struct translator *translator,
                                  struct buffer *normalized, const struct pair *pair, size_t limit,
                                  struct error *error) {
  enum status status =
      translator_run(translator, pair->source, (struct text){NULL, 0}, limit, error);
  if (status == STATUS_OK) status = check_target_length(translator, pair->target, error);
  if (status == STATUS_OK) status = text_normalize(normalized, pair->target, error);
  if (status != STATUS_OK) return status;
  scores->exact = text_equal(buffer_text(&translator->text), buffer_text(normalized));
  scores->translation = strdup(buffer_text(&translator->text).bytes);
  if (scores->translation == NULL) return fail_no_memory(error);
  return pair->alignment.length > 0 ? score_alignment(scores, translator, pair, error) : STATUS_OK;
}

/* What the threads share. Every sentence has its own place for its scores, so sums are taken in the
 * order of the sentences. */
struct shared_work {
  const struct model *model;
  const struct pairs *pairs;
  const struct evaluate_options *options;
  struct sentence_scores *scores;
  size_t done;
  bool stopped;
  enum status status;
  struct error error;
};

static void finish_sentence(struct shared_work *work, size_t index, enum status status,
                            struct error *error) {
#pragma omp critical(elman_evaluate)
  {
    work->done++;
    if (status == STATUS_BAD_DATA && error->where[0] == '\0')
      snprintf(error->where, sizeof error->where, "pair %zu", index + 1);
    if (status == STATUS_OK && work->options->progress != NULL && !work->stopped &&
        !work->options->progress(work->options->context, work->done, pairs_count(work->pairs)))
      status = fail(error, STATUS_INTERRUPTED, NULL, "the evaluation was stopped");
    if (status != STATUS_OK && !work->stopped) {
      work->stopped = true;
      work->status = status;
      work->error = *error;
    }
  }
}

static bool is_stopped(struct shared_work *work) {
  bool stopped;
#pragma omp critical(elman_evaluate)
  stopped = work->stopped;
  return stopped;
}

static bool is_too_long(const struct translator *translator) {
  return translator->source.tokens.count > MAX_SENTENCE_TOKENS ||
         translator->reference.tokens.count > MAX_SENTENCE_TOKENS;
}

static void score_all(struct shared_work *work) {
#pragma omp parallel
  {
    struct translator translator;
    struct buffer normalized = {0};
    translator_create(&translator, work->model);
#pragma omp for schedule(dynamic)
    for (size_t i = 0; i < pairs_count(work->pairs); i++) {
      if (is_stopped(work)) continue;
      const struct pair pair = pairs_get(work->pairs, i);
      struct error error = {0};
      enum status status = score_sentence(&work->scores[i], &translator, &normalized, &pair,
                                          work->options->limit, &error);
      if (status == STATUS_BAD_DATA && is_too_long(&translator)) status = STATUS_OK; /* left out */
      finish_sentence(work, i, status, &error);
    }
    buffer_free(&normalized);
    translator_free(&translator);
  }
}

/* ---- scores of the translations as text ---- */

static enum status score_texts(struct scores *scores, const struct text *translations,
                               const struct text *references, size_t count,
                               const struct evaluate_options *options, struct error *error) {
  scores->metric_options = options->metric;
  if (options->fitting_tokenizer)
    scores->metric_options.tokenizer = metric_tokenizer_for(references, count);
  const struct metric_references all = {&references, 1, count};
  return metric_score_all(&scores->metric, translations, &all, &scores->metric_options, error);
}

static enum status score_translations(struct scores *scores, const struct shared_work *work,
                                      struct error *error) {
  const size_t count = pairs_count(work->pairs);
  struct text *translations = calloc(count, sizeof *translations);
  struct text *references = calloc(count, sizeof *references);
  enum status status = STATUS_OK;
  size_t kept = 0;
  if (translations == NULL || references == NULL) status = fail_no_memory(error);
  for (size_t i = 0; i < count && status == STATUS_OK; i++) {
    if (work->scores[i].translation == NULL) continue;
    translations[kept] = text_of(work->scores[i].translation);
    references[kept++] = pairs_get(work->pairs, i).target;
  }
  if (status == STATUS_OK)
    status = score_texts(scores, translations, references, kept, work->options, error);
  free(translations);
  free(references);
  return status;
}

/* ---- all of it ---- */

static void sum_scores(struct scores *scores, const struct shared_work *work) {
  size_t exact = 0;
  for (size_t i = 0; i < pairs_count(work->pairs); i++) {
    exact += work->scores[i].exact;
    scores->aligned_words += work->scores[i].aligned_words;
    scores->agreeing_words += work->scores[i].agreeing_words;
  }
  scores->exact_match = (double)exact / (double)scores->sentences;
}

enum status evaluate(struct scores *scores, const struct model *model, const struct pairs *pairs,
                     const struct evaluate_options *options, struct error *error) {
  *scores = (struct scores){0};
  enum status status = evaluate_loss(scores, model, pairs, options->batch_size, error);
  if (status != STATUS_OK) return status;
  const size_t count = pairs_count(pairs);
  struct shared_work work = {.model = model,
                             .pairs = pairs,
                             .options = options,
                             .scores = calloc(count, sizeof *work.scores)};
  if (work.scores == NULL) return fail_no_memory(error);
  score_all(&work);
  if (work.status == STATUS_OK) {
    sum_scores(scores, &work);
    work.status = score_translations(scores, &work, &work.error);
  }
  for (size_t i = 0; i < count; i++) free(work.scores[i].translation);
  free(work.scores);
  if (work.status != STATUS_OK && error != NULL) *error = work.error;
  return work.status;
}
