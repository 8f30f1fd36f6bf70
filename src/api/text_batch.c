#include "api/text_batch.h"

#include <stdlib.h>

#include "translate/translator.h"

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

static elman_status fill_corpus(struct text_batch *texts, const struct model *model,
                                const char *const *sources, const char *const *targets,
                                size_t count, elman_error *error) {
  const struct codec source = model_source_codec(model), target = model_target_codec(model);
  elman_status status = corpus_create(&texts->corpus, count, error);
  for (size_t i = 0; i < count && status == ELMAN_OK; i++) {
    status = encode_side(&texts->source, &source, sources[i], "source", i + 1, error);
    if (status == ELMAN_OK)
      status = encode_side(&texts->target, &target, targets[i], "target", i + 1, error);
    if (status == ELMAN_OK)
      status = corpus_add(&texts->corpus, &texts->source, &texts->target, error);
  }
  return status;
}

elman_status text_batch_fill(struct text_batch *texts, const struct model *model,
                             const char *const *sources, const char *const *targets, size_t count,
                             elman_error *error) {
  *texts = (struct text_batch){0};
  if (count == 0) return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "there is no pair");
  elman_status status = fill_corpus(texts, model, sources, targets, count, error);
  if (status != ELMAN_OK) return status;
  size_t *indices = reallocarray(NULL, count, sizeof *indices);
  if (indices == NULL) return fail_no_memory(error);
  for (size_t i = 0; i < count; i++) indices[i] = i;
  status = batch_fill(&texts->batch, &texts->corpus, indices, count, error);
  free(indices);
  return status;
}

void text_batch_free(struct text_batch *texts) {
  encoding_free(&texts->source);
  encoding_free(&texts->target);
  corpus_free(&texts->corpus);
  batch_free(&texts->batch);
}

void model_tensors(const float *tensors[MAX_PARAMETERS], const struct model *model) {
  for (size_t i = 0; i < model->table.count; i++)
    tensors[i] = model->block + model->table.rows[i].offset;
}

double network_product(const struct model *model, const struct batch *batch) {
  return (double)batch->tokens * (double)model->config.target_vocabulary *
         (double)decoder_feature_size(decoder_sizes_of(&model->config));
}
