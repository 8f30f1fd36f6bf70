#include "model/gradient_report.h"

#include <stdlib.h>
#include <string.h>

/* ---- pairs of texts as a batch of ids ---- */

static elman_status encode_side(struct encoding *encoding, const struct codec *codec,
                                const char *text, const char *side, size_t number,
                                elman_error *error) {
  elman_error problem = {0};
  elman_status status = encode_checked(encoding, codec, text_of(text), 0, &problem);
  if (status == ELMAN_OK && encoding->tokens.count == 0)
    status = fail(&problem, ELMAN_BAD_DATA, NULL, "it contains no words");
  if (status == ELMAN_OK) return ELMAN_OK;
  if (status != ELMAN_BAD_DATA) return fail_again(error, &problem);
  return fail(error, status, NULL, "the %s of pair %zu: %.400s", side, number, problem.message);
}

/* Append the alignment of the next pair to `texts`. */
static elman_status add_alignment(struct pair_batch *texts, const struct encoded_side sides[2],
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

static elman_status fill_corpus(struct pair_batch *texts, const struct model *model,
                                const char *const *sources, const char *const *targets,
                                const char *const *alignments, size_t count, elman_error *error) {
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  struct unit_lines lines[2] = {{0}};
  elman_status status = corpus_create(&texts->corpus, count, error);
  texts->corpus.source_words = source.vocabulary;
  if (status == ELMAN_OK && alignments != NULL)
    status = corpus_create_guides(&texts->corpus, count, error);
  for (size_t i = 0; i < count && alignments != NULL; i++) {
    unit_lines_add(&lines[0], text_of(sources[i]));
    unit_lines_add(&lines[1], text_of(targets[i]));
  }
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    status = encode_side(&texts->source, &source, sources[i], "source", i + 1, error);
    if (status == ELMAN_OK)
      status = encode_side(&texts->target, &target, targets[i], "target", i + 1, error);
    const struct encoded_side sides[] = {{&source, &texts->source, text_of(sources[i]), &lines[0]},
                                         {&target, &texts->target, text_of(targets[i]), &lines[1]}};
    if (status == ELMAN_OK && alignments != NULL)
      status = add_alignment(texts, sides, alignments[i], error);
    if (status == ELMAN_OK)
      status = corpus_add(&texts->corpus, &texts->source, &texts->target, error);
  }
  return status;
}

elman_status pair_batch_fill(struct pair_batch *texts, const struct model *model,
                             const char *const *sources, const char *const *targets,
                             const char *const *alignments, size_t count, elman_error *error) {
  *texts = (struct pair_batch){0};
  if (count == 0) return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "no sentence pair was given");
  elman_status status = fill_corpus(texts, model, sources, targets, alignments, count, error);
  if (status != ELMAN_OK) return status;
  size_t *indices = reallocarray(NULL, count, sizeof *indices);
  if (indices == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < count; i++) indices[i] = i;
  status = batch_fill(&texts->batch, &texts->corpus, indices, count, error);
  free(indices);
  return status;
}

void pair_batch_free(struct pair_batch *texts) {
  encoding_free(&texts->source);
  encoding_free(&texts->target);
  corpus_free(&texts->corpus);
  batch_free(&texts->batch);
}

/* ---- the gradient check ---- */

void model_tensors(const float *tensors[MAX_PARAMETERS], const struct model *model) {
  for (size_t i = 0; i < model->table.count; i++)
    tensors[i] = model->block + model->table.rows[i].offset;
}

static const char *original_name(const struct parameter_table *table, const struct parameter *row) {
  for (size_t i = 0; i < table->count; i++) {
    if (!table->rows[i].alias && table->rows[i].offset == row->offset) return table->rows[i].name;
  }
  return NULL;
}

void gradient_report_fill(struct gradient_report *owned, const struct model *model,
                          const struct gradient_check *check, const struct pair_batch *texts) {
  elman_gradient_report *report = &owned->outer;
  owned->table = model->table;
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
    if (tensor->verdict == ELMAN_GRADIENT_FAILED) report->failed = true;
    const bool counts =
        tensor->verdict == ELMAN_GRADIENT_PASSED || tensor->verdict == ELMAN_GRADIENT_FAILED;
    /* NaN counts as the largest error. */
    if (counts && (report->worst == NULL || !(tensor->error <= report->worst->error)))
      report->worst = tensor;
  }
  report->passed = report->worst != NULL && !report->failed;
}

/* ---- the trace ---- */

/* Copy a side's tokens without their marks. The first pass of the arena only measures the memory;
 * during that pass, copy nothing. */
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

static elman_status name_tokens(struct trace_report *owned, elman_error *error) {
  struct arena_fit fit = {0};
  while (arena_fit(&fit, &owned->arena, error)) {
    copy_tokens(&owned->names[ELMAN_SOURCE], fit.now, &owned->texts.source, ELMAN_SOURCE);
    copy_tokens(&owned->names[ELMAN_TARGET], fit.now, &owned->texts.target, ELMAN_TARGET);
  }
  return fit.status;
}

elman_status trace_report_fill(struct trace_report *owned, size_t step, elman_error *error) {
  const struct trace *inner = &owned->inner;
  const struct batch *batch = &owned->texts.batch;
  const elman_status status = name_tokens(owned, error);
  if (status != ELMAN_OK) return status;
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
  return ELMAN_OK;
}
