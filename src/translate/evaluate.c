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

/* ---- overrides that reach no matrix ---- */

void override_reach_add(elman_override_reach *reach, const elman_translate_options *options,
                        size_t targets, size_t sources) {
  _Static_assert(ELMAN_MAX_OVERRIDES <= 64, "a bit for each override");
  reach->any = true;
  if (targets > reach->most_targets) reach->most_targets = targets;
  if (sources > reach->most_sources) reach->most_sources = sources;
  for (size_t i = 0; i < options->override_count; i++)
    if (options->overrides[i].row < targets && options->overrides[i].column < sources)
      reach->reached |= (uint64_t)1 << i;
}

elman_status elman_override_reach_check(const elman_override_reach *reach,
                                        const elman_translate_options *options,
                                        elman_error *error) {
  for (size_t i = 0; i < options->override_count && reach->any; i++) {
    const elman_override *cell = &options->overrides[i];
    if (cell->kind != ELMAN_OVERRIDE_CELL || (reach->reached >> i & 1) != 0) continue;
    return fail(error, ELMAN_INVALID_ARGUMENT, "override",
                "no matrix has target token %zu and source token %zu: there are at most %zu target "
                "token%s, </s> included, and %zu source token%s",
                cell->row + 1, cell->column + 1, reach->most_targets,
                plural_ending(reach->most_targets), reach->most_sources,
                plural_ending(reach->most_sources));
  }
  return ELMAN_OK;
}

elman_evaluate_options elman_evaluate_options_default(void) {
  elman_evaluate_options options = {.batch_size = 32,
                                    .translate = elman_translate_options_default(),
                                    .metric = elman_metric_options_default()};
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

/* The pairs of a corpus that are within the length limit. */
struct selection {
  const struct corpus *corpus;
  size_t *pairs; /* (count): numbers of the pairs, in order */
  size_t count;
};

static elman_status select_pairs(struct selection *selection, const struct corpus *corpus,
                                 elman_error *error) {
  const size_t count = corpus->source.count;
  *selection = (struct selection){corpus, calloc(count + 1, sizeof *selection->pairs), 0};
  if (selection->pairs == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < count; i++)
    if (sentences_length(&corpus->source, i) <= MAX_SENTENCE_TOKENS &&
        sentences_length(&corpus->target, i) <= MAX_SENTENCE_TOKENS)
      selection->pairs[selection->count++] = i;
  return ELMAN_OK;
}

static size_t unknown_tokens(const struct selection *selection, const struct sentences *side) {
  size_t unknown = 0;
  for (size_t i = 0; i < selection->count; i++) {
    const size_t *starts = side->starts + selection->pairs[i];
    for (size_t k = starts[0]; k < starts[1]; k++) unknown += side->ids[k] == TOKEN_UNKNOWN;
  }
  return unknown;
}

/* Return the end of the batch that begins at `start`. A batch has at most `most` pairs, and fewer
 * if one of the pairs is very long. */
static size_t batch_end(const struct selection *selection, size_t start, size_t most) {
  const struct corpus *corpus = selection->corpus;
  size_t end = start, S = 0, T = 0;
  while (end < selection->count && end - start < most) {
    const size_t s = sentences_length(&corpus->source, selection->pairs[end]);
    const size_t t = sentences_length(&corpus->target, selection->pairs[end]);
    S = s > S ? s : S;
    T = t > T ? t : T;
    if (end > start && (end - start + 1) * S * T > MAX_WEIGHTS) break;
    end++;
  }
  return end;
}

/* Report that no translation is done yet, so that the caller can stop. */
static elman_status report_start(const struct selection *selection,
                                 const elman_evaluate_options *options, elman_error *error) {
  if (options->progress == NULL || options->progress(options->context, 0, selection->count))
    return ELMAN_OK;
  return fail(error, ELMAN_INTERRUPTED, NULL, "evaluation was stopped");
}

/* Append the losses of this process's batches. Of P processes, process r computes batches r, r + P,
 * ... */
static elman_status own_losses(struct buffer *losses, const struct model *model,
                               const struct selection *selection,
                               const elman_evaluate_options *options, elman_error *error) {
  const size_t P = group_size(options->group);
  const struct regularization plain = {0};
  struct batch batch = {0};
  struct workspace workspace = {0};
  const struct network_pass pass = {.weights = &model->weights,
                                    .batch = &batch,
                                    .regularization = &plain,
                                    .workspace = &workspace};
  elman_status status = ELMAN_OK;
  for (size_t start = 0, end, k = 0; start < selection->count; start = end, k++) {
    end = batch_end(selection, start, options->batch_size);
    if (k % P != group_rank(options->group)) continue;
    status = report_start(selection, options, error);
    if (status == ELMAN_OK)
      status = batch_fill(&batch, selection->corpus, selection->pairs + start, end - start, error);
    if (status == ELMAN_OK)
      status = workspace_fit(&workspace, &model->weights, &batch, FORWARD_ONLY, error);
    if (status != ELMAN_OK) break;
    const struct corpus_loss one = {network_forward(&pass), batch.tokens};
    buffer_append(losses, (const char *)&one, sizeof one);
  }
  workspace_free(&workspace);
  batch_free(&batch);
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

/* Compute the loss with teacher forcing. All processes of the group get the same loss, bit for bit,
 * or the same error. The loss does not depend on the number of processes. */
static elman_status corpus_loss(struct corpus_loss *loss, const struct model *model,
                                const struct selection *selection,
                                const elman_evaluate_options *options, elman_error *error) {
  struct buffer losses = {0};
  elman_status status = own_losses(&losses, model, selection, options, error);
  status = group_collect(options->group, status, &losses, error);
  if (status == ELMAN_OK) *loss = add_up(&losses, group_size(options->group));
  buffer_free(&losses);
  return status;
}

/* ---- the loss of an ensemble ---- */

elman_status evaluate_encode(struct corpus *corpus, const struct model *model,
                             const elman_pairs *pairs, elman_error *error) {
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  const struct encoding_options options = {0};
  return corpus_encode(corpus, pairs, &source, &target, &options, error);
}

/* Compute the loss of an ensemble. It is the mean of the members' losses, which is minus the
 * ensemble's joint log-probability. */
static elman_status mean_loss(struct corpus_loss *loss, const struct model *model,
                              const struct selection *selection,
                              const elman_evaluate_options *options, elman_error *error) {
  const size_t members = ensemble_size(&options->translate);
  double sum = 0;
  for (size_t m = 0; m < members; m++) {
    const struct model *member = ensemble_member(model, &options->translate, m);
    const elman_status status = corpus_loss(loss, member, selection, options, error);
    if (status != ELMAN_OK) return status;
    sum += loss->sum;
  }
  loss->sum = sum / (double)members;
  return ELMAN_OK;
}

static elman_status evaluate_loss(elman_scores *scores, const struct model *model,
                                  const struct selection *selection,
                                  const elman_evaluate_options *options, elman_error *error) {
  const struct corpus *corpus = selection->corpus;
  struct corpus_loss loss = {0};
  scores->sentences = selection->count;
  scores->left_out = corpus->source.count - selection->count;
  scores->unknown_source = unknown_tokens(selection, &corpus->source);
  scores->unknown_target = unknown_tokens(selection, &corpus->target);
  if (scores->sentences == 0)
    return fail(error, ELMAN_BAD_DATA, NULL,
                "no pair to evaluate: a side of every pair has more than %d tokens",
                MAX_SENTENCE_TOKENS);
  const elman_status status = mean_loss(&loss, model, selection, options, error);
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
  size_t length;                       /* bytes of the translation and its NUL; 0 = none */
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
  const char *translation; /* points into the collected bytes; "" = none */
};

struct work {
  const struct model *model;
  const elman_pairs *pairs;
  const elman_evaluate_options *options;
  struct sentence_scores *scores; /* (count) */
  size_t count;                   /* number of selected pairs */
  elman_sentence *sentences; /* current input: all source sentences, or the pairs with alignments */
  size_t *numbers;           /* for each current sentence, its index in `scores` */
  elman_override_reach reach; /* of the translations of all processes */
};

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
  scores->own.length = strlen(scores->own_translation) + 1;
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
  struct word_link link;
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
  elman_translation_free(translation);
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
  elman_translate_options options = work->options->translate,
                          plain = elman_translate_options_default();
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
    if (one.target_tokens > 0)
      override_reach_add(&work->reach, &work->options->translate, one.target_tokens,
                         one.source_tokens);
    if (one.length > 0) scores->translation = packed->bytes + at;
  }
  return ELMAN_OK;
}

/* ---- the scores ---- */

/* Pass the scores of each sentence to the callback of the options. */
static elman_status report_sentences(const struct work *work, const char *const *translations,
                                     const char *const *references, elman_error *error) {
  const elman_evaluate_options *options = work->options;
  if (options->sentence == NULL) return ELMAN_OK;
  elman_sentence_metrics *scores = calloc(work->count, sizeof *scores);
  if (scores == NULL) return fail_no_memory(error);
  const elman_status status = elman_metrics_sentences(scores, translations, &references, 1,
                                                      work->count, &options->metric, error);
  for (size_t i = 0; i < work->count && status == ELMAN_OK; i++) {
    const elman_evaluated sentence = {work->scores[i].number, translations[i], references[i],
                                      scores[i]};
    options->sentence(options->context, &sentence);
  }
  free(scores);
  return status;
}

static elman_status measure(elman_scores *scores, const struct work *work, elman_error *error) {
  const size_t count = work->count;
  const char **translations = calloc(count, sizeof *translations);
  char **references = calloc(count, sizeof *references);
  elman_status status = ELMAN_OK;
  size_t exact = 0, agreeing = 0;
  if (translations == NULL || references == NULL) status = fail_no_memory(error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    const struct text reference = work->scores[i].pair.target;
    translations[i] = work->scores[i].translation;
    references[i] = strndup(reference.bytes, reference.length);
    if (references[i] == NULL) status = fail_no_memory(error);
    exact += work->scores[i].found.exact;
    scores->aligned_words += work->scores[i].found.aligned_words;
    agreeing += work->scores[i].found.agreeing_words;
  }
  scores->exact_match = (double)exact / (double)scores->sentences;
  if (scores->aligned_words > 0)
    scores->alignment_agreement = (double)agreeing / (double)scores->aligned_words;
  const char *const *const sets[] = {(const char *const *)references};
  if (status == ELMAN_OK)
    status = elman_metrics(&scores->metrics, translations, sets, 1, count, &work->options->metric,
                           error);
  if (status == ELMAN_OK) status = report_sentences(work, translations, sets[0], error);
  free(translations);
  for (size_t i = 0; references != NULL && i < count; i++) free(references[i]);
  free(references);
  return status;
}

/* ---- evaluation ---- */

static elman_status make_work(struct work *work, const struct model *model,
                              const elman_pairs *pairs, const struct selection *selection,
                              const elman_evaluate_options *options, elman_error *error) {
  const size_t count = selection->count;
  *work = (struct work){.model = model,
                        .pairs = pairs,
                        .options = options,
                        .scores = calloc(count, sizeof *work->scores),
                        .sentences = calloc(count, sizeof *work->sentences),
                        .numbers = calloc(count, sizeof *work->numbers)};
  if (work->scores == NULL || work->sentences == NULL || work->numbers == NULL)
    return fail_no_memory(error);
  for (; work->count < count; work->count++) {
    const size_t number = selection->pairs[work->count];
    work->scores[work->count] = (struct sentence_scores){.pair = pairs_get(pairs, number),
                                                         .number = number,
                                                         .own.index = work->count,
                                                         .translation = ""};
  }
  return ELMAN_OK;
}

static void work_free(struct work *work) {
  for (size_t i = 0; i < work->count; i++) free(work->scores[i].own_translation);
  free(work->scores);
  free(work->sentences);
  free(work->numbers);
}

static elman_status evaluate_translations(elman_scores *scores, const struct model *model,
                                          const elman_pairs *pairs,
                                          const struct selection *selection,
                                          const elman_evaluate_options *options,
                                          elman_error *error) {
  struct work work;
  struct buffer packed = {0};
  elman_status status = make_work(&work, model, pairs, selection, options, error);
  if (status == ELMAN_OK) status = score_own(&work, error);
  if (status == ELMAN_OK) pack_findings(&packed, &work);
  status = group_collect(options->group, status, &packed, error);
  if (status == ELMAN_OK) {
    status = unpack_findings(&work, &packed, error);
    if (status == ELMAN_OK)
      status = elman_override_reach_check(&work.reach, &options->translate, error);
    if (status == ELMAN_OK) status = measure(scores, &work, error);
    status = elman_group_agree(options->group, status, error);
  }
  buffer_free(&packed);
  work_free(&work);
  return status;
}

/* Even after an error, all processes complete each part and return the same status. Otherwise a
 * process would wait for one that has stopped. */
elman_status evaluate(elman_scores *scores, const struct model *model, const elman_pairs *pairs,
                      const struct corpus *encoded, const elman_evaluate_options *options,
                      elman_error *error) {
  elman_scores found = {0};
  struct corpus own = {0};
  struct selection selection = {0};
  elman_status status = ELMAN_OK;
  if (encoded == NULL) status = evaluate_encode(&own, model, pairs, error);
  if (status == ELMAN_OK)
    status = select_pairs(&selection, encoded == NULL ? &own : encoded, error);
  status = elman_group_agree(options->group, status, error);
  if (status == ELMAN_OK) status = evaluate_loss(&found, model, &selection, options, error);
  if (status == ELMAN_OK)
    status = evaluate_translations(&found, model, pairs, &selection, options, error);
  corpus_free(&own);
  free(selection.pairs);
  if (status == ELMAN_OK) *scores = found;
  return status;
}
