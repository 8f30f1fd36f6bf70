#include "translate/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/group.h"
#include "base/portable_math.h"
#include "corpus/alignment.h"
#include "corpus/batch.h"
#include "inspect/shown.h"
#include "metric/metric.h"
#include "model/ensemble.h"
#include "model/network.h"
#include "translate/translate_all.h"
#include "translate/translator.h"

elman_evaluate_options evaluate_options_default(void) {
  elman_evaluate_options options = {.batch_size = 32,
                                    .translate = translate_options_default(),
                                    .metric = metric_options_default()};
  options.translate.max_bytes = 0;
  return options;
}

/* ---- the loss of one model; the processes of a group share the batches ---- */

struct corpus_loss {
  double sum; /* sum of the losses of all target tokens, including </s>; not finite on overflow */
  size_t tokens; /* number of target tokens, including </s> */
};

/* Limit of the attention weights, the largest part of a forward pass. Their size is sentences ×
 * longest source × longest target. */
enum { MAX_WEIGHTS = 1 << 23 };

/* Return the end of the batch that begins at `start`. A batch has at most `most` pairs, and fewer
 * if one of the pairs is very long. */
static size_t batch_end(const struct corpus *corpus, size_t start, size_t most) {
  size_t end = start, S = 0, T = 0;
  while (end < corpus->source.count && end - start < most) {
    const size_t s = sentences_length(&corpus->source, end);
    const size_t t = sentences_length(&corpus->target, end);
    S = s > S ? s : S;
    T = t > T ? t : T;
    if (end > start && (end - start + 1) * S * T > MAX_WEIGHTS) break;
    end++;
  }
  return end;
}

/* Append the losses of this process's batches. Of P processes, process r computes batches r, r + P,
 * ... */
static elman_status own_losses(struct buffer *losses, const struct model *model,
                               const struct corpus *corpus, size_t batch_size,
                               const elman_group *group, elman_error *error) {
  const size_t count = corpus->source.count, P = group_size(group);
  size_t *indices = malloc(batch_size * sizeof *indices);
  if (indices == NULL) return fail_no_memory(error);
  const struct regularization plain = {0};
  struct batch batch = {0};
  struct workspace workspace = {0};
  const struct network_pass pass = {.weights = &model->weights,
                                    .batch = &batch,
                                    .regularization = &plain,
                                    .workspace = &workspace};
  elman_status status = ELMAN_OK;
  for (size_t start = 0, end, k = 0; start < count; start = end, k++) {
    end = batch_end(corpus, start, batch_size);
    if (k % P != group_rank(group)) continue;
    const size_t size = end - start;
    for (size_t i = 0; i < size; i++) indices[i] = start + i;
    status = batch_fill(&batch, corpus, indices, size, error);
    if (status == ELMAN_OK)
      status = workspace_fit(&workspace, &model->weights, &batch, FORWARD_ONLY, error);
    if (status != ELMAN_OK) break;
    const struct corpus_loss one = {network_forward(&pass), batch.tokens};
    buffer_append(losses, (const char *)&one, sizeof one);
  }
  workspace_free(&workspace);
  batch_free(&batch);
  free(indices);
  return status;
}

/* Add the losses in the order of the batches, so that the sum is identical for any number of
 * processes. */
static struct corpus_loss add_up(const struct buffer *losses, size_t P) {
  struct corpus_loss all = {0}, one;
  const size_t n = losses->length / sizeof one;
  for (size_t k = 0; k < n; k++) {
    const size_t r = k % P;
    const size_t before =
        n / P * r + (r < n % P ? r : n % P); /* number of losses from processes 0 to r - 1 */
    memcpy(&one, losses->bytes + (before + k / P) * sizeof one, sizeof one);
    all.sum += one.sum;
    all.tokens += one.tokens;
  }
  return all;
}

/* Compute the loss with teacher forcing; `batch_size` must not be 0. All processes of the group get
 * the same loss, bit for bit, or the same error. The loss does not depend on the number of
 * processes. */
static elman_status corpus_loss(struct corpus_loss *loss, const struct model *model,
                                const struct corpus *corpus, size_t batch_size,
                                const elman_group *group, elman_error *error) {
  const size_t count = corpus->source.count;
  struct buffer losses = {0};
  if (batch_size > count) batch_size = count;
  elman_status status = own_losses(&losses, model, corpus, batch_size, group, error);
  status = group_collect(group, status, &losses, error);
  if (status == ELMAN_OK) *loss = add_up(&losses, group_size(group));
  buffer_free(&losses);
  return status;
}

/* ---- the loss of an ensemble ---- */

elman_status evaluate_encode(struct corpus *corpus, const struct model *model,
                             const struct pairs *pairs, elman_error *error) {
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  const struct encoding_options options = {.max_length = MAX_SENTENCE_TOKENS};
  return corpus_encode(corpus, pairs, &source, &target, &options, error);
}

/* Compute the loss of an ensemble. It is the mean of the members' losses, which is minus the
 * ensemble's joint log-probability. */
static elman_status mean_loss(struct corpus_loss *loss, const struct model *model,
                              const struct corpus *corpus, const elman_evaluate_options *options,
                              elman_error *error) {
  const size_t members = ensemble_size(&options->translate);
  double sum = 0;
  for (size_t m = 0; m < members; m++) {
    const struct model *member = ensemble_member(model, &options->translate, m);
    const elman_status status =
        corpus_loss(loss, member, corpus, options->batch_size, options->group, error);
    if (status != ELMAN_OK) return status;
    sum += loss->sum;
  }
  loss->sum = sum / (double)members;
  return ELMAN_OK;
}

static elman_status evaluate_loss(elman_scores *scores, const struct model *model,
                                  const struct corpus *corpus,
                                  const elman_evaluate_options *options, elman_error *error) {
  struct corpus_loss loss = {0};
  scores->sentences = corpus->source.count;
  scores->left_out = corpus->too_long;
  scores->unknown_source = sentences_unknown(&corpus->source);
  scores->unknown_target = sentences_unknown(&corpus->target);
  if (scores->sentences == 0)
    return fail(error, ELMAN_BAD_DATA, NULL,
                "no pair to evaluate: a side of every pair has more than %d tokens",
                MAX_SENTENCE_TOKENS);
  const elman_status status = mean_loss(&loss, model, corpus, options, error);
  if (status != ELMAN_OK) return status;
  scores->tokens = loss.tokens;
  scores->loss = loss.sum / (double)loss.tokens;
  scores->perplexity = portable_exp(scores->loss);
  return isfinite(scores->loss) ? ELMAN_OK : fail_overflow(error);
}

/* ---- translations, and attention under the references ---- */

/* Results of a sentence; zero if there are none. One process translates the sentence. The same or
 * another process decodes its reference. */
struct finding {
  size_t index;                        /* index of the sentence in work->scores */
  size_t length;                       /* number of bytes of the translation */
  size_t exact;                        /* 1 if the translation equals the reference */
  size_t source_tokens, target_tokens; /* dimensions of the attention matrix */
  size_t aligned_words, agreeing_words;
};

struct sentence_scores {
  struct pair pair;
  size_t number;           /* number of the pair */
  struct finding own;      /* results of this process */
  char *own_translation;   /* NULL if another process translates the sentence */
  struct finding found;    /* sum of the results of all processes */
  struct text translation; /* points into the collected bytes */
};

struct work {
  const struct model *model;
  const struct pairs *pairs;
  const elman_evaluate_options *options;
  struct sentence_scores *scores; /* (count) */
  size_t count;                   /* number of pairs within the length limit */
  elman_sentence *sentences; /* current input: all source sentences, or the pairs with alignments */
  size_t *numbers;           /* for each current sentence, its index in `scores` */
};

static elman_status add_length(bool *too_long, struct encoding *encoding, const struct codec *codec,
                               struct text text, elman_error *error) {
  const elman_status status = encode(encoding, codec, text, error);
  *too_long = *too_long || encoding->tokens.count > MAX_SENTENCE_TOKENS;
  return status;
}

/* Select the pairs that the loss includes. */
static elman_status select_pairs(struct work *work, elman_error *error) {
  const struct codec source = model_source_codec(work->model);
  const struct codec target = model_target_codec(work->model);
  struct encoding from = {0},
                  to = {0}; /* two encodings, because each caches the words of one codec */
  elman_status status = ELMAN_OK;
  for (size_t i = 0; i < pairs_count(work->pairs) && status == ELMAN_OK; i++) {
    const struct pair pair = pairs_get(work->pairs, i);
    bool too_long = false;
    status = add_length(&too_long, &from, &source, pair.source, error);
    if (status == ELMAN_OK) status = add_length(&too_long, &to, &target, pair.target, error);
    if (status != ELMAN_OK || too_long) continue;
    work->scores[work->count] = (struct sentence_scores){.pair = pair, .number = i};
    work->scores[work->count].own.index = work->count;
    work->scores[work->count++].translation = text_of("");
  }
  encoding_free(&from);
  encoding_free(&to);
  return status;
}

/* Set *exact to whether the texts are equal after the codec's normalization, so that normalization
 * does not count as an error. */
static elman_status is_exact(bool *exact, const struct codec *codec, struct text translation,
                             struct text reference, elman_error *error) {
  struct buffer said = {0}, wanted = {0};
  elman_status status = codec_text(&said, codec, translation, error);
  if (status == ELMAN_OK) status = codec_text(&wanted, codec, reference, error);
  if (status == ELMAN_OK) *exact = text_equal(buffer_text(&said), buffer_text(&wanted));
  buffer_free(&said);
  buffer_free(&wanted);
  return status;
}

static elman_status score_translation(struct sentence_scores *scores, struct translator *translator,
                                      size_t i, elman_error *error) {
  const struct codec codec = model_target_codec(translator->model);
  struct text text;
  bool exact;
  elman_status status = translator_text(&text, translator, i, error);
  if (status == ELMAN_OK) status = is_exact(&exact, &codec, text, scores->pair.target, error);
  if (status != ELMAN_OK) return status;
  scores->own_translation = strdup(text.bytes);
  if (scores->own_translation == NULL) return fail_no_memory(error);
  scores->own.length = strlen(scores->own_translation);
  scores->own.exact = exact;
  scores->own.source_tokens = translator->items[i].source.tokens.count;
  scores->own.target_tokens = translator->renderings[0].tokens.count;
  return ELMAN_OK;
}

/* Count the target words that have an alignment link. Among them, count those whose largest
 * attention weight belongs to a linked source word. */
static elman_status compare_words(struct finding *finding, const struct word_matrix *words,
                                  struct text alignment, elman_error *error) {
  const size_t T = words->target_count;
  struct word_state {
    bool linked, agrees;
  } *states = calloc(T + 1, sizeof *states);
  elman_status status = states == NULL ? fail_no_memory(error) : ELMAN_OK;
  struct link link;
  for (bool found = true; status == ELMAN_OK && found;) {
    status = alignment_read(&found, &link, &alignment, words->source_count, T, error);
    if (status != ELMAN_OK || !found) continue;
    states[link.target].linked = true;
    if (link.source == words->best_sources[link.target]) states[link.target].agrees = true;
  }
  for (size_t t = 0; t < T && status == ELMAN_OK; t++) {
    finding->aligned_words += states[t].linked;
    finding->agreeing_words += states[t].agrees;
  }
  free(states);
  return status;
}

/* Compare the attention under the forced reference with the gold alignment. */
static elman_status score_alignment(struct sentence_scores *scores, const struct work *work,
                                    struct translator *translator, size_t i, elman_error *error) {
  elman_translation *translation;
  struct word_matrix words = {0};
  elman_status status = translation_create(&translation, translator, i, error);
  if (status != ELMAN_OK) return status;
  status = word_matrix_create(&words, translation, ELMAN_UNITS_AUTO, pairs_unit_lines(work->pairs),
                              error);
  if (status == ELMAN_OK)
    status = compare_words(&scores->own, &words, scores->pair.alignment, error);
  word_matrix_free(&words);
  translation_free(translation);
  return status;
}

static elman_status score_item(void *context, size_t number, struct translator *translator,
                               size_t i, elman_error *error) {
  struct work *work = context;
  struct sentence_scores *scores = &work->scores[work->numbers[number]];
  const struct translator_item *item = &translator->items[i];
  elman_status status;
  if (item->status != ELMAN_OK)
    status = fail_again(error, &item->error);
  else if (item->given->reference != NULL)
    status = score_alignment(scores, work, translator, i, error);
  else
    status = score_translation(scores, translator, i, error);
  if (status == ELMAN_BAD_DATA && error->where[0] == '\0')
    pairs_place(error->where, sizeof error->where, work->pairs, scores->number);
  return status;
}

/* Translate all sentences. If `forced`, instead decode the references of the pairs with
 * alignments. */
static elman_status translate_pairs(struct work *work, const struct screen *screen, bool forced,
                                    const elman_translate_options *options, elman_error *error) {
  size_t n = 0;
  for (size_t i = 0; i < work->count; i++) {
    const struct pair *pair = &work->scores[i].pair;
    if (forced && pair->alignment.length == 0) continue;
    work->sentences[n] = (elman_sentence){.text = pair->source.bytes,
                                          .length = pair->source.length,
                                          .reference = forced ? pair->target.bytes : NULL,
                                          .reference_length = pair->target.length,
                                          .number = i + 1};
    work->numbers[n++] = i;
  }
  const struct translate_job job = {.model = work->model,
                                    .screen = screen,
                                    .sentences = work->sentences,
                                    .count = n,
                                    .batch_size = work->options->batch_size,
                                    .options = options,
                                    .group = work->options->group,
                                    .receive = score_item,
                                    .context = work,
                                    .progress = work->options->progress,
                                    .progress_context = work->options->context};
  return translate_all(&job, error);
}

/* Compute the results of this process's batches. */
static elman_status score_own(struct work *work, elman_error *error) {
  elman_translate_options options = work->options->translate, plain = translate_options_default();
  const struct screen *screen;
  options.n_best = 1;
  options.without_scores = true;
  plain.max_bytes = 0;
  plain.ensemble = options.ensemble;
  plain.ensemble_count = options.ensemble_count;
  elman_status status = model_screen(&screen, work->model, &options, error);
  if (status == ELMAN_OK) status = translate_pairs(work, screen, false, &options, error);
  if (status == ELMAN_OK) status = translate_pairs(work, NULL, true, &plain, error);
  return status;
}

/* ---- exchange between processes ---- */

static void pack_findings(struct buffer *packed, const struct work *work) {
  for (size_t i = 0; i < work->count; i++) {
    const struct sentence_scores *scores = &work->scores[i];
    if (scores->own_translation == NULL && scores->own.aligned_words == 0) continue;
    buffer_append(packed, (const char *)&scores->own, sizeof scores->own);
    buffer_append(packed, scores->own_translation, scores->own.length);
  }
}

static void add_finding(struct finding *to, const struct finding *one) {
  to->exact += one->exact;
  to->source_tokens += one->source_tokens;
  to->target_tokens += one->target_tokens;
  to->aligned_words += one->aligned_words;
  to->agreeing_words += one->agreeing_words;
}

static elman_status unpack_findings(struct work *work, const struct buffer *packed,
                                    elman_error *error) {
  struct finding one;
  for (size_t at = 0; at < packed->length; at += one.length) {
    memcpy(&one, packed->bytes + at, sizeof one);
    at += sizeof one;
    if (one.index >= work->count)
      return fail(error, ELMAN_BAD_DATA, NULL,
                  "the processes have different pairs: start all of them with the same files");
    struct sentence_scores *scores = &work->scores[one.index];
    add_finding(&scores->found, &one);
    if (one.length > 0) scores->translation = (struct text){packed->bytes + at, one.length};
  }
  return ELMAN_OK;
}

/* ---- the scores ---- */

/* Fail if no matrix contains the cell of an override. Other overrides apply to every sentence. */
static elman_status check_reach(const struct work *work, elman_error *error) {
  const elman_translate_options *options = &work->options->translate;
  for (size_t i = 0; i < options->override_count; i++) {
    const elman_override *cell = &options->overrides[i];
    bool reached = cell->kind != ELMAN_OVERRIDE_CELL;
    size_t S = 0, T = 0;
    for (size_t n = 0; n < work->count && !reached; n++) {
      const struct finding *found = &work->scores[n].found;
      reached = cell->row < found->target_tokens && cell->column < found->source_tokens;
      if (found->source_tokens > S) S = found->source_tokens;
      if (found->target_tokens > T) T = found->target_tokens;
    }
    if (!reached)
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "an override: no matrix has target token %zu and source token %zu: there are at "
                  "most %zu target token%s, </s> included, and %zu source token%s",
                  cell->row + 1, cell->column + 1, T, plural_ending(T), S, plural_ending(S));
  }
  return ELMAN_OK;
}

static elman_status measure(elman_scores *scores, const struct work *work, elman_error *error) {
  const size_t count = work->count;
  struct text *translations = calloc(count, sizeof *translations);
  struct text *references = calloc(count, sizeof *references);
  elman_status status = ELMAN_OK;
  size_t exact = 0, agreeing = 0;
  if (translations == NULL || references == NULL) status = fail_no_memory(error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    translations[i] = work->scores[i].translation;
    references[i] = work->scores[i].pair.target;
    exact += work->scores[i].found.exact;
    scores->aligned_words += work->scores[i].found.aligned_words;
    agreeing += work->scores[i].found.agreeing_words;
  }
  scores->exact_match = (double)exact / (double)scores->sentences;
  if (scores->aligned_words > 0)
    scores->alignment_agreement = (double)agreeing / (double)scores->aligned_words;
  const struct text *const sets[] = {references};
  if (status == ELMAN_OK)
    status = metric_score_all(&scores->metrics, translations,
                              &(struct metric_references){sets, 1, count}, &work->options->metric,
                              error);
  free(translations);
  free(references);
  return status;
}

/* ---- evaluation ---- */

static elman_status make_work(struct work *work, const struct model *model,
                              const struct pairs *pairs, const elman_evaluate_options *options,
                              elman_error *error) {
  const size_t count = pairs_count(pairs);
  *work = (struct work){.model = model,
                        .pairs = pairs,
                        .options = options,
                        .scores = calloc(count, sizeof *work->scores),
                        .sentences = calloc(count, sizeof *work->sentences),
                        .numbers = calloc(count, sizeof *work->numbers)};
  if (work->scores == NULL || work->sentences == NULL || work->numbers == NULL)
    return fail_no_memory(error);
  return select_pairs(work, error);
}

static void work_free(struct work *work) {
  for (size_t i = 0; i < work->count; i++) free(work->scores[i].own_translation);
  free(work->scores);
  free(work->sentences);
  free(work->numbers);
}

static elman_status evaluate_translations(elman_scores *scores, const struct model *model,
                                          const struct pairs *pairs,
                                          const elman_evaluate_options *options,
                                          elman_error *error) {
  struct work work;
  struct buffer packed = {0};
  elman_status status = make_work(&work, model, pairs, options, error);
  if (status == ELMAN_OK) status = score_own(&work, error);
  if (status == ELMAN_OK) pack_findings(&packed, &work);
  status = group_collect(options->group, status, &packed, error);
  if (status == ELMAN_OK) {
    status = unpack_findings(&work, &packed, error);
    if (status == ELMAN_OK) status = check_reach(&work, error);
    if (status == ELMAN_OK) status = measure(scores, &work, error);
    status = group_agree(options->group, status, error);
  }
  buffer_free(&packed);
  work_free(&work);
  return status;
}

/* Even after an error, all processes complete each part and return the same status. Otherwise a
 * process would wait for one that has stopped. */
elman_status evaluate(elman_scores *scores, const struct model *model, const struct pairs *pairs,
                      const struct corpus *encoded, const elman_evaluate_options *options,
                      elman_error *error) {
  elman_scores found = {0};
  struct corpus own = {0};
  elman_status status = ELMAN_OK;
  if (encoded == NULL) status = evaluate_encode(&own, model, pairs, error);
  status = group_agree(options->group, status, error);
  if (status == ELMAN_OK)
    status = evaluate_loss(&found, model, encoded == NULL ? &own : encoded, options, error);
  corpus_free(&own);
  if (status == ELMAN_OK) status = evaluate_translations(&found, model, pairs, options, error);
  if (status == ELMAN_OK) *scores = found;
  return status;
}
