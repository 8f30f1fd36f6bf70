#include "elman.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "inspect/format.h"
#include "model/model_file.h"
#include "tensor/blas.h"
#include "tensor/denormals.h"
#include "train/trainer.h"
#include "translate/evaluate.h"

/* ---- errors: the internal and the public ones have the same codes and sizes ---- */

_Static_assert((int)ELMAN_OK == (int)STATUS_OK, "codes agree");
_Static_assert((int)ELMAN_INVALID_ARGUMENT == (int)STATUS_INVALID_ARGUMENT, "codes agree");
_Static_assert((int)ELMAN_BAD_DATA == (int)STATUS_BAD_DATA, "codes agree");
_Static_assert((int)ELMAN_NO_INPUT == (int)STATUS_NO_INPUT, "codes agree");
_Static_assert((int)ELMAN_NO_MEMORY == (int)STATUS_NO_MEMORY, "codes agree");
_Static_assert((int)ELMAN_CANNOT_CREATE == (int)STATUS_CANNOT_CREATE, "codes agree");
_Static_assert((int)ELMAN_IO == (int)STATUS_IO, "codes agree");
_Static_assert((int)ELMAN_INTERRUPTED == (int)STATUS_INTERRUPTED, "codes agree");
_Static_assert((int)ELMAN_TOKENS_SPACE == (int)TOKENS_SPACE, "modes agree");
_Static_assert((int)ELMAN_TOKENS_WORDS == (int)TOKENS_WORDS, "modes agree");
_Static_assert((int)ELMAN_TOKENS_CHARS == (int)TOKENS_CHARS, "modes agree");
_Static_assert((int)ELMAN_TOKENS_AUTO == (int)TOKENS_AUTO, "modes agree");

static elman_status give(elman_error *out, enum status status, const struct error *error) {
  if (status != STATUS_OK && out != NULL) {
    _Static_assert(sizeof out->message == sizeof error->message, "sizes agree");
    _Static_assert(sizeof out->where == sizeof error->where, "sizes agree");
    out->code = (elman_status)status;
    memcpy(out->message, error->message, sizeof out->message);
    memcpy(out->where, error->where, sizeof out->where);
  }
  return (elman_status)status;
}

/* ---- threads and floating-point mode: set for the length of a call, then put back ---- */

enum { MAX_THREADS = 1024 };

struct surroundings {
  int threads;
  unsigned denormals;
};

static struct surroundings enter(size_t threads) {
  struct surroundings before = {.threads = omp_get_max_threads()};
  blas_use_one_thread();
  if (threads > 0) omp_set_num_threads((int)(threads < MAX_THREADS ? threads : MAX_THREADS));
  before.denormals = denormals_to_zero();
  return before;
}

static void leave(struct surroundings before) {
  denormals_restore(before.denormals);
  omp_set_num_threads(before.threads);
}

const char *elman_version(void) {
  return ELMAN_VERSION;
}

/* ---- pairs ---- */

/* The public handles are the internal structs under another name. */
static struct pairs *inner_pairs(elman_pairs *pairs) {
  return (struct pairs *)pairs;
}

static const struct pairs *inner_pairs_const(const elman_pairs *pairs) {
  return (const struct pairs *)pairs;
}

elman_pairs_options elman_pairs_options_default(void) {
  return (elman_pairs_options){.source_column = 1, .target_column = 2};
}

elman_status elman_pairs_read(elman_pairs **pairs, const elman_pairs_options *options,
                              elman_error *error) {
  const struct pairs_options inner = {.files = options->files,
                                      .file_count = options->file_count,
                                      .source_file = options->source_file,
                                      .target_file = options->target_file,
                                      .source_column = options->source_column,
                                      .target_column = options->target_column,
                                      .alignment_column = options->alignment_column,
                                      .strict = options->strict,
                                      .skipped = options->skipped,
                                      .context = options->context};
  struct pairs *read = NULL;
  struct error problem = {0};
  const enum status status = pairs_read(&read, &inner, &problem);
  *pairs = (elman_pairs *)read;
  return give(error, status, &problem);
}

void elman_pairs_free(elman_pairs *pairs) {
  pairs_free(inner_pairs(pairs));
}

size_t elman_pairs_count(const elman_pairs *pairs) {
  return pairs_count(inner_pairs_const(pairs));
}

size_t elman_pairs_skipped(const elman_pairs *pairs) {
  return pairs_skipped_count(inner_pairs_const(pairs));
}

/* ---- models ---- */

static struct model *inner_model(elman_model *model) {
  return (struct model *)model;
}

static const struct model *inner_model_const(const elman_model *model) {
  return (const struct model *)model;
}

const char *elman_token_mode_name(elman_token_mode mode) {
  return token_mode_name((enum token_mode)mode);
}

const char *elman_attention_name(size_t index) {
  return index <= INT32_MAX ? attention_name((enum attention_kind)index) : NULL;
}

elman_model_options elman_model_options_default(void) {
  return (elman_model_options){.embedding_size = 128,
                               .hidden_size = 128,
                               .attention = "dot",
                               .source_tokens = ELMAN_TOKENS_AUTO,
                               .target_tokens = ELMAN_TOKENS_AUTO,
                               .min_count = 1,
                               .seed = 1};
}

static enum status create_model(struct model **model, const struct pairs *pairs,
                                const elman_model_options *options, struct error *error) {
  /* The vocabularies are not counted yet; their sizes are checked again when they are. */
  struct model_config config = {.source_vocabulary = 1,
                                .target_vocabulary = 1,
                                .embedding_size = options->embedding_size,
                                .hidden_size = options->hidden_size};
  if (!attention_parse(&config.attention, options->attention))
    return fail(error, STATUS_INVALID_ARGUMENT, NULL, "there is no attention mechanism \"%s\"",
                options->attention);
  if (elman_token_mode_name(options->source_tokens) == NULL ||
      elman_token_mode_name(options->target_tokens) == NULL)
    return fail(error, STATUS_INVALID_ARGUMENT, NULL, "there is no such token mode");
  enum status status = model_config_check(&config, error);
  if (status != STATUS_OK) return status;
  const struct vocabulary_options vocabulary = {
      .source_mode = (enum token_mode)options->source_tokens,
      .target_mode = (enum token_mode)options->target_tokens,
      .min_count = options->min_count,
      .max_words = options->max_vocabulary};
  struct vocabulary_pair vocabularies = {0};
  status = corpus_vocabularies(&vocabularies, pairs, &vocabulary, error);
  if (status == STATUS_OK) status = model_create(model, vocabularies, config, error);
  if (status == STATUS_OK) parameters_initialize((*model)->block, &(*model)->table, options->seed);
  return status;
}

elman_status elman_model_create(elman_model **model, const elman_pairs *pairs,
                                const elman_model_options *options, elman_error *error) {
  struct model *created = NULL;
  struct error problem = {0};
  const enum status status = create_model(&created, inner_pairs_const(pairs), options, &problem);
  *model = (elman_model *)created;
  return give(error, status, &problem);
}

elman_status elman_model_load(elman_model **model, const char *path, elman_error *error) {
  struct model *loaded = NULL;
  struct error problem = {0};
  const enum status status = model_load(&loaded, path, &problem);
  *model = (elman_model *)loaded;
  return give(error, status, &problem);
}

elman_status elman_model_save(const elman_model *model, const char *path, elman_error *error) {
  struct error problem = {0};
  return give(error, model_save(inner_model_const(model), path, &problem), &problem);
}

void elman_model_free(elman_model *model) {
  model_free(inner_model(model));
}

elman_model_info elman_model_get_info(const elman_model *handle) {
  const struct model *model = inner_model_const(handle);
  elman_model_info info = {.embedding_size = model->config.embedding_size,
                           .hidden_size = model->config.hidden_size,
                           .source_vocabulary = model->config.source_vocabulary,
                           .target_vocabulary = model->config.target_vocabulary,
                           .tensors = model->table.count,
                           .attention = attention_name(model->config.attention),
                           .source_tokens = (elman_token_mode)model->source_mode,
                           .target_tokens = (elman_token_mode)model->target_mode};
  for (size_t i = 0; i < model->table.count; i++)
    info.parameters += parameter_size(&model->table.rows[i]);
  return info;
}

elman_tensor_info elman_model_get_tensor(const elman_model *handle, size_t index) {
  const struct model *model = inner_model_const(handle);
  const struct parameter *row = &model->table.rows[index];
  const real *values = model->block + row->offset;
  const size_t size = parameter_size(row);
  elman_tensor_info info = {.name = row->name,
                            .rows = row->rows,
                            .columns = row->columns,
                            .dimensions = row->dimensions,
                            .minimum = (double)values[0],
                            .maximum = (double)values[0]};
  double sum = 0, squares = 0;
  for (size_t i = 0; i < size; i++) {
    const double value = (double)values[i];
    if (value < info.minimum) info.minimum = value;
    if (value > info.maximum) info.maximum = value;
    sum += value;
  }
  info.mean = sum / (double)size;
  for (size_t i = 0; i < size; i++) {
    const double difference = (double)values[i] - info.mean;
    squares += difference * difference;
  }
  info.deviation = sqrt(squares / (double)size);
  return info;
}

const char *elman_model_get_token(const elman_model *handle, elman_side side, size_t id,
                                  size_t *length, uint64_t *count) {
  const struct model *model = inner_model_const(handle);
  const struct vocabulary *vocabulary =
      side == ELMAN_SOURCE ? model->source_vocabulary : model->target_vocabulary;
  const struct text token = vocabulary_token(vocabulary, id);
  if (length != NULL) *length = token.length;
  if (count != NULL) *count = vocabulary_count(vocabulary, id);
  return token.bytes;
}

/* ---- training ---- */

static const double MAX_LEARNING_RATE = 1e30;

elman_train_options elman_train_options_default(void) {
  const struct adam_options adam = adam_options_default();
  return (elman_train_options){.epochs = ELMAN_EPOCHS_AUTO,
                               .batch_size = 32,
                               .learning_rate = adam.learning_rate,
                               .clip_norm = 1,
                               .max_length = 200,
                               .seed = 1};
}

/* Carries a report from the training loop to the caller's function. */
struct report_relay {
  const elman_train_options *options;
  size_t left_out;
};

static bool relay_report(void *context, const struct trainer_report *report) {
  const struct report_relay *relay = context;
  const elman_train_report outer = {.epoch = report->epoch,
                                    .epochs = report->epochs,
                                    .update = report->update,
                                    .updates = report->updates,
                                    .tokens = report->tokens,
                                    .left_out = relay->left_out,
                                    .loss = report->loss,
                                    .update_loss = report->update_loss,
                                    .gradient_norm = report->gradient_norm};
  return relay->options->report(relay->options->context, &outer);
}

static enum status train(struct model *model, const struct pairs *pairs,
                         const elman_train_options *options, struct error *error) {
  if (options->batch_size == 0)
    return fail(error, STATUS_INVALID_ARGUMENT, NULL, "the batch size must be at least 1");
  /* With a larger one the weights themselves would overflow, before any loss could tell. */
  if (!(options->learning_rate > 0 && options->learning_rate <= MAX_LEARNING_RATE))
    return fail(error, STATUS_INVALID_ARGUMENT, NULL,
                "the learning rate must be greater than 0 and at most %g", MAX_LEARNING_RATE);
  if (!(options->clip_norm >= 0))
    return fail(error, STATUS_INVALID_ARGUMENT, NULL, "the clipping norm must not be negative");
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  struct corpus corpus = {0};
  enum status status = corpus_encode(&corpus, pairs, &source, &target, options->max_length, error);
  if (status != STATUS_OK) return status;
  struct report_relay relay = {options, corpus.too_long};
  struct trainer_options inner = {.epochs = options->epochs,
                                  .batch_size = options->batch_size,
                                  .adam = adam_options_default(),
                                  .clip_norm = options->clip_norm,
                                  .seed = options->seed,
                                  .report = options->report == NULL ? NULL : relay_report,
                                  .context = &relay};
  inner.adam.learning_rate = options->learning_rate;
  if (inner.epochs == ELMAN_EPOCHS_AUTO)
    inner.epochs = trainer_default_epochs(corpus.source.count, options->batch_size);
  status = trainer_run(model, &corpus, &inner, error);
  corpus_free(&corpus);
  return status;
}

elman_status elman_train(elman_model *model, const elman_pairs *pairs,
                         const elman_train_options *options, elman_error *error) {
  struct error problem = {0};
  const struct surroundings before = enter(options->threads);
  const enum status status = train(inner_model(model), inner_pairs_const(pairs), options, &problem);
  leave(before);
  return give(error, status, &problem);
}

/* ---- translating ---- */

struct elman_translator {
  struct translator inner;
};

/* The public part comes first, so that a pointer to it is a pointer to the whole. */
struct owned_translation {
  elman_translation outer;
  struct kept_translation kept;
};

elman_status elman_translator_create(elman_translator **translator, const elman_model *model,
                                     elman_error *error) {
  struct error problem = {0};
  *translator = malloc(sizeof **translator);
  if (*translator == NULL) return give(error, fail_no_memory(&problem), &problem);
  translator_create(&(*translator)->inner, inner_model_const(model));
  return ELMAN_OK;
}

void elman_translator_free(elman_translator *translator) {
  if (translator == NULL) return;
  translator_free(&translator->inner);
  free(translator);
}

elman_translate_options elman_translate_options_default(void) {
  return (elman_translate_options){0};
}

static enum status translate(struct owned_translation **out, struct translator *translator,
                             struct text source, const elman_translate_options *options,
                             struct error *error) {
  const struct text reference =
      options->reference == NULL ? (struct text){NULL, 0} : text_of(options->reference);
  enum status status = translator_run(translator, source, reference, options->max_length, error);
  if (status != STATUS_OK) return status;
  struct owned_translation *owned = calloc(1, sizeof *owned);
  if (owned == NULL) return fail_no_memory(error);
  status = translator_keep(&owned->kept, translator, error);
  if (status != STATUS_OK) {
    free(owned);
    return status;
  }
  const struct translation *view = &owned->kept.view;
  owned->outer = (elman_translation){.text = view->text,
                                     .log_probability = view->log_probability,
                                     .source_count = view->source_count,
                                     .target_count = view->target_count,
                                     .source_tokens = view->source_tokens,
                                     .source_known = view->source_known,
                                     .target_tokens = view->target_tokens,
                                     .attention = view->attention};
  *out = owned;
  return STATUS_OK;
}

elman_status elman_translate(elman_translation **translation, elman_translator *translator,
                             const char *text, size_t length,
                             const elman_translate_options *options, elman_error *error) {
  const elman_translate_options defaults = elman_translate_options_default();
  struct owned_translation *owned = NULL;
  struct error problem = {0};
  const struct surroundings before = enter(0);
  const enum status status = translate(&owned, &translator->inner, (struct text){text, length},
                                       options == NULL ? &defaults : options, &problem);
  leave(before);
  *translation = owned == NULL ? NULL : &owned->outer;
  return give(error, status, &problem);
}

void elman_translation_free(elman_translation *translation) {
  if (translation == NULL) return;
  struct owned_translation *owned = (struct owned_translation *)translation;
  arena_free(&owned->kept.arena);
  free(owned);
}

/* ---- attention matrices as files ---- */

const char *elman_format_name(size_t index) {
  const struct format *format = format_at(index);
  return format == NULL ? NULL : format->name;
}

const char *elman_format_of_path(const char *path) {
  const struct format *format = format_of_path(path);
  return format == NULL ? NULL : format->name;
}

static enum status write_attention(FILE *stream, const elman_translation *outer,
                                   const char *format_name, const elman_text_style *style,
                                   struct error *error) {
  const struct format *format = format_named(format_name);
  if (format == NULL)
    return fail(error, STATUS_INVALID_ARGUMENT, NULL, "there is no format \"%s\"", format_name);
  const struct translation view = {.text = outer->text,
                                   .log_probability = outer->log_probability,
                                   .source_count = outer->source_count,
                                   .target_count = outer->target_count,
                                   .source_tokens = outer->source_tokens,
                                   .source_known = outer->source_known,
                                   .target_tokens = outer->target_tokens,
                                   .attention = outer->attention};
  const struct text_style inner = {.color = style != NULL && style->color};
  return format->write(stream, &view, &inner, error);
}

elman_status elman_attention_write(FILE *stream, const elman_translation *translation,
                                   const char *format, const elman_text_style *style,
                                   elman_error *error) {
  struct error problem = {0};
  return give(error, write_attention(stream, translation, format, style, &problem), &problem);
}

elman_status elman_attention_save(const char *path, const elman_translation *translation,
                                  const char *format, elman_error *error) {
  struct error problem = {0};
  struct safe_file file;
  enum status status = safe_file_open(&file, path, &problem);
  if (status == STATUS_OK) {
    status = write_attention(file.stream, translation, format, NULL, &problem);
    if (status == STATUS_OK)
      status = safe_file_commit(&file, &problem);
    else
      safe_file_abandon(&file);
  }
  return give(error, status, &problem);
}

/* ---- evaluating ---- */

elman_evaluate_options elman_evaluate_options_default(void) {
  return (elman_evaluate_options){.batch_size = 32};
}

elman_status elman_evaluate(elman_scores *scores, const elman_model *model,
                            const elman_pairs *pairs, const elman_evaluate_options *options,
                            elman_error *error) {
  struct error problem = {0};
  if (options->batch_size == 0)
    return give(error,
                fail(&problem, STATUS_INVALID_ARGUMENT, NULL, "the batch size must be at least 1"),
                &problem);
  const struct evaluate_options inner = {.batch_size = options->batch_size,
                                         .limit = options->max_length,
                                         .progress = options->progress,
                                         .context = options->context};
  struct scores found;
  const struct surroundings before = enter(options->threads);
  const enum status status =
      evaluate(&found, inner_model_const(model), inner_pairs_const(pairs), &inner, &problem);
  leave(before);
  if (status == STATUS_OK)
    *scores = (elman_scores){.loss = found.loss,
                             .perplexity = exp(found.loss),
                             .tokens = found.tokens,
                             .sentences = found.sentences,
                             .left_out = found.too_long,
                             .unknown_source = found.unknown_source,
                             .unknown_target = found.unknown_target,
                             .exact_match = found.exact_match,
                             .aligned_words = found.aligned_words,
                             .alignment_agreement =
                                 found.aligned_words == 0
                                     ? 0
                                     : (double)found.agreeing_words / (double)found.aligned_words};
  return give(error, status, &problem);
}
