#include "translate/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "corpus/alignment.h"
#include "corpus/batch.h"
#include "translate/length_batches.h"
#include "vocab/locate.h"

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

static elman_status sum_losses(struct scores *scores, const struct model *model,
                               const struct corpus *corpus, size_t batch_size, elman_error *error) {
  const size_t count = corpus->source.count;
  size_t *indices = malloc(batch_size * sizeof *indices);
  if (indices == NULL) return fail_no_memory(error);
  const struct regularization plain = {0};
  struct batch batch = {0};
  struct workspace workspace = {0};
  const struct network_pass pass = {&model->config, &model->weights, &batch, &plain, &workspace, 0};
  elman_status status = ELMAN_OK;
  double sum = 0;
  for (size_t start = 0; start < count && status == ELMAN_OK; start += batch_size) {
    const size_t size = count - start < batch_size ? count - start : batch_size;
    for (size_t i = 0; i < size; i++) indices[i] = start + i;
    status = batch_fill(&batch, corpus, indices, size, error);
    if (status == ELMAN_OK)
      status = workspace_fit(&workspace, &model->config, &batch, FORWARD_ONLY, error);
    if (status != ELMAN_OK) break;
    sum += network_forward(&pass);
    scores->tokens += batch.tokens;
  }
  scores->loss = sum / (double)scores->tokens;
  if (status == ELMAN_OK && !isfinite(scores->loss))
    status = fail(error, ELMAN_BAD_DATA, NULL,
                  "the model's weights are so large that its numbers overflow; train it again with "
                  "a lower learning rate");
  workspace_free(&workspace);
  batch_free(&batch);
  free(indices);
  return status;
}

elman_status evaluate_encode(struct corpus *corpus, const struct model *model,
                             const struct pairs *pairs, elman_error *error) {
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  return corpus_encode(corpus, pairs, &source, &target, MAX_SENTENCE_TOKENS, error);
}

static elman_status evaluate_loss(struct scores *scores, const struct model *model,
                                  const struct corpus *corpus, size_t batch_size,
                                  elman_error *error) {
  const size_t count = corpus->source.count;
  scores->sentences = count;
  scores->too_long = corpus->too_long;
  scores->unknown_source = count_unknown(&corpus->source);
  scores->unknown_target = count_unknown(&corpus->target);
  if (count == 0)
    return fail(error, ELMAN_BAD_DATA, NULL, "no pair is short enough to be translated");
  return sum_losses(scores, model, corpus, batch_size < count ? batch_size : count, error);
}

/* ---- translations and alignments, a batch after the other ---- */

struct sentence_scores {
  char *translation; /* NULL for a sentence that is left out */
  bool exact;
  size_t source_tokens, target_tokens; /* of the translation's attention */
  size_t aligned_words, agreeing_words;
};

/* What the threads share. Every sentence has its own place for its scores, so sums are taken in the
 * order of the sentences. */
struct shared_work {
  const struct model *model;
  struct screen *screen; /* owned; may be NULL */
  const struct pairs *pairs;
  const struct evaluate_options *options;
  struct length_batches batches;
  struct sentence_scores *scores;
  size_t done;
  bool stopped;
  elman_status status;
  elman_error error;
};

/* What a thread has for itself. */
struct own_work {
  struct translator translator;
  struct buffer said, wanted; /* a translation and its reference as the model writes them */
  struct text *sources;
  size_t source_capacity;
};

static size_t largest(const real *weights, size_t n) {
  size_t best = 0;
  for (size_t i = 1; i < n; i++) {
    if (weights[i] > weights[best]) best = i;
  }
  return best;
}

static elman_status count_links(struct sentence_scores *scores, const real *attention,
                                struct text alignment, size_t S, size_t T, elman_error *error) {
  for (size_t t = 0; t < T; t++) {
    const size_t looked_at = largest(attention + t * S, S);
    bool linked = false, agrees = false;
    struct text rest = alignment;
    for (struct link link; alignment_next(&link, &rest);) {
      if (link.source >= S || link.target >= T)
        return fail(error, ELMAN_BAD_DATA, NULL,
                    "the alignment %zu-%zu names a word that is not there", link.source,
                    link.target);
      linked = linked || link.target == t;
      agrees = agrees || (link.target == t && link.source == looked_at);
    }
    if (rest.length > 0)
      return fail(error, ELMAN_BAD_DATA, NULL,
                  "\"%.*s\" is not an alignment of the form i-j; is it the right column?",
                  rest.length < 40 ? (int)rest.length : 40, rest.bytes);
    scores->aligned_words += linked;
    scores->agreeing_words += agrees;
  }
  return ELMAN_OK;
}

/* Under a forced reference: of the target words with a link, those whose largest weight lies on a
 * linked source word. */
static elman_status score_alignment(struct sentence_scores *scores, struct translator *translator,
                                    const struct pair *pair, elman_error *error) {
  const struct translate_options forced = translate_options_default();
  elman_status status = translator_run(translator, &pair->source, 1, pair->target, &forced, error);
  if (status != ELMAN_OK) return status;
  const struct translator_item *item = &translator->items[0];
  if (item->status != ELMAN_OK) return fail_again(error, &item->error);
  const size_t S = item->source.tokens.count, T = translator->reference.tokens.count;
  if (count_words(pair->source) != S || count_words(pair->target) != T)
    return fail(error, ELMAN_BAD_DATA, NULL,
                "gold alignments count words, but this model splits words into several tokens");
  return count_links(scores, translator_result(translator, 0).hypotheses[0].attention,
                     pair->alignment, S, T, error);
}

/* A pair whose target is too long is in no score, as it is not in the loss. Tokenising tells; that
 * a token has a byte, and that normalising gives at most thrice the bytes, spares it most
 * sentences. */
static elman_status check_target(bool *too_long, struct translator *translator, struct text target,
                                 elman_error *error) {
  *too_long = false;
  if (target.length <= MAX_SENTENCE_TOKENS / 3) return ELMAN_OK;
  const struct codec codec = model_target_codec(translator->model);
  const elman_status status = encode(&translator->reference, &codec, target, error);
  *too_long = status == ELMAN_OK && translator->reference.tokens.count > MAX_SENTENCE_TOKENS;
  return status;
}

/* Compares as the model writes: how it normalises text is none of its mistakes. */
static elman_status is_exact(bool *exact, struct own_work *own, struct text translation,
                             struct text reference, elman_error *error) {
  const struct codec codec = model_target_codec(own->translator.model);
  elman_status status = codec_text(&own->said, &codec, translation, error);
  if (status == ELMAN_OK) status = codec_text(&own->wanted, &codec, reference, error);
  if (status == ELMAN_OK) *exact = text_equal(buffer_text(&own->said), buffer_text(&own->wanted));
  return status;
}

static elman_status score_text(struct sentence_scores *scores, struct own_work *own, size_t i,
                               const struct pair *pair, elman_error *error) {
  struct translator *translator = &own->translator;
  const struct translator_item *item = &translator->items[i];
  if (item->status != ELMAN_OK) {
    if (item->source.tokens.count > MAX_SENTENCE_TOKENS) return ELMAN_OK; /* left out */
    return fail_again(error, &item->error);
  }
  bool too_long;
  elman_status status = check_target(&too_long, translator, pair->target, error);
  if (status != ELMAN_OK || too_long) return status;
  status = translator_render(translator, i, error);
  if (status != ELMAN_OK) return status;
  const struct text translation = buffer_text(&translator->renderings[0].text);
  status = is_exact(&scores->exact, own, translation, pair->target, error);
  if (status != ELMAN_OK) return status;
  scores->source_tokens = item->source.tokens.count;
  scores->target_tokens = translator_result(translator, i).hypotheses[0].count;
  scores->translation = strdup(translation.bytes);
  return scores->translation == NULL ? fail_no_memory(error) : ELMAN_OK;
}

static void finish_sentence(struct shared_work *work, size_t index, elman_status status,
                            elman_error *error) {
#pragma omp critical(elman_evaluate)
  {
    work->done++;
    if (status == ELMAN_BAD_DATA && error->where[0] == '\0')
      pairs_place(error->where, sizeof error->where, work->pairs, index);
    if (status == ELMAN_OK && work->options->progress != NULL && !work->stopped &&
        !work->options->progress(work->options->context, work->done, pairs_count(work->pairs)))
      status = fail(error, ELMAN_INTERRUPTED, NULL, "the evaluation was stopped");
    if (status != ELMAN_OK && !work->stopped) {
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

static elman_status translate_batch(struct shared_work *work, struct own_work *own,
                                    const size_t *numbers, size_t count, elman_error *error) {
  struct translate_options options = work->options->translate;
  const elman_status status =
      array_grow(&own->sources, &own->source_capacity, count, sizeof *own->sources, error);
  if (status != ELMAN_OK) return status;
  for (size_t i = 0; i < count; i++) own->sources[i] = pairs_get(work->pairs, numbers[i]).source;
  options.beam.n_best = 1;
  options.without_scores = true;
  return translator_run(&own->translator, own->sources, count, (struct text){NULL, 0}, &options,
                        error);
}

/* All texts first: the alignments take the translator's memory again. */
static void score_batch(struct shared_work *work, struct own_work *own, const size_t *numbers,
                        size_t count) {
  elman_error error = {0};
  elman_status status = translate_batch(work, own, numbers, count, &error);
  if (status != ELMAN_OK) finish_sentence(work, numbers[0], status, &error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    const struct pair pair = pairs_get(work->pairs, numbers[i]);
    status = score_text(&work->scores[numbers[i]], own, i, &pair, &error);
    if (status != ELMAN_OK) finish_sentence(work, numbers[i], status, &error);
  }
  if (status != ELMAN_OK) return;
  for (size_t i = 0; i < count; i++) {
    struct sentence_scores *scores = &work->scores[numbers[i]];
    const struct pair pair = pairs_get(work->pairs, numbers[i]);
    if (scores->translation != NULL && pair.alignment.length > 0)
      status = score_alignment(scores, &own->translator, &pair, &error);
    finish_sentence(work, numbers[i], status, &error);
    if (status != ELMAN_OK) return;
  }
}

static void score_batches(struct shared_work *work) {
  const struct length_batches *batches = &work->batches;
#pragma omp parallel if (batches->count > 1)
  {
    struct own_work own = {0};
    translator_create(&own.translator, work->model, work->screen);
#pragma omp for schedule(dynamic)
    for (size_t i = 0; i < batches->count; i++) {
      const size_t start = batches->starts[i];
      if (!is_stopped(work))
        score_batch(work, &own, batches->order + start, batches->starts[i + 1] - start);
    }
    free(own.sources);
    buffer_free(&own.said);
    buffer_free(&own.wanted);
    translator_free(&own.translator);
  }
}

static elman_status score_all(struct shared_work *work, elman_error *error) {
  const struct evaluate_options *options = work->options;
  const size_t count = pairs_count(work->pairs);
  size_t *lengths = calloc(count, sizeof *lengths);
  if (lengths == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < count; i++) lengths[i] = pairs_get(work->pairs, i).source.length;
  elman_status status = length_batches_create(&work->batches, lengths, count, options->batch_size,
                                              options->translate.beam.width, error);
  free(lengths);
  if (status != ELMAN_OK) return status;
  score_batches(work);
  length_batches_free(&work->batches);
  return work->status == ELMAN_OK ? ELMAN_OK : fail_again(error, &work->error);
}

/* A cell is in no matrix, or in one; the other overrides fit every sentence. */
static elman_status check_reach(const struct shared_work *work, elman_error *error) {
  const struct translate_options *options = &work->options->translate;
  for (size_t i = 0; i < options->override_count; i++) {
    const elman_override *cell = &options->override_list[i];
    bool reached = cell->kind != ELMAN_OVERRIDE_CELL;
    size_t S = 0, T = 0;
    for (size_t n = 0; n < pairs_count(work->pairs) && !reached; n++) {
      const struct sentence_scores *scores = &work->scores[n];
      reached = cell->row < scores->target_tokens && cell->column < scores->source_tokens;
      if (scores->source_tokens > S) S = scores->source_tokens;
      if (scores->target_tokens > T) T = scores->target_tokens;
    }
    if (!reached)
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "an override: no matrix has target word %zu and source word %zu: there are at "
                  "most %zu target words, </s> included, and %zu source words",
                  cell->row + 1, cell->column + 1, T, S);
  }
  return ELMAN_OK;
}

/* ---- scores of the translations as text ---- */

static elman_status score_texts(struct scores *scores, const struct text *translations,
                                const struct text *references, size_t count,
                                const struct evaluate_options *options, elman_error *error) {
  scores->metric_options = options->metric;
  if (options->fitting_tokenizer)
    scores->metric_options.tokenizer = metric_tokenizer_for(references, count);
  const struct metric_references all = {&references, 1, count};
  return metric_score_all(&scores->metric, translations, &all, &scores->metric_options, error);
}

static elman_status score_translations(struct scores *scores, const struct shared_work *work,
                                       elman_error *error) {
  const size_t count = pairs_count(work->pairs);
  struct text *translations = calloc(count, sizeof *translations);
  struct text *references = calloc(count, sizeof *references);
  elman_status status = ELMAN_OK;
  size_t kept = 0;
  if (translations == NULL || references == NULL) status = fail_no_memory(error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    if (work->scores[i].translation == NULL) continue;
    translations[kept] = text_of(work->scores[i].translation);
    references[kept++] = pairs_get(work->pairs, i).target;
  }
  if (status == ELMAN_OK)
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

elman_status evaluate(struct scores *scores, const struct model *model, const struct pairs *pairs,
                      const struct evaluate_options *options, elman_error *error) {
  struct corpus own = {0};
  const struct corpus *corpus = options->encoded == NULL ? &own : options->encoded;
  *scores = (struct scores){0};
  elman_status status = ELMAN_OK;
  if (options->encoded == NULL) status = evaluate_encode(&own, model, pairs, error);
  if (status == ELMAN_OK) status = evaluate_loss(scores, model, corpus, options->batch_size, error);
  corpus_free(&own);
  if (status != ELMAN_OK) return status;
  const size_t count = pairs_count(pairs);
  struct shared_work work = {.model = model,
                             .pairs = pairs,
                             .options = options,
                             .scores = calloc(count, sizeof *work.scores)};
  if (work.scores == NULL) return fail_no_memory(error);
  status = model_screen_create(&work.screen, model, &options->translate, error);
  if (status == ELMAN_OK) status = score_all(&work, error);
  if (status == ELMAN_OK) status = check_reach(&work, error);
  model_screen_free(work.screen);
  if (status == ELMAN_OK) {
    sum_scores(scores, &work);
    status = score_translations(scores, &work, error);
  }
  for (size_t i = 0; i < count; i++) free(work.scores[i].translation);
  free(work.scores);
  return status;
}
