#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "corpus/batch.h"
#include "inspect/trace_picture.h"
#include "model/gradient_check.h"

/* ---- pairs given as text, to a batch of ids; a model's numbers as the network in double takes
 * them */

struct text_batch {
  struct encoding source, target; /* of the last pair */
  struct corpus corpus;
  struct batch batch;
};

static elman_status encode_side(struct encoding *encoding, const struct codec *codec,
                                const char *text, const char *side, size_t number,
                                elman_error *error) {
  elman_error problem = {0};
  elman_status status = encode_checked(encoding, codec, text_of(text), &problem);
  if (status == ELMAN_OK && encoding->tokens.count == 0)
    status = fail(&problem, ELMAN_BAD_DATA, NULL, "there is no word in it");
  if (status == ELMAN_OK) return ELMAN_OK;
  if (status != ELMAN_BAD_DATA) return fail_again(error, &problem);
  return fail(error, status, NULL, "the %s of pair %zu: %.400s", side, number, problem.message);
}

/* Of the pair that is added next. */
static elman_status add_alignment(struct text_batch *texts, const struct encoded_side sides[2],
                                  const char *alignment, elman_error *error) {
  struct token_linker linker = {0};
  elman_error problem = {0};
  const size_t pair = texts->corpus.source.count;
  const elman_status status =
      token_links_add(&texts->corpus.links, pair, &linker, sides, text_of(alignment), &problem);
  token_linker_free(&linker);
  if (status != ELMAN_BAD_DATA) return status == ELMAN_OK ? status : fail_again(error, &problem);
  return fail(error, status, NULL, "pair %zu: %.400s", pair + 1, problem.message);
}

static elman_status fill_corpus(struct text_batch *texts, const struct model *model,
                                const char *const *sources, const char *const *targets,
                                const char *const *alignments, size_t count, elman_error *error) {
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  elman_status status = corpus_create(&texts->corpus, count, error);
  texts->corpus.source_words = source.vocabulary;
  if (status == ELMAN_OK && alignments != NULL)
    status = corpus_create_guides(&texts->corpus, count, error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    status = encode_side(&texts->source, &source, sources[i], "source", i + 1, error);
    if (status == ELMAN_OK)
      status = encode_side(&texts->target, &target, targets[i], "target", i + 1, error);
    const struct encoded_side sides[] = {{&source, &texts->source, text_of(sources[i])},
                                         {&target, &texts->target, text_of(targets[i])}};
    if (status == ELMAN_OK && alignments != NULL)
      status = add_alignment(texts, sides, alignments[i], error);
    if (status == ELMAN_OK)
      status = corpus_add(&texts->corpus, &texts->source, &texts->target, error);
  }
  return status;
}

/* A pair with a side that is empty, not UTF-8 or too long is ELMAN_BAD_DATA, as is a bad alignment
 * (NULL = none). text_batch_free works also after a failure. */
static elman_status text_batch_fill(struct text_batch *texts, const struct model *model,
                                    const char *const *sources, const char *const *targets,
                                    const char *const *alignments, size_t count,
                                    elman_error *error) {
  *texts = (struct text_batch){0};
  if (count == 0) return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no pair");
  elman_status status = fill_corpus(texts, model, sources, targets, alignments, count, error);
  if (status != ELMAN_OK) return status;
  size_t *indices = reallocarray(NULL, count, sizeof *indices);
  if (indices == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < count; i++) indices[i] = i;
  status = batch_fill(&texts->batch, &texts->corpus, indices, count, error);
  free(indices);
  return status;
}

static void text_batch_free(struct text_batch *texts) {
  encoding_free(&texts->source);
  encoding_free(&texts->target);
  corpus_free(&texts->corpus);
  batch_free(&texts->batch);
}

/* tensors[i] becomes the numbers of row i of the model's table. */
static void model_tensors(const float *tensors[MAX_PARAMETERS], const struct model *model) {
  for (size_t i = 0; i < model->table.count; i++)
    tensors[i] = model->block + model->table.rows[i].offset;
}

/* Multiplications in the largest product of a pass, which is the output layer's. */
static double network_product(const struct model *model, const struct batch *batch) {
  return (double)batch->tokens * (double)model->config.target_vocabulary *
         (double)decoder_feature_size(decoder_sizes_of(&model->config));
}

/* ---- the gradient check ---- */

/* The public part comes first, so that a pointer to it is a pointer to the whole. */
struct owned_report {
  elman_gradient_report outer;
  elman_checked_tensor tensors[MAX_PARAMETERS];
  struct parameter_table table; /* the names */
};

const char *elman_verdict_name(elman_verdict verdict) {
  static const char *const names[] = {"right", "too small", "wrong", "tied", "kink"};
  return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : NULL;
}

elman_gradient_options elman_gradient_options_default(void) {
  return (elman_gradient_options){.step = 1e-5, .tolerance = 1e-7, .samples = 50, .seed = 1};
}

/* ---- options ---- */

static bool is_share(double value) {
  return value >= 0 && value < 1;
}

static elman_status check_options(const elman_gradient_options *options, elman_error *error) {
  const char *problem = NULL;
  if (!(options->step >= 1e-12 && options->step <= 1))
    problem = "the step must lie from 1e-12 to 1";
  else if (!(options->tolerance >= 0 && options->tolerance <= 1))
    problem = "the tolerance must lie from 0 to 1";
  else if (!is_share(options->dropout) || !is_share(options->attention_dropout) ||
           !is_share(options->label_smoothing))
    problem = "dropouts and label smoothing must be at least 0 and less than 1";
  else if (!(options->guide_weight >= 0 && options->guide_weight <= 1000))
    problem = "the guide weight must lie from 0 to 1000";
  else if ((options->guide_weight > 0) != (options->alignments != NULL))
    problem = "a guide weight goes with alignments, and they with it";
  return problem == NULL ? ELMAN_OK : fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s", problem);
}

/* ---- the report ---- */

static const char *original_name(const struct parameter_table *table, const struct parameter *row) {
  for (size_t i = 0; i < table->count; i++) {
    if (!table->rows[i].alias && table->rows[i].offset == row->offset) return table->rows[i].name;
  }
  return NULL;
}

static void fill_report(struct owned_report *owned, const struct gradient_check *check,
                        const struct text_batch *texts) {
  elman_gradient_report *report = &owned->outer;
  *report = (elman_gradient_report){.loss = check->loss,
                                    .tokens = texts->batch.tokens,
                                    .guide_loss = check->guide_loss,
                                    .linked = texts->batch.guide.tokens,
                                    .unknown_source = sentences_unknown(&texts->corpus.source),
                                    .unknown_target = sentences_unknown(&texts->corpus.target),
                                    .tensor_count = check->count,
                                    .tensors = owned->tensors};
  for (size_t i = 0; i < check->count; i++) {
    const struct parameter *row = &owned->table.rows[i];
    elman_checked_tensor *tensor = &owned->tensors[i];
    *tensor = check->reports[i];
    tensor->name = row->name;
    tensor->tied_to = row->alias ? original_name(&owned->table, row) : NULL;
    tensor->rows = row->rows;
    tensor->columns = row->columns;
    tensor->dimensions = row->dimensions;
    if (tensor->verdict == ELMAN_GRADIENT_WRONG) report->wrong = true;
    const bool counts =
        tensor->verdict == ELMAN_GRADIENT_RIGHT || tensor->verdict == ELMAN_GRADIENT_WRONG;
    /* Also an error that is not a number comes before all others. */
    if (counts && (report->worst == NULL || !(tensor->error <= report->worst->error)))
      report->worst = tensor;
  }
  report->right = report->worst != NULL && !report->wrong;
}

static elman_status check_gradients(elman_gradient_report **report, const struct model *model,
                                    const struct text_batch *texts,
                                    const elman_gradient_options *options, elman_error *error) {
  const float *tensors[MAX_PARAMETERS];
  struct gradient_check check;
  model_tensors(tensors, model);
  const elman_status status =
      gradient_check_run(&check, &model->config, tensors, &texts->batch, options, error);
  if (status != ELMAN_OK) return status;
  struct owned_report *owned = malloc(sizeof *owned);
  if (owned == NULL) return fail_no_memory(error);
  owned->table = model->table;
  fill_report(owned, &check, texts);
  *report = &owned->outer;
  return ELMAN_OK;
}

elman_status elman_gradient_check(elman_gradient_report **report, const elman_model *model,
                                  const char *const *sources, const char *const *targets,
                                  size_t count, const elman_gradient_options *options,
                                  elman_error *error) {
  const elman_gradient_options defaults = elman_gradient_options_default();
  if (options == NULL) options = &defaults;
  const struct model *inner = inner_model_const(model);
  struct text_batch texts = {0};
  *report = NULL;
  elman_status status = check_options(options, error);
  if (status == ELMAN_OK)
    status = text_batch_fill(&texts, inner, sources, targets, options->alignments, count, error);
  struct surroundings before;
  if (status == ELMAN_OK) status = enter(&before, 0, network_product(inner, &texts.batch), error);
  if (status == ELMAN_OK) {
    status = check_gradients(report, inner, &texts, options, error);
    leave(before);
  }
  text_batch_free(&texts);
  return status;
}

void elman_gradient_report_free(elman_gradient_report *report) {
  free(report);
}

/* ---- the trace ---- */

/* One side's, </s> included. */
struct named_tokens {
  const char **tokens;
  bool *known;
};

/* The public part comes first, so that a pointer to it is a pointer to the whole. */
struct owned_trace {
  elman_gradient_trace outer;
  struct trace inner;      /* the numbers */
  struct text_batch texts; /* the ids */
  struct named_tokens names[2];
  struct arena arena; /* of the names */
};

/* Takes place for a side's tokens, without their marks, and fills it unless only measuring. */
static void copy_tokens(struct named_tokens *names, struct arena *arena,
                        const struct encoding *encoding, elman_side side) {
  const size_t words = encoding->tokens.count, count = words + (side == ELMAN_TARGET);
  names->tokens = arena_allocate(arena, sizeof *names->tokens, count, 1, 1);
  names->known = arena_allocate(arena, sizeof *names->known, count, 1, 1);
  for (size_t i = 0; i < count; i++) {
    const struct text token =
        i < words ? token_shown(tokens_get(&encoding->tokens, i)) : text_of("</s>");
    char *copy = arena_allocate(arena, 1, token.length + 1, 1, 1);
    if (copy == NULL) continue;
    memcpy(copy, token.bytes, token.length);
    copy[token.length] = '\0';
    names->tokens[i] = copy;
    names->known[i] = i == words || encoding->ids[i] != TOKEN_UNKNOWN;
  }
}

static elman_status name_tokens(struct owned_trace *owned, elman_error *error) {
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &owned->arena, error)) {
    copy_tokens(&owned->names[ELMAN_SOURCE], fit.now, &owned->texts.source, ELMAN_SOURCE);
    copy_tokens(&owned->names[ELMAN_TARGET], fit.now, &owned->texts.target, ELMAN_TARGET);
  }
  return fit.status;
}

static void fill_trace(struct owned_trace *owned, size_t step) {
  const struct trace *inner = &owned->inner;
  const struct batch *batch = &owned->texts.batch;
  owned->outer = (elman_gradient_trace){.loss = inner->loss,
                                        .target_step = step,
                                        .source_count = batch->source.steps,
                                        .target_count = batch->target.steps,
                                        .source_tokens = owned->names[ELMAN_SOURCE].tokens,
                                        .source_known = owned->names[ELMAN_SOURCE].known,
                                        .target_tokens = owned->names[ELMAN_TARGET].tokens,
                                        .target_known = owned->names[ELMAN_TARGET].known,
                                        .losses = inner->losses,
                                        .layer_count = inner->count,
                                        .layers = inner->layers};
}

static elman_status trace_pair(struct owned_trace *owned, const struct model *model,
                               const char *source, const char *target, size_t step,
                               elman_error *error) {
  const float *tensors[MAX_PARAMETERS];
  struct text_batch *texts = &owned->texts;
  elman_status status = text_batch_fill(texts, model, &source, &target, NULL, 1, error);
  if (status == ELMAN_OK) status = name_tokens(owned, error);
  if (status != ELMAN_OK) return status;
  model_tensors(tensors, model);
  struct surroundings before;
  status = enter(&before, 0, network_product(model, &texts->batch), error);
  if (status != ELMAN_OK) return status;
  status = trace_run(&owned->inner, &model->config, tensors, &texts->batch, step, error);
  leave(before);
  if (status == ELMAN_OK) fill_trace(owned, step);
  return status;
}

elman_status elman_trace(elman_gradient_trace **trace, const elman_model *model, const char *source,
                         const char *target, size_t target_step, elman_error *error) {
  *trace = NULL;
  struct owned_trace *owned = calloc(1, sizeof *owned);
  if (owned == NULL) return fail_no_memory(error);
  const elman_status status =
      trace_pair(owned, inner_model_const(model), source, target, target_step, error);
  if (status == ELMAN_OK)
    *trace = &owned->outer;
  else
    elman_trace_free(&owned->outer);
  return status;
}

void elman_trace_free(elman_gradient_trace *trace) {
  if (trace == NULL) return;
  struct owned_trace *owned = (struct owned_trace *)trace;
  arena_free(&owned->arena);
  arena_free(&owned->inner.arena);
  text_batch_free(&owned->texts);
  free(owned);
}

elman_status elman_trace_draw(FILE *stream, const elman_gradient_trace *trace, const char *format,
                              elman_error *error) {
  return trace_draw(stream, trace, format, error);
}
